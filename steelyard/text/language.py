"""The data that a page is read with: pattern families, word lists, month names; `languages` builds them from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.text.regex import PatternSet, Refusal
from steelyard.text.triggers import Triggers


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
    """An ordered set of patterns whose matches are counted together.

    A match that overlaps one of the family `unless` does not count. With `needs`, a match counts only if one of that
    family begins or ends within `within` characters of it, in the same paragraph. With `longest`, a match inside a
    longer one does not count.
    """

    name: str
    patterns: tuple[Pattern, ...]
    matcher: PatternSet
    unless: str = ""
    needs: str = ""
    within: int = 0
    longest: bool = False


@dataclass(frozen=True, slots=True)
class Language:
    """The language data that a score depends on, in one edition.

    `sentences` and `tokens` name the ways in which an edition cuts a text (see `Document`).
    """

    code: str
    families: Mapping[str, Family]
    lists: Mapping[str, frozenset[str]]
    months: Mapping[str, int]
    reads_with: tuple[str, ...]
    edition: str = "paper"
    sentences: str = "stops"
    tokens: str = "ascii"
    evidence: str = "anywhere"  # or "prose": evidence counts only in running text
    capitalises_nouns: bool = False  # so that a capital marks no name
    day_first: bool = False  # 3.6.2019 and 3/6/2019 are days of June
    triggers: Triggers | None = field(default=None, compare=False, repr=False)  # what the patterns need; None: unknown

    @property
    def stop(self) -> frozenset[str]:
        """The stop words."""
        return self.lists["stop"]
