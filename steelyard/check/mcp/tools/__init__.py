"""The tools: one file each, in the order in which an assistant reads them."""

from __future__ import annotations

from steelyard.check.mcp.tools.base import Tool
from steelyard.check.mcp.tools.check_manipulation import CHECK_MANIPULATION
from steelyard.check.mcp.tools.compare import COMPARE
from steelyard.check.mcp.tools.explain import EXPLAIN
from steelyard.check.mcp.tools.predict import PREDICT
from steelyard.check.mcp.tools.score import SCORE

TOOLS: tuple[Tool, ...] = (SCORE, EXPLAIN, COMPARE, CHECK_MANIPULATION, PREDICT)
BY_NAME = {tool.name: tool for tool in TOOLS}
