"""The adaptive attacker: greedy, within its budget of words, and unseen when it has to be."""

from __future__ import annotations

import random
from datetime import date
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from steelyard import languages
from steelyard.components import NAMES
from steelyard.detectors.layered_filter import measure, settings
from steelyard.lab.corpus import loading as sources
from steelyard.lab.corpus.corpus import CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.gaming import adaptive
from steelyard.lab.gaming.adaptive import BUDGETS, PER_WORD, Climb, NothingToWrite, candidates, cheap, climb, sum_of
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
    """A climb, and every step it took: the text before, and after."""
    steps: list[tuple[str, str]] = []
    best = adaptive._best

    def noted(text: str, *args: Any, **options: Any) -> Any:
        step = best(text, *args, **options)
        if step is not None:
            steps.append((text, step[2]))
        return step

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "_best", noted)
        found = climb(page(name), limits=thresholds(), unseen=unseen, as_of=AS_OF)
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
    sizes = [len(after.split()) - len(before.split()) for before, after in steps]
    for budget in BUDGETS:
        written = sum(found.moves[budget].values())
        assert sum(sizes[:written]) == found.words[budget] <= budget
        assert found.gains[budget] >= PER_WORD * sum(sizes[:written])
    assert sum(found.moves[BUDGETS[-1]].values()) == len(steps)


def test_the_text_grows_by_the_sentences_and_nothing_else_changes():
    _, steps = watched(ONE, False)
    assert steps[0][0] == page(ONE).flattened
    for (_, after), (later, _) in pairwise(steps):
        assert later == after
    for before, after in steps:
        kept = SequenceMatcher(None, before.split(), after.split(), autojunk=False).get_opcodes()
        assert {tag for tag, *_ in kept} == {"equal", "insert"}


def test_a_sentence_goes_to_the_end_or_between_two_sentences():
    rng = random.Random(1)
    made = {adaptive.placed("One day. Two days", "New.", rng) for _ in range(40)}
    assert made == {"One day. Two days New.", "One day. New. Two days"}
    assert adaptive.placed("no end", "New.", rng) == "no end New."


def flat(gain: float, words: int) -> Climb:
    """A climb that is the same at every budget."""
    components: dict[int, dict[str, float]] = {b: {} for b in BUDGETS}
    moves: dict[int, dict[str, int]] = {b: {} for b in BUDGETS}
    unflagged = dict.fromkeys(BUDGETS, False)
    return Climb("p", dict.fromkeys(BUDGETS, gain), components, moves, dict.fromkeys(BUDGETS, words), unflagged)


def test_who_may_do_anything_gains_at_least_what_the_other_did():
    one, other = flat(1.0, 5), flat(2.0, 9)
    better = adaptive._better(one, other)
    assert better.gains[50] == 2.0
    assert better.words[50] == 9
    assert adaptive._better(other, one) == other


def test_with_limits_no_step_is_seen_by_the_filter():
    for name in (ONE, OTHER):
        _, steps = watched(name, True)
        assert steps
        for _, after in steps:
            found = measure(Document(Source(after), languages.load("en")))
            assert all(found[n].statistic <= limit for n, limit in thresholds().items())


def test_a_limit_of_nothing_stops_the_climb_at_the_start():
    found = measure(Document(Source(page(ONE).flattened), languages.load("en")))
    tight = {"hollow_evidence": found["hollow_evidence"].statistic, "dump": 0.0}
    assert climb(page(ONE), limits=tight, unseen=True, as_of=AS_OF) is None
    tight["dump"] = found["dump"].statistic
    tight["compression"] = found["compression"].statistic
    held = climb(page(ONE), limits=tight, unseen=True, as_of=AS_OF)
    assert held is not None
    assert held.gains[50] <= watched(ONE, False)[0].gains[50] + 1


def test_a_page_that_is_flagged_as_it_is_cannot_be_climbed_unseen():
    assert climb(page(STUFFED), limits=thresholds(), unseen=True, as_of=AS_OF) is None


def test_the_same_page_and_seed_is_the_same_climb_and_another_seed_another(monkeypatch: pytest.MonkeyPatch):
    found, _ = watched(ONE, False)
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS[:2])
    again = climb(page(ONE), limits=thresholds(), unseen=False, as_of=AS_OF)
    assert again is not None
    assert again.gains[50] == found.gains[50]
    assert again.components[50] == found.components[50]
    assert again.moves[50] == found.moves[50]
    assert climb(page(ONE), limits=thresholds(), unseen=False, as_of=AS_OF, seed=1) != again


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

    def climbed(of: CorpusPage, *, limits: dict[str, float], unseen: bool, as_of: date, seed: int) -> Climb | None:
        return known[unseen] if of.id == ONE else climb(of, limits=limits, unseen=unseen, as_of=as_of, seed=seed)

    short = CorpusPage("short", "en", "test", None, "A short page.", "A short page.")
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS[:2])  # for the page that is climbed here
    monkeypatch.setattr(adaptive, "climb", climbed)
    found = adaptive.adaptive([page(ONE), page(STUFFED), short], thresholds(), as_of=AS_OF)
    assert found["pages"] == 1
    assert found["budgets"] == [20, 50]
    free = adaptive._better(known[False], known[True])
    for way, own in (("unconstrained", free), ("unflagged", known[True])):
        row = found[way]["50"]
        assert row["mean"] == row["p95"] == row["worst"] == own.gains[50]
        assert row["components"] == own.components[50]
        assert row["moves"] == own.moves[50]
    left = found["left_unflagged"]["50"]
    assert left["pages"] == int(not free.flagged[50])
    assert left["over_all"] == (0.0 if free.flagged[50] else free.gains[50])


def test_of_the_free_attackers_pages_the_flagged_ones_count_nothing():
    seen, unseen = flat(4.0, 9), flat(2.0, 5)
    for c, value in ((seen, True), (unseen, False)):
        c.flagged.update(dict.fromkeys(BUDGETS, value))
        c.components.update({b: dict.fromkeys(NAMES, c.gains[b] / len(NAMES)) for b in BUDGETS})
    left = adaptive._left([seen, unseen])["50"]
    assert (left["pages"], left["share"], left["mean"], left["over_all"]) == (1, 0.5, 2.0, 1.0)
    assert sum(left["components"].values()) == pytest.approx(1.0)


def test_no_page_at_all_is_an_empty_summary():
    assert adaptive.adaptive([], thresholds(), as_of=AS_OF) == {
        "pages": 0,
        "budgets": list(BUDGETS),
        "unconstrained": {},
        "left_unflagged": {},
        "unflagged": {},
    }
