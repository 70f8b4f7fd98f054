"""docs/assistants.md: its calls are made again, and its configurations start our command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from steelyard.check.mcp.manual import BY_URI
from steelyard.check.mcp.roots import Roots
from steelyard.check.mcp.tools import BY_NAME
from steelyard.check.mcp.tools.base import ToolResult
from steelyard.check.mcp_command import PORT, command
from steelyard.check.use import USE

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "assistants.md").read_text("utf-8")
CALL = re.compile(r"<!-- call -->\n\n```json\n(.*?)\n```\n\n```text\n(.*?)```", re.DOTALL)
CONFIGURATION = re.compile(r'```json\n(\{\n  "(?:mcpServers|servers)".*?)\n```', re.DOTALL)


def make_calls() -> list[tuple[str, str, ToolResult]]:
    roots = Roots([str(ROOT / "examples")])
    calls = [(json.loads(call), shown) for call, shown in CALL.findall(PAGE)]
    return [(call["tool"], shown, BY_NAME[call["tool"]].answer(call["arguments"], roots)) for call, shown in calls]


def contains(whole: Any, part: Any) -> bool:
    """Return whether data hold everything that a part of them shows; a list may be longer than its part."""
    if isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        return len(whole) >= len(part) and all(map(contains, whole, part))
    return bool(whole == part)


def test_every_tool_has_a_real_example() -> None:
    calls = make_calls()
    assert {tool for tool, _, _ in calls} == BY_NAME.keys()
    for tool, shown, answer in calls:
        text = "\n".join(answer.lines) + "\n"
        parts = [part.lstrip("\n") for part in shown.split("…\n")]
        assert all(part in text for part in parts), tool
        assert text.startswith(parts[0])


def test_the_data_of_the_example_are_real() -> None:
    (shown,) = re.findall(r"for example:\n\n```json\n(.*?)\n```", PAGE, re.DOTALL)
    (data,) = (answer.data for tool, _, answer in make_calls() if tool == "score")
    assert contains(data, json.loads(shown))


def test_the_rules_are_those_that_the_server_tells() -> None:
    words = " ".join(PAGE.split())
    assert all(f"- {rule}" in words for rule in USE)
    assert all(f"`{uri}`" in words for uri in BY_URI)


def test_the_configurations_name_options_that_exist() -> None:
    found = [json.loads(text) for text in CONFIGURATION.findall(PAGE)]
    assert len(found) == 3
    options = {name for parameter in command.params for name in parameter.opts}
    for configuration in found:
        (servers,) = configuration.values()
        server = servers["steelyard"]
        if "url" in server:
            assert server["url"] == f"http://127.0.0.1:{PORT}/mcp"
        else:
            assert server["command"] == "steelyard"
            assert server["args"][0] == command.name
            assert {argument for argument in server["args"] if argument.startswith("--")} <= options
