"""Does a source hold the kind of answer that the query asks for: a year, a number, a name, a place, a reason, steps?

The answer must be in a sentence with a term of the query, or in the next one, where a pronoun may replace the term:
some name or number is on every page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.lab.ranking.lexical import ParsedQuery, ParsedSource, read_entries, read_words, split_words

YEAR, NUMBER, NAME, PLACE = "year", "number", "name", "place"
REASON, STEPS, DEFINITION = "reason", "steps", "definition"

# In this order: the first kind whose pattern matches is the one that is asked for.
_ASKS = {
    kind: re.compile("|".join(pattern for asks in read_entries("asks") for pattern in asks[kind]))
    for kind in (NUMBER, YEAR, PLACE, NAME, REASON, STEPS, DEFINITION)
}
_YEAR = re.compile(r"(?<![0-9.,])(?:1[0-9]{3}|20[0-9]{2})(?![0-9%]|[.,][0-9])")
_DIGITS = re.compile(r"[0-9]+")
_PREPOSITION = "|".join(f"[{w[0].upper()}{w[0]}]{w[1:]}" for w in sorted(read_words("place_prepositions")))
_ARTICLE = "|".join(article for articles in read_entries("place_articles") for article in articles)
_AFTER_PREPOSITION = re.compile(rf"\b(?:{_PREPOSITION}) (?:{_ARTICLE})?([A-ZÀ-ÖØ-Þ][^\W_]+)")
_MONTHS = read_words("months")
_WORDS = {kind: read_words(f"{kind}_words") for kind in (NUMBER, PLACE, REASON, STEPS)}
_IS_A = re.compile(rf"\b(?:{'|'.join(read_entries('is_a'))})\b")
_MAX_SUBJECT_WORDS = 12  # words before "is a"
_LEAD_SENTENCES = 3  # a heading and two sentences


def find_requested_kind(query: ParsedQuery) -> str | None:
    """Return the kind of answer the query asks for, or None if its words do not say."""
    return next((kind for kind, pattern in _ASKS.items() if pattern.search(query.wording)), None)


def compute_structure_features(query: ParsedQuery, passages: Sequence[ParsedSource]) -> list[dict[str, float]]:
    """Return one row per source: the kinds of answer it holds, and whether the requested one is among them."""
    requested = find_requested_kind(query)
    rows = []
    for passage in passages:
        present = find_kinds(query, passage)
        if defines_term(query, passage):
            present.add(DEFINITION)
        row = {f"a_{kind}": float(kind in present) for kind in (YEAR, NUMBER, NAME, PLACE, DEFINITION)}
        rows.append({**row, "a_match": float(requested in present)})
    return rows


def find_kinds(query: ParsedQuery, passage: ParsedSource) -> set[str]:
    """Return the kinds of answer near a term of the query. The query's own words do not count as an answer."""
    has_term = [not query.terms.isdisjoint(sentence) for sentence in passage.by_sentence]
    near = [i for i, here in enumerate(has_term) if here or (i and has_term[i - 1])]
    own = frozenset(query.words)
    text = "\n".join(passage.sentences[i] for i in near)
    words = {w for i in near for w in passage.by_sentence[i]} - own
    years = set(_YEAR.findall(text))
    numbers = set(_DIGITS.findall(text)) - years
    places = {w for name in _AFTER_PREPOSITION.findall(text) for w in split_words(name)} - _MONTHS
    is_present = {
        YEAR: bool(years - own),
        NUMBER: bool(numbers - own or words & _WORDS[NUMBER]),
        NAME: any(w not in own for i in near for w in passage.names[i]),
        PLACE: bool(places - own or words & _WORDS[PLACE]),
        REASON: bool(words & _WORDS[REASON]),
        STEPS: len(words & _WORDS[STEPS]) > 1,
    }
    return {kind for kind, present in is_present.items() if present}


def defines_term(query: ParsedQuery, passage: ParsedSource) -> bool:
    """Return whether one of the first sentences says what something is, with a term of the query in its subject."""
    for sentence in passage.sentences[:_LEAD_SENTENCES]:
        match = _IS_A.search(sentence)
        if match and not query.terms.isdisjoint(split_words(sentence[: match.start()])[-_MAX_SUBJECT_WORDS:]):
            return True
    return False
