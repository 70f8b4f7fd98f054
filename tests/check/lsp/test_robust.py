"""The language server under wrong, large and many messages, and how it ends."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.check.lsp.client import COFFEE, ROOT, Client, Failed, insert, list_rules, replace


def test_whatever_is_sent_the_server_goes_on(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    unknown = {"uri": (tmp_path / "unknown.md").as_uri()}
    for body in (b"{", b"[]", b"null", b'"x"', b"{}", b"\xff\xfe", b"[" * 100_000, b'{"jsonrpc":"2.0","id":[1]}'):
        client.send(body)
    client.send(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"x": 1}}).encode())
    client.send(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen"}).encode())
    client.change(tmp_path / "unknown.md", 3, insert(0, 0, "x"))
    client.notify("textDocument/didClose", {"textDocument": unknown})
    client.notify("textDocument/didSave", {"textDocument": unknown})
    client.notify("no/such", {"a": 1})
    client.notify("$/cancelRequest", {"id": 99_999})
    position = {"line": 0, "character": 0}
    assert client.request("textDocument/hover", {"textDocument": unknown, "position": position}) is None
    for method, params, code in (
        ("no/such", {}, -32601),
        ("textDocument/hover", {"position": 3}, -32602),
        ("textDocument/hover", {"textDocument": unknown, "position": {"line": -1, "character": 0}}, -32602),
        ("workspace/executeCommand", {"command": "rm"}, -32602),
        ("workspace/executeCommand", {"command": "steelyard.explain", "arguments": [{}]}, -32602),
        ("workspace/executeCommand", {"command": "steelyard.line", "arguments": ["file:///closed.md", 1]}, -32602),
        ("workspace/executeCommand", {"command": "steelyard.score", "arguments": []}, -32602),
        ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, -32600),
    ):
        with pytest.raises(Failed) as failed:
            client.request(method, params)
        assert failed.value.code == code, (method, params)
    for uri in ("file:///%00.md", "file://", "::", "", "file:///" + "a" * 5_000 + ".md"):
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": COFFEE}
        client.notify("textDocument/didOpen", {"textDocument": item})
    client.open(path, "a\ud83db " + COFFEE)
    client.change(path, 2, insert(10**6, 10**6, "x"), replace((5, 5), (2, 2), "\udc00"), insert(0, 10**9, "y"))
    assert client.diagnostics(path, 2)


def test_what_is_no_request_is_answered_with_an_error() -> None:
    wrong: list[tuple[bytes, object, int]] = [
        (b"not JSON", None, -32700),
        (b"\xff\xfe\xfd", None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"jsonrpc": "2.0", "method": "x", "id": ' + b"9" * 9_000 + b"}", None, -32700),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {}}]', None, -32600),
        (b"7", None, -32600),
        (b"null", None, -32600),
        (b'{"id": 900, "method": "shutdown"}', 900, -32600),
        (b'{"id": 900, "result": 1}', None, -32600),
        (b'{"jsonrpc": "1.0", "id": 900, "method": "shutdown"}', 900, -32600),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover", "params": {}}', None, -32602),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "\\ud800", "params": {}}', "\ud800", -32601),
    ]
    with Client() as client:
        client.initialize()
        answers: dict[object, dict[str, dict[str, object]]] = client._answers  # type: ignore[assignment]
        for body, number, code in wrong:
            client.send(body)
            client.wait(lambda number=number: number in answers)  # type: ignore[misc]
            assert answers.pop(number)["error"]["code"] == code, body[:100]


def test_a_document_of_five_megabytes_is_refused_in_words_and_can_be_edited(client: Client, tmp_path: Path) -> None:
    path, other = tmp_path / "large.md", tmp_path / "page.md"
    text = COFFEE * (5_000_000 // len(COFFEE))
    client.open(path, text)
    for version in range(2, 12):
        client.change(path, version, *(insert(line, 0, "é😀") for line in range(0, 1_000, 10)))
    client.open(other, COFFEE)
    assert client.diagnostics(other)
    (found,) = client.diagnostics(path, 11)
    assert "characters are over" in found["message"]
    assert found["code"] == "page"
    client.change(path, 12, {"text": ""})
    assert list_rules(client.diagnostics(path, 12)) == ["guard"]


def test_requests_before_the_beginning_and_after_the_end_get_errors() -> None:
    with Client() as client:
        with pytest.raises(Failed) as failed:
            client.request("textDocument/hover", {"textDocument": {"uri": "file:///a"}, "position": {}})
        assert failed.value.code in (-32002, -32602)
        with pytest.raises(Failed) as failed:
            client.request("shutdown")
        assert failed.value.code == -32002
        client.initialize()
        client.request("shutdown")
        with pytest.raises(Failed) as failed:
            client.request("shutdown")
        assert failed.value.code == -32600
        client.notify("textDocument/didSave", {"textDocument": {"uri": "file:///a"}})
        client.notify("exit")
        assert client.process.wait(300) == 0


@pytest.mark.parametrize("how", ["exit", "end of input"])
def test_leaving_without_shutdown_is_exit_code_one(how: str) -> None:
    with Client() as client:
        client.initialize()
        if how == "exit":
            client.notify("exit")
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        assert client.process.wait(300) == 1
        assert client.errors == b""


def test_a_missing_package_is_named_with_its_extra() -> None:
    code = "import sys; sys.modules['pygls'] = None\nfrom steelyard.check.lsp_command import serve_stdio; serve_stdio()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "pip install 'steelyard[lsp]'" in done.stderr
    assert done.returncode == 1


def test_an_edit_is_answered_in_time(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE * 3)
    client.diagnostics(path)
    times = []
    for version in range(2, 9):
        start = time.perf_counter()
        client.change(path, version, insert(4, 0, "x"))
        client.diagnostics(path, version)
        times.append(time.perf_counter() - start)
    assert statistics.median(times) < 2.5  # ten times what is wanted: a delay of 100 ms, and 150 ms


def memory(client: Client) -> int:
    """Return the resident memory of the server in kilobytes."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process from /proc")
@pytest.mark.parametrize("edits", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_memory_is_stable_over_many_edits(edits: int, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = COFFEE * 3  # about 1,000 words
    first = max(200, edits // 10)  # by then the native core has been opened, where there is one
    with Client() as client:
        client.initialize()
        client.open(path, text)
        client.diagnostics(path)
        for version in range(2, edits + 2):
            client.change(path, version, insert(2, 0, "word ") if version % 2 else replace((2, 0), (2, 5), ""))
            if version % 5 == 0:
                client.hover(path, 0, 0)  # checks at once, without the delay
            if version == first:
                before = memory(client)
        client.diagnostics(path, edits + 1)
        after = memory(client)
        print(f"{before} kB after {first} edits, {after} kB after {edits}")
        assert after < before + 30_000
