"""`steelyard lsp`: the language server for editors."""

from __future__ import annotations

import click


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
    from steelyard.check.lsp.start import serve_stdio

    return serve_stdio()
