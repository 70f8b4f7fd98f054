"""What a page is read with: pattern families, word lists and month names. `languages` builds them from its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.text.regex import PatternSet, Refusal


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern: why it exists, what it must and must not match (`⟦…⟧` marks the span), and other data about it."""

    id: str
    why: str
    regex: str
    must_match: tuple[str, ...]
    must_not_match: tuple[str, ...]
    attributes: Mapping[str, Any]

    @property
    def refusal(self) -> Refusal | None:
        """The words that undo a match of this pattern."""
        first, anywhere = (frozenset(self.attributes.get(k, "").split()) for k in ("first_word_not", "words_not"))
        return Refusal(first, anywhere) if first or anywhere else None


@dataclass(frozen=True, slots=True)
class Family:
    """An ordered set of patterns whose matches are counted together."""

    name: str
    patterns: tuple[Pattern, ...]
    matcher: PatternSet


@dataclass(frozen=True, slots=True)
class Language:
    """The language data that a score depends on."""

    code: str
    families: Mapping[str, Family]
    lists: Mapping[str, frozenset[str]]
    months: Mapping[str, int]
    reads_with: tuple[str, ...]

    @property
    def stop(self) -> frozenset[str]:
        """The stop words."""
        return self.lists["stop"]
