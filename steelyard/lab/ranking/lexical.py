"""What a query and a source share in words. No model and no stemming: the same word, or not the same.

Words are compared without case and accents (queries are often typed without) and without French elisions and English
contractions. The words of a query are those the packs' stop list leaves; a query of stop words alone keeps them.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache

from steelyard import languages
from steelyard.components.arithmetic import bm25, tfidf
from steelyard.components.arithmetic.overlap import jaccard
from steelyard.lab.ranking.dataset import Candidate
from steelyard.text.document import Source, plain

LEAD = 50  # words
LONGEST_QUERY = 200  # words that are read: what follows costs time and asks nothing
LONGEST_WORD = 64  # characters of a word beyond ASCII: putting its accents in order takes their square

_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"[\w\u0300-\u036f]+")  # a combining accent is part of its word
_CLITIC = re.compile(r"\b(?:qu|[cdjlmnst])'(?=\w)|'(?:s|t|re|ll|ve|d|m)\b")
_SENTENCE_END = re.compile(r"[.!?]\s+|\n\s*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞŒŠŽ][^\W_]+")
# The packs' list leaves words of two letters to a filter on length, which would also drop AI, UK and 5G here.
_ALSO_STOP = frozenset("is en au many much whose quel quelle quels quelles combien pourquoi quand".split())


@lru_cache(maxsize=1 << 16)
def folded(word: str) -> str:
    """The word without its accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def words(text: str) -> list[str]:
    """The words of a text in their order, in one case and without accents."""
    text = plain(text).casefold()
    if "'" in text:
        text = _CLITIC.sub(" ", text)
    if text.isascii():
        return _WORD.findall(text)
    found = _MARKED.findall(text.replace("_", " "))
    return [w for w in (w if w.isascii() else folded(w[:LONGEST_WORD]) for w in found) if w]


@dataclass(frozen=True)
class Query:
    """`words` as they are compared, `kept` without the `ignored` ones; `wording` is how it was asked."""

    words: tuple[str, ...]
    ignored: frozenset[str]
    wording: str

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return tuple(w for w in self.words if w not in self.ignored)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(self.kept)


def ask(query: str) -> Query:
    """The query as its features read it."""
    asked = tuple(words(query)[:LONGEST_QUERY])
    stop = languages.load("en").stop | _ALSO_STOP  # the packs share one list
    wording = " ".join(words(plain(query).replace("'", " "))[:LONGEST_QUERY])
    return Query(asked, stop if any(w not in stop for w in asked) else frozenset(), wording)


@dataclass(frozen=True)
class Passage:
    """A source as a reader sees it: its sentences, and the words of each."""

    sentences: tuple[str, ...]
    by_sentence: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(itertools.chain.from_iterable(self.by_sentence))

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence that are written as names."""
        return tuple(tuple(names(s)) for s in self.sentences)


def read(candidate: Candidate) -> Passage:
    """The title, unless the text begins with it, and the reading view of the text: hidden words match nothing."""
    view = plain(Source(candidate.text).structure.view.text)
    title = plain(candidate.title).strip()
    shown = view if view.lstrip().startswith(title) else f"{title}\n{view}"
    sentences = tuple(s for s in _SENTENCE_END.split(shown) if s.strip())
    return Passage(sentences, tuple(tuple(words(s)) for s in sentences))


def names(sentence: str) -> list[str]:
    """Capitalised words of two letters or more after the first word; none where most are, as in a heading."""
    first = _WORD.search(sentence)
    found = [m for m in _CAPITALISED.finditer(sentence) if first and m.start() > first.start()]
    if 2 * len(found) >= len(sentence.split()):
        return []
    return [w for m in found for w in words(m[0])]


def lexical(query: Query, passages: Sequence[Passage]) -> list[dict[str, float]]:
    """One row per source. `q_bm25` and `q_tfidf_cos` depend on the other sources, the rest on its own words."""
    documents = [tfidf.count(w for w in p.words if w not in query.ignored) for p in passages]
    vectors, idf = tfidf.vectors(documents)
    asked = tfidf.unit({t: n * idf[t] for t, n in tfidf.count(query.kept).items() if t in idf})
    ranks = bm25.scores(documents, list(dict.fromkeys(query.kept)))
    rows = []
    for passage, document, vector, rank in zip(passages, documents, vectors, ranks, strict=True):
        counts = [document.get(t, 0) for t in query.terms]
        padded = _padded(passage.words)
        rows.append(
            {
                "q_bm25": rank,
                "q_tfidf_cos": min(1.0, tfidf.cosine(asked, vector)),
                "q_coverage": coverage(query, document.keys()),
                "q_jaccard": jaccard(query.terms, document.keys()),
                "q_tf_sum": math.log1p(sum(counts)),
                "q_tf_max": math.log1p(max(counts, default=0)),
                "q_ngram": ngram(query, passage),
                "q_proximity": proximity(query, passage),
                "q_lead_overlap": coverage(query, set(passage.words[:LEAD])),
                "q_first_pos_frac": first_position(query, passage),
                "q_char_dice": char_dice(query, passage),
                "q_phrase": float(any(_padded(phrase) in padded for phrase in phrases(query))),
                "q_entity": coverage(query, entities(passage)),
            }
        )
    return rows


def coverage(query: Query, present: AbstractSet[str]) -> float:
    """The share of the query's terms that are present."""
    return len(query.terms & present) / len(query.terms) if query.terms else 0.0


