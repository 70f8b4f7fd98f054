"""Our own scorer behind the interface every other one has."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.components import NAMES
from steelyard.errors import UnknownName
from steelyard.lab.scorers.base import CRASHED, POINTS, Passage, ScorerFailed
from steelyard.lab.scorers.own import OwnScorer
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from tests.conftest import ROOT

AS_OF = date(2026, 7, 1)
PAGE = (ROOT / "examples" / "site" / "science" / "city-noise.md").read_text("utf-8")


def test_the_points_are_the_content_score_under_the_weighting():
    for weights in weighting.NAMED:
        page = score_text(PAGE, as_of=AS_OF, title="Noise", language="en", weights=weighting.load(weights))
        with OwnScorer(weights=weights, as_of=AS_OF).open() as session:
            values = session.score(Passage(PAGE, "en", "Noise"))
        assert values[POINTS] == values["content"] == page.content, weights
        assert {n: values[n] for n in NAMES} == {n: page.readings[n].value for n in NAMES}
        assert (values["score"], values["freshness"], values["words"]) == (page.score, page.freshness, page.words)
        assert set(values) == {*NAMES, "content", "freshness", "score", "words", "cap", "guard", POINTS}


def test_a_component_alone_gives_its_raw_value():
    with OwnScorer(component=NAMES[0], as_of=AS_OF).open() as session:
        values = session.score(Passage(PAGE))
    assert values[POINTS] == values[NAMES[0]]


def test_captures_made_before_a_renaming_still_name_the_same_scorer():
    assert repr(OwnScorer(as_of=AS_OF)) == "Ours(as_of=datetime.date(2026, 7, 1), weights='shipped', component=None)"


def test_cap_and_guard_are_numbers_whether_or_not_they_hold():
    with OwnScorer(as_of=AS_OF).open() as session:
        empty, short, whole = (session.score(Passage(t)) for t in ("", "A short page. " * 30, PAGE * 3))
    assert (empty["guard"], empty["cap"]) == (5.0, 35.0)
    assert (short["guard"], short["cap"]) == (-1.0, 35.0)
    assert (whole["guard"], whole["cap"]) == (-1.0, 100.0)


def test_without_a_title_no_heading_of_the_text_is_taken_for_one():
    text = "# Noise of the city\n\n" + PAGE
    without = score_text(text, as_of=AS_OF, title="", language="en", evidence=False)
    with OwnScorer(as_of=AS_OF).open() as session:
        assert session.score(Passage(text))[POINTS] == without.content


def test_a_language_we_cannot_score_is_a_failure_on_that_text_and_an_unknown_component_is_refused():
    with OwnScorer(as_of=AS_OF).open() as session, pytest.raises(ScorerFailed) as caught:
        session.score(Passage(PAGE, language="de"))
    assert caught.value.kind == CRASHED
    with pytest.raises(UnknownName, match=r"did you mean 'shannon_entropy'"):
        OwnScorer(component="shanon_entropy", as_of=AS_OF)
