"""The adaptive attacker: greedy, within its budget of words, and unseen when it has to be."""

from __future__ import annotations

import random
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from steelyard.detect.layers import measure, settings
from steelyard.edits.base import Target
from steelyard.gaming import adaptive
from steelyard.gaming.adaptive import BUDGETS, PER_WORD, Climb, NothingToWrite, candidates, cheap, climb, sum_of
from steelyard.packs import pack
from steelyard.sources import candidates as sources
from steelyard.sources.corpus import CorpusPage
from steelyard.text.document import Document, Source

AS_OF = date(2026, 7, 1)
ONE, OTHER = "business/freelance-invoicing.md", "guides/coffee-extraction.md"
STUFFED = "shop/noise-cancelling-headphones.md"


@cache
def page(name: str) -> CorpusPage:
    return next(p for p in sources.load(sources.DEMO).pages if p.id == name)


@cache
def thresholds() -> dict[str, float]:
    return dict(settings()["thresholds"])


@cache
def watched(name: str, unseen: bool) -> tuple[Climb, tuple[tuple[str, str], ...]]:
    """A climb, and every step it took: the text before, and the sentence."""
    steps: list[tuple[str, str]] = []
    best = adaptive._best

    def noted(text: str, *args: Any, **options: Any) -> Any:
        step = best(text, *args, **options)
        if step is not None:
            steps.append((text, step[1]))
        return step

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "_best", noted)
        found = climb(page(name), limits=thresholds() if unseen else None, as_of=AS_OF)
    assert found is not None
    return found, tuple(steps)


@pytest.mark.parametrize(("name", "unseen"), [(ONE, False), (ONE, True), (OTHER, True)])
def test_a_larger_budget_never_gains_less_and_the_smallest_gains_something(name: str, unseen: bool):
    found, _ = watched(name, unseen)
    gains = [found.gains[budget] for budget in BUDGETS]
    assert gains == sorted(gains)
    assert gains[0] > 1
    assert found.source == name


@pytest.mark.parametrize(("name", "unseen"), [(ONE, False), (ONE, True), (OTHER, True)])
def test_the_words_stay_within_the_budget_and_every_step_is_worth_its_words(name: str, unseen: bool):
    found, steps = watched(name, unseen)
    sizes = [len(sentence.split()) for _, sentence in steps]
    for budget in BUDGETS:
        written = sum(found.moves[budget].values())
        assert sum(sizes[:written]) <= budget
        assert found.gains[budget] >= PER_WORD * sum(sizes[:written])
    assert sum(found.moves[BUDGETS[-1]].values()) == len(steps)


def test_the_text_grows_by_the_sentences_and_nothing_else_changes():
    _, steps = watched(ONE, False)
    assert steps[0][0] == page(ONE).flattened
    for (text, sentence), (later, _) in pairwise(steps):
        assert later == f"{text} {sentence}"


def test_with_limits_no_step_is_seen_by_the_filter():
    for name in (ONE, OTHER):
        _, steps = watched(name, True)
        assert steps
        for text, sentence in steps:
            found = measure(Document(Source(f"{text} {sentence}"), pack.load("en")))
            assert all(found[n].statistic <= limit for n, limit in thresholds().items())


def test_a_limit_of_nothing_stops_the_climb_at_the_start():
    found = measure(Document(Source(page(ONE).flattened), pack.load("en")))
    tight = {"evidence_burst": found["evidence_burst"].statistic, "dump": 0.0}
    assert climb(page(ONE), limits=tight, as_of=AS_OF) is None
    tight["dump"] = found["dump"].statistic
    tight["compression"] = found["compression"].statistic
    held = climb(page(ONE), limits=tight, as_of=AS_OF)
    assert held is not None
    assert held.gains[50] <= watched(ONE, False)[0].gains[50] + 1


def test_a_page_that_is_flagged_as_it_is_cannot_be_climbed_unseen():
    assert climb(page(STUFFED), limits=thresholds(), as_of=AS_OF) is None


def test_the_same_page_and_seed_is_the_same_climb_and_another_seed_another(monkeypatch: pytest.MonkeyPatch):
    found, _ = watched(ONE, False)
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS[:1])
    again = climb(page(ONE), limits=None, as_of=AS_OF)
    assert again is not None
    assert again.gains[50] == found.gains[50]
    assert again.components[50] == found.components[50]
    assert again.moves[50] == found.moves[50]
    assert climb(page(ONE), limits=None, as_of=AS_OF, seed=1) != again


def test_the_gains_of_the_components_add_up_to_the_gain():
    found, _ = watched(ONE, False)
    for budget in BUDGETS:
        assert sum(found.components[budget].values()) == pytest.approx(found.gains[budget])


def test_the_total_is_capped_at_100():
    assert sum_of({"a": 60.0, "b": 60.0}) == 100
    assert sum_of({"a": 60.0, "b": 20.0}) == 80


def test_the_candidates_are_filled_sentences_of_every_kind():
    target = Target(page(ONE).flattened, "en")
    found = candidates(target, random.Random(3))
    assert {kind for kind, _ in found} >= set(cheap("en"))
    for _, sentence in found:
        assert sentence.strip()
        assert "{" not in sentence
    assert candidates(target, random.Random(3)) == found


def test_a_language_without_sentences_for_the_attacker_is_refused_with_a_way_out():
    with pytest.raises(NothingToWrite, match="--climbed 0"):
        cheap("xx")


def test_the_study_takes_pages_that_can_be_climbed_both_ways(monkeypatch: pytest.MonkeyPatch):
    known = {unseen: watched(ONE, unseen)[0] for unseen in (False, True)}

    def climbed(of: CorpusPage, *, limits: dict[str, float] | None, as_of: date, seed: int) -> Climb | None:
        return known[limits is not None] if of.id == ONE else climb(of, limits=limits, as_of=as_of, seed=seed)

    short = CorpusPage("short", "en", "test", None, "A short page.", "A short page.")
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS[:1])  # for the page that is climbed here
    monkeypatch.setattr(adaptive, "climb", climbed)
    found = adaptive.adaptive([page(ONE), page(STUFFED), short], thresholds(), as_of=AS_OF)
    assert found["pages"] == 1
    assert found["budgets"] == [50]
    for way, unseen in (("unconstrained", False), ("unflagged", True)):
        own = known[unseen]
        row = found[way]["50"]
        assert row["mean"] == row["p95"] == row["worst"] == own.gains[50]
        assert row["components"] == own.components[50]
        assert row["moves"] == own.moves[50]


def test_no_page_at_all_is_an_empty_summary():
    assert adaptive.adaptive([], thresholds(), as_of=AS_OF) == {
        "pages": 0,
        "budgets": list(BUDGETS),
        "unconstrained": {},
        "unflagged": {},
    }
