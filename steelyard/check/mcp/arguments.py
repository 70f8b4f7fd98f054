"""The arguments of a call, checked against the tool's schema; an assistant corrects itself by what a message says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.check.mcp.roots import MAX_PAGE, Page, Roots
from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.pipeline import PageError
from steelyard.support.schema import JSON, Schema

MAX_CALL = 5 * MAX_PAGE  # characters of all pages of a call


@dataclass(frozen=True, slots=True)
class Choices:
    """The settings that a call chooses instead of those of the configuration."""

    language: str | None = None
    edition: str | None = None
    as_of: date | None = None
    title: str | None = None


class Arguments:
    """The arguments of one call; an absent one and null are the same.

    Raises:
        SchemaError: They do not fit the tool's schema.
    """

    def __init__(self, values: Mapping[str, Any], roots: Roots, schema: Schema) -> None:
        self._values = _drop_nulls(dict(values))
        self._roots = roots
        JSON.check(self._values, schema)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def read_choices(self) -> Choices:
        """Return language, edition, date and title."""
        as_of = self._values.get("as_of")
        when = None if as_of is None else date.fromisoformat(as_of)
        return Choices(self._values.get("language"), self._values.get("edition"), when, self._values.get("title"))

    def read_page(self) -> Page:
        """Return the page that `text` or `path` gives.

        Raises:
            SteelyardError: There are both or neither.
            PageUnreadable: It cannot be read, or must not be.
        """
        return self._read(self._values, "")

    def read_version(self, name: str) -> Page:
        """Return a page that is an argument of its own: an object with `text` or `path`, or a string, its text.

        Raises:
            SteelyardError: There are both or neither.
            PageUnreadable: It cannot be read, or must not be.
        """
        return self._read(self._values[name], name)

    def read_pages(self, name: str) -> list[Page | PageError]:
        """Return the pages of a list; one that cannot be read has its error instead.

        Raises:
            SteelyardError: One has both text and path or neither, or all together are too long.
        """
        pages: list[Page | PageError] = []
        for number, value in enumerate(self._values[name], start=1):
            where = f"page {number}"
            try:
                pages.append(self._read(value, where))
            except PageUnreadable as error:
                pages.append(PageError.from_error(where, error))
            if sum(len(page.text) for page in pages if isinstance(page, Page)) > MAX_CALL:
                raise SteelyardError(f"{name}: over {MAX_CALL:,} characters together; give fewer pages")
        return pages

    def _read(self, page: Mapping[str, str] | str, where: str) -> Page:
        if isinstance(page, str):
            return self._roots.make_page(page, where)
        if ("text" in page) == ("path" in page):
            raise SteelyardError(f"{where}{': ' if where else ''}give `text` or `path`, exactly one of them")
        return (
            self._roots.read(page["path"]) if "path" in page else self._roots.make_page(page["text"], where or "text")
        )


def _drop_nulls(value: Any) -> Any:
    """Return the value without the keys of objects that are null."""
    if isinstance(value, dict):
        return {key: _drop_nulls(entry) for key, entry in value.items() if entry is not None}
    return [_drop_nulls(entry) for entry in value] if isinstance(value, list) else value
