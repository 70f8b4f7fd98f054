"""Every option of every command is read by somebody, and every choice of a format has its function."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from steelyard.cli import main
from steelyard.configuration import keys as configuration
from steelyard.pages.score_output import WRITERS

PACKAGE = Path(main.__file__).parent.parent
# Where the options of commands are read by name: in the packages of features and what they share.
PARTS = ("terminal", "pages", "check", "corpora", "site", "web", "lab")


def list_commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from list_commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


COMMANDS = dict(list_commands(main.cli))


def find_keys(tree: ast.AST) -> Iterator[str]:
    """Yield every text in a module that is no decoration of a function: the keys of options among them."""
    for node in ast.iter_child_nodes(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("option", "argument")
        ):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        yield from find_keys(node)


@cache
def list_keys(part: str) -> set[str]:
    trees = (ast.parse(path.read_text("utf-8")) for path in (PACKAGE / part).rglob("*.py"))
    return {key for tree in trees for key in find_keys(tree)}


def is_read(command: click.Command, name: str) -> bool:
    callback = inspect.unwrap(command.callback) if command.callback else None
    if callback is None or name not in inspect.signature(callback).parameters:
        part = callback.__module__.split(".")[1] if callback else ""
        known = list_keys("terminal") | (list_keys(part) if part in PARTS else set())
        return name in known or name in configuration.KEYS
    names = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(callback))))
    return any(isinstance(node, ast.Name) and node.id == name for node in names)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_read(name: str) -> None:
    command = COMMANDS[name]
    forgotten = [p.name for p in command.params if p.name and p.expose_value and not is_read(command, p.name)]
    assert not forgotten


def test_the_test_above_would_notice_a_forgotten_option() -> None:
    @click.command()
    @click.option("--unread-flag", is_flag=True)
    @click.option("--unread-key", is_flag=True)
    def command(unread_flag: bool, **options: object) -> int:
        return len(options)

    assert not is_read(command, "unread_flag")
    assert not is_read(command, "unread_key")
    assert is_read(COMMANDS["score"], "targets")


def test_every_format_of_score_has_its_writer() -> None:
    (form,) = (p for p in COMMANDS["score"].params if p.name == "form")
    assert tuple(form.type.names) == tuple(WRITERS)  # type: ignore[attr-defined]
    assert len(set(WRITERS.values())) == len(WRITERS)
