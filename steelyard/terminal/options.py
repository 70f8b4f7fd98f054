"""The options that several commands share, the checks of their values, and the settings of a run made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from steelyard.advice.kinds import KINDS
from steelyard.configuration.file import find_configuration
from steelyard.configuration.resolve import pick_options, resolve_target
from steelyard.errors import UnknownName
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.languages import CODES
from steelyard.scoring import editions, weighting
from steelyard.settings import AUTO, Settings
from steelyard.support.clock import resolve_as_of
from steelyard.terminal.inputs import remember_input
from steelyard.text.html import HtmlLimits
from steelyard.text.html.limits import LIMIT_NAMES, parse_limit

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


def _remember_weights(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """Remember a file of weights as an input, which no output may replace."""
    if name is not None and name not in weighting.NAMED:
        remember_input(name)
    return name


_WHEN = "Measure ages up to this date (YYYY-MM-DD). [default: STEELYARD_AS_OF, else today in UTC]"
_EDITION = (
    f"{', '.join(editions.NAMES[:-1])}, or {editions.NAMES[-1]}: patterns, caps, dates and weights (docs/editions.md)."
)
# The weights of a year are those of its edition, which need no name.
_WEIGHTS = f"{', '.join(n for n in weighting.NAMED if n not in editions.NAMES)}, or your own .toml or .json file."
_TITLE = "Title of the page. [default: HTML title, front matter or first heading]"
_URL = "The page's own address, used to tell internal from external links. [default: the HTML's or the record's]"
_UNCERTAIN = "Also give findings that are not certain. [default: the configuration's, else only certain ones]"
_SELECTOR = "Score what this CSS selector picks of HTML pages. [default: the main text that is found]"
_LARGEST = "Refuse pages larger than this."
_LIMIT = f"Refuse pages with more than N of something: {', '.join(LIMIT_NAMES)} (docs/limits.md); repeatable."


def _edition_options(edition: str, weights: str, language: str) -> Callable[[F], F]:
    """Return the options that decide what a score depends on; the arguments name what counts without them."""
    return add_options(
        click.option("--as-of", type=resolve_as_of, metavar="DATE", help=_WHEN),
        click.option("--edition", type=Known("edition", editions.NAMES), help=f"{_EDITION} [default: {edition}]"),
        click.option(
            "--weights", callback=_remember_weights, metavar="NAME|FILE", help=f"{_WEIGHTS} [default: {weights}]",
        ),
        click.option(
            "--language", type=Known("language", ("auto", *CODES)),
            help=f"Score the page in this language. [default: {language}]",
        ),
    )  # fmt: skip


selector_option = click.option("--selector", metavar="CSS", help=_SELECTOR)
edition_options = _edition_options(editions.DEFAULT, "the edition's own", "auto")
_configured_options = _edition_options(
    f"the configuration's, else {editions.DEFAULT}",
    "the configuration's, else the edition's own",
    "the configuration's, else auto",
)
uncertain_option = click.option("--uncertain/--certain", default=None, help=_UNCERTAIN)
scoring_options = add_options(
    _configured_options,
    click.option("--title", metavar="TEXT", help=_TITLE),
    click.option("--url", metavar="ADDRESS", help=_URL),
    uncertain_option,
    selector_option,
    click.option("--max-bytes", type=click.IntRange(1), default=DEFAULT_MAX_BYTES, show_default=True, help=_LARGEST),
    click.option("--limit", "limits", type=parse_limit, multiple=True, metavar="NAME=N", help=_LIMIT),
)


def kind_option(default: str = "the configuration's, else auto") -> Callable[[F], F]:
    """Add --kind; the argument names what counts without it."""
    about = "The kind of the pages, which decides what advice is given, and no score."
    return click.option("--kind", type=Known("kind of page", (AUTO, *KINDS)), help=f"{about} [default: {default}]")


def format_option(*names: str, default: str = "human") -> Callable[[F], F]:
    """Add --format with these names."""
    return click.option(
        "--format", "form", type=Known("format", names), default=default, show_default=True, help="Output format."
    )


def output_option(command: F) -> F:
    """Add --output."""
    path, text = click.Path(dir_okay=False), "Write to a file instead of standard output."
    return click.option("-o", "--output", type=path, metavar="FILE", help=text)(command)


def build_settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """Build settings from the options of `edition_options`, and from further values of `Settings.resolve`."""
    values = {name: options[name] for name in ("as_of", "edition", "weights", "language")}
    return Settings.resolve(**{**values, "language": values["language"] or AUTO, **more})


def build_configured_settings(target: str, options: Mapping[str, Any], *, keep_text: bool) -> Settings:
    """Build settings from the options of `scoring_options` and the configuration above the first target."""
    config = find_configuration(target, pick_options(options))
    values = resolve_target(target, config, options)
    for path in (*config.list_files(), values["weights"]):
        if path not in (None, *weighting.NAMED):
            remember_input(path)
    return Settings.resolve(
        # The configuration's `detect` is for `check`: whether these commands look for manipulation is their own.
        **{"title": options["title"], **values, "detect": options.get("detect", False)},
        max_bytes=options["max_bytes"],
        keep_text=keep_text,
        limits=HtmlLimits(**dict(options["limits"])),
    )
