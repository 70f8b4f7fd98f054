"""Rules that allow or forbid paths, asked in a time that no set of rules can make long."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.site.addresses import MOST_CHARACTERS, escape

MAX_WILDCARDS = 2_000  # in all rules together: each may have to be looked for in every address
# A rule with more characters than this needs an address of more than `MOST_CHARACTERS`, and there is none: at worst
# every fourth one is what an address must have (`%41*`).
_MAX_PATTERN = 4 * MOST_CHARACTERS + 4
_STARS = re.compile(r"\*+")


class PathRules:
    """Decides by the longest rule that matches, at equal length by one that allows, as RFC 9309 says.

    Rules without a wildcard are looked up, so that their number does not matter. Wildcards are looked for one after the
    other, from left to right and never back. A rule beyond the limit of wildcards cannot be asked, so it forbids
    whatever begins as it does up to its first wildcard, or allows nothing: too little is asked for, never too much.

    Args:
        rules: Patterns as written, and whether they allow.

    Attributes:
        is_simplified: There are more wildcards than the limit.
    """

    def __init__(self, rules: Iterable[tuple[str, bool]]) -> None:
        self.is_simplified = False
        self._prefixes: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}  # paths that a rule names to their end
        self._wildcards: dict[tuple[str, bool], tuple[int, bool]] = {}  # ranks by pattern and whether that is its end
        self._stars = 0
        forbidden: set[str] = set()
        for written, allowed in rules:
            pattern = _STARS.sub("*", written)
            for text, has_end in _read_pattern(pattern, allowed=allowed):
                rank = (len(text) + has_end + len(written) - len(pattern), allowed)
                if not self._add(text, has_end=has_end, rank=rank) and not allowed:
                    forbidden.add(text.partition("*")[0])
        self._forbidden = tuple(forbidden)
        self._lengths = tuple(sorted({len(prefix) for prefix in self._prefixes}, reverse=True))
        patterns = (_Pattern.parse(text, has_end, rank) for (text, has_end), rank in self._wildcards.items())
        self._patterns = tuple(sorted(patterns, key=lambda pattern: pattern.rank, reverse=True))

    def allow(self, path: str) -> bool:
        """Return whether a path, with its query, is allowed; it must be normalised."""
        if path.startswith(self._forbidden):
            return False
        best = (0, True)
        for length in self._lengths:
            if length <= len(path) and (allowed := self._prefixes.get(path[:length])) is not None:
                best = (length, allowed)
                break
        if (allowed := self._whole.get(path)) is not None:
            best = max(best, (len(path) + 1, allowed))
        for pattern in self._patterns:
            if pattern.rank <= best:
                break
            if pattern.match(path):
                return pattern.rank[1]
        return best[1]

    def _add(self, text: str, *, has_end: bool, rank: tuple[int, bool]) -> bool:
        """Add a rule; return whether there was room."""
        if "*" not in text:
            rules = self._whole if has_end else self._prefixes
            rules[text] = rank[1] or rules.get(text, False)
            return True
        key = (text, has_end)
        if key not in self._wildcards:
            stars = text.count("*")
            if self._stars + stars > MAX_WILDCARDS:
                self.is_simplified = True
                return False
            self._stars += stars
        self._wildcards[key] = max(rank, self._wildcards.get(key, rank))
        return True


def _read_pattern(pattern: str, *, allowed: bool) -> list[tuple[str, bool]]:
    """Return what a pattern means: texts with `*`, and whether a path must end there."""
    if len(pattern) > _MAX_PATTERN or not pattern.startswith(("/", "*")):
        return []
    text = escape(pattern)
    if "$" not in text:
        # Whoever allows the index allows the address under which it is usually shown.
        folder = text.removesuffix("index.html")
        return [(text, False)] + ([(folder, True)] if allowed and folder.endswith("/") and folder != text else [])
    # A dollar in the middle is itself; one at the end is the end, and it may be meant as itself as well.
    return [(text, False)] + ([(text[:-1], True)] if text.endswith("$") else [])


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern with wildcards, as the texts between them."""

    rank: tuple[int, bool]  # its length as written, and whether it allows
    first: str
    middle: tuple[str, ...]
    last: str
    has_end: bool

    @classmethod
    def parse(cls, text: str, has_end: bool, rank: tuple[int, bool]) -> _Pattern:
        first, *middle, last = text.split("*")
        return cls(rank, first, tuple(middle), last, has_end)

    def match(self, path: str) -> bool:
        if not path.startswith(self.first):
            return False
        position = len(self.first)
        for part in self.middle:
            found = path.find(part, position)
            if found < 0:
                return False
            position = found + len(part)
        if self.has_end:
            return len(path) - len(self.last) >= position and path.endswith(self.last)
        return path.find(self.last, position) >= 0
