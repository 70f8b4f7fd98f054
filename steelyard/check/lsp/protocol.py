"""The protocol as pygls has it, with three changes.

Documents are ours: pygls takes more characters for line ends than the protocol does, and keeps a record of every
notification that it handles with a generator. Requests before `initialize`, after `shutdown`, with wrong parameters and
those that are none are answered with an error instead of not at all.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method


class Protocol(LanguageServerProtocol):
    """The language server's side of the conversation."""

    _is_initialized = False

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as an object; a request that is none is answered with an error."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and "id" in data:
                self._answer_wrong(data, error.CODE, error.MESSAGE)
            raise

    def answer_unreadable(self) -> None:
        """Answer a message that is not JSON."""
        self._answer_wrong(None, types.ErrorCodes.ParseError, "not JSON, nested too deeply, or a number too long")

    def handle_message(self, message: Any) -> None:
        """Handle a message, or answer a request that comes too early or too late, or is none, with an error."""
        if getattr(message, "jsonrpc", None) != self.VERSION:
            reason = f"not a message of JSON-RPC {self.VERSION}; send one object at a time"
            self._answer_wrong(message, types.ErrorCodes.InvalidRequest, reason)
            return
        method = getattr(message, "method", None)
        refusal = self._refuse(method)
        if refusal is None:
            self._is_initialized = self._is_initialized or method == types.INITIALIZE
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=refusal)

    def _refuse(self, method: str | None) -> types.ResponseError | None:
        if method in (None, types.EXIT):  # the client's answers have no method
            return None
        if self._shutdown:
            return types.ResponseError(types.ErrorCodes.InvalidRequest, "the server was shut down")
        if self._is_initialized == (method == types.INITIALIZE):
            code = types.ErrorCodes.InvalidRequest if self._is_initialized else types.ErrorCodes.ServerNotInitialized
            return types.ResponseError(code, "initialize comes first, and once")
        return None

    def _answer_wrong(self, message: Any, code: int, reason: str) -> None:
        """Answer a wrong request by its id; if it has none that could be one, by null, which pygls would leave out."""
        values = message if isinstance(message, dict) else {n: getattr(message, n, None) for n in ("id", "method")}
        number = values.get("id") if values.get("method") is not None else None
        number = number if isinstance(number, int | str) else None
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": {"code": int(code), "message": reason}})
