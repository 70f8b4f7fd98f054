"""The server as an assistant meets it: by the SDK's own client, in a process of its own, over both transports."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from steelyard.check.mcp import http as over_http
from steelyard.check.mcp import server
from steelyard.check.mcp.roots import MAX_PAGE, Roots
from steelyard.check.mcp.tools import BY_NAME
from steelyard.check.run import Checker
from steelyard.errors import SteelyardError
from steelyard.pages.descriptions import SCOPE

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-c", "from steelyard.check.mcp_command import command; command()"]
AS_OF = "2026-07-01"
# With the native core no call would be slow enough to be overtaken.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "STEELYARD_AS_OF": AS_OF, "STEELYARD_CORE": "python"}
LONE = {"text": "half a pair \ud800"}  # of surrogates, which JSON can escape and UTF-8 cannot hold
BARREL = {"path": "tutorial/barrel.md"}
SLOW = "The harbour of Lund sold 31% more salt in 2024, said Ann Lee. " * 5_000

GOOD: dict[str, dict[str, Any]] = {
    "score": BARREL,
    "explain": BARREL,
    "check_manipulation": {"path": "tutorial/barrel-stuffed.md"},
    "compare": {"old": BARREL, "new": {"path": "tutorial/barrel-improved.md"}},
    "predict": {"query": "how to raise a rain barrel", "pages": [BARREL, {"text": "Ice closes the bay."}]},
}
# A call, and what its error says.
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("score", {"path": "../README.md"}, "outside the allowed folders"),
    ("score", {"path": str(ROOT / "README.md")}, "outside the allowed folders"),
    ("explain", {"path": "/etc/passwd"}, "outside the allowed folders"),
    ("score", {"path": "tutorial/barrel.md\0"}, "NUL"),
    ("score", {"path": "tutorial"}, "not a page"),
    ("score", {"path": "tutorial/none.md"}, "no such file"),
    ("score", {}, "exactly one"),
    ("score", {"text": "a", **BARREL}, "exactly one"),
    ("score", {"text": "a" * (MAX_PAGE + 1)}, "over the limit"),
    ("score", {"text": 7}, "text is 7; write a string"),
    ("score", {"text": "a", "edition": "2027"}, "did you mean '2026'"),
    ("check_manipulation", {"text": "a", "as_of": "soon"}, "write a date such as"),
    ("score", {"text": "a", "colour": "red"}, "unknown key 'colour' (known: text, path"),
    ("compare", {"old": "a"}, "new is missing; write an object"),
    ("predict", {"query": "a", "pages": []}, "write 1 to 50 entries"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server over HTTP on a free port."""
    with start("--root", str(ROOT / "examples"), "--http", "--port", "0") as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:[0-9]+/mcp", process.stderr.readline())
        assert found
        yield found[0]
        process.send_signal(signal.SIGINT)
        process.wait(20)


def start(*arguments: str) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*COMMAND, *arguments], **pipes, env=ENVIRONMENT, encoding="utf-8")  # type: ignore[call-overload, no-any-return]


@pytest.fixture(params=["stdio", "http", "stdio, older protocol"])
def connect(request: pytest.FixtureRequest) -> Callable[[], Client]:
    """Return how to reach a server."""
    arguments = [*COMMAND[1:], "--root", str(ROOT / "examples")]
    if request.param == "http":
        url = request.getfixturevalue("address")
        return lambda: Client(url)
    process = StdioServerParameters(command=COMMAND[0], args=arguments, env=ENVIRONMENT)
    return lambda: Client(process, mode="legacy" if "older" in request.param else "auto")


