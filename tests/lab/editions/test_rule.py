"""The rule for the default edition: every condition can fail."""

from __future__ import annotations

from typing import Any

from steelyard.lab.editions.rule import CANDIDATE, REFERENCE, apply_rule
from steelyard.scoring import editions
from tests.lab.study.presentation import committed_result


def estimate(mean: float, n: int) -> dict[str, Any]:
    return {"mean": mean, "n": n, "interval": [mean - 1, mean + 1]}


def make_result() -> dict[str, Any]:
    def entry(gain: float) -> dict[str, Any]:
        attackers = {"quotation": estimate(gain, 300), "adaptive, 50 words": estimate(2 * gain, 40)}
        return {"passed": {"train": 5, "test": 5}, "attackers": attackers}

    languages = {code: {"editions": {CANDIDATE: entry(3.0), REFERENCE: entry(6.0)}} for code in ("en", "fr")}
    return {
        "languages": languages,
        "grades": {"flattened": {CANDIDATE: {"spearman": 0.5}, REFERENCE: {"spearman": 0.4}}},
    }


def list_held(result: dict[str, Any]) -> list[bool]:
    return [condition.holds for condition in apply_rule(result)]


def test_every_condition_can_hold_and_one_gate_on_one_half_decides() -> None:
    result = make_result()
    assert list_held(result) == [True, True, True]
    result["languages"]["fr"]["editions"][CANDIDATE]["passed"]["test"] = 4
    assert list_held(result) == [False, True, True]


def test_one_attacker_who_gains_more_decides_and_is_named() -> None:
    result = make_result()
    result["languages"]["en"]["editions"][CANDIDATE]["attackers"]["adaptive, 50 words"] = estimate(12.5, 40)
    gates, attackers, grades = apply_rule(result)
    assert (gates.holds, attackers.holds, grades.holds) == (True, False, True)
    assert attackers.detail == (
        "en adaptive, 50 words +12.50 against +12.00 on 40 pages; for 1 of 4 the 95% intervals over pages overlap"
    )


def test_how_many_pages_and_which_intervals_overlap_is_said() -> None:
    result = make_result()
    detail = apply_rule(result)[1].detail
    assert detail == (
        "4 attackers compared on 40 to 300 pages each, none gains more on average; for 0 of 4 the 95% intervals over "
        "pages overlap"
    )
    result["languages"]["fr"]["editions"][CANDIDATE]["attackers"]["quotation"]["interval"] = None  # few pages
    assert "for 1 of 4 the 95% intervals" in apply_rule(result)[1].detail


def test_grades_must_be_better_and_measured() -> None:
    result = make_result()
    result["grades"]["flattened"][CANDIDATE]["spearman"] = 0.4
    assert list_held(result) == [True, True, False]
    assert list_held({**make_result(), "grades": {}}) == [True, True, False]


def test_a_language_that_was_not_measured_leaves_the_rule_open() -> None:
    result = make_result()
    del result["languages"]["fr"]
    assert list_held(result) == [False, False, True]
    result = make_result()
    del result["languages"]["fr"]["editions"][REFERENCE]["attackers"]["quotation"]
    assert list_held(result) == [True, False, True]


def test_the_default_is_what_the_rule_picked_on_the_measuring_pages() -> None:
    assert committed_result("editions")["default"] == editions.DEFAULT
