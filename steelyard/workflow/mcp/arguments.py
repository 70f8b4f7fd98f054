"""The arguments of a call, checked by hand: an assistant corrects itself by what a message says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.errors import PageUnreadable, SteelyardError, UnknownName, suggest_name
from steelyard.languages import CODES
from steelyard.pipeline import PageError
from steelyard.scoring import editions
from steelyard.settings import AUTO
from steelyard.support.clock import resolve_as_of
from steelyard.workflow.mcp.roots import LARGEST, Page, Roots

LONGEST_NAME = 100  # characters of an edition, a language, a date
LONGEST_LINE = 2_000  # characters of a title or a query
MOST_PAGES = 50
LARGEST_CALL = 5 * LARGEST  # characters of all pages of a call


@dataclass(frozen=True, slots=True)
class Choices:
    """What a call chooses instead of the configuration."""

    language: str | None = None
    edition: str | None = None
    as_of: date | None = None
    title: str | None = None


class Arguments:
    """The arguments of one call; an absent one and null are the same."""

    def __init__(self, values: Mapping[str, Any], roots: Roots, known: Mapping[str, Any]) -> None:
        for name in values:
            if name not in known:
                short = name[:LONGEST_NAME]
                raise SteelyardError(
                    f"unknown argument {short!r}{suggest_name(short, known)} (known: {', '.join(known)})"
                )
        self._values = values
        self._roots = roots

    def take_string(self, name: str, longest: int) -> str | None:
        """Return a string, or None where there is none.

        Raises:
            SteelyardError: It is something else, or too long.
        """
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise SteelyardError(f"{name}: a {_name_type(value)}; give a string")
        if value is not None and len(value) > longest:
            raise SteelyardError(f"{name}: {len(value):,} characters is over the limit of {longest:,}")
        return value

    def take_choices(self) -> Choices:
        """Return language, edition, date and title.

        Raises:
            SteelyardError: One of them is unknown or no date.
        """
        language, edition, as_of = (self.take_string(name, LONGEST_NAME) for name in ("language", "edition", "as_of"))
        if language is not None and language not in (AUTO, *CODES):
            raise UnknownName("language", language, (AUTO, *CODES))
        if edition is not None and edition not in editions.NAMES:
            raise UnknownName("edition", edition, editions.NAMES)
        when = None if as_of is None else resolve_as_of(as_of)
        return Choices(language, edition, when, self.take_string("title", LONGEST_LINE))

    def take_page(self) -> Page:
        """Return the page that `text` or `path` gives.

        Raises:
            SteelyardError: There are both or neither.
            PageUnreadable: It cannot be read, or must not be.
        """
        return self._read_page(self._values, "")

    def take_version(self, name: str) -> Page:
        """Return a page that is an argument of its own: an object with `text` or `path`, or a string, its text.

        Raises:
            SteelyardError: It is neither.
            PageUnreadable: It cannot be read, or must not be.
        """
        return self._read_any(self._values.get(name), name)

    def take_pages(self, name: str) -> list[Page | PageError]:
        """Return the pages of a list; one that cannot be read has its error instead.

        Raises:
            SteelyardError: It is no list of pages, or too long.
        """
        values = self._values.get(name)
        if not isinstance(values, list) or not 1 <= len(values) <= MOST_PAGES:
            raise SteelyardError(f"{name}: give a list of 1 to {MOST_PAGES} pages, each with `text` or `path`")
        pages: list[Page | PageError] = []
        for number, value in enumerate(values, start=1):
            where = f"page {number}"
            try:
                pages.append(self._read_any(value, where))
            except PageUnreadable as error:
                pages.append(PageError(where, str(error)))
            if sum(len(page.text) for page in pages if isinstance(page, Page)) > LARGEST_CALL:
                raise SteelyardError(f"{name}: over {LARGEST_CALL:,} characters together; give fewer pages")
        return pages

    def _read_any(self, value: Any, where: str) -> Page:
        if isinstance(value, str):
            return self._roots.take_text(value, where)
        if not isinstance(value, dict):
            raise SteelyardError(f"{where}: a {_name_type(value)}; give an object with `text` or `path`")
        wrong = [key for key in value if key not in ("text", "path")]
        if wrong:
            raise SteelyardError(f"{where}: unknown key {wrong[0][:LONGEST_NAME]!r}; give `text` or `path`")
        return self._read_page(value, where)

    def _read_page(self, values: Mapping[str, Any], where: str) -> Page:
        text, path = values.get("text"), values.get("path")
        start = f"{where}: " if where else ""
        if (text is None) == (path is None):
            raise SteelyardError(f"{start}give `text` or `path`, exactly one of them")
        given, name = (text, "text") if path is None else (path, "path")
        if not isinstance(given, str):
            raise SteelyardError(f"{start}`{name}` is a {_name_type(given)}; give a string")
        return self._roots.take_text(given, where or "text") if path is None else self._roots.read(given)


def _name_type(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
    return names.get(type(value), "value")
