"""Messages that no program should send: each is answered, over standard input and over HTTP, and the server goes on."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcp_types import JSONRPCError
from starlette.types import Message

from steelyard.check.mcp import http as over_http
from steelyard.check.mcp.messages import read_message
from tests.check.mcp.servers import EXAMPLES, HELLO, ask, send, start

HALF = "half of a pair: \ud800"


def call(arguments: Any, name: str = "score", **more: Any) -> str:
    return ask("tools/call", {"name": name, "arguments": arguments, **more})


# A message, and the id and kind of its answer: a result, a refusal by the tool, or a code of JSON-RPC.
WRONG: dict[str, tuple[str, Any, Any]] = {
    "surrogate in a text": (call({"text": HALF}), 7, "result"),
    "surrogate in a title": (call({"text": "a", "title": HALF}), 7, "result"),
    "surrogate in a path": (call({"path": f"{HALF}.md"}), 7, "refused"),
    "surrogate in an argument's name": (call({HALF: "a"}), 7, "refused"),
    "surrogate in a tool's name": (call({}, HALF), 7, -32602),
    "surrogate in a key": (ask("tools/call", {"name": "score", "arguments": {"text": "a"}, HALF: 1}), 7, "result"),
    "surrogate in the method": (ask(HALF), 7, -32601),
    "surrogate in the id": (ask("tools/list", number=HALF), "half of a pair: \ufffd", "result"),
    "surrogate in an address": (ask("resources/read", {"uri": f"x://{HALF}"}), 7, -32602),
    "surrogate in a progress token": (call({"text": "a"}, _meta={"progressToken": HALF}), 7, "result"),
    "deep": ('{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": ' + "[" * 100_000, None, -32700),
    "deep and whole": (ask("tools/call", {"a": json.loads("[" * 500 + "]" * 500)}), 7, -32600),
    "not so deep": (call({"text": json.loads("[" * 100 + "]" * 100)}), 7, "refused"),
    "a number too long": (call({"text": 0}).replace("0}", "9" * 9_000 + "}"), None, -32700),
    "an id too long": (ask("tools/list").replace("7", "9" * 9_000), None, -32700),
    "not a number": (call({"text": float("nan")}), 7, "refused"),
    "an id that is not a number": (ask("tools/list", number=float("nan")), None, -32600),
    "an id that is a fraction": (ask("tools/list", number=1.5), None, -32600),
    "an id that is null": (ask("tools/list", number=None), None, -32600),
    "an id that is true": (ask("tools/list", number=True), None, -32600),
    "an id that is a list": (ask("tools/list", number=[7]), None, -32600),
    "two ids and methods": ('{"jsonrpc": "2.0", "id": 1, "id": 7, "method": "ping", "method": "none"}', 7, -32601),
    "parameters that are a number": ('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": 1}', 7, -32600),
    "arguments that are a list": (call([1]), 7, -32602),
    "a batch": (f"[{call({'text': 'a'})}]", None, -32600),
    "no version": ('{"id": 7, "method": "tools/list"}', 7, -32600),
    "a number": ("7", None, -32600),
    "no JSON": ("not JSON", None, -32700),
}


def describe(answer: dict[str, Any]) -> tuple[Any, Any]:
    if "error" in answer:
        return answer["id"], answer["error"]["code"]
    return answer["id"], "refused" if answer["result"].get("isError") else "result"


def test_every_line_on_standard_input_is_answered() -> None:
    with start(*EXAMPLES) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in (ask("initialize", HELLO), '{"jsonrpc": "2.0", "method": "notifications/initialized"}', "", " \r"):
            process.stdin.write(line + "\n")
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline())
        for name, (line, number, kind) in WRONG.items():
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert describe(json.loads(process.stdout.readline())) == (number, kind), name
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(200) == 0


def test_every_request_over_http_is_answered_and_none_opens_a_session(address: str) -> None:
    for name, (body, number, kind) in {"hello": (ask("initialize", HELLO), 7, "result"), **WRONG}.items():
        response, text = send(address, body)
        assert "mcp-session-id" not in response.headers, name
        assert describe(json.loads(text.partition("data: ")[2] or text)) == (number, kind), name
        assert response.status == (400 if kind in (-32600, -32700) else 200), name
    assert send(address, method="GET", Accept="text/event-stream")[0].status == 405  # a stream that nobody would end


def test_only_half_pairs_are_replaced() -> None:
    for given, expected in {
        r"\ud83d\ude00": "😀",
        r"\uD83D\uDE00\ud83d": "😀\ufffd",
        r"\ude00\ud83d": "\ufffd\ufffd",
        r"\ud83d\ud83d\ude00": "\ufffd😀",
        r"\ud83d\u0041": "\ufffdA",
        r"\\ud800": r"\ud800",
        r"\\\ud800": "\\\ufffd",
        r"\"\ud800\"": '"\ufffd"',
        "\\ud7ff\\ue000é": "\ud7ff\ue000é",
    }.items():
        message = read_message(f'{{"jsonrpc": "2.0", "method": "{given}"}}'.encode())
        assert isinstance(message, str)
        assert json.loads(message)["method"] == expected
    raw = read_message(b'{"jsonrpc": "2.0", "method": "\xed\xa0\x80"}')
    assert isinstance(raw, str)
    assert set(json.loads(raw)["method"]) == {"\ufffd"}
    assert isinstance(read_message(b"\xff"), JSONRPCError)


@pytest.mark.parametrize(("sent", "status"), [(b"", 408), (b"x" * 50, 413)])
def test_a_body_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch, sent: bytes, status: int) -> None:
    monkeypatch.setattr(over_http, "MAX_UPLOAD_SECONDS", 0.2)
    monkeypatch.setattr(over_http, "MAX_BODY", 120)
    answers: list[Message] = []

    async def receive() -> Message:
        await anyio.sleep(0.01)
        return {"type": "http.request", "body": sent, "more_body": True}

    async def send(message: Message) -> None:
        answers.append(message)

    async def serve() -> None:
        scope = {"type": "http", "method": "POST", "headers": []}
        with anyio.fail_after(200):
            await over_http._RequestFilter(None)(scope, receive, send)  # type: ignore[arg-type]

    anyio.run(serve)
    assert answers[0]["status"] == status
