"""`steelyard lsp`: the language server for editors, on standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import sys

import click

from steelyard.errors import MissingExtra


def serve_stdio() -> int:
    """Serve the editor at standard input and output; return the exit code.

    Raises:
        MissingExtra: The extra `lsp` is not installed.
    """
    try:
        from steelyard.check.lsp.features import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise MissingExtra(extra="lsp", package="pygls") from error
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    for number in (signal.SIGINT, signal.SIGTERM):  # nothing is to be saved, and reading cannot be interrupted
        signal.signal(number, signal.SIG_DFL)
    # Whatever a library prints must not come between the messages.
    sys.stdout.flush()
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return make_server().serve(sys.stdin.buffer, stdout)


@click.command("lsp")
@click.option(
    "--stdio", is_flag=True, expose_value=False, help="Accepted because some editors add it; there is no other way."
)
def command() -> int:
    """Show findings in an editor while a page is written.

    Editors start this command and talk to it over standard input and output (docs/editors.md has the settings). Pages
    are checked with the same configuration as `steelyard check`, on this computer only.

    \b
    Exit codes: 0 the editor shut the server down, 1 it left without.
    """
    return serve_stdio()
