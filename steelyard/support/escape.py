"""Page text is never markup: how it is made safe for each place it is shown in."""

from __future__ import annotations

import html as _html
import re
import unicodedata

# Control characters, bidi overrides, zero-width and other invisible format characters, surrogates, private use.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>~$&])")
_TAGS = re.compile(r"([<\[\]`])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    """One line in which every control, escape, bidi and invisible character is shown, not obeyed."""
    return _UNSEEN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] in "\n\r\t":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)  # the pictures of control characters
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"


def markdown(text: str) -> str:
    """Text for a Markdown cell or line."""
    return _MARKDOWN.sub(r"\\\1", visible(text))


def prose(text: str) -> str:
    """A sentence of our own for a Markdown line: names in it may hold tags, links or code, our words need no escape."""
    return _TAGS.sub(r"\\\1", visible(text))


def html(text: str) -> str:
    """Text for an HTML element or a quoted attribute."""
    return _html.escape(_UNSEEN.sub(lambda m: m[0] if m[0] == "\n" else _shown(m), text), quote=True)


def csv_cell(value: object) -> str:
    """A CSV cell that no spreadsheet takes for a formula; numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    text = visible(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def width(text: str) -> int:
    """Columns of a terminal that the text takes."""
    return sum(_columns(c) for c in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, columns: int, *, keep: str = "start") -> str:
    """The text in exactly so many columns: padded, or cut with an ellipsis at its end (or its start)."""
    text = visible(text)
    have = width(text)
    if have <= columns:
        return text + " " * (columns - have)
    characters = text if keep == "start" else text[::-1]
    taken, used = [], 0
    for character in characters:
        if used + _columns(character) > columns - 1:
            break
        taken.append(character)
        used += _columns(character)
    cut = "".join(taken)
    short = f"{cut}…" if keep == "start" else f"…{cut[::-1]}"
    return short + " " * (columns - used - 1)
