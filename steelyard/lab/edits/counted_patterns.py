"""What the score counts: a filler contains none of it, and no block is written around a word that counts itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.lab.edits import phrasebook
from steelyard.scoring import editions
from steelyard.text.document import Document
from steelyard.text.source import Source

# Every pattern family whose matches change a component or the freshness, by the names of any edition.
COUNTED = (
    *QUOTABLE, "statistic", "citation", "entity", "factual_claim", "subject", "transition", "opener", "register",
    "freshness_date", "freshness_temporal", "freshness_update",
)  # fmt: skip


def find_counted(
    text: str, language: str, families: Sequence[str] = COUNTED, *, outside: str | None = None
) -> tuple[str, str] | None:
    """Return the first family that matches the text, with its first match; None when nothing is counted.

    Matches inside a match of the family `outside` are left out.
    """
    doc = open_text(text, language)
    around = doc.find(outside) if outside else []
    for family in (f for f in families if f in doc.language.families):
        matches = [m for m in doc.find(family) if not any(a.start <= m.start and m.end <= a.end for a in around)]
        if matches:
            return family, doc.text[matches[0].start : matches[0].end]
    return None


def count_matches(text: str, language: str, families: Sequence[str]) -> int:
    """Return how many different matches of the families the text contains."""
    doc = open_text(text, language)
    present = [family for family in families if family in doc.language.families]
    return len({doc.matched_text(match) for family in present for match in doc.find(family)})


def open_text(text: str, language: str) -> Document:
    """Return a text as the paper's edition reads it, or in a language that it lacks, as the edition that has it."""
    return Document(Source(text), editions.find_for(language).load_language(language))


@lru_cache(maxsize=4096)
def is_counted_word(word: str, language: str) -> bool:
    """Tell whether a filler about this word would be counted, as for “stuff” (register) or “the latest”."""
    sentences = [s for position in phrasebook.load(language).sentences["neutral_filler"] for s in position]
    text = " ".join(s.replace("{topic1}", word) for s in sentences if "{topic1}" in s)
    return find_counted(text, language) is not None
