"""The JSON of `steelyard score --format json`, written page by page: the same bytes as the whole document's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.pages.json_document import build_document
from steelyard.pipeline import PageError
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json

_PAGES, _ERRORS = '"pages": [', '],\n  "errors": '


class DocumentStream:
    """A document whose pages are written as they come, so that only the errors are kept until the end."""

    def __init__(self, write: Callable[[str], None], settings: Settings) -> None:
        head, _, _ = to_json(build_document([], [], settings)).partition(_PAGES)
        self._write = write
        self._before = head + _PAGES  # what the next piece starts with
        self._is_empty = True

    def add(self, page: Mapping[str, Any]) -> None:
        """Write one entry of `pages`."""
        before, self._before, self._is_empty = self._before, ",", False  # first: writing may be interrupted
        self._write(before + "\n    " + _indent(to_json(page), 4))

    def finish(self, errors: Sequence[PageError], more: Mapping[str, Any] | None = None) -> None:
        """Write the errors, further entries of the document, and its end."""
        before = self._before if self._is_empty else "\n  "
        entries = [_ERRORS + _indent(to_json([e.to_dict() for e in errors]), 2)]
        entries += [f"\n  {to_json(name)}: {_indent(to_json(value), 2)}" for name, value in (more or {}).items()]
        self._write(before + ",".join(entries) + "\n}\n")


def _indent(text: str, columns: int) -> str:
    """Indent all lines but the first; line breaks inside strings are escaped."""
    return text.replace("\n", "\n" + " " * columns)
