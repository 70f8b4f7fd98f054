"""The options that several commands share, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

import click

from steelyard.errors import UnknownName
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.languages import CODES
from steelyard.scoring import weighting
from steelyard.scoring.weighting import Weighting
from steelyard.support.clock import resolve_as_of

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


class AsOf(click.ParamType[date]):
    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        return resolve_as_of(value)


class Weights(click.ParamType[Weighting]):
    name = "weights"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Weighting:
        return value if isinstance(value, Weighting) else weighting.load(str(value))


def scoring_options(command: F) -> F:
    """Add --as-of, --weights, --language, --title and --max-bytes."""
    when = "Measure ages up to this date (YYYY-MM-DD). [default: STEELYARD_AS_OF, else today in UTC]"
    weights = "shipped, prior, equal, or your own .toml or .json file."
    languages = Known("language", ("auto", *CODES))
    title = "Title of the page. [default: HTML title, front matter or first heading]"
    size = {"type": click.IntRange(min=1), "default": DEFAULT_MAX_BYTES, "show_default": True}
    options = (
        click.option("--as-of", type=AsOf(), metavar="DATE", help=when),
        click.option(
            "--weights", type=Weights(), default="shipped", metavar="NAME|FILE", help=weights, show_default=True
        ),
        click.option(
            "--language", type=languages, default="auto", help="Score the page in this language.", show_default=True
        ),
        click.option("--title", metavar="TEXT", help=title),
        click.option("--max-bytes", help="Refuse pages larger than this.", **size),  # type: ignore[arg-type]
    )
    for option in reversed(options):
        command = option(command)
    return command


def format_option(*names: str, default: str = "human") -> Callable[[F], F]:
    """Add --format with these names."""
    return click.option(
        "--format", "form", type=Known("format", names), default=default, show_default=True, help="Output format."
    )


def output_option(command: F) -> F:
    """Add --output."""
    path, text = click.Path(dir_okay=False), "Write to a file instead of standard output."
    return click.option("-o", "--output", type=path, metavar="FILE", help=text)(command)
