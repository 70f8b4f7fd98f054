"""Character references of HTML, such as `&amp;` and `&#233;`, in texts from strangers."""

from __future__ import annotations

import html
import re

_LEADING_ZEROS = re.compile(r"&#0++(?=[0-9])")
_BEYOND = re.compile(r"&#[0-9]{8,}+;?")  # the highest character has seven digits


def decode_references(text: str) -> str:
    """Replace the references as a browser does.

    Python's own function fails on a number of more than 4,300 digits, which `int` refuses.
    """
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", _LEADING_ZEROS.sub("&#", text))
    return html.unescape(text)
