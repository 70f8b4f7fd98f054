"""The extractive reference: quotes the sentences nearest to the query, each with the number of its source.

It follows no instructions. Relevance is BM25 over the sentences of all sources; a source loses a fifth of it with each
sentence chosen, and a sentence that nearly repeats a chosen one is left out. The order of the sources only decides
between equals: the earlier source, then the earlier sentence. If no sentence shares a word with the query, the answer
says so and cites nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic.retrieval import jaccard, score_bm25
from steelyard.lab.outcome.engines import sentences
from steelyard.lab.outcome.engines.base import EMBEDDED, Answer, Question
from steelyard.lab.outcome.engines.prompt import replace_surrogates

VERSION = 1  # raised when the same question is answered differently
NO_ANSWER = "None of the sources speaks of this."
MAX_SENTENCES = 4
MIN_WORDS, MAX_WORDS = 4, 60  # of a sentence
MAX_CHARACTERS = 600
MAX_TERMS = 64  # of the query
MIN_RELEVANCE = 0.3  # of the best sentence's relevance
REPEAT_FACTOR = 0.8  # what another sentence of the same source is worth
MAX_OVERLAP = 0.6  # Jaccard overlap of two sentences that say the same

_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"[\[【［] ?\^?(?:sources? ?)?\d[\d ,;&–-]*[\]】］]", re.IGNORECASE)
_ROUND = str.maketrans("[]【】［］", "()()()")
_MARKS = "#>*-+|•` \t"
# English and French together, whatever the page's language is: the list is part of what VERSION stands for.
_STOP_WORDS = frozenset(
    "a an and are as at be by can did do does for from had has have how if in is it its of on or that the their there "
    "this to was were what when where which who why will with you your "
    "au aux ce ces comment dans de des du elle en est et il ils la le les leur ou où par pas pour pourquoi quand que "
    "quel quelle quelles quels qui sont sur un une".split()
)


class Extractive:
    """The engine and its session; it has no settings."""

    name, kind = "extractive reference", EMBEDDED
    paid, parallel = False, 1  # threads would not help: it is all Python
    identity: Mapping[str, Any] = {"engine": "extractive", "version": VERSION}

    @contextmanager
    def open(self) -> Iterator[Extractive]:
        yield self

    def ask(self, question: Question) -> Answer:
        chosen = _choose_sentences(_list_sentences(question.sources), _query_terms(question.query))
        text = " ".join(sentences.add_citation(s.text, s.source) for s in chosen) or NO_ANSWER
        return Answer(text, model=f"extractive {VERSION}")


@dataclass(frozen=True, slots=True)
class _Sentence:
    source: int  # counted from 1
    text: str
    terms: Mapping[str, int]


def _list_sentences(sources: tuple[str, ...]) -> list[_Sentence]:
    listed = []
    for number, source in enumerate(sources, 1):
        # The source's own [3] would pass for our citation; other brackets become round for the same reason.
        plain = _NUMBERED.sub("", replace_surrogates(source)).translate(_ROUND)
        for sentence in sentences.split(plain, MAX_WORDS):
            text = sentence.strip(_MARKS)
            terms = _terms(text)
            if len(text) <= MAX_CHARACTERS and len(terms) >= MIN_WORDS and not sentence.startswith("#"):
                listed.append(_Sentence(number, text, Counter(terms)))
    return listed


def _terms(text: str) -> list[str]:
    """Return the words in lower case, without the s of a plural."""
    return [w[:-1] if len(w) > 3 and w.endswith("s") else w for w in _WORD.findall(text.lower())]


def _query_terms(query: str) -> list[str]:
    words = [w for w in _WORD.findall(query.lower()) if w not in _STOP_WORDS]
    return list(dict.fromkeys(_terms(" ".join(words))))[:MAX_TERMS]


def _choose_sentences(every: list[_Sentence], query: list[str]) -> list[_Sentence]:
    scored = zip(every, score_bm25([s.terms for s in every], query), strict=True)
    left = [(s, score) for s, score in scored if score > 0]
    floor = MIN_RELEVANCE * max((score for _, score in left), default=0.0)
    chosen: list[_Sentence] = []
    quoted: Counter[int] = Counter()  # sentences by source
    while left and len(chosen) < MAX_SENTENCES:
        best, value = max(
            ((s, score * REPEAT_FACTOR ** quoted[s.source]) for s, score in left), key=lambda pair: pair[1]
        )
        if value < floor:
            break
        chosen.append(best)
        quoted[best.source] += 1
        left = [(s, score) for s, score in left if jaccard(s.terms.keys(), best.terms.keys()) < MAX_OVERLAP]
    return chosen
