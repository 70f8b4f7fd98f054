"""`steelyard protocol`: the studies of the laboratory, one file each."""

from __future__ import annotations

import importlib

import click

from steelyard.errors import nearest

STUDIES = ("capture", "gates", "compare", "identify", "robustness", "matrix", "pipeline", "observational")


class Studies(click.Group):
    """Imports a study's file when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(STUDIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in STUDIES:
            return None
        command: click.Command = importlib.import_module(f"steelyard.cli.protocol.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in STUDIES and not args[0].startswith("-"):
            raise click.UsageError(
                f"no such study {args[0]!r}{nearest(args[0], STUDIES)} (studies: {', '.join(STUDIES)})"
            )
        return super().resolve_command(ctx, args)


@click.group("protocol", cls=Studies)
def command() -> None:
    """Earn a score its trust: capture controlled edits, then try to break it.

    SOURCE is a file made by `protocol capture`, or pages (a corpus file, a folder, a JSONL file) that are captured
    on the spot. Without one the demo pages are used.
    """
