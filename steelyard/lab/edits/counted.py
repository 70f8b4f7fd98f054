"""What the score counts: a filler holds none of it, and no block is written around a word that is counted itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from steelyard import languages
from steelyard.lab.edits import phrasebook
from steelyard.text.document import Document, Source

# Everything that earns or costs a component or the freshness a point when it is found.
COUNTED = (
    "quotable", "statistic", "citation", "entity", "factual_claim", "subject", "transition", "opener", "register",
    "freshness_date", "freshness_temporal", "freshness_update",
)  # fmt: skip


def first(text: str, language: str, families: Sequence[str] = COUNTED) -> tuple[str, str] | None:
    """The first of the families that has a match in the text, with that match; None where nothing is counted."""
    doc = Document(Source(text), languages.load(language))
    for family in families:
        found = doc.find(family)
        if found:
            return family, doc.text[found[0].start : found[0].end]
    return None


def number(text: str, language: str, family: str) -> int:
    """How many different matches of a family the text holds."""
    doc = Document(Source(text), languages.load(language))
    return len({doc.words_of(match) for match in doc.find(family)})


@lru_cache(maxsize=4096)
def is_counted(word: str, language: str) -> bool:
    """Whether a filler about this word would be counted, as one about “stuff” (register) or “the latest” is."""
    sentences = [s for position in phrasebook.load(language).sentences["neutral_filler"] for s in position]
    return first(" ".join(s.replace("{topic1}", word) for s in sentences if "{topic1}" in s), language) is not None
