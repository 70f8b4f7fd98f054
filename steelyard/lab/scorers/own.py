"""Our own scorer: the eleven component values of a text, and its content score or one of these values as points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from steelyard.components import NAMES
from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.scorers.base import CRASHED, POINTS, Passage, ScorerFailed
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.guards import Guard
from steelyard.scoring.page import contributions, final_score
from steelyard.scoring.weighting import Weighting

NO_CAP = 100.0
NO_GUARD = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScorer:
    """The content score under a weighting (a name or a file), or the value of one component.

    Points are the content score, not the final one: the caps on short pages and the guards would hide from a
    gate what the components do. All of these are among the values that a session returns.
    """

    as_of: date
    weights: str = "shipped"
    component: str | None = None
    edition: str = editions.PAPER
    parallel = True

    @classmethod
    def of_edition(cls, name: str, as_of: date) -> OwnScorer:
        """Return the content score of an edition, with its own weights."""
        return cls(as_of=as_of, weights=editions.load(name).weights, edition=name)

    def __post_init__(self) -> None:
        if self.component is not None and self.component not in NAMES:
            raise UnknownName("component", self.component, NAMES)

    def __repr__(self) -> str:
        """Return the text under which captures name this scorer; a changed one would not match older captures."""
        edition = "" if self.edition == editions.PAPER else f", edition={self.edition!r}"
        return f"Ours(as_of={self.as_of!r}, weights={self.weights!r}, component={self.component!r}{edition})"

    @property
    def name(self) -> str:
        return self.component or Path(self.weights).name

    @contextmanager
    def open(self) -> Iterator[OwnSession]:
        yield OwnSession(self, weighting.load(self.weights), editions.load(self.edition))


@dataclass(frozen=True, slots=True)
class OwnSession:
    """The scorer with its weighting, which is read once."""

    scorer: OwnScorer
    weights: Weighting
    edition: Edition

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            page = score_text(
                passage.text,
                as_of=self.scorer.as_of,
                title=passage.title or "",
                language=passage.language,
                weights=self.weights,
                edition=self.edition,
                evidence=False,
            )
        except SteelyardError as error:
            raise ScorerFailed(CRASHED, str(error)) from error
        values = {name: reading.value for name, reading in page.readings.items()} | {
            "content": page.content,
            "freshness": page.freshness,
            "score": page.score,
            "words": float(page.words),
            "cap": NO_CAP if page.cap is None else page.cap,
            "guard": NO_GUARD if page.guard is None else page.score,  # a guard sets the score
        }
        return values | {POINTS: values[self.scorer.component or "content"]}


def recompute_score(
    values: Mapping[str, float], weights: Mapping[str, float], transform: str = "sqrt", *, capped: bool = True
) -> float:
    """Return the full score of captured values under a weighting, by the product's own steps."""
    if transform == "raw":
        content = math.fsum(weight * values[name] for name, weight in weights.items())
    else:
        content = math.fsum(contributions(values, weights).values())
    guard = None if values["guard"] == NO_GUARD else Guard("captured", values["guard"], "")
    limit = values["cap"] if capped and values["cap"] != NO_CAP else None
    return final_score(min(100.0, content), values["freshness"], limit, guard)
