"""A language client that talks to a real server over its standard input and output, and knows nothing of pygls."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
START = "import sys; from steelyard.check.lsp_command import command; sys.exit(command(standalone_mode=False))"
COFFEE = (ROOT / "examples" / "site" / "guides" / "coffee-extraction.md").read_text("utf-8")  # findings of many kinds
CONFIGURATION = "uncertain = true\n"  # with which it has them
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"showDocument": {"support": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "didChangeWatchedFiles": {"dynamicRegistration": True}},
}
PATIENCE = 60  # seconds for an answer on a busy machine


class Failed(Exception):
    """The server answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """An editor, as far as the server can see. `capabilities` are what it says it can do."""

    def __init__(
        self, capabilities: dict[str, Any] | None = None, options: Sequence[str] = (), **environment: str
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), "STEELYARD_AS_OF": "2026-07-01", **environment},
        )
        self.capabilities = capabilities or {}
        self.published: list[dict[str, Any]] = []
        self.requested: list[dict[str, Any]] = []  # by the server
        self.messages: list[str] = []  # shown to the user
        self.opened: set[str] = set()
        self.errors = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._ids = iter(range(1, 10**9))
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def initialize(self, root: Path | None = None) -> dict[str, Any]:
        """Begin; return the server's capabilities."""
        params = {"processId": None, "rootUri": root.as_uri() if root else None, "capabilities": self.capabilities}
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return dict(result["capabilities"])

    def shut_down(self) -> int:
        """End as the protocol says; return the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(PATIENCE)

    def send(self, body: bytes) -> None:
        """Send some bytes as a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any = None) -> None:
        self._send({"method": method, **({} if params is None else {"params": params})})

    def request(self, method: str, params: Any = None) -> Any:
        number = next(self._ids)
        self._send({"id": number, "method": method, **({} if params is None else {"params": params})})
        return self.answer(number)

    def answer(self, number: int) -> Any:
        """Wait for the answer to a request."""
        self.wait(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["result"]

    def open(self, path: Path, text: str, language: str = "markdown", version: int = 1) -> None:
        item = {"uri": path.as_uri(), "languageId": language, "version": version, "text": text}
        self.opened.add(path.as_uri())
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, path: Path, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": path.as_uri(), "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def hover(self, path: Path, line: int, character: int) -> str | None:
        where = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        answer = self.request("textDocument/hover", where)
        return str(answer["contents"]["value"]) if answer else None

    def list_actions(self, path: Path, where: dict[str, Any], **context: Any) -> list[dict[str, Any]]:
        """Return what is offered for a range."""
        params = {"textDocument": {"uri": path.as_uri()}, "range": where, "context": {"diagnostics": [], **context}}
        return list(self.request("textDocument/codeAction", params))

    def explain(self, uri: str, rule: str) -> None:
        self.execute("steelyard.explain", uri, rule)

    def execute(self, command: str, *arguments: Any) -> Any:
        return self.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

    def close_all(self) -> None:
        while self.opened:
            self.notify("textDocument/didClose", {"textDocument": {"uri": self.opened.pop()}})

    def diagnostics(self, path: Path, version: int = 1) -> list[dict[str, Any]]:
        """Wait for the diagnostics of a version."""
        self.wait(lambda: any(p["uri"] == path.as_uri() and p.get("version") == version for p in self.published))
        last = next(p for p in reversed(self.published) if p["uri"] == path.as_uri())
        return list(last["diagnostics"])

    def wait(self, is_done: Callable[[], bool], patience: float = PATIENCE) -> None:
        """Take messages until something is true."""
        end = time.monotonic() + patience
        while not is_done():
            try:
                message = self._incoming.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no such message within {patience} seconds; {self.errors.decode()}") from None
            assert message is not None, f"the server has ended; {self.errors.decode()}"
            self._take(message)

    def listen(self, seconds: float) -> None:
        """Take whatever comes within some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._incoming.get(timeout=left)
            except queue.Empty:
                return
            if message is None:
                return
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message:
            self.requested.append(message)
            result = {"success": True} if message["method"] == "window/showDocument" else None
            self._send({"id": message["id"], "result": result})
        elif message["method"] == "textDocument/publishDiagnostics":
            self.published.append(message["params"])
        elif message["method"] == "window/showMessage":
            self.messages.append(message["params"]["message"])

    def _send(self, message: dict[str, Any]) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif not header.strip():
                self._incoming.put(json.loads(stream.read(length)))
        self._incoming.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line


def list_rules(diagnostics: list[dict[str, Any]]) -> list[str]:
    """Return the rules of diagnostics."""
    return [d["code"] for d in diagnostics]


def insert(line: int, character: int, text: str) -> dict[str, Any]:
    """Return an edit that inserts a text."""
    return replace((line, character), (line, character), text)


def replace(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    """Return an edit that replaces a range."""
    return {"range": make_range(start, end), "text": text}


def make_range(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    first, last = ({"line": line, "character": character} for line, character in (start, end))
    return {"start": first, "end": last}


def cut_units(text: str, where: dict[str, Any], encoding: str) -> str:
    """Return the text in a range, computed from the encoded bytes and not as the server does it."""
    name, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    offsets = []
    for position in (where["start"], where["end"]):
        lines = text.replace("\r\n", "\n\x00").replace("\r", "\n").split("\n")  # NUL keeps the lengths
        before = sum(len(line) + 1 for line in lines[: position["line"]])
        line = lines[position["line"]]
        if line.startswith("\x00"):
            before, line = before + 1, line[1:]
        offsets.append(before + len(line.encode(name)[: position["character"] * width].decode(name)))
    return text[slice(*offsets)]
