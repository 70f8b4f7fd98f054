"""The options that several commands share, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from steelyard.cli.inputs import note_input
from steelyard.errors import UnknownName
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.languages import CODES
from steelyard.scoring import editions, weighting
from steelyard.support.clock import resolve_as_of
from steelyard.text.html.budget import LIMIT_NAMES, parse_limit

F = TypeVar("F", bound=Callable[..., Any])


class Known(click.ParamType[str]):
    """One of a few names; for an unknown one the error suggests the closest."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self.name = kind
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.names:
            raise UnknownName(self.name, str(value), self.names)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "[" + "|".join(self.names) + "]"


def add_options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds options to a command, the first of them first in its help."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _load_weights(name: str) -> weighting.Weighting:
    if name not in weighting.NAMED:
        note_input(name)
    return weighting.load(name)


_WHEN = "Measure ages up to this date (YYYY-MM-DD). [default: STEELYARD_AS_OF, else today in UTC]"
_EDITION = "paper, or 2026: patterns, caps, dates and weights (docs/editions.md)."
_WEIGHTS = "shipped, prior, equal, or your own .toml or .json file. [default: the edition's own]"
_TITLE = "Title of the page. [default: HTML title, front matter or first heading]"
_URL = "The page's own address, by which links to its site are told. [default: the HTML's or the record's]"
_LARGEST = "Refuse pages larger than this."
_LIMIT = f"Refuse pages with more than N of something: {', '.join(LIMIT_NAMES)} (docs/limits.md); repeatable."
edition_options = add_options(
    click.option("--as-of", type=resolve_as_of, metavar="DATE", help=_WHEN),
    click.option(
        "--edition", type=editions.load, default=editions.DEFAULT, metavar="|".join(editions.NAMES), help=_EDITION,
        show_default=True,
    ),
    click.option("--weights", type=_load_weights, metavar="NAME|FILE", help=_WEIGHTS),
    click.option(
        "--language", type=Known("language", ("auto", *CODES)), default="auto", show_default=True,
        help="Score the page in this language.",
    ),
)  # fmt: skip
scoring_options = add_options(
    edition_options,
    click.option("--title", metavar="TEXT", help=_TITLE),
    click.option("--url", metavar="ADDRESS", help=_URL),
    click.option("--max-bytes", type=click.IntRange(1), default=DEFAULT_MAX_BYTES, show_default=True, help=_LARGEST),
    click.option("--limit", "limits", type=parse_limit, multiple=True, metavar="NAME=N", help=_LIMIT),
)


def format_option(*names: str, default: str = "human") -> Callable[[F], F]:
    """Add --format with these names."""
    return click.option(
        "--format", "form", type=Known("format", names), default=default, show_default=True, help="Output format."
    )


def output_option(command: F) -> F:
    """Add --output."""
    path, text = click.Path(dir_okay=False), "Write to a file instead of standard output."
    return click.option("-o", "--output", type=path, metavar="FILE", help=text)(command)
