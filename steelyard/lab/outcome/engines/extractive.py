"""The extractive reference: quotes the sentences nearest to the query, each with the number of its source.

It understands nothing and obeys nothing. Relevance is BM25 over the sentences of all sources; a source loses a fifth
of it with each sentence taken, and what nearly repeats a chosen sentence is left out. The order of the sources decides
between equals alone: the earlier source, then the earlier sentence. Where no sentence shares a word with the query it
says so, and cites nothing.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic import bm25
from steelyard.components.arithmetic.overlap import jaccard
from steelyard.lab.outcome.engines import sentences
from steelyard.lab.outcome.engines.base import Answer, Question
from steelyard.lab.outcome.engines.prompt import encodable

VERSION = 1  # raised when the same question is answered differently
NOTHING = "None of the sources speaks of this."
MOST_SENTENCES = 4
FEWEST_WORDS, MOST_WORDS = 4, 60  # of a sentence
MOST_CHARACTERS = 600
MOST_TERMS = 64  # of the query
FLOOR = 0.3  # of the best sentence's relevance
AGAIN = 0.8  # a source's second sentence is worth this share
ALIKE = 0.6  # Jaccard overlap of two sentences that say the same

_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"[\[【［] ?\^?(?:sources? ?)?\d[\d ,;&–-]*[\]】］]", re.IGNORECASE)
_ROUND = str.maketrans("[]【】［］", "()()()")
_MARKS = "#>*-+|•` \t"
_STOP = frozenset(
    "a an and are as at be by can did do does for from had has have how if in is it its of on or that the their there "
    "this to was were what when where which who why will with you your "
    "au aux ce ces comment dans de des du elle en est et il ils la le les leur ou où par pas pour pourquoi quand que "
    "quel quelle quelles quels qui sont sur un une".split()
)


@dataclass(frozen=True, slots=True)
class Extractive:
    """The engine; it has no settings."""

    @property
    def name(self) -> str:
        return "extractive reference"

    @property
    def kind(self) -> str:
        return "embedded reference"

    @property
    def paid(self) -> bool:
        return False

    @property
    def parallel(self) -> int:
        return 1  # threads would bring nothing: it is all Python

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"engine": "extractive", "version": VERSION}

    @contextmanager
    def open(self) -> Iterator[Extractive]:
        yield self

    def ask(self, question: Question) -> Answer:
        started = time.perf_counter()
        chosen = _chosen(_candidates(question.sources), _query_terms(question.query))
        text = " ".join(sentences.cited(c.text, c.number) for c in chosen) or NOTHING
        return Answer(text, model=f"extractive {VERSION}", seconds=time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class _Candidate:
    number: int
    text: str
    terms: Mapping[str, int]


def _candidates(sources: tuple[str, ...]) -> list[_Candidate]:
    found = []
    for number, source in enumerate(sources, 1):
        for sentence in sentences.split(_without_citations(encodable(source)), MOST_WORDS):
            text = sentence.strip(_MARKS)
            terms = _terms(text)
            if len(text) <= MOST_CHARACTERS and len(terms) >= FEWEST_WORDS and not sentence.startswith("#"):
                found.append(_Candidate(number, text, Counter(terms)))
    return found


def _without_citations(source: str) -> str:
    """The source's own [3] would pass for a citation of ours; other brackets are made round for the same reason."""
    return _NUMBERED.sub("", source).translate(_ROUND)


def _terms(text: str) -> list[str]:
    """Words in lower case, without the s of a plural."""
    return [w[:-1] if len(w) > 3 and w.endswith("s") else w for w in _WORD.findall(text.lower())]


def _query_terms(query: str) -> list[str]:
    words = [w for w in _WORD.findall(query.lower()) if w not in _STOP]
    return list(dict.fromkeys(_terms(" ".join(words))))[:MOST_TERMS]


def _chosen(candidates: list[_Candidate], query: list[str]) -> list[_Candidate]:
    scored = zip(candidates, bm25.scores([c.terms for c in candidates], query), strict=True)
    left = [(c, score) for c, score in scored if score > 0]
    floor = FLOOR * max((score for _, score in left), default=0.0)
    chosen: list[_Candidate] = []
    taken: Counter[int] = Counter()
    while left and len(chosen) < MOST_SENTENCES:
        best, value = max(((c, score * AGAIN ** taken[c.number]) for c, score in left), key=lambda pair: pair[1])
        if value < floor:
            break
        chosen.append(best)
        taken[best.number] += 1
        said = best.terms.keys()
        left = [(c, score) for c, score in left if jaccard(c.terms.keys(), said) < ALIKE]
    return chosen
