"""The server as an assistant meets it: by the SDK's own client, in a process of its own, over both transports."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
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
from steelyard.errors import SteelyardError
from steelyard.pages.descriptions import SCOPE
from tests.check.mcp.servers import COMMAND, ENVIRONMENT, EXAMPLES, send, start

BARREL = {"path": "tutorial/barrel.md"}
SLOW = "The harbour of Lund sold 31% more salt in 2024, said Ann Lee. " * 2_000

GOOD: dict[str, dict[str, Any]] = {
    "score": BARREL,
    "explain": BARREL,
    "check_manipulation": {"path": "tutorial/barrel-stuffed.md"},
    "compare": {"old": BARREL, "new": {"path": "tutorial/barrel-improved.md"}},
    "predict": {"query": "how to raise a rain barrel", "pages": [BARREL, {"text": "Ice closes the bay."}]},
}
# A call, and what its error says; the others are in test_tools.py.
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("score", {"path": "../README.md"}, "outside the allowed folders"),
    ("explain", {"path": "/etc/passwd"}, "outside the allowed folders"),
    ("score", {"path": "tutorial/barrel.md\0"}, "NUL"),
    ("score", {"path": "tutorial"}, "not a page"),
    ("score", {"path": "tutorial/none.md"}, "no such file"),
    ("score", {"text": "a" * (MAX_PAGE + 1)}, "over the limit"),
    ("score", {"text": "a", "colour": "red"}, "unknown key 'colour' (known: text, path"),
    ("predict", {"query": "a", "pages": []}, "write 1 to 50 entries"),
]


OLDER = "stdio, older protocol"


@pytest.fixture(params=["http", *(pytest.param(name, marks=pytest.mark.full) for name in ("stdio", OLDER))])
def connect(request: pytest.FixtureRequest) -> Callable[[], Client]:
    """Return how to reach a server."""
    arguments = [*COMMAND[1:], *EXAMPLES]
    if request.param == "http":
        url = request.getfixturevalue("address")
        return lambda: Client(url)
    process = StdioServerParameters(command=COMMAND[0], args=arguments, env=ENVIRONMENT)
    return lambda: Client(process, mode="legacy" if request.param == OLDER else "auto")


def talk(connect: Callable[[], Client], about: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connect() as client:
            with anyio.fail_after(300):
                await about(client)

    anyio.run(run)


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


@pytest.mark.parametrize("connect", ["stdio", "http", OLDER], indirect=True)
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


@pytest.mark.parametrize("connect", ["stdio", "http", pytest.param(OLDER, marks=pytest.mark.full)], indirect=True)
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_that_waits_for_input(number: signal.Signals) -> None:
    with start() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()  # it has started
        process.send_signal(number)
        assert process.wait(60) == server.INTERRUPTED


def test_an_unexpected_error_tells_nothing_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("the page says heliotrope")

    monkeypatch.setattr(type(BY_NAME["score"]), "answer", fail)
    result = server._call(BY_NAME["score"], {}, Roots(["."]))
    assert result.is_error
    assert read_text(result) == "unexpected ValueError; this is a bug, please report the page"


# HTTP


def test_another_host_or_origin_is_refused(address: str) -> None:
    own = address.removeprefix("http://").removesuffix("/mcp")
    port = own.partition(":")[2]
    hosts = ["evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "127.0.0.1:1", "127.0.0.1"]
    for host in hosts:
        for method in ("POST", "DELETE"):
            assert send(address, method=method, Host=host)[0].status == 421
        assert send(address, method="GET", Host=host)[0].status == 405  # whoever asks
        assert send(address, Host=host, MCP_Protocol_Version="2026-07-28")[0].status == 421
    origins = ["http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example", "http://127.0.0.1:1"]
    for origin in origins:
        for method in ("POST", "OPTIONS"):
            response, _ = send(address, method=method, Origin=origin, Access_Control_Request_Method="POST")
            assert response.status == 403 if method == "POST" else response.status >= 400
            assert not [name for name in response.headers if name.lower().startswith("access-control")]
    for headers in ({}, {"Origin": f"http://{own}"}, {"Host": f"localhost:{port}"}):
        assert send(address, **headers)[0].status not in (403, 421)


def test_a_body_that_is_too_large_or_no_json_is_refused(address: str) -> None:
    assert send(address, Content_Length=str(over_http.MAX_BODY + 1))[0].status == 413
    assert send(address, Content_Type="text/plain")[0].status == 400


def test_the_server_listens_on_this_machine_only() -> None:
    with over_http.bind(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SteelyardError, match=rf"port {port} cannot be used \(address already in use\); .*--port"):
            over_http.serve_http(Roots(["."]), port, print)


# Without the SDK


def test_a_missing_package_is_named_with_its_extra() -> None:
    blocked = "import sys; sys.modules['mcp'] = None; from steelyard.check.mcp_command import command; command()"
    done = subprocess.run(
        [sys.executable, "-c", blocked], env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode != 0
    assert "pip install 'steelyard[mcp]'" in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_the_tools_themselves_import_nothing_of_the_sdk() -> None:
    code = "import sys, steelyard.check.mcp.tools; print({'mcp', 'anyio', 'pydantic', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "set()\n"
