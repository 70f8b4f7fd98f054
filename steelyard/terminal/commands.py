"""Groups of commands that are tables, from a name to the place of the command, which is imported when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from steelyard.errors import suggest_name


class CommandTable(click.Group):
    """A group of commands, each given as `module` (its `command`) or `module:name`, so that every start is fast.

    Commands added with a decorator follow. For an unknown name the error suggests the closest.

    Attributes:
        named: What a first argument may be.
    """

    named = "command"

    def __init__(
        self,
        *arguments: Any,
        listed: Mapping[str, str] | None = None,
        unlisted: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.listed = listed or {}
        self.unlisted = unlisted or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.listed, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self.listed.get(cmd_name) or self.unlisted.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, name = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name or "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            raise click.UsageError(
                f"no such {self.named} {args[0]!r}{suggest_name(args[0], names)} (commands: {', '.join(names)})"
            )
        return super().resolve_command(ctx, args)
