"""`steelyard lsp`: the language server for editors, on standard input and output."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

from steelyard import languages
from steelyard.errors import MissingExtra
from steelyard.scoring import editions
from steelyard.terminal.options import Known, kind_option, uncertain_option


def serve_stdio(options: Mapping[str, Any] = MappingProxyType({})) -> int:
    """Serve the editor at standard input and output; return the exit code.

    Args:
        options: Settings that go before those of the configuration.

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
    return make_server(options).serve(sys.stdin.buffer, stdout)


@click.command("lsp")
@click.option(
    "--stdio", is_flag=True, expose_value=False, help="Accepted because some editors add it; there is no other way."
)
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="A page below N fails.")
@click.option("--edition", type=Known("edition", editions.NAMES), help="The edition of the score.")
@click.option(
    "--language", type=Known("language", ("auto", *languages.CODES)), help="Score the pages in this language."
)
@kind_option("the configuration's, else auto")
@uncertain_option
def command(**options: Any) -> int:
    """Show findings in an editor while a page is written.

    Editors start this command and talk to it over standard input and output (docs/editors.md has the settings). Pages
    are checked with the same configuration as `steelyard check`, on this computer only; options go before it.

    \b
    Exit codes: 0 the editor shut the server down, 1 it left without.
    """
    return serve_stdio({name: value for name, value in options.items() if value is not None})
