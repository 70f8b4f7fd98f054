"""Our own scorer: all eleven readings of a text, and its content score, or one component's value, as points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from steelyard.components import NAMES
from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.scorers.base import CRASHED, POINTS, Passage, ScorerFailed
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.weighting import Weighting

NO_CAP = 100.0
NO_GUARD = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """The content score under a weighting (a name or a file), or a component's own value when one is named.

    Points are the content score, not the final one: the caps on short pages and the guards would hide from a
    gate what the components do. All of them are among the values.
    """

    as_of: date
    weights: str = "shipped"
    component: str | None = None

    def __post_init__(self) -> None:
        if self.component is not None and self.component not in NAMES:
            raise UnknownName("component", self.component, NAMES)

    @property
    def name(self) -> str:
        return self.component or Path(self.weights).name

    @property
    def parallel(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[OursSession]:
        yield OursSession(self, weighting.load(self.weights))


@dataclass(frozen=True, slots=True)
class OursSession:
    """The weighting, read once."""

    scorer: Ours
    weights: Weighting

    def score(self, passage: Passage) -> Mapping[str, float]:
        try:
            page = score_text(
                passage.text,
                as_of=self.scorer.as_of,
                title=passage.title if passage.title is not None else "",
                language=passage.language,
                weights=self.weights,
                evidence=False,
            )
        except SteelyardError as error:
            raise ScorerFailed(CRASHED, str(error)) from error
        values = {name: reading.value for name, reading in page.readings.items()}
        values["content"] = page.content
        values["freshness"] = page.freshness
        values["score"] = page.score
        values["words"] = float(page.words)
        values["cap"] = NO_CAP if page.cap is None else page.cap
        values["guard"] = NO_GUARD if page.guard is None else page.score  # a guard's score is the page's
        values[POINTS] = values[self.scorer.component or "content"]
        return values