def talk(connect: Callable[[], Client], about: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connect() as client:
            with anyio.fail_after(90):
                await about(client)

    anyio.run(run)


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def test_every_tool_answers_with_text_and_with_data_that_fit_its_schema(connect: Callable[[], Client]) -> None:
    async def about(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == BY_NAME.keys() == GOOD.keys()
        for name, arguments in GOOD.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error
            assert tools[name].output_schema == BY_NAME[name].outputs
            jsonschema.validate(arguments, tools[name].input_schema)
            jsonschema.validate(result.structured_content, BY_NAME[name].outputs)
            assert SCOPE in result.structured_content["scope"]
            assert SCOPE in read_text(result)
            hints = tools[name].annotations
            assert hints is not None
            assert hints.read_only_hint

    talk(connect, about)


def test_findings_are_those_of_the_checker(connect: Callable[[], Client]) -> None:
    path = ROOT / "examples" / "tutorial" / "barrel.md"
    checked = Checker().check_text(path.read_text("utf-8"), str(path))

    async def about(client: Client) -> None:
        found = (await client.call_tool("score", BARREL)).structured_content["findings"]
        expected = [(f.rule, f.start, f.end, f.line, f.column, f.fingerprint) for f in checked.reported]
        keys = ("rule", "start", "end", "line", "column", "fingerprint")
        assert [tuple(f[key] for key in keys) for f in found] == expected
        assert expected

    talk(connect, about)


def test_every_refusal_is_a_result_and_the_server_goes_on(connect: Callable[[], Client]) -> None:
    async def about(client: Client) -> None:
        for tool, arguments, reason in BAD:
            result = await client.call_tool(tool, arguments)
            assert result.is_error, arguments
            assert reason in read_text(result)
            assert len(read_text(result).splitlines()) == 1
            assert "Traceback" not in read_text(result)
            assert result.structured_content is None
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("delete", {})
        assert not (await client.call_tool("score", BARREL)).is_error

    talk(connect, about)


def test_the_manual_is_read_by_its_addresses(connect: Callable[[], Client]) -> None:
    async def about(client: Client) -> None:
        texts = {}
        for resource in (await client.list_resources()).resources:
            (content,) = (await client.read_resource(resource.uri)).contents
            assert content.mime_type == resource.mime_type == "text/markdown"
            texts[resource.name] = getattr(content, "text", "")
        assert texts.keys() == {"use", "score", "findings", "editions"}
        assert "Never invent a quotation" in texts["use"]
        assert "Never invent a quotation" in (client.instructions or "")
        for uri in ("file:///etc/passwd", "steelyard://manual/../use", "steelyard://manual/none"):
            with pytest.raises(MCPError, match="no such resource"):
                await client.read_resource(uri)

    talk(connect, about)


def test_several_calls_at_once_and_a_cancelled_one(connect: Callable[[], Client]) -> None:
    async def about(client: Client) -> None:
        ended: list[str] = []

        async def call(name: str, arguments: dict[str, Any]) -> None:
            result = await client.call_tool("score", arguments)
            assert not result.is_error
            ended.append(name)

        async with anyio.create_task_group() as group:
            group.start_soon(call, "slow", {"text": SLOW})
            for number in range(6):
                group.start_soon(call, f"fast {number}", BARREL)
        assert len(ended) == 7
        with anyio.move_on_after(0.02) as scope:
            await client.call_tool("score", {"text": SLOW})
        assert scope.cancelled_caught
        assert not (await client.call_tool("score", BARREL)).is_error

    talk(connect, about)


# Standard input and output


def test_only_the_protocol_is_on_standard_output_whatever_comes_in() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "not json",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "score", "arguments": LONE}}),
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": ' + "[" * 100_000,
        json.dumps(
            {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "score", "arguments": BARREL}}
        ),
    ]
    with start("--root", str(ROOT / "examples")) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not answers or answers[-1].get("id") != 4:
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(20) == 0
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert answers[-1]["result"]["structuredContent"]["source"] == "tutorial/barrel.md"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_that_waits_for_input(number: signal.Signals) -> None:
    with start() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()  # it has started
        process.send_signal(number)
        assert process.wait(5) == server.INTERRUPTED


def test_an_unexpected_error_tells_nothing_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("the page says heliotrope")

    monkeypatch.setattr(type(BY_NAME["score"]), "answer", fail)
    result = server._call(BY_NAME["score"], {}, Roots(["."]))
    assert result.is_error
    assert read_text(result) == "unexpected ValueError; this is a bug, please report the page"


# HTTP


def post(address: str, headers: dict[str, str], method: str = "POST") -> http.client.HTTPResponse:
    host, port = address.removeprefix("http://").removesuffix("/mcp").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request(method, "/mcp", body, {**usual, **headers})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def test_another_host_or_origin_is_refused(address: str) -> None:
    own = address.removeprefix("http://").removesuffix("/mcp")
    port = own.partition(":")[2]
    hosts = ["evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "127.0.0.1:1", "127.0.0.1"]
    for host in hosts:
        for method in ("POST", "DELETE"):
            assert post(address, {"Host": host}, method).status == 421
        assert post(address, {"Host": host}, "GET").status == 405  # whoever asks
        assert post(address, {"Host": host, "MCP-Protocol-Version": "2026-07-28"}).status == 421
    origins = ["http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example", "http://127.0.0.1:1"]
    for origin in origins:
        assert post(address, {"Origin": origin}).status == 403
    for headers in ({}, {"Origin": f"http://{own}"}, {"Host": f"localhost:{port}"}):
        assert post(address, headers).status not in (403, 421)


def test_no_other_site_is_allowed_to_read_answers(address: str) -> None:
    for method in ("POST", "OPTIONS"):
        headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
        response = post(address, headers, method)
        assert response.status >= 400
        assert not [name for name in response.headers if name.lower().startswith("access-control")]


def test_a_body_that_is_too_large_or_no_json_is_refused(address: str) -> None:
    assert post(address, {"Content-Length": str(over_http.MAX_BODY + 1)}).status == 413
    assert post(address, {"Content-Type": "text/plain"}).status == 400


def test_the_server_listens_on_this_machine_only() -> None:
    with over_http.bind(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SteelyardError, match=rf"port {port} cannot be used \(address already in use\); .*--port"):
            over_http.serve_http(Roots(["."]), port, print)


def test_a_server_over_http_ends_when_interrupted() -> None:
    with start("--http", "--port", "0") as process:
        assert process.stderr is not None
        assert process.stdout is not None
        process.stderr.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.wait(10)
        assert process.stdout.read() == ""


# Without the SDK


def test_a_missing_package_is_named_with_its_extra() -> None:
    blocked = "import sys; sys.modules['mcp'] = None; from steelyard.check.mcp_command import command; command()"
    done = subprocess.run(
        [sys.executable, "-c", blocked], env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "pip install 'steelyard[mcp]'" in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_the_tools_themselves_import_nothing_of_the_sdk() -> None:
    code = "import sys, steelyard.check.mcp.tools; print({'mcp', 'anyio', 'pydantic', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "set()\n"
