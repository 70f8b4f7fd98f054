"""The adaptive attacker: greedy, within its budget of words, and unseen when it has to be."""

from __future__ import annotations

import random
from datetime import date
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.detectors.layered_filter import load_thresholds
from steelyard.errors import UnknownName
from steelyard.lab.corpus import CorpusPage, loading
from steelyard.lab.edits.base import Target
from steelyard.lab.gaming import adaptive, climbing
from steelyard.lab.gaming.adaptive import Climb, Stage, climb_page
from steelyard.lab.gaming.climbing import PER_WORD, draw_sentences, load_sentences, measure_gain, place_sentence
from steelyard.lab.gaming.readings import Limits, measure_detectors
from steelyard.scoring import editions
from steelyard.settings import Settings

AS_OF = date(2026, 7, 1)
BUDGETS = (20, 50)
ONE, OTHER = "business/freelance-invoicing.md", "guides/coffee-extraction.md"
STUFFED = "shop/noise-cancelling-headphones.md"


@pytest.fixture(autouse=True)
def small_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds for two budgets holds for five, in a quarter of the time."""
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS)


@cache
def page(name: str) -> CorpusPage:
    return next(p for p in loading.load_corpus(loading.DEMO).pages if p.id == name)


@cache
def limits() -> Limits:
    return Limits({}, dict(load_thresholds()["thresholds"]))


@cache
def watched(name: str, unseen: bool) -> tuple[Climb, tuple[tuple[str, str], ...]]:
    """A climb, and every step it took: the text before, and after."""
    texts: list[str] = []
    rank = climbing._rank_steps

    def record(target: Target, text: str, *others: Any, **options: Any) -> Any:
        texts.append(text)
        return rank(target, text, *others, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(climbing, "_rank_steps", record)
        climb = climb_page(page(name), limits=limits(), unseen=unseen, as_of=AS_OF)
    assert climb is not None
    return climb, tuple(pairwise(dict.fromkeys(texts)))


@pytest.mark.parametrize(("name", "unseen"), [(ONE, False), (OTHER, True)])
def test_a_climb_stays_within_its_budget_and_every_step_is_worth_its_words(name: str, unseen: bool):
    stages, steps = watched(name, unseen)
    assert 1 < stages[BUDGETS[0]].gain <= stages[BUDGETS[1]].gain
    sizes = [len(after.split()) - len(before.split()) for before, after in steps]
    for budget, stage in stages.items():
        written = sum(stage.sentences.values())
        assert sum(sizes[:written]) == stage.words <= budget
        assert stage.gain >= PER_WORD * stage.words
        assert sum(stage.components.values()) == pytest.approx(stage.gain)
    assert sum(stages[BUDGETS[-1]].sentences.values()) == len(steps)


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
    made = {place_sentence("One day. Two days", "New.", rng) for _ in range(40)}
    assert made == {"One day. Two days New.", "One day. New. Two days"}
    assert place_sentence("no end", "New.", rng) == "no end New."


def make_stage(gain: float, words: int = 0, *, is_flagged: bool = False) -> Stage:
    return Stage(gain, dict.fromkeys(NAMES, gain / len(NAMES)), {}, words, is_flagged)


def test_a_free_attacker_is_not_replaced_by_one_who_gained_more_unseen(monkeypatch: pytest.MonkeyPatch):
    free, knowing = {50: make_stage(1.0, 5, is_flagged=True)}, {50: make_stage(2.0, 9)}
    monkeypatch.setattr(adaptive, "BUDGETS", (50,))
    monkeypatch.setattr(adaptive, "climb_page", lambda *_, unseen, **__: knowing if unseen else free)
    found = adaptive.climb_pages([page(ONE)] * 12, limits(), as_of=AS_OF)
    assert (found["unconstrained"]["50"]["mean"], found["unflagged"]["50"]["mean"]) == (1.0, 2.0)
    left = found["left_unflagged"]["50"]
    assert (left["pages"], left["of"], left["over_all"], left["kept_interval"]) == (0, 12, 0.0, [0.0, 0.0])
    assert found["unconstrained"]["50"]["n"] == 12
    assert found["unconstrained"]["50"]["interval"] == [1.0, 1.0]


def test_the_filter_leaves_a_share_of_the_gain_with_an_interval_over_pages():
    stages = [make_stage(4.0, is_flagged=True), make_stage(2.0)] * 10
    left = adaptive._summarise_unflagged(stages)
    low, high = left["kept_interval"]
    assert low < 1 / 3 < high
    assert left["over_all_interval"][0] < left["over_all"] == 1.0 < left["over_all_interval"][1]
    assert adaptive._summarise_unflagged(stages[:9])["kept_interval"] is None  # too few pages


def test_all_studies_climb_the_same_pages_the_test_half_first():
    pages = [p for p in loading.load_corpus(loading.DEMO).pages if p.language == "en"]
    chosen = adaptive.select_climbed(pages, len(pages))
    assert adaptive.select_climbed(pages, 3) == chosen[:3]
    assert page(STUFFED) in pages
    assert page(STUFFED) not in chosen  # flagged as it is
    splits = [p.split for p in chosen]
    assert splits == sorted(splits)  # test before train
    assert set(splits) == {"test", "train"}


def test_with_limits_no_step_is_seen_by_the_filter():
    _, steps = watched(OTHER, True)
    assert steps
    assert climb_page(page(STUFFED), limits=limits(), unseen=True, as_of=AS_OF) is None  # flagged as it is
    for _, after in steps:
        assert not limits().flags(measure_detectors(after, "en"))


def test_a_limit_of_nothing_stops_the_climb_at_the_start():
    found = measure_detectors(page(ONE).flattened, "en")
    tight = {"hollow_evidence": found["hollow_evidence"], "dump": 0.0}
    assert climb_page(page(ONE), limits=Limits({}, tight), unseen=True, as_of=AS_OF) is None
    tight["dump"] = found["dump"]
    tight["templates"] = found["templates"]
    held = climb_page(page(ONE), limits=Limits({}, tight), unseen=True, as_of=AS_OF)
    assert held is not None
    assert held[50].gain <= watched(ONE, False)[0][50].gain + 1


def test_the_same_page_and_seed_is_the_same_climb_and_another_seed_another(monkeypatch: pytest.MonkeyPatch):
    found, _ = watched(ONE, False)
    monkeypatch.setattr(adaptive, "BUDGETS", BUDGETS[:1])
    again = climb_page(page(ONE), limits=limits(), unseen=False, as_of=AS_OF)
    assert again is not None
    assert again[20] == found[20]
    assert climb_page(page(ONE), limits=limits(), unseen=False, as_of=AS_OF, seed=1) != again


def test_the_candidates_are_filled_sentences_of_every_kind():
    target = Target(page(ONE).flattened, "en")
    found = draw_sentences(target, random.Random(3))
    assert {kind for kind, _ in found} >= set(load_sentences("en"))
    for _, sentence in found:
        assert sentence.strip()
        assert "{" not in sentence
    assert draw_sentences(target, random.Random(3)) == found
    with pytest.raises(UnknownName, match="'xx'"):
        load_sentences("xx")


def test_the_study_takes_pages_that_can_be_climbed_both_ways(monkeypatch: pytest.MonkeyPatch):
    known = {False: watched(ONE, False)[0], True: watched(OTHER, True)[0]}

    def climbed(of: CorpusPage, *, unseen: bool, **settings: Any) -> Climb | None:
        return known[unseen] if of.id == ONE else climb_page(of, unseen=unseen, **settings)

    short = CorpusPage("short", "en", "test", None, "A short page.", "A short page.")
    monkeypatch.setattr(adaptive, "climb_page", climbed)
    found = adaptive.climb_pages([page(ONE), page(STUFFED), short], limits(), as_of=AS_OF)
    assert found["pages"] == 1
    assert found["budgets"] == [20, 50]
    free = known[False]
    for way, own in (("unconstrained", free), ("unflagged", known[True])):
        row = found[way]["50"]
        assert row["mean"] == row["p95"] == row["worst"] == own[50].gain
        assert row["components"] == own[50].components
        assert row["moves"] == own[50].sentences
    left = found["left_unflagged"]["50"]
    assert left["pages"] == int(not free[50].is_flagged)
    assert left["over_all"] == (0.0 if free[50].is_flagged else free[50].gain)
    nothing = adaptive.climb_pages([], limits(), as_of=AS_OF)
    assert nothing == {**found, "pages": 0, "unconstrained": {}, "left_unflagged": {}, "unflagged": {}}


def test_of_the_free_attackers_pages_the_flagged_ones_count_nothing():
    left = adaptive._summarise_unflagged([make_stage(4.0, is_flagged=True), make_stage(2.0)])
    assert (left["pages"], left["share"], left["mean"], left["over_all"]) == (1, 0.5, 2.0, 1.0)
    assert sum(left["components"].values()) == pytest.approx(1.0)


def test_fifty_words_on_a_leaderboard_gain_and_do_so_again():
    edition = editions.load()
    settings = Settings.resolve(as_of=AS_OF, edition=edition, language="en")
    text = page(OTHER).text
    gain = measure_gain(text, None, settings, words=50)
    assert gain is not None
    assert 0 < gain < 100
    assert measure_gain(text, None, settings, words=50) == gain
    assert measure_gain("Too short.", None, settings, words=50) is None
    assert measure_gain("x" * 1_000_000, None, settings, words=50) is None
