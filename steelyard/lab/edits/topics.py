"""The words a page is about: those an editor of the page would write around, unless they count by themselves.

What the score counts is told here too: a filler contains none of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice

from steelyard import languages
from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.errors import SteelyardError
from steelyard.lab.edits import phrasebook
from steelyard.scoring import editions
from steelyard.support.formatting import format_count
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


_TOKEN = re.compile(r"[^\W\d_]+|[^\w\s]")  # words, and the punctuation between them
MIN_LETTERS = 4  # letters
MIN_TOPICS = 3  # topic words without which no block can be written
MAX_TOPICS = 6


class TooLittleText(SteelyardError):
    """The page has too few words of its own for an edit or an attack."""

    def __init__(
        self, number: int, noun: str = "topic word", change: str = "an edit", needed: int = MIN_TOPICS
    ) -> None:
        count = format_count(number, noun)
        super().__init__(f"the page has {count} and {change} needs {needed}; leave such short pages out")


def find_keywords(text: str, language: str) -> tuple[str, ...]:
    """Return the three to six most frequent content words; ties go to the word that comes first.

    Words are in lower case; in a language that capitalises its nouns, as the page mostly writes them.
    """
    counts = _count_content_words(_tokenise(text), _load_stop_words(language))
    write = _find_forms(text, language)
    return _select_enough(write.get(w, w) for w in sorted(counts, key=lambda w: -counts[w]))


def find_topics(text: str, language: str) -> tuple[str, ...]:
    """Return the keywords with probable nouns first, without words that the score counts by themselves.

    The sentences of a block are written around nouns. A probable noun occurs somewhere between an article and a
    function word or a punctuation mark, and has a capital where nouns have one.
    """
    stop = _load_stop_words(language)
    tokens = _tokenise(text)
    counts = _count_content_words(tokens, stop)
    nouns = _find_nouns(tokens, languages.read_settings(language)["before_nouns"].split(), stop)
    write = _find_forms(text, language)
    nouns -= {w for w, form in write.items() if form[0].islower()}
    ranked = (write.get(w, w) for w in sorted(counts, key=lambda w: (w not in nouns, -counts[w])))
    return _select_enough(w for w in ranked if not is_counted_word(w, language))


def compose(text: str) -> str:
    """Compose accents and drop soft hyphens: both are part of their word, not its end."""
    return unicodedata.normalize("NFC", text.replace("\u00ad", ""))


def _tokenise(text: str) -> list[str]:
    return _TOKEN.findall(compose(text).lower())


def _find_forms(text: str, language: str) -> dict[str, str]:
    """Return how the page mostly writes each word, by the word in lower case; nothing where nouns have no capital."""
    if not languages.capitalises_nouns(language):
        return {}
    forms: dict[str, str] = {}
    for form, _ in Counter(_TOKEN.findall(compose(text))).most_common():
        forms.setdefault(form.lower(), form)
    return forms


def _load_stop_words(language: str) -> frozenset[str]:
    return editions.find_for(language).load_language(language).stop


def _count_content_words(tokens: list[str], stop: Collection[str]) -> Counter[str]:
    """Count content words, in order of first appearance: that order breaks ties."""
    return Counter(w for w in tokens if len(w) >= MIN_LETTERS and w not in stop)


def _select_enough(ranked: Iterable[str]) -> tuple[str, ...]:
    chosen = tuple(islice(ranked, MAX_TOPICS))
    if len(chosen) < MIN_TOPICS:
        raise TooLittleText(len(chosen))
    return chosen


def _find_nouns(tokens: list[str], articles: Collection[str], stop: Collection[str]) -> set[str]:
    return {
        word
        for article, word, ending in zip(tokens, tokens[1:], [*tokens[2:], "."], strict=False)
        if article in articles and (ending in stop or not ending[0].isalpha())
    }
