"""The server: its tools and manual, and serving them over standard input and output."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, cast

from steelyard import __version__
from steelyard.check.mcp.manual import BY_URI, MANUAL
from steelyard.check.mcp.roots import Roots
from steelyard.check.mcp.tools import BY_NAME, TOOLS
from steelyard.check.mcp.tools.base import Tool
from steelyard.check.use import USE
from steelyard.errors import MissingExtra, SteelyardError
from steelyard.support.escape import make_visible

try:
    import anyio
    import mcp_types as types
    from anyio.to_thread import run_sync
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError
    from mcp.shared.message import SessionMessage

    from steelyard.check.mcp.messages import read_message
except ImportError as error:
    raise MissingExtra("mcp", "mcp") from error

MAX_CALLS = 4  # at a time; others wait
INTERRUPTED = 130  # the exit code of a command that is stopped
MAX_ERROR = 1_000  # characters
INSTRUCTIONS = "Steelyard scores the content of web pages, offline. " + " ".join(USE)
_READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

Context = ServerRequestContext[Any]
_log = logging.getLogger(__name__)


def build_server(roots: Roots) -> Server[Any]:
    """Return a server for pages in these folders, and for texts."""
    limiter = anyio.CapacityLimiter(MAX_CALLS)

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_describe_tool(tool) for tool in TOOLS])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"no such tool; the tools are {', '.join(BY_NAME)}")
        # A thread cannot be stopped: a call that is cancelled keeps its place until its work, which is bounded, ends.
        return await run_sync(partial(_call, tool, params.arguments or {}, roots), limiter=limiter)

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=c.uri, name=c.name, title=c.title, description=c.about, mime_type="text/markdown")
                for c in MANUAL
            ]
        )

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        page = BY_URI.get(str(params.uri))
        if page is None:
            raise MCPError(types.INVALID_PARAMS, f"no such resource; the resources are {', '.join(BY_URI)}")
        text = await run_sync(page.write, limiter=limiter)
        contents = types.TextResourceContents(uri=page.uri, text=text, mime_type="text/markdown")
        return types.ReadResourceResult(contents=[contents])

    return Server(
        "steelyard",
        version=__version__,
        title="Steelyard",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda name: BY_NAME[name].inputs if name in BY_NAME else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _describe_tool(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.inputs,
        output_schema=tool.outputs,
        annotations=_READ_ONLY,
    )


def _call(tool: Tool, arguments: dict[str, Any], roots: Roots) -> types.CallToolResult:
    """Run a tool; whatever goes wrong is a result that says so."""
    try:
        answer = tool.answer(arguments, roots)
    except SteelyardError as error:
        return _refuse(str(error))
    except Exception as error:  # noqa: BLE001 - a bug on one page must not end the server
        _log.exception("the tool %s failed", tool.name)
        # What an unexpected error says may quote the page.
        return _refuse(f"unexpected {type(error).__name__}; this is a bug, please report the page")
    content: list[types.ContentBlock] = [types.TextContent(text="\n".join(answer.lines))]
    return types.CallToolResult(content=content, structured_content=answer.data)


def _refuse(reason: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=make_visible(reason)[:MAX_ERROR])], is_error=True)


def serve_stdio(roots: Roots) -> None:
    """Serve the program that started this one until it closes our standard input."""

    async def serve() -> None:
        server = build_server(roots)

        async def read_lines() -> AsyncIterator[str]:
            async for line in anyio.wrap_file(stdin):
                message = read_message(line)
                if isinstance(message, str):
                    yield message
                elif line.strip():
                    await outgoing.send(SessionMessage(message))

        # The SDK directs everything else that is written to standard output to standard error.
        async with stdio_server(cast("anyio.AsyncFile[str]", read_lines())) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    stdin = os.fdopen(os.dup(0), "rb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # a program that we start must not read our messages
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _exit_at_once)
    anyio.run(serve)


def _exit_at_once(number: int, frame: object) -> None:
    """End at once: the thread that waits for standard input cannot be stopped, and every answer is flushed."""
    os._exit(INTERRUPTED)
