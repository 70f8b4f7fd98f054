"""The parts of the protocol that the server takes part in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.uris import to_fs_path

from steelyard.advice.rules import RULES
from steelyard.check.lsp.diagnostics import EXPLAIN, make_actions
from steelyard.check.lsp.documents import CheckedText, Document
from steelyard.check.lsp.explanations import describe_score, explain_line
from steelyard.check.lsp.hover import explain_rule, find_at, render_hover
from steelyard.check.lsp.server import WATCHED, Server
from steelyard.check.result import CheckedPage
from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.pages.explain import render_explanation

SCORE, LINE = "steelyard.score", "steelyard.line"  # commands, beside that of the actions


def make_server(options: Mapping[str, Any] = MappingProxyType({})) -> Server:
    """Return a server that answers what this module knows.

    Args:
        options: Settings that go before those of the configuration.
    """
    server = Server(options)
    _add_documents(server)
    _add_configuration(server)
    _add_answers(server)
    _add_commands(server)

    @server.feature(types.SHUTDOWN)
    def shut_down(params: None) -> None:
        server.was_shut_down = True

    return server


def _add_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.open(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.change(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)


def _add_configuration(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        supported = "workspace.did_change_watched_files.dynamic_registration"
        if get_capability(server.client_capabilities, supported, False):
            watchers = [types.FileSystemWatcher(glob_pattern=f"**/{name}") for name in WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration(id="configuration", method=method, register_options=options)
            server.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.reload()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        if os.path.basename(to_fs_path(params.text_document.uri) or "") in WATCHED:
            server.reload()


def _add_answers(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        open_page = await _find_page(server, params.text_document.uri)
        if open_page is None:
            return None
        document, checked, page = open_page
        findings = find_at(page, checked.to_offset(params.position))
        is_first_line = params.position.line == 0
        if not findings and not is_first_line:
            return None
        try:
            result = await server.explain(document, checked)
        except SteelyardError:
            return None
        value = render_hover(page, result, findings, is_first_line=is_first_line)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, value))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        kinds = params.context.only
        open_page = await _find_page(server, params.text_document.uri)
        if open_page is None or (kinds and not any(kind in ("", types.CodeActionKind.QuickFix) for kind in kinds)):
            return []
        document, checked, page = open_page
        start, end = map(checked.to_offset, (params.range.start, params.range.end))
        findings = [f for f in page.reported if f.start <= end and start <= f.end]
        versioned = bool(get_capability(server.client_capabilities, "workspace.workspace_edit.document_changes", False))
        return make_actions(document, checked, findings, params.context.diagnostics, versioned=versioned)


def _add_commands(server: Server) -> None:
    @server.command(EXPLAIN)
    async def show_explanation(uri: str, rule: str) -> None:
        open_page = await _find_page(server, uri)
        if open_page is None or rule not in RULES:
            raise JsonRpcInvalidParams(f"{EXPLAIN} needs an open page and one of: {', '.join(RULES)}")
        result = await server.explain(*open_page[:2])
        lines = render_explanation(result, only=(rule,) if rule in NAMES else ())
        short = explain_rule(rule, result.page) or [f"{rule} has no formula"]
        await _show_lines(server, rule, lines, short)

    @server.command(LINE)
    async def show_line(uri: str, line: int) -> None:
        open_page = await _find_page(server, uri)
        if open_page is None or not isinstance(line, int):
            raise JsonRpcInvalidParams(f"{LINE} needs an open page and the number of a line, from 1")
        document, checked, page = open_page
        lines = explain_line(page, await server.explain(document, checked), checked.text, line)
        await _show_lines(server, "line", lines, lines)

    @server.command(SCORE)
    async def tell_score(uri: str) -> dict[str, Any] | None:
        open_page = await _find_page(server, uri)
        return None if open_page is None else describe_score(open_page[2])


async def _find_page(server: Server, uri: str) -> tuple[Document, CheckedText, CheckedPage] | None:
    """Return a document with what was found on its present text; None if it is unknown, left out or in trouble."""
    document = server.documents.get(uri)
    checked = await server.finish_check(document) if document is not None else None
    if document is None or checked is None or not isinstance(checked.outcome, CheckedPage):
        return None
    return document, checked, checked.outcome


async def _show_lines(server: Server, name: str, lines: Sequence[str], short: Sequence[str]) -> None:
    """Show lines as a document if the editor can do that, else fewer of them as a message."""
    if get_capability(server.client_capabilities, "window.show_document.support", False):
        address = server.write_explanation(name, "\n".join(lines) + "\n")
        with suppress(JsonRpcException):
            if (await server.window_show_document_async(types.ShowDocumentParams(address, take_focus=True))).success:
                return
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, "\n".join(short)))
