"""The rule for the default edition: every condition can hold, fail and stay undecided, and says by which figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from steelyard.lab.editions.attackers import ATTACKERS
from steelyard.lab.editions.rule import (
    CANDIDATE,
    FAILS,
    HOLDS,
    REFERENCE,
    UNDECIDED,
    Condition,
    apply_rule,
    choose_default,
    describe_gates,
)
from steelyard.lab.editions.speed import SPEEDS
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import Gate
from steelyard.lab.protocol.variants import LEVERS
from steelyard.scoring import editions
from tests.lab.study.presentation import committed_result

ALL = [HOLDS] * 4
GATES_OF, ATTACKERS_OF, AGREEMENT_OF, SPEED_OF = range(4)  # places of the conditions
Change = Callable[[dict[str, Any]], None]


def make_verdict(
    status: str = "pass", statistic: float | None = 0.2, interval: list[float] | None = None
) -> dict[str, Any]:
    margin = None if statistic is None else 0.35 - statistic
    reason = "12 sources" if statistic is None else ""
    return {"status": status, "statistic": statistic, "bound": 0.35, "margin": margin, "interval": interval,
            "reason": reason}  # fmt: skip


def make_pass(gate: Gate) -> dict[str, Any]:
    ends = sorted(gate.bound + (-1 if gate.is_upper_bound else 1) * by for by in (0.05, 0.15))
    return {"status": "pass", "statistic": sum(ends) / 2, "bound": gate.bound, "margin": 0.1, "interval": ends,
            "reason": ""}  # fmt: skip


def make_pair(difference: float, n: int = 210, width: float = 0.4) -> dict[str, Any]:
    corrected = [difference - width, difference + width] if n >= 38 else None
    return {"n": n, "first": 5 + difference, "second": 5.0, "difference": difference,
            "interval": [difference - width / 2, difference + width / 2], "corrected": corrected}  # fmt: skip


def make_set(low: float, *, by_people: bool = True) -> dict[str, Any]:
    difference = {"n": 235, "value": low + 0.05, "interval": [low, low + 0.1], "reason": None}
    figures = {name: {"value": 0.8} for name in ("candidate", "reference")}
    return {"by_people": by_people, "measure": "AUC", **figures, "difference": difference}


def make_result() -> dict[str, Any]:
    gains = {lever: {"mean": 5.0, "n": 160, "interval": [4.0, 6.0]} for lever in LEVERS}
    languages = {
        code: {
            "pages": 210,
            "editions": {
                name: {"gates": {gate.name: make_pass(gate) for gate in GATES}, "attackers": {**gains}}
                for name in ((CANDIDATE, REFERENCE) if code in ("en", "fr") else (CANDIDATE,))
            },
        }
        for code in ("en", "fr", "de", "es")
    }
    return {
        "languages": languages,
        "compared": {code: {name: make_pair(-1.0) for name in ATTACKERS} for code in ("en", "fr")},
        "agreement": {"kept": make_set(0.01), "releases": make_set(0.02), "graded": make_set(-0.5, by_people=False)},
        "speed": {"file": "bench.json", "rates": {name: {"candidate": 700.0, "reference": 1000.0} for name in SPEEDS}},
    }


def judge(change: Change) -> list[Condition]:
    result = make_result()
    change(result)
    return apply_rule(result)


def list_verdicts(conditions: list[Condition]) -> list[str]:
    return [condition.verdict for condition in conditions]


def set_gate(code: str, verdict: dict[str, Any], edition: str = CANDIDATE) -> Change:
    return lambda result: result["languages"][code]["editions"][edition]["gates"].update({"length-bias": verdict})


def set_attacker(code: str, name: str, pair: dict[str, Any]) -> Change:
    return lambda result: result["compared"][code].update({name: pair})


def set_label(name: str, of: dict[str, Any]) -> Change:
    return lambda result: result["agreement"].update({name: of})


def set_lever(code: str, name: str, **changes: float) -> Change:
    return lambda result: result["languages"][code]["editions"][CANDIDATE]["attackers"].update(
        {name: {"mean": 5.0, "n": 160, "interval": [4.0, 6.0], **changes}}
    )


def set_speed(name: str, **rates: float) -> Change:
    return lambda result: result["speed"]["rates"].update({name: rates})


def drop(*keys: str) -> Change:
    def change(result: dict[str, Any]) -> None:
        for key in keys[:-1]:
            result = result[key]
        del result[keys[-1]]

    return change


def nothing(_: dict[str, Any]) -> None:
    """Change nothing."""


def test_the_candidate_is_picked_where_every_condition_holds() -> None:
    found = judge(nothing)
    assert (list_verdicts(found), choose_default(found)) == (ALL, CANDIDATE)
    assert "38 attackers on 210 pages gain +4.00 against +5.00, en +4.00" in found[ATTACKERS_OF].detail
    assert "clearly higher on 2 of 2 sets" in found[AGREEMENT_OF].detail
    assert "native core, score alone 0.70" in found[SPEED_OF].detail
    assert "bench.json" in found[SPEED_OF].detail


@pytest.mark.parametrize(
    ("change", "place", "verdict", "said"),
    [
        # Gates: a failure is a whole interval; one that holds the bound decides nothing.
        (set_gate("fr", make_verdict("undecided", 0.4, [0.2, 0.6])), GATES_OF, HOLDS, "undecided: 0.400"),
        (set_gate("fr", make_verdict("fail", 0.5, [0.4, 0.6])), GATES_OF, FAILS, "fr fails by 0.150: length-bias"),
        (set_gate("de", make_verdict("fail", 0.5, [0.4, 0.6])), GATES_OF, FAILS, "de fails by 0.150"),
        (set_gate("fr", make_verdict("undecided", 0.5, [0.4, 0.6])), GATES_OF, FAILS, "fr fails by 0.150"),
        (set_gate("en", make_verdict("fail", None)), GATES_OF, FAILS, "en fails: length-bias"),
        (set_gate("es", make_verdict("undefined", None)), GATES_OF, UNDECIDED, "es length-bias undefined: 12 sources"),
        (set_gate("fr", make_verdict("fail", 0.5, [0.4, 0.6]), REFERENCE), GATES_OF, HOLDS, "fr, 210 pages: 5 of 5"),
        (lambda r: r["languages"]["fr"].update(pages=199), GATES_OF, UNDECIDED, "fr has 199 pages of 200"),
        (lambda r: r["languages"]["de"].update(pages=40), GATES_OF, HOLDS, "de, 40 pages"),
        # Attackers.
        (set_attacker("fr", "table", make_pair(0.5)), ATTACKERS_OF, FAILS,
         "fr table gains more: +5.50 against +5.00, +0.50 (0.10 to 0.90) on 210 pages"),
        (set_attacker("fr", "table", make_pair(0.3)), ATTACKERS_OF, HOLDS,
         "nearest to gaining more is fr table: +5.30 against +5.00, +0.30 (−0.10 to 0.70) on 210 pages, corrected for "
         "38 attackers; uncorrected 1 would"),
        (set_attacker("fr", "table", make_pair(9.0, n=37)), ATTACKERS_OF, HOLDS, "not counted: fr table (37 pages)"),
        (set_attacker("fr", "table", make_pair(9.0, n=38)), ATTACKERS_OF, FAILS, "fr table gains more"),
        (lambda r: r["compared"]["fr"].update({n: make_pair(9.0, n=i) for i, n in enumerate(ATTACKERS[1:12], 9)}),
         ATTACKERS_OF, HOLDS, "not counted: 11 attackers on 9 to 19 pages"),
        (set_attacker("fr", "table", make_pair(0.0, n=0)), ATTACKERS_OF, UNDECIDED, "fr table not measured"),
        (drop("compared", "fr"), ATTACKERS_OF, UNDECIDED, "fr has no attacker on 38 pages"),
        (lambda r: [r["compared"][c].update(dict.fromkeys(ATTACKERS, make_pair(0.1))) for c in ("en", "fr")],
         ATTACKERS_OF, FAILS, "the mean is not lower: 38 attackers on 210 pages gain +5.10 against +5.00"),
        (set_lever("de", "quotation", mean=7.5), ATTACKERS_OF, FAILS,
         "de quotation +7.50 (4.00 to 6.00) on 160 pages, 0.10 over +7.4"),
        (set_lever("de", "quotation", mean=7.4), ATTACKERS_OF, HOLDS, "de quotation gains most: +7.40"),
        (set_lever("es", "statistics", mean=6.1), ATTACKERS_OF, FAILS, "es statistics +6.10"),
        (set_lever("es", "statistics", n=37), ATTACKERS_OF, UNDECIDED, "es statistics not measured on 38 pages"),
        # Agreement: by set, and what models graded does not count.
        (set_label("kept", make_set(-0.02)), AGREEMENT_OF, FAILS, "which reaches 0.000 below −0.02"),
        (set_label("kept", make_set(-0.05)), AGREEMENT_OF, FAILS, "which reaches 0.030 below −0.02"),
        (set_label("kept", make_set(-0.01)), AGREEMENT_OF, FAILS, "clearly higher on 1 of 2 sets"),
        (set_label("kept", {"by_people": True, "missing": "a.jsonl"}), AGREEMENT_OF, UNDECIDED,
         "kept not measured, a.jsonl is missing; 1 sets measured"),
        (set_label("third", {"by_people": True, "missing": "a.jsonl"}), AGREEMENT_OF, UNDECIDED, "third not measured"),
        (set_label("third", make_set(-0.01)), AGREEMENT_OF, HOLDS, "clearly higher on 2 of 3 sets"),
        (set_label("graded", make_set(0.5, by_people=False)), AGREEMENT_OF, HOLDS, "models are no people: graded"),
        (lambda r: r.update(agreement={}), AGREEMENT_OF, UNDECIDED, "0 sets measured"),
        (lambda r: r["agreement"]["kept"]["difference"].update(interval=None, reason="9 of the 10 documents"),
         AGREEMENT_OF, UNDECIDED, "9 of the 10 documents"),
        # Speed.
        (set_speed(SPEEDS[0], candidate=600.0, reference=1000.0), SPEED_OF, FAILS,
         "native core, score alone 0.60 of its speed, 0.07 too little"),
        (set_speed(SPEEDS[2], reference=1000.0), SPEED_OF, UNDECIDED, "Python core, score alone not measured"),
        (lambda r: r.update(speed={}), SPEED_OF, UNDECIDED, "not measured"),
    ],
)  # fmt: skip
def test_each_condition_is_decided_by_its_own_figures(change: Change, place: int, verdict: str, said: str) -> None:
    found = judge(change)
    assert said in found[place].detail, found[place].detail
    expected = list(ALL)
    expected[place] = verdict
    assert list_verdicts(found) == expected
    assert (choose_default(found) == CANDIDATE) is (verdict == HOLDS)


def test_a_language_that_was_not_measured_leaves_gates_and_levers_open() -> None:
    for code in ("de", "es"):
        found = judge(drop("languages", code))
        assert list_verdicts(found) == [UNDECIDED, UNDECIDED, HOLDS, HOLDS]
        assert f"{code} not measured" in found[GATES_OF].detail
    found = judge(drop("languages", "fr"))
    assert found[GATES_OF].verdict == UNDECIDED


def test_a_failure_outweighs_what_was_not_measured() -> None:
    def change(result: dict[str, Any]) -> None:
        drop("languages", "de")(result)
        set_gate("fr", make_verdict("fail", 0.5, [0.4, 0.6]))(result)

    assert judge(change)[GATES_OF].verdict == FAILS


def test_the_reference_is_described_beside_the_candidate() -> None:
    result = make_result()
    set_gate("fr", make_verdict("fail", 0.5, [0.4, 0.6]), REFERENCE)(result)
    assert describe_gates(result, REFERENCE) == (
        "en, 210 pages: 5 of 5 pass; fr, 210 pages: 4 of 5 pass, length-bias fail: 0.500 (0.400 to 0.600), bound 0.35"
    )


def test_the_default_is_what_the_rule_picked_on_the_measuring_pages() -> None:
    assert committed_result("editions")["default"] == editions.DEFAULT
