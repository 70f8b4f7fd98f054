"""The pattern dialect: the subset of regex that Python `re`, RE2 and Rust's regex read alike, and its check.

What is refused, and the failure each rule prevents:
- lookaround, backreferences, possessive and atomic groups: RE2 and Rust have none;
- `*`, `+` and `{n,}`: unbounded repeats cost time under `re` and let a match swallow a page;
- `[`, `&&`, `--` and `~~` in a class: to Rust they are classes inside it and operations on them;
- `\\w \\d \\s \\W \\D \\S .`: their Unicode meaning differs between engines;
- `\\b` next to a letter: it is an ASCII boundary in RE2, so `é` would end a word; use <B> and <E>;
- inline flags and more than one capturing group.
"""

from __future__ import annotations

import re

from steelyard.errors import InvalidLanguageData

MAX_REPEAT = 400

_TOKEN = re.compile(
    r"(?P<escape>\\.)|(?P<klass>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<special>\(\?[^:])|(?P<group>\((?!\?))"
    r"|(?P<repeat>\{[0-9]*,?[0-9]*\}\+?)|(?P<star>[*+])|(?P<dot>\.)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_OPERATION = re.compile(r"\[|&&|--|~~")
_MACRO = re.compile(r"<([A-Z][A-Z0-9_]*)>")


def expand(regex: str, macros: dict[str, str], where: str) -> str:
    """Replace every <NAME> by its macro; a macro may use those defined before it."""

    def look_up(match: re.Match[str]) -> str:
        if match[1] not in macros:
            raise InvalidLanguageData(where, f"unknown macro <{match[1]}>; define it in macros.toml")
        return macros[match[1]]

    return _MACRO.sub(look_up, regex)


def check(regex: str, where: str) -> None:
    """Raise InvalidLanguageData, naming the broken rule, unless the expanded regex is in the dialect."""
    groups = 0
    for token in _TOKEN.finditer(regex):
        kind, text = token.lastgroup, token[0]
        if kind == "escape" and text[1] in "wWdDsSBAZzpP123456789":
            raise InvalidLanguageData(where, f"{text} is not in the dialect; write the characters out")
        if kind == "escape" and text[1] == "b" and _is_next_to_letter(regex, token):
            raise InvalidLanguageData(where, r"\b is next to a letter that may be accented; use <B> or <E>")
        if kind == "klass" and re.search(r"\\[wWdDsSpP]", text):
            raise InvalidLanguageData(where, f"{text}: classes must list their characters")
        if kind == "klass" and _OPERATION.search(_ESCAPED.sub("", text[1:])):
            raise InvalidLanguageData(where, f"{text}: escape the `[`, `&`, `-` or `~` in it")
        if kind in ("special", "star", "dot"):
            raise InvalidLanguageData(where, f"{text!r} is not in the dialect (bounded repeats and plain groups only)")
        if kind == "repeat":
            _check_repeat(text, where)
        groups += kind == "group"
    if groups > 1:
        raise InvalidLanguageData(where, "more than one capturing group; write (?:...) for the others")


def _is_next_to_letter(regex: str, token: re.Match[str]) -> bool:
    """Return whether the character before or after the boundary is or may be a letter."""
    before, after = regex[: token.start()][-1:], regex[token.end() :][:1]
    return before.isalpha() or after.isalpha() or after in "[(" or before in "])"


def _check_repeat(text: str, where: str) -> None:
    if text.endswith("+"):
        raise InvalidLanguageData(where, f"{text}: possessive repeats are not in the dialect")
    low, _, high = text.strip("{}").partition(",")
    if "," in text and not high:
        raise InvalidLanguageData(where, f"{text}: give the repeat an upper bound")
    if int(high or low or 0) > MAX_REPEAT:
        raise InvalidLanguageData(where, f"{text}: repeats end at {MAX_REPEAT}")
