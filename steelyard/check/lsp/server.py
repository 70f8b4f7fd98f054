"""The open documents and their checks.

Text is checked on one thread beside the event loop. A result is published only if the document has not changed since.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from steelyard import __version__
from steelyard.check.lsp.checks import CONFIGURATION_FILES, LANGUAGES, examine, explain
from steelyard.check.lsp.diagnostics import make_diagnostics
from steelyard.check.lsp.documents import CheckedText, Document
from steelyard.check.lsp.protocol import Protocol
from steelyard.check.run import Checker
from steelyard.configuration.keys import KEYS
from steelyard.configuration.resolve import forget_settings
from steelyard.pipeline import PageResult

DELAY = 0.1  # seconds without an edit, after which a text is checked
WATCHED = (*CONFIGURATION_FILES, str(KEYS["baseline"].default))  # a baseline has the date of the check
Answer = TypeVar("Answer")


class Server(LanguageServer):
    """The open documents, and the checks that are under way."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__("steelyard", __version__, protocol_cls=Protocol, max_workers=1)
        self.checker = Checker(options)
        self.documents: dict[str, Document] = {}
        self.was_shut_down = False
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._folder = tempfile.TemporaryDirectory(prefix="steelyard-")

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Serve one editor until it leaves; return the exit code: 0 after a proper shutdown, else 1."""
        with self._folder:
            self.start_io(stdin, stdout)
            self._pool.shutdown(cancel_futures=True)
        return 0 if self.was_shut_down else 1

    def report_server_error(self, error: Exception, source: object) -> None:
        """Write an error to the log only; a message box for each would stop the writer. What is no JSON is answered."""
        is_no_json = source is JsonRpcException and isinstance(error, ValueError | RecursionError)
        if is_no_json and isinstance(self.protocol, Protocol):
            self.protocol.answer_unreadable()
        logging.getLogger(__name__).error("%s: %s", type(error).__name__, error)

    def open(self, item: types.TextDocumentItem) -> None:
        """Open a document, and check it at once."""
        path = to_fs_path(item.uri)
        if not path or Path(path).is_relative_to(self._folder.name):
            return
        if item.language_id not in LANGUAGES and os.path.basename(path) not in CONFIGURATION_FILES:
            return
        self.close(item.uri)
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        document = Document(item.uri, path, item.version, encoding)
        document.replace(item.text)
        self.documents[item.uri] = document
        self.schedule(document, 0)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply edits, and check the document when no more come."""
        document = self.documents.get(params.text_document.uri)
        if document is not None:
            document.apply(params.content_changes)
            document.version = params.text_document.version
            self.schedule(document, DELAY)

    def close(self, uri: str) -> None:
        """Forget a document and its diagnostics."""
        document = self.documents.pop(uri, None)
        if document is not None:
            if document.task is not None:
                document.task.cancel()
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def reload(self) -> None:
        """Read the configuration again, and check all documents with it."""
        forget_settings()
        for document in self.documents.values():
            self.schedule(document, DELAY)

    def schedule(self, document: Document, delay: float) -> None:
        """Check a document after a delay; a check that was to come or is under way is of no use any more."""
        if document.task is not None:
            document.task.cancel()
        document.check_now.clear()
        document.task = asyncio.ensure_future(self._check(document, delay))

    async def finish_check(self, document: Document) -> CheckedText | None:
        """Return the checked present text, without waiting for more edits."""
        while document.task is not None and not document.task.done():
            document.check_now.set()
            await asyncio.wait({document.task})
        return document.checked

    async def explain(self, document: Document, checked: CheckedText) -> PageResult:
        """Return the result behind a check.

        Raises:
            SteelyardError: The configuration has changed, and the page cannot be scored any more.
        """
        if checked.result is None:
            checked.result = await self._run(partial(explain, self.checker, checked.text, document.path))
        return checked.result

    def write_explanation(self, name: str, text: str) -> str:
        """Write a text to a file that lasts as long as the server; return its address."""
        path = Path(self._folder.name, f"{name}.txt")
        path.write_text(text, encoding="utf-8")
        return path.as_uri()

    async def _check(self, document: Document, delay: float) -> None:
        if delay:
            with suppress(TimeoutError):
                await asyncio.wait_for(document.check_now.wait(), delay)
        version = document.version
        document.checked = await self._run(
            partial(examine, self.checker, document.text, document.path, document.encoding)
        )
        diagnostics = make_diagnostics(document.checked)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, diagnostics, version))

    async def _run(self, function: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function)
