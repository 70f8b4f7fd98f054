"""The studies of the protocol as people read them: plain, and never kinder than the figures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from steelyard.advice.finding import UNCONFIRMED
from steelyard.components import NAMES
from steelyard.detectors import NAMES as DETECTORS
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.study.findings import HELD_OUT, format_interval, signed
from steelyard.lab.study.registry import BY_NAME
from steelyard.lab.study.studies import (
    compare_strategies,
    falsify,
    full_score,
    gaming,
    gates,
    identify,
    matrix,
    observational,
)
from tests.lab.study.presentation import check_presentation, committed_result, rows_of


def test_every_attack_and_detector_is_listed() -> None:
    result = committed_result("gaming")
    findings = gaming.findings(result)
    assert len(rows_of(findings, "Attacks, on the test half")) == len(result["order"])
    assert len(findings.tables[4].table.columns) == 1 + len(DETECTORS)
    claimed = sum(a["must_be_seen"] for a in result["attacks"].values())
    result["attacks"]["duplication, light"]["layered_auc"] = 0.1
    line = gaming.findings(result).lines[0]
    assert f"of {claimed} claimed attacks; it falls short on " in line
    assert "duplication, light" in line


def test_families_that_the_filter_does_not_claim_to_see_are_in_the_same_table() -> None:
    result = committed_result("gaming")
    rows = {row[0]: row[1:] for row in rows_of(gaming.findings(result), "Families of attacks")}
    assert set(rows) == {e["family"] for e in result["attacks"].values()}
    assert rows["splicing"][0] == rows["citations"][0] == "no"
    assert rows["stuffing"][0] == "yes"
    seen = result["attacks"]["splicing, heavy"]["detected"]
    assert rows["splicing"][-1] == f"{seen:.0%}"
    assert any(f"splicing, heavy {seen:.0%}" in line for line in gaming.findings(result).lines)


def test_both_adaptive_attackers_have_n_and_intervals_and_the_tuned_budget_is_named() -> None:
    result = committed_result("gaming")
    for mode in gaming.ATTACKERS:
        for e in result["adaptive"][mode].values():
            e |= {"interval": [1.0, 2.0], "kept_interval": [0.1, 0.25], "over_all_interval": [0.5, 1.5]}
    lines = [line for line in gaming.findings(result).lines if line.startswith("the adaptive attacker")]
    assert len(lines) == len(result["adaptive"]["budgets"])
    assert [line for line in lines if "was chosen at" in line] == [lines[result["adaptive"]["budgets"].index(50)]]
    for line in lines:
        assert f"{result['adaptive']['pages']} pages" in line
        assert "(1.0 to 2.0)" in line
        assert "% (10 to 25) of the gain" in line


def test_three_levers_together_stand_in_the_table_of_gains_beside_the_papers_headline() -> None:
    result = committed_result("gates")
    findings = gates.findings(result)
    rows = rows_of(findings, "Mean gain of the levers")
    (together,) = (r for r in result["all_pages"]["gains"] if (r["edit"], r["dose"]) == ("combined", 1))
    shown = next(row for row in rows if row[:2] == [f"all ({result['sources']})", gates.ALL_THREE])
    assert shown[2] == signed(together["mean"])
    assert rows[-1][:3] == ["the paper", "any single lever", "at most 6"]
    line = next(line for line in findings.lines if line.startswith(gates.ALL_THREE))
    assert f"{together['share_over_6']:.0%} of the pages gain more than 6 points" in line


def test_held_out_is_said_of_the_fit_alone() -> None:
    """Patterns, limits and the quotation block were made with all pages in view."""
    for section, study in (("gates", gates), ("identify", identify)):
        shown = study.findings(committed_result(section)).to_terminal().replace(HELD_OUT, "")
        assert not re.search("held.out", shown, re.IGNORECASE), section


# The five lines and the verdict


def make_verdict(status: str, statistic: float | None, reason: str = "", **more: Any) -> dict[str, Any]:
    margin = None if statistic is None else 1.25
    found = {"status": status, "statistic": statistic, "margin": margin, "interval": [-0.001, 2.5], "reason": reason}
    found["needed"] = None
    return {**found, "bound": 0.0, "parts": {}, **more}


def test_a_gate_has_one_line() -> None:
    for index, found, line in (
        (0, make_verdict("pass", -2.015), "negative-control: pass  −2.02 points, at most 0 (margin 1.25; 95% interval "
         "0.00 to 2.50)"),
        (1, make_verdict("fail", -0.75, interval=None), "dose-response: fail  −0.75 points, at least −0.5 (margin "
         "1.25)"),
        (2, make_verdict("undefined", None, "too little for a ratio"), "saturation: undefined  too little for a ratio"),
        (4, make_verdict("pass", 0.3, "short pages"), "length-bias: pass  0.30 |r|, at most 0.35 (margin 1.25; 95% "
         "interval 0.00 to 2.50)  short pages"),
    ):  # fmt: skip
        assert falsify.describe_gate(GATES[index], found) == line


STATUSES = ("pass", "fail", "undecided", "undefined")
CRASHED = {"crashed": {"calls": 1, "examples": ["a.md (base): boom"]}}


def with_statuses(**changes: Any) -> dict[str, Any]:
    """Return the committed gates with all of them passing on 20 pages, except for the given changes."""
    result = {**committed_result("gates"), "sources": 20}
    statuses = {g.name: "pass" for g in GATES} | {k.replace("_", "-"): v for k, v in changes.items() if v in STATUSES}
    for gate, status in statuses.items():
        result["verdicts"]["all"][gate] |= {"status": status, "needed": 120 if status == "undecided" else None}
    result["verdicts"]["all"]["passed_by_estimate"] = list(statuses.values()).count("pass")
    result |= {k: v for k, v in changes.items() if k in result}
    result["survives"] = set(statuses.values()) == {"pass"} and not result["failures"]
    return result


def test_only_five_passes_without_a_fault_survive() -> None:
    for changes, words in (
        ({}, "survives: all five gates pass on 20 pages"),
        (
            {"saturation": "fail", "duplication": "undefined"},
            "is falsified on 20 pages: it fails saturation; it leaves",
        ),
        ({"duplication": "undefined"}, "is not cleared on 20 pages: it leaves duplication undefined"),
        (
            {"duplication": "undecided"},
            "is not cleared on 20 pages: it leaves duplication undecided (about 120 pages would decide), which is not",
        ),
        ({"failures": CRASHED}, "is not cleared on 20 pages: it did not score every page"),
        ({"failures": CRASHED, "sources": 0}, "is not cleared: it scored no page under every edit"),
    ):
        result = with_statuses(**changes)
        assert BY_NAME["gates"].exit_code(result, {}) == bool(changes), words
        assert falsify.findings(result).lines[-1].startswith(f"shipped {words}"), words


def test_scorers_are_compared_with_their_faults() -> None:
    broken = with_statuses(failures=CRASHED, not_deterministic={"sources": 2, "examples": ["x"]}, gains=[])
    first, second = falsify.show_scorers([with_statuses(), broken]).table.texts()
    assert first[0] == second[0] == "shipped"
    assert first[-1] == "none"
    assert second[-2:] == ["–", "crashed, not deterministic"]


def test_the_order_of_the_levers_is_left_out_where_the_half_is_too_small() -> None:
    result = committed_result("gates")
    assert any(
        line.startswith("order at dose 1 on the test half, against filler: ") for line in gates.findings(result).lines
    )
    result["verdicts"]["test"]["negative-control"]["status"] = "undefined"
    assert not any("order" in line for line in gates.findings(result).lines)


# The other studies


def test_a_selection_that_fails_held_out_is_not_confirmed() -> None:
    result = committed_result("compare")
    result["selected"] = result["selected_with_calibrated"] = "sqrt"
    passed = {split: result["strategies"]["sqrt"][split]["gates"] for split in ("train", "test")}
    passed["train"]["passed_by_estimate"], passed["test"]["passed_by_estimate"] = 5, 5
    assert compare_strategies.findings(result).lines[1].endswith("5/5 gates: confirmed")
    passed["test"]["passed_by_estimate"] = 4
    lines = compare_strategies.findings(result).lines
    assert lines[1].endswith("4/5 gates: NOT confirmed")
    assert "sqrt passes 5/5 on train and 4/5 on test: what a second half is for" in lines
    result["selected"] = result["selected_with_calibrated"] = None
    none = "no fitted strategy passes all five gates on the training split: nothing is selected"
    assert compare_strategies.findings(result).lines[0] == none


def test_the_shipped_weights_are_never_said_to_be_selected() -> None:
    result = committed_result("compare")
    for selected in ("raw", "sqrt", None):
        result["selected"] = selected
        lines = compare_strategies.findings(result).lines
        (released,) = [line for line in lines if "released vector" in line]
        assert "not because they were selected here" in released
        assert any("paper's rule selected sqrt" in line for line in lines) == (selected == "raw")


def test_the_role_of_a_weight_follows_from_its_interval() -> None:
    for admissible, role in (
        (None, "not admissible anywhere on the grid"),
        ([0.05, 0.12], "pinned"),
        ([0.0, 0.08], "bounded above"),
        ([0.0, 0.0], "must be zero"),
        ([0.05, 0.3], "forced above zero"),
        ([0.0, 0.5], "left open"),
    ):
        assert identify.weight_role(admissible) == role, admissible


def test_a_lever_without_a_carrier_is_said_and_fails_only_when_checked() -> None:
    result = committed_result("matrix")
    exit_code = BY_NAME["matrix"].exit_code
    assert exit_code(result, {"check": True}) == 0
    result["carriers"]["quotation"] = None
    result["disagreements"] = ["quotation → quotable_density: -0.2 here, +47.6 in the paper"]
    lines = matrix.findings(result).lines
    assert lines[0].startswith("quotation: no carrier: ")
    assert any(line.startswith("sign differs from the paper: quotation → quotable_density") for line in lines)
    assert (exit_code(result, {"check": True}), exit_code(result, {"check": False})) == (1, 0)


def test_the_full_score_says_when_stuffing_pays() -> None:
    result = committed_result("pipeline")
    result["captures"]["fr"]["prior"]["stuffing_dose_8"] = 0.01
    assert [line.split(":")[0] for line in full_score.findings(result).lines if "FAILS" in line] == ["fr, prior"]


def test_simulated_outcomes_are_called_drawn_at_random() -> None:
    pages = np.random.default_rng(0).uniform(0, 100, (30, len(NAMES)))
    result = observational.study_outcomes(observational.simulate_outcomes(pages, 0, 20))
    findings = check_presentation(observational.findings, result)
    assert "fitted to 20 counts drawn at random:" in findings.lines[0]
    assert findings.lines[-1].endswith("all that the fit finds in them is overfitting")
    for found, not_above in ((-0.9, True), (0.99, False)):
        lines = observational.findings({**result, "simulated": False, "leave_one_out_spearman": found}).lines
        assert "fitted to 20 outcomes:" in lines[0]
        assert (" not above " in lines[-1]) is not_above


def test_figures_have_a_minus_sign_and_no_negative_zero() -> None:
    assert [signed(v) for v in (1.005, -1.0, -0.001, 0.004, None)] == ["+1.00", "−1.00", "0.00", "0.00", "–"]
    assert format_interval([-1.0, -0.001], 1) == "−1.0 to 0.0"
    assert format_interval(None) == format_interval([None, 1.0]) == "–"


def test_what_suggestions_call_unconfirmed_is_confirmed_by_no_measured_anchors() -> None:
    measured = [committed_result(f"anchors-qwen-levers-{data}") for data in ("msmarco", "scholarqa")]
    for lever in UNCONFIRMED.values():
        assert "holds" not in {result["anchors"]["levers"][lever]["verdict"] for result in measured}
