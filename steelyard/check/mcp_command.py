"""`steelyard mcp`: the score for assistants."""

from __future__ import annotations

import click

from steelyard.terminal.output import warn

PORT = 8765


@click.command("mcp")
@click.option(
    "--root", "folders", type=click.Path(exists=True, file_okay=False), multiple=True, metavar="DIR",
    help="Pages in this folder may be read; repeatable. [default: the working directory]",
)  # fmt: skip
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine instead of standard input and output.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help=f"For --http; 0 takes a free port. [default: {PORT}]"
)
def command(folders: tuple[str, ...], http: bool, port: int | None) -> int:
    """Serve assistants by the Model Context Protocol: tools that score, explain and compare pages.

    An assistant starts this command itself; docs/assistants.md says how to set it up. Only pages are read, nothing is
    written or fetched.
    """
    if port is not None and not http:
        raise click.UsageError("--port goes with --http")
    from steelyard.check.mcp.roots import Roots
    from steelyard.check.mcp.server import serve_stdio
    from steelyard.native.core import choose_core

    choose_core()  # no page is at fault when it cannot be used
    roots = Roots(folders or (".",))
    if http:
        from steelyard.check.mcp.http import serve_http

        serve_http(roots, PORT if port is None else port, lambda url: warn(f"steelyard: serving {url}; Ctrl-C stops"))
    else:
        serve_stdio(roots)
    return 0
