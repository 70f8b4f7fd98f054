"""Text that every database takes."""

from __future__ import annotations

import re
from typing import overload

# PostgreSQL has no NUL in a text, and neither database half of a surrogate pair.
_IMPOSSIBLE = re.compile("[\x00\ud800-\udfff]")


@overload
def clean(text: str) -> str: ...
@overload
def clean(text: None) -> None: ...
def clean(text: str | None) -> str | None:
    """Return the text with the replacement character for what a database cannot hold."""
    return None if text is None else _IMPOSSIBLE.sub("�", text)
