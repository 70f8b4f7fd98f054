"""The words that a query and a source share. No model and no stemming: two words are the same or they are not.

Words are compared without case and accents (queries are often typed without), French elisions and English contractions.
The terms of a query are its words that are not on the stop list; a query of stop words alone keeps them.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from steelyard import languages
from steelyard.components.arithmetic import retrieval
from steelyard.lab.ranking.dataset import Candidate
from steelyard.scoring import editions
from steelyard.text.document import unify_characters
from steelyard.text.source import Source

# The words and patterns of `ranking.toml`, of the paper's languages together: the ranker reads them all alike.
_VOCABULARIES = [languages.read_toml(code, "ranking.toml") for code in editions.load(editions.PAPER).languages]


def read_words(key: str) -> frozenset[str]:
    """Return the words that any of the languages lists under this key."""
    return frozenset(word for file in _VOCABULARIES for word in file[key].split())


def read_entries(key: str) -> list[Any]:
    """Return the entries of the languages under this key, in the order of the languages."""
    return [file[key] for file in _VOCABULARIES]


LEAD = 50  # words
MAX_QUERY_WORDS = 200  # words; the rest costs time and asks nothing
MAX_WORD_LENGTH = 64  # characters of a word with accents: the time to normalise them grows with their square

_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"[\w\u0300-\u036f]+")  # a combining accent is part of its word
_CUT = re.compile("|".join(read_entries("cut")))
_MORE_STOP_WORDS = read_words("stop")
_SENTENCE_END = re.compile(r"[.!?]\s+|\n\s*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞŒŠŽ][^\W_]+")


@lru_cache(maxsize=1 << 16)
def strip_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def split_words(text: str) -> list[str]:
    """Return the words of a text in their order, in lower case and without accents."""
    text = unify_characters(text).casefold()
    if "'" in text:
        text = _CUT.sub(" ", text)
    if text.isascii():
        return _WORD.findall(text)
    marked = _MARKED.findall(text.replace("_", " "))
    return [w for w in (w if w.isascii() else strip_accents(w[:MAX_WORD_LENGTH]) for w in marked) if w]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query: its `words`, its `key_words` (all but `stop_words`), each of them once (`terms`), its full `wording`."""

    words: tuple[str, ...]
    stop_words: frozenset[str]
    key_words: tuple[str, ...]
    terms: frozenset[str]
    wording: str


def parse_query(text: str) -> ParsedQuery:
    words = tuple(split_words(text)[:MAX_QUERY_WORDS])
    stop = languages.load("en").stop | _MORE_STOP_WORDS  # the languages share one stop list
    stop_words = stop if any(w not in stop for w in words) else frozenset()
    key_words = tuple(w for w in words if w not in stop_words)
    wording = " ".join(split_words(unify_characters(text).replace("'", " "))[:MAX_QUERY_WORDS])
    return ParsedQuery(words, stop_words, key_words, frozenset(key_words), wording)


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A source as a reader sees it: its sentences, the words of each, all words, and each sentence's names."""

    sentences: tuple[str, ...]
    by_sentence: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]


def parse_source(candidate: Candidate) -> ParsedSource:
    """Read the title, unless the text begins with it, and the visible text: hidden words match nothing."""
    view = unify_characters(Source(candidate.text).structure.view.text)
    title = unify_characters(candidate.title).strip()
    shown = view if view.lstrip().startswith(title) else f"{title}\n{view}"
    sentences = tuple(s for s in _SENTENCE_END.split(shown) if s.strip())
    by_sentence = tuple(tuple(split_words(s)) for s in sentences)
    words = tuple(itertools.chain.from_iterable(by_sentence))
    return ParsedSource(sentences, by_sentence, words, tuple(tuple(find_names(s)) for s in sentences))


def find_names(sentence: str) -> list[str]:
    """Return capitalised words of two letters or more after the first word; none if most are, as in a heading."""
    first = _WORD.search(sentence)
    capitalised = [m for m in _CAPITALISED.finditer(sentence) if first and m.start() > first.start()]
    if 2 * len(capitalised) >= len(sentence.split()):
        return []
    return [w for m in capitalised for w in split_words(m[0])]