def ngram(query: Query, passage: Passage) -> float:
    """The longest run of the query's kept words that is one of the source's, over their number."""
    source, kept, longest = _padded([w for w in passage.words if w not in query.ignored]), query.kept, 0
    for start in range(len(kept)):
        # Only a longer run is looked for: at most two searches for each word of the query.
        while start + longest < len(kept) and _padded(kept[start : start + longest + 1]) in source:
            longest += 1
    return longest / len(kept) if kept else 0.0


def proximity(query: Query, passage: Passage) -> float:
    """k over the words of the shortest stretch that holds all k terms found; 0 for one, which is near nothing."""
    places = [(i, w) for i, w in enumerate(passage.words) if w in query.terms]
    found = len({w for _, w in places})
    if found < 2:
        return 0.0
    inside: dict[str, int] = {}
    first, shortest = 0, len(passage.words)
    for last, word in places:
        inside[word] = inside.get(word, 0) + 1
        while len(inside) == found:
            start, left = places[first]
            shortest = min(shortest, last - start + 1)
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
    return found / shortest


def first_position(query: Query, passage: Passage) -> float:
    """Where in the source the first term of the query stands, as a fraction of its words; 1 if none does."""
    return next((i / len(passage.words) for i, w in enumerate(passage.words) if w in query.terms), 1.0)


def char_dice(query: Query, passage: Passage) -> float:
    """Dice of the pairs of letters of query and sentence, for the best sentence of the lead.

    Sentences, because Dice compares things of one size; of the lead, because a longer source has a better best one.
    """
    asked = _pairs(query.kept)
    sentences = (_pairs([w for w in s if w not in query.ignored]) for s in _lead(passage))
    return max((2 * len(asked & s) / (len(asked) + len(s)) for s in sentences if asked or s), default=0.0)


def phrases(query: Query) -> list[tuple[str, ...]]:
    """What to look for word by word: the query from its first kept word to its last, and its longest run of two or
    more kept words."""
    kept = [i for i, w in enumerate(query.words) if w not in query.ignored]
    if not kept:
        return []
    runs = [tuple(run) for keep, run in itertools.groupby(query.words, lambda w: w not in query.ignored) if keep]
    longest = max(runs, key=len)  # the first of several
    whole = query.words[kept[0] : kept[-1] + 1]
    return [whole, longest] if len(longest) > 1 else [whole]


def entities(passage: Passage) -> set[str]:
    """Names, by how the source writes them (few queries have capitals), and numbers."""
    return {w for w in passage.words if w[0].isdigit()}.union(*passage.names)


def _lead(passage: Passage) -> Iterator[tuple[str, ...]]:
    left = LEAD
    for sentence in passage.by_sentence:
        if left <= 0:
            return
        yield sentence[:left]
        left -= len(sentence)


def _pairs(of: Sequence[str]) -> set[str]:
    text = " ".join(of)
    return set(map("".join, itertools.pairwise(text)))


def _padded(of: Sequence[str]) -> str:
    """One string in which words are found whole."""
    return f" {' '.join(of)} "
