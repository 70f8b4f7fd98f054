"""What a ranker may know about a query and its sources: content, shared words, the kind of answer, length.

Outcomes never enter: this module must not import them. Nor does a source's position among the others, which says how
the prompt was written and not what the source is; `leak_position` exists to show how far the position alone would get.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib import resources

from steelyard.components import NAMES
from steelyard.errors import UnsupportedLanguage
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.lexical import compute_lexical_features, parse_query, parse_source
from steelyard.lab.ranking.structure import compute_structure_features
from steelyard.pipeline import score_text
from steelyard.scoring import editions

CONTENT, LEXICAL, STRUCTURE, LENGTH = "content", "lexical", "structure", "length"
FAMILIES = (CONTENT, LEXICAL, STRUCTURE, LENGTH)
# Nearly constant on plain passages: what variation there is comes from how a text was cut, not from its content.
DEGENERATE = ("mmr_score", "ndcg_score", "semantic_redundancy")
COMPONENTS = tuple(name for name in NAMES if name not in DEGENERATE)
FIXED = "c_content"  # the score itself: a baseline, not a feature
POSITION = "leak_position"  # where the engine saw the source: a leak, not a feature


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that every source of a query has; features.toml explains the fields."""

    name: str
    family: str
    about: str
    reason: str | None = None


_TABLE = tomllib.loads(resources.files("steelyard.lab.ranking").joinpath("features.toml").read_text("utf-8"))
FEATURES: tuple[Feature, ...] = (
    *(Feature(f"c_{name}", CONTENT, f"{name}, 0 to 100") for name in COMPONENTS),
    *(Feature(**entry) for entry in _TABLE["feature"]),
)
NAMES_OF: Mapping[str, tuple[str, ...]] = {
    family: tuple(f.name for f in FEATURES if f.family == family) for family in FAMILIES
}


class ContentCache:
    """Component values and the fixed score of every text, computed once per text.

    With the language `auto` each source is scored in the language it seems to be in, or in English if that one is not
    supported.
    """

    def __init__(self, *, as_of: date, language: str) -> None:
        self.as_of = as_of
        self.language = language
        self._known: dict[tuple[str, str], dict[str, float]] = {}

    def read(self, candidate: Candidate) -> Mapping[str, float]:
        """Return the eight `c_` features and FIXED: uncapped content under the shipped weights, without a query."""
        key = (candidate.title, candidate.text)
        if key not in self._known:
            paper = editions.load(editions.PAPER)
            text, title = candidate.text, candidate.title
            score = partial(score_text, text, title=title, as_of=self.as_of, edition=paper, evidence=False)
            try:
                page = score(language=self.language)
            except UnsupportedLanguage:
                page = score(language="en")
            values = {f"c_{name}": page.readings[name].value for name in COMPONENTS}
            self._known[key] = {**values, FIXED: page.content}
        return self._known[key]


def compute_features(
    query: str, candidates: Sequence[Candidate], contents: ContentCache | None = None
) -> list[dict[str, float]]:
    """Return one row per candidate with its features, in the order of FEATURES, all finite.

    Without `contents` the rows lack the content features, which alone depend on a date and a language.
    """
    parsed, passages = parse_query(query), [parse_source(c) for c in candidates]
    names = [f.name for f in FEATURES if contents or f.family != CONTENT]
    rows = []
    for candidate, passage, lexical, structure in zip(
        candidates,
        passages,
        compute_lexical_features(parsed, passages),
        compute_structure_features(parsed, passages),
        strict=True,
    ):
        content = contents.read(candidate) if contents else {}
        values = {**content, **lexical, **structure, "src_len": math.log1p(len(passage.words))}
        rows.append({name: values[name] for name in names})
    return rows


def leak_position(candidates: Sequence[Candidate]) -> list[float]:
    """Return minus the position at which the engine saw each candidate: a leak to be measured, never a feature.

    A candidate without a position counts as the last.
    """
    last = max((c.position for c in candidates if c.position is not None), default=0.0) + 1
    return [-float(last if c.position is None else c.position) for c in candidates]
