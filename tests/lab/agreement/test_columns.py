"""What scorers give the documents: every figure once, failures noted, and one that never answers given up."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.agreement import AUC, WORDS
from steelyard.lab.agreement.columns import MOST_TRIED, fill_columns, require_values
from steelyard.lab.agreement.labels import LabelSet, Target
from steelyard.lab.scorers.base import AnyNumber, Passage
from steelyard.lab.scorers.function import CallableScorer
from steelyard.pipeline import score_text

AS_OF = date(2026, 7, 1)
PROSE = "The ferry to the outer islands leaves at seven, and the harbour master notes every ship that passes the pier. "


def make_set(*texts: str) -> LabelSet:
    return LabelSet("s", "", tuple(map(Passage, texts)), (Target("all", AUC, (0.0,) * len(texts)),))


def test_our_figures_are_those_of_the_product() -> None:
    texts = (PROSE, PROSE * 12)
    columns = fill_columns([make_set(*texts)], {}, AS_OF)
    assert list(columns.scorers["s"]) == [WORDS, "paper score", "paper content", "2026 score", "2026 content"]
    assert columns.scorers["s"][WORDS] == [20.0, 240.0]
    pages = [score_text(text, as_of=AS_OF, title="", language="en") for text in texts]
    assert columns.scorers["s"]["paper score"] == [page.score for page in pages]
    assert columns.scorers["s"]["paper content"] == [page.content for page in pages]
    assert list(columns.components["s"]["2026"]) == list(NAMES)
    assert columns.components["s"]["paper"]["entity_density"] == [p.readings["entity_density"].value for p in pages]
    assert columns.failed == {}


def test_a_scorer_is_taken_on_its_own_scale_and_its_failures_are_noted() -> None:
    def score(text: str) -> float:
        if "ferry" in text:
            raise ValueError("no ferries")
        return -1e6 * len(text)

    columns = fill_columns([make_set("a harbour", PROSE, "b")], {"mine": CallableScorer(score, AnyNumber())}, AS_OF)
    assert columns.scorers["s"]["mine"] == [-9e6, None, -1e6]
    assert columns.failed["mine"]["s"].documents == 1
    assert "no ferries" in columns.failed["mine"]["s"].example
    require_values(columns, "mine")


def test_a_scorer_that_never_answers_is_given_up_and_refused() -> None:
    calls = []

    def score(text: str) -> float:
        calls.append(text)
        return float("nan")

    columns = fill_columns([make_set(*["a"] * 50)], {"mine": CallableScorer(score, AnyNumber())}, AS_OF)
    assert len(calls) == MOST_TRIED
    assert columns.scorers["s"]["mine"] == [None] * 50
    with pytest.raises(SteelyardError, match="mine: none of 50 documents could be scored: not a number"):
        require_values(columns, "mine")
