"""Which inline styles hide an element from a reader: the one answer for Markdown and for HTML."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # one left open runs to the end, as in CSS
_ZERO = re.compile(r"[+-]?0*\.?0*(?:%|[a-z]{1,4})?")
_WORDS = {("display", "none"), ("visibility", "hidden"), ("visibility", "collapse"), ("content-visibility", "hidden")}
_NOTHING_AT_ZERO = ("opacity", "font-size")


def hides(style: str) -> bool:
    """Whether a `style` attribute makes its element invisible; position and colour are not judged."""
    for declaration in _COMMENT.sub("", style).lower().split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        value = value.removesuffix("!important").strip()
        if (name, value) in _WORDS or (name in _NOTHING_AT_ZERO and value and _ZERO.fullmatch(value)):
            return True
    return False
