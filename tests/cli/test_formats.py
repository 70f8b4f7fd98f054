"""The formats of the commands that compare, audit and rank are tables, from a name to a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import pytest

from steelyard.check import rules_command as rules
from steelyard.cli.main import LABORATORY, UNLISTED, cli, laboratory
from steelyard.errors import UnknownName
from steelyard.pages import compare_command as compare
from steelyard.site import audit_command as audit
from steelyard.site import history_command as history
from steelyard.site import leaderboard_command as leaderboard

# What users rely on: a format that somebody takes out, or forgets in one of two tables, is missed here.
TABLES: list[tuple[click.Command, Mapping[str, Any], set[str]]] = [
    (compare.command, compare.PAIR_FORMATS, {"human", "json", "markdown"}),
    (compare.command, compare.SITE_FORMATS, {"human", "json", "markdown"}),
    (history.list_command, history.LIST_FORMATS, {"human", "json", "csv", "markdown"}),
    (history.diff_command, history.DIFF_FORMATS, {"human", "json", "csv", "markdown"}),
    (leaderboard.command, leaderboard.FORMATS, {"human", "json", "csv", "markdown", "html"}),
    (leaderboard.domains_command, leaderboard.DOMAINS_FORMATS, {"human", "json", "csv", "markdown"}),
    (rules.command, rules.FORMATS, {"human", "json", "markdown"}),
    (rules.components_command, rules.COMPONENT_FORMATS, {"human", "json", "markdown"}),
    (audit.command, audit.FORMATS, {"human", "json", "csv", "html"}),
]


@pytest.mark.parametrize(("command", "table", "names"), TABLES)
def test_a_command_offers_the_formats_of_its_table(
    command: click.Command, table: Mapping[str, Any], names: set[str]
) -> None:
    (option,) = (parameter for parameter in command.params if parameter.name == "form")
    assert set(option.type.names) == set(table) == names  # type: ignore[attr-defined]
    assert all(callable(function) for function in table.values())
    with pytest.raises(UnknownName, match="format"):
        option.type.convert("markdwon", option, None)


def test_old_names_of_commands_work_and_are_not_listed() -> None:
    context = click.Context(cli)
    assert not UNLISTED.keys() & set(cli.list_commands(context))
    assert cli.get_command(context, "domains") is leaderboard.domains_command
    assert cli.get_command(context, "components") is rules.components_command
    for name in LABORATORY:
        old, new = cli.get_command(context, name), laboratory.get_command(context, name)
        assert old is new is not None
