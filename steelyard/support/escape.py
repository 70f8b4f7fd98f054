"""Escape page text for each place it is shown in, so that it is never read as markup."""

from __future__ import annotations

import html as _html
import json
import re
import unicodedata

# Control characters, bidi overrides, zero-width and other invisible format characters, surrogates, private use.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>~$&])")
_TAGS_LINKS_CODE = re.compile(r"([<\[\]`])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def make_visible(text: str) -> str:
    """Return one line in which every control, escape, bidi and invisible character is shown, not obeyed."""
    return _INVISIBLE.sub(_show_character, text)


def _show_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] in "\n\r\t":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)  # the pictures of control characters
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"


def markdown(text: str) -> str:
    """Escape text for a Markdown cell or line."""
    return _MARKDOWN.sub(r"\\\1", make_visible(text))


def prose(text: str) -> str:
    """Escape a sentence of our own for Markdown: only tags, links and code, which names in it may contain."""
    return _TAGS_LINKS_CODE.sub(r"\\\1", make_visible(text))


def html(text: str) -> str:
    """Escape text for an HTML element or a quoted attribute."""
    return _html.escape(_INVISIBLE.sub(lambda m: m[0] if m[0] == "\n" else _show_character(m), text), quote=True)


def json_text(text: str) -> str:
    """Replace the invisible characters of JSON text by its own escapes; line breaks and indentation stay."""
    if text.isascii() and "\x7f" not in text:  # the rest of the controls is escaped in any JSON
        return text
    return _INVISIBLE.sub(lambda match: match[0] if match[0] in "\n\r\t" else json.dumps(match[0])[1:-1], text)


def csv_cell(value: object) -> str:
    """Return a CSV cell that no spreadsheet reads as a formula; numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    return mark_formula(make_visible(str(value)))


def mark_formula(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula, otherwise as it is."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, columns: int, *, keep: str = "start") -> str:
    """Pad or cut the text to exactly so many columns; an ellipsis replaces what is cut.

    Args:
        keep: The part to keep, "start" or "end".
    """
    text = make_visible(text)
    missing = columns - width(text)
    if missing >= 0:
        return text + " " * missing
    visible, used = [], 0
    for character in text if keep == "start" else reversed(text):
        if used + _columns(character) > columns - 1:
            break
        visible.append(character)
        used += _columns(character)
    cut = "".join(visible) + "…" if keep == "start" else "…" + "".join(reversed(visible))
    return cut + " " * (columns - used - 1)
