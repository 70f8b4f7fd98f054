"""The levers that the paper leaves open: measured by hand, and counted in nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import Corpus
from steelyard.lab.protocol import capture as captures
from steelyard.lab.protocol.capture import Capture, CapturePlan, build_header
from steelyard.lab.protocol.component_values import read_component_values
from steelyard.lab.protocol.falsify import FIGURES, falsify, judge_capture, judge_weighting
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.lever_gains import measure_exploratory
from steelyard.lab.protocol.variants import COMBINED, NOT_COUNTED, OPEN, PAPER, STRUCTURE
from steelyard.lab.scorers.base import CRASHED
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.studies import gates
from steelyard.lab.study.studies.full_score import study_full_score
from steelyard.lab.study.studies.matrix import study_matrix
from steelyard.scoring import weighting
from tests.lab.protocol.synthetic import AS_OF

SHIPPED = weighting.load("shipped")
EARLIER = CapturePlan(variants=(*PAPER, *COMBINED))


def without_exploratory(made: Capture) -> Capture:
    """The capture as it was before there were these levers."""
    names = [name for name in made.header.parameters["variants"] if name not in NOT_COUNTED]
    header = replace(made.header, parameters={**made.header.parameters, "variants": names})
    return Capture(header, tuple(row for row in made.rows if row["variant"] not in NOT_COUNTED))


@pytest.fixture(scope="module")
def judged(english: Capture) -> dict[str, Any]:
    return judge_weighting(english, SHIPPED, draws=20)


@pytest.mark.parametrize("figure", ["content", "score"])
def test_response_and_gain_are_those_computed_by_hand(english: Capture, judged: dict[str, Any], figure: str) -> None:
    rows = judged["exploratory"]["figures"][figure]
    values = english.values().values()
    assert judged["exploratory"]["sources"] == len(values)
    assert [row["edit"] for row in rows] == list(OPEN)
    for row in rows:
        control = "filler_paragraph-1" if row["edit"] in STRUCTURE else "neutral_filler-1"
        edited, filler, base = (
            mean([v[name][figure] for v in values]) for name in (f"{row['edit']}-1", control, "base")
        )
        assert row["response"] == pytest.approx(edited - filler, abs=1e-9)
        assert row["gain"] == pytest.approx(edited - base, abs=1e-9)
        assert row["low"] <= row["high"]


def test_only_the_final_score_sees_more_in_an_update_than_in_a_date(judged: dict[str, Any]) -> None:
    found = {f: {r["edit"]: r["response"] for r in rows} for f, rows in judged["exploratory"]["figures"].items()}
    assert found["score"]["update_note"] > found["score"]["visible_date"] + 0.2
    assert found["content"]["update_note"] == pytest.approx(found["content"]["visible_date"], abs=0.1)


def test_no_other_study_sees_them(english: Capture) -> None:
    assert not NOT_COUNTED & set(english.responses().points)
    assert not NOT_COUNTED & set(read_component_values(english).values)
    few = [row for row in english.rows if row["source"] in list(english.values())[: MIN_SOURCES - 1]]
    assert measure_exploratory(Capture(english.header, tuple(few)), FIGURES, draws=20) == {}


def test_every_other_figure_is_that_of_a_capture_without_them(english: Capture, judged: dict[str, Any]) -> None:
    earlier = judge_weighting(without_exploratory(english), SHIPPED, draws=20)
    assert earlier["exploratory"] == {}
    assert {**judged, "exploratory": {}} == earlier


def test_a_capture_made_without_them_is_read_by_the_studies(demo: Corpus, english: Capture, tmp_path: Path) -> None:
    path, scorer, pages = tmp_path / "earlier.jsonl", OwnScorer(as_of=AS_OF), demo.pages_in("en")[:MIN_SOURCES]
    head = build_header(pages, demo.digest, demo.name, scorer, EARLIER)
    captures.capture(pages, scorer, head, EARLIER, path=path, jobs=1, quiet=True)
    earlier = captures.load(path)
    chosen = {page.id for page in pages}
    now = Capture(english.header, tuple(row for row in english.rows if row["source"] in chosen))
    found = judge_weighting(earlier, SHIPPED, draws=20)
    assert not any(table.title.startswith("Levers the paper leaves open") for table in gates.findings(found).tables)
    assert study_matrix(earlier, "all") == study_matrix(now, "all")
    assert study_full_score({"en": earlier}) == study_full_score({"en": now})


def test_a_failure_on_them_changes_no_verdict(english: Capture) -> None:
    failing = tuple(
        {"source": row["source"], "variant": row["variant"], "failed": CRASHED, "detail": "boom"}
        if row["variant"] == "table-1"
        else row
        for row in english.rows
    )
    found, right = (judge_capture(c, draws=20) for c in (Capture(english.header, failing), english))
    assert (found.verdicts, found.failures, found.survives) == (right.verdicts, {}, right.survives)
    assert found.record() == {**right.record(), "exploratory": {}}


def test_our_own_scorer_is_shown_with_its_final_score_and_another_with_its_points(demo: Corpus) -> None:
    pages = demo.pages_in("en")[:MIN_SOURCES]
    shown = {}
    for component in (None, "entity_density"):
        scorer = OwnScorer(as_of=AS_OF, component=component)
        found = falsify(pages, scorer, corpus="demo", digest="", draws=20, jobs=1)
        shown[component] = list(found.record()["exploratory"]["figures"])
    assert shown == {None: ["content", "score"], "entity_density": ["points"]}
