"""Limits for addresses that a site can make without end: calendars, and queries of one path."""

from __future__ import annotations

import re

from steelyard.site.crawl.summary import DIGITS, QUERIES, Limit
from steelyard.site.model import LINK, Link, Visit

_DIGITS = re.compile(r"[0-9]+")
_MAX_PATTERNS = 100_000  # beyond, new patterns are not counted: memory must not grow with the site


class PatternLimits:
    """Counts addresses by pattern. The answers depend on the order of the questions, which is that of the frontier.

    Only addresses found by links are limited: a list that somebody wrote has an end.
    """

    def __init__(self, most_per_pattern: int, most_per_query: int) -> None:
        self._most = {DIGITS: most_per_pattern, QUERIES: most_per_query}
        self._counts: dict[tuple[str, str], int] = {}
        self._left_out: dict[tuple[str, str], tuple[int, Link]] = {}

    def restore(self, visit: Visit, *, was_asked: bool) -> None:
        """Count what an earlier run of this crawl asked for or left out."""
        for key in _find_patterns(visit.link):
            if was_asked:
                self._count(key)
            elif visit.reason == self._describe(key[0]):
                self._leave_out(key, visit.link)

    def admit(self, link: Link) -> str | None:
        """Count an address; return the reason if it must be left out."""
        patterns = _find_patterns(link)
        for key in patterns:
            if self._counts.get(key, 0) >= self._most[key[0]]:
                self._leave_out(key, link)
                return self._describe(key[0])
        for key in patterns:
            self._count(key)
        return None

    def _describe(self, kind: str) -> str:
        part = "the digits of its path" if kind == DIGITS else "its query"
        return f"over {self._most[kind]:,} addresses differ from this one only in {part}"

    def _leave_out(self, key: tuple[str, str], link: Link) -> None:
        count, example = self._left_out.get(key, (0, link))
        self._left_out[key] = count + 1, min(example, link, key=lambda known: (known.depth, known.url))

    def _count(self, key: tuple[str, str]) -> None:
        if key in self._counts or len(self._counts) < _MAX_PATTERNS:
            self._counts[key] = self._counts.get(key, 0) + 1

    def list_limits(self) -> list[Limit]:
        """Return the patterns of which addresses were left out."""
        return [
            Limit(kind, self._most[kind], count, example.url)
            for (kind, _), (count, example) in sorted(self._left_out.items())
        ]


def _find_patterns(link: Link) -> list[tuple[str, str]]:
    if link.origin != LINK:
        return []
    scheme, _, rest = link.url.partition("://")
    host, slash, path_and_query = rest.partition("/")
    path, _, query = path_and_query.partition("?")
    where = f"{scheme}://{host}{slash}"
    patterns = []
    if (shape := _DIGITS.sub("0", path)) != path or _DIGITS.search(path):
        patterns.append((DIGITS, where + shape))
    if query:
        patterns.append((QUERIES, where + path))
    return patterns
