"""What a ranker may know of a query and its sources: content, shared words, the kind of answer, length.

Outcomes never enter: this module cannot import them. Nor does a source's place among the others, which is how the
prompt was written and not what the source is; `leak_position` is there to show how far that alone would get.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from steelyard.components import NAMES
from steelyard.errors import UnsupportedLanguage
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.lexical import ask, lexical, read
from steelyard.lab.ranking.structure import structure
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore

CONTENT, LEXICAL, STRUCTURE, LENGTH = "content", "lexical", "structure", "length"
REGEX_ONLY = (CONTENT, LEXICAL, STRUCTURE, LENGTH)
# Constants on plain passages: what little they vary says how a text was cut, not what it holds.
DEGENERATE = ("mmr_score", "ndcg_score", "semantic_redundancy")
COMPONENTS = tuple(name for name in NAMES if name not in DEGENERATE)
FIXED = "c_content"  # the score itself: a baseline, and no feature


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that every source of a query has."""

    name: str
    family: str
    about: str


FEATURES: tuple[Feature, ...] = (
    *(Feature(f"c_{name}", CONTENT, f"{name}, 0 to 100") for name in COMPONENTS),
    Feature("q_bm25", LEXICAL, "BM25 over the candidates"),
    Feature("q_tfidf_cos", LEXICAL, "TF-IDF cosine of query and source, idf over the candidates"),
    Feature("q_coverage", LEXICAL, "share of the query's terms in the source"),
    Feature("q_jaccard", LEXICAL, "terms of both over terms of either"),
    Feature("q_tf_sum", LEXICAL, "log(1 + occurrences of the query's terms); the length is a feature of its own"),
    Feature("q_tf_max", LEXICAL, "log(1 + occurrences of the most frequent one)"),
    Feature(
        "q_ngram", LEXICAL, "longest run of the query's terms found, over their number; stop words do not part a run"
    ),
    Feature("q_proximity", LEXICAL, "terms found over the words of the shortest stretch that holds them; 0 below two"),
    Feature("q_lead_overlap", LEXICAL, "share of the query's terms in the first 50 words"),
    Feature("q_first_pos_frac", LEXICAL, "where in the source its first query term stands, 0 to 1; 1 if none does"),
    Feature("q_char_dice", LEXICAL, "Dice of letter pairs of the query and the best sentence of the first 50 words"),
    Feature("q_phrase", LEXICAL, "1 if the query, or its longest run of two or more terms, occurs word by word"),
    Feature("q_entity", LEXICAL, "share of the query's terms that the source writes as names or numbers"),
    Feature("a_year", STRUCTURE, "1 if a year stands near a query term"),
    Feature("a_number", STRUCTURE, "1 if a number that is no year does"),
    Feature("a_name", STRUCTURE, "1 if a name does that is not in the query"),
    Feature("a_place", STRUCTURE, "1 if a place does"),
    Feature("a_match", STRUCTURE, "1 if the kind of answer asked for is there; 0 where the query asks for none"),
    Feature("a_definition", STRUCTURE, "1 if the lead says what a query term is"),
    Feature("src_len", LENGTH, "log(1 + words)"),
)
NAMES_OF: Mapping[str, tuple[str, ...]] = {
    family: tuple(f.name for f in FEATURES if f.family == family) for family in REGEX_ONLY
}


class Contents:
    """Component values and the fixed score of every text seen, so that a data set reads each of its texts once.

    With the language `auto` a source is read in the one it seems to be in, and in English where that is not supported.
    """

    def __init__(self, *, as_of: date, language: str = "en") -> None:
        self.as_of = as_of
        self.language = language
        self._known: dict[tuple[str, str], dict[str, float]] = {}

    def of(self, candidate: Candidate) -> Mapping[str, float]:
        """The eight `c_` features and `c_content`."""
        key = (candidate.title, candidate.text)
        if key not in self._known:
            try:
                page = self._scored(candidate, self.language)
            except UnsupportedLanguage:
                page = self._scored(candidate, "en")
            values = {f"c_{name}": page.readings[name].value for name in COMPONENTS}
            self._known[key] = {**values, FIXED: page.content}
        return self._known[key]

    def fixed(self, candidate: Candidate) -> float:
        """The score that sees no query: uncapped content under the shipped weights."""
        return self.of(candidate)[FIXED]

    def _scored(self, candidate: Candidate, language: str) -> PageScore:
        return score_text(candidate.text, title=candidate.title, language=language, as_of=self.as_of, evidence=False)


def features(
    query: str,
    candidates: Sequence[Candidate],
    *,
    language: str = "en",
    as_of: date,
    contents: Contents | None = None,
    families: Collection[str] = REGEX_ONLY,
) -> list[dict[str, float]]:
    """One row per candidate with every feature of the `families`, in the order of FEATURES, all finite.

    `language` and `as_of` are for the content features, unless `contents` has its own; words of both languages are
    compared the same way.
    """
    if contents is None:
        contents = Contents(as_of=as_of, language=language)
    asked, passages = ask(query), [read(c) for c in candidates]
    wanted = [f.name for f in FEATURES if f.family in families]
    rows = []
    for candidate, passage, shared, held in zip(
        candidates, passages, lexical(asked, passages), structure(asked, passages), strict=True
    ):
        content = contents.of(candidate) if CONTENT in families else {}
        found = {**content, **shared, **held, "src_len": math.log1p(len(passage.words))}
        rows.append({name: found[name] for name in wanted})
    return rows


def fixed_score(candidates: Sequence[Candidate], contents: Contents) -> list[float]:
    """The fixed score of each candidate, which is a baseline and no feature."""
    return [contents.fixed(c) for c in candidates]


def leak_position(candidates: Sequence[Candidate]) -> list[float]:
    """Minus the place where the engine saw each candidate: a leak to be measured, never a feature. No place is last."""
    last = max((c.position for c in candidates if c.position is not None), default=0.0) + 1
    return [-float(last if c.position is None else c.position) for c in candidates]
