"""Directives in a page that silence findings. They never change a score.

`<!-- steelyard: off quotable_density -->` between blank lines silences findings from there to the end of the file, or
to a directive with `on`. Beside or directly above other text it silences them to the end of that block of lines.
Without names it silences all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from steelyard.advice.rules import RULES
from steelyard.errors import suggest_name
from steelyard.text import frontmatter
from steelyard.text.directives import DIRECTIVE

_BLANK_LINE = re.compile(r"\n[ \t\r]*(?=\n|$)")
MAX_DIRECTIVES = 1_000
FORM = "<!-- steelyard: off NAME … -->, or on"


class Silence(NamedTuple):
    """A part of the source in which findings of some rules are silenced."""

    start: int
    end: int
    rules: frozenset[str]


class Mistake(NamedTuple):
    """A directive that cannot be understood: its span, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Silences:
    """The silenced parts of a page, and the directives that are wrong."""

    parts: tuple[Silence, ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    def cover(self, rule: str, offset: int) -> bool:
        """Return whether findings of a rule are silenced at an offset."""
        return any(part.start <= offset < part.end and rule in part.rules for part in self.parts)


def find_silences(text: str) -> Silences:
    """Read the directives of a page."""
    if "steelyard:" not in text:
        return Silences()
    parts: list[Silence] = []
    mistakes: list[Mistake] = []
    open_since: dict[str, int] = {}
    blocks = Blocks(text)
    for directive in islice(DIRECTIVE.finditer(text), MAX_DIRECTIVES):
        word, *names = directive[1].replace(",", " ").split() or [""]
        wrong = [name for name in names if name not in RULES]
        if word not in ("off", "on"):
            mistakes.append(Mistake(*directive.span(), f"{word!r} is neither off nor on; write {FORM}"))
        elif wrong:
            reason = f"unknown component {wrong[0]!r}{suggest_name(wrong[0], RULES)}"
            mistakes.append(Mistake(*directive.span(), reason))
        else:
            rules = frozenset(names or RULES)
            block = blocks.around(directive.start())
            if word == "on":
                parts += _close(open_since, rules, directive.start())
            elif block.holds_text:
                parts.append(Silence(directive.start(), block.end, rules))
            else:
                for rule in rules:
                    open_since.setdefault(rule, directive.start())
    return Silences((*parts, *_close(open_since, frozenset(open_since), len(text) + 1)), tuple(mistakes))


class Block(NamedTuple):
    """Lines between two blank lines: where they end, and whether they hold more than directives."""

    end: int
    holds_text: bool


class Blocks:
    """The blocks of a page, each looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        start = frontmatter.read(text)[1]
        self._edges = [0, start, *(m.start() for m in _BLANK_LINE.finditer(text, start)), len(text)]
        self._known: dict[int, Block] = {}

    def around(self, offset: int) -> Block:
        """Return the block around an offset."""
        at = bisect_right(self._edges, offset)
        if at not in self._known:
            start, end = self._edges[at - 1], self._edges[min(at, len(self._edges) - 1)]
            self._known[at] = Block(end, bool(DIRECTIVE.sub("", self._text[start:end]).strip()))
        return self._known[at]


def _close(open_since: dict[str, int], rules: frozenset[str], end: int) -> Iterator[Silence]:
    for rule in sorted(rules & open_since.keys()):
        yield Silence(open_since.pop(rule), end, frozenset((rule,)))
