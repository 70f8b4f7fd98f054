"""Real servers for the tests: a process that serves the examples, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-c", "from steelyard.check.mcp_command import command; command()"]
# With the native core no call would be slow enough to be overtaken.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "STEELYARD_AS_OF": "2026-07-01", "STEELYARD_CORE": "python"}
EXAMPLES = ("--root", str(ROOT / "examples"))
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def start(*arguments: str) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*COMMAND, *arguments], **pipes, env=ENVIRONMENT, encoding="utf-8")  # type: ignore[call-overload, no-any-return]


def ask(method: str, params: Any = None, number: Any = 7, **more: Any) -> str:
    """Return a request as JSON."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}, **more})


def send(
    address: str, body: str | None = None, method: str = "POST", **headers: str
) -> tuple[http.client.HTTPResponse, str]:
    """Send a request, with an underscore for each hyphen in a header; return the response and its text."""
    host, port = address.removeprefix("http://").removesuffix("/mcp").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=600)
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, "/mcp", (body or ask("tools/list")).encode(), {**usual, **named})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text