def compute_lexical_features(query: ParsedQuery, passages: Sequence[ParsedSource]) -> list[dict[str, float]]:
    """Return one row per source. `q_bm25` and `q_tfidf_cos` depend on the other sources, the rest do not."""
    documents = [retrieval.count_terms(w for w in p.words if w not in query.stop_words) for p in passages]
    vectors, idf = retrieval.build_vectors(documents)
    query_vector = retrieval.normalise(
        {t: n * idf[t] for t, n in retrieval.count_terms(query.key_words).items() if t in idf}
    )
    bm25_scores = retrieval.score_bm25(documents, list(dict.fromkeys(query.key_words)))
    rows = []
    for passage, document, vector, score in zip(passages, documents, vectors, bm25_scores, strict=True):
        counts = [document.get(t, 0) for t in query.terms]
        padded = _pad(passage.words)
        rows.append(
            {
                "q_bm25": score,
                "q_tfidf_cos": min(1.0, retrieval.cosine(query_vector, vector)),
                "q_coverage": share_of_terms(query, document.keys()),
                "q_jaccard": retrieval.jaccard(query.terms, document.keys()),
                "q_tf_sum": math.log1p(sum(counts)),
                "q_tf_max": math.log1p(max(counts, default=0)),
                "q_ngram": longest_run(query, passage),
                "q_proximity": proximity(query, passage),
                "q_lead_overlap": share_of_terms(query, set(passage.words[:LEAD])),
                "q_first_pos_frac": first_position(query, passage),
                "q_char_dice": char_dice(query, passage),
                "q_phrase": float(any(_pad(phrase) in padded for phrase in find_phrases(query))),
                "q_entity": share_of_terms(query, find_entities(passage)),
            }
        )
    return rows


def share_of_terms(query: ParsedQuery, present: AbstractSet[str]) -> float:
    return len(query.terms & present) / len(query.terms) if query.terms else 0.0


def longest_run(query: ParsedQuery, passage: ParsedSource) -> float:
    """Return the longest run of the query's key words that the source has too, as a share of their number."""
    source, longest = _pad([w for w in passage.words if w not in query.stop_words]), 0
    words = query.key_words
    for start in range(len(words)):
        # Looking only for longer runs takes at most two searches for each word of the query.
        while start + longest < len(words) and _pad(words[start : start + longest + 1]) in source:
            longest += 1
    return longest / len(words) if words else 0.0


def proximity(query: ParsedQuery, passage: ParsedSource) -> float:
    """Return k over the words of the shortest stretch that holds all k terms found; 0 for fewer than two terms."""
    number = len(query.terms.intersection(passage.words))
    if number < 2:
        return 0.0
    latest: OrderedDict[str, int] = OrderedDict()  # where each term occurred last, the oldest first
    shortest = len(passage.words)
    for i, word in enumerate(passage.words):
        if word in query.terms:
            latest[word] = i
            latest.move_to_end(word)
            if len(latest) == number:
                shortest = min(shortest, i - next(iter(latest.values())) + 1)
    return number / shortest


def first_position(query: ParsedQuery, passage: ParsedSource) -> float:
    """Return where the first term of the query is in the source, as a share of its words; 1 if there is none."""
    return next((i / len(passage.words) for i, w in enumerate(passage.words) if w in query.terms), 1.0)


def char_dice(query: ParsedQuery, passage: ParsedSource) -> float:
    """Return Dice's coefficient of the letter pairs of the query and of the best sentence among the first words.

    It takes sentences because Dice compares things of similar size, and only the first because a longer source would
    have a better best sentence.
    """
    asked = _letter_pairs(query.key_words)
    starts = itertools.accumulate(map(len, passage.by_sentence), initial=0)
    lead = [s[: LEAD - start] for s, start in zip(passage.by_sentence, starts, strict=False) if start < LEAD]
    sentences = [_letter_pairs([w for w in s if w not in query.stop_words]) for s in lead]
    return max((2 * len(asked & s) / (len(asked) + len(s)) for s in sentences if asked or s), default=0.0)


def find_phrases(query: ParsedQuery) -> list[tuple[str, ...]]:
    """Return the query from its first key word to its last, and its longest run of two or more key words."""
    places = [i for i, w in enumerate(query.words) if w not in query.stop_words]
    if not places:
        return []
    runs = [tuple(run) for is_key, run in itertools.groupby(query.words, lambda w: w not in query.stop_words) if is_key]
    longest = max(runs, key=len)  # the first of several
    whole = query.words[places[0] : places[-1] + 1]
    return [whole, longest] if len(longest) > 1 else [whole]


def find_entities(passage: ParsedSource) -> set[str]:
    """Return the numbers and names of a source. Names are known by its capitals: few queries have any."""
    return {w for w in passage.words if w[0].isdigit()}.union(*passage.names)


def _letter_pairs(words: Sequence[str]) -> set[str]:
    return set(map("".join, itertools.pairwise(" ".join(words))))


def _pad(words: Sequence[str]) -> str:
    """Join words so that a search finds whole words only."""
    return f" {' '.join(words)} "
