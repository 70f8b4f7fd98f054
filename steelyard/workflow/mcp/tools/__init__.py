"""The tools: one file each, in the order in which an assistant reads them."""

from __future__ import annotations

from steelyard.workflow.mcp.tools.base import Tool
from steelyard.workflow.mcp.tools.check_manipulation import CHECK_MANIPULATION
from steelyard.workflow.mcp.tools.compare import COMPARE
from steelyard.workflow.mcp.tools.explain import EXPLAIN
from steelyard.workflow.mcp.tools.predict import PREDICT
from steelyard.workflow.mcp.tools.score import SCORE

TOOLS: tuple[Tool, ...] = (SCORE, EXPLAIN, COMPARE, CHECK_MANIPULATION, PREDICT)
BY_NAME = {tool.name: tool for tool in TOOLS}
