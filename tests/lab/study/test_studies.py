"""The studies as people read them: made from the artifact alone, plain, and never kinder than the figures."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn, without types

from steelyard.cli.studies import human, markdown
from steelyard.components import NAMES
from steelyard.lab.corpus import loading as candidates
from steelyard.lab.corpus.corpus import TRAIN, CorpusPage
from steelyard.lab.protocol import comparison, identifiability, matrix, observational, own, pipeline, robustness
from steelyard.lab.protocol.capture import Capture, Plan, capture, header
from steelyard.lab.protocol.falsify import judged
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.readings import halves_of, readings
from steelyard.lab.scorers.ours import Ours
from steelyard.lab.study import compare, falsify, gates, identify, roles
from steelyard.lab.study import matrix as matrix_report
from steelyard.lab.study import observational as observational_report
from steelyard.lab.study import pipeline as pipeline_report
from steelyard.lab.study import robustness as robustness_report
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.wording import between, plain, signed
from steelyard.scoring import weighting
from steelyard.support.artifacts import rounded, to_json

REPORTS: Mapping[str, Callable[[Mapping[str, Any]], Findings]] = {
    "falsify": falsify.findings,
    "gates": gates.findings,
    "compare": compare.findings,
    "identify": identify.findings,
    "robustness": robustness_report.findings,
    "matrix": matrix_report.findings,
    "pipeline": pipeline_report.findings,
    "observational": observational_report.findings,
}


def taken(language: str, train: int, test: int) -> Capture:
    """So many pages of the demo from each half, captured with our own scorer."""
    demo = candidates.load("demo")
    pages: list[CorpusPage] = []
    for page in demo.of(language):
        if sum(p.split == page.split for p in pages) < (train if page.split == TRAIN else test):
            pages.append(page)
    scorer, plan = Ours(as_of=date(2026, 7, 1)), Plan()
    return capture(pages, scorer, header(pages, demo.digest, "demo", scorer, plan), plan, jobs=1, quiet=True)


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, Any]]:
    """A result of every study as it goes into its artifact, with small numbers of everything that is repeated."""
    with pytest.MonkeyPatch.context() as small, threadpool_limits(1):
        small.setattr(identifiability, "GRID", (0.0, 0.1, 0.5))
        small.setattr(robustness, "RESPLITS", 2)
        small.setattr(robustness, "PERTURBATIONS", 5)
        small.setattr(robustness, "EXPONENTS", (0.5, 1.0))
        english, french = taken("en", 10, 10), taken("fr", 5, 5)
        train, test = halves_of(english)
        found = {
            "falsify": judged(english, draws=50).record(),
            "gates": own.own(english, weighting.load("shipped"), draws=50),
            "compare": comparison.compare(english, french=french, draws=20),
            "identify": identifiability.identify(train, test, readings(french)),
            "robustness": robustness.robustness(train, test),
            "matrix": matrix.study(english, "test"),
            "pipeline": {"captures": pipeline.pipeline({"en": english, "fr": french})},
            "observational": observational.study(observational.simulated(readings(english).base, 0, 20)),
        }
        yield {name: rounded(result) for name, result in found.items()}


def shown(findings: Findings) -> tuple[Any, ...]:
    """All of it that anybody can see."""
    return (
        findings.name,
        list(findings.lines),
        [(t.title, t.table.to_terminal(), t.note) for t in findings.tables],
        dict(findings.plots),
        findings.found,
    )


@pytest.mark.parametrize("name", REPORTS)
def test_the_artifact_alone_makes_the_same_tables_and_plots(results: dict[str, Any], name: str) -> None:
    stored = json.loads(to_json(results[name], sort_keys=True))
    made = REPORTS[name](results[name])
    again = REPORTS[name](stored)
    assert shown(made) == shown(again)
    assert human(made) == human(again)
    assert markdown(made) == markdown(again)
    assert made.tables
    assert made.name == name


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_changes_nothing_of_its_result(results: dict[str, Any], name: str) -> None:
    before = copy.deepcopy(results[name])
    REPORTS[name](results[name])
    assert results[name] == before


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_plain_and_promises_no_citations(results: dict[str, Any], name: str) -> None:
    findings = REPORTS[name](results[name])
    text = human(findings)
    assert not re.search(r"\bcited\b|predicts?\b|forecast|will rank", text)
    assert not re.search(r"\bnan\b|\binf\b|None|True|False|−0\.0+\b", text)
    for titled in findings.tables:
        assert titled.title
        assert max(len(line) for line in titled.table.to_terminal()) <= 120
        assert not re.search(r"(?<!\w)-\d", "\n".join(titled.table.to_terminal())), "a hyphen for a minus"


@pytest.mark.parametrize("name", REPORTS)
def test_markdown_holds_every_table(results: dict[str, Any], name: str) -> None:
    findings = REPORTS[name](results[name])
    text = markdown(findings)
    for titled in findings.tables:
        assert f"**{titled.title}**" in text
    for line in findings.lines:
        assert f"- {line}\n" in text


# The five lines


def verdict_of(status: str, statistic: float | None, reason: str = "", **more: Any) -> dict[str, Any]:
    margin = None if statistic is None else 1.25
    found = {"status": status, "statistic": statistic, "margin": margin, "interval": [-0.001, 2.5], "reason": reason}
    return {**found, "bound": 0.0, "parts": {}, **more}


@pytest.mark.parametrize(
    ("index", "found", "line"),
    [
        (
            0,
            verdict_of("pass", -2.015),
            "negative-control: pass  −2.02 points, at most 0 (margin 1.25; 95% interval 0.00 to 2.50)",
        ),
        (
            1,
            verdict_of("fail", -0.75, interval=None),
            "dose-response: fail  −0.75 points, at least −0.5 (margin 1.25)",
        ),
        (
            2,
            verdict_of("pass", 0.0, "no gain: quotation"),
            "saturation: pass  0.00 ratio, at most 3 (margin 1.25; 95% interval 0.00 to 2.50)  no gain: quotation",
        ),
        (2, verdict_of("undefined", None, "too little for a ratio"), "saturation: undefined  too little for a ratio"),
        (2, verdict_of("fail", None, "costs, then gains"), "saturation: fail  costs, then gains"),
        (
            3,
            verdict_of("fail", 3.1),
            "duplication: fail  +3.10 points, at most 2 (margin 1.25; 95% interval 0.00 to 2.50)",
        ),
        (
            4,
            verdict_of("pass", 0.3),
            "length-bias: pass  0.30 |r|, at most 0.35 (margin 1.25; 95% interval 0.00 to 2.50)",
        ),
    ],
)
def test_a_gate_has_one_line(index: int, found: dict[str, Any], line: str) -> None:
    assert falsify.gate_line(GATES[index], found) == line


def with_statuses(result: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The result with all gates passing, but for what is given."""
    made = copy.deepcopy(result)
    statuses = {g.name: "pass" for g in GATES} | {k.replace("_", "-"): v for k, v in changes.items() if v in STATUSES}
    for gate, status in statuses.items():
        made["verdicts"]["all"][gate]["status"] = status
    made |= {k: v for k, v in changes.items() if k in made}
    made["survives"] = set(statuses.values()) == {"pass"} and not made["failures"]
    return made


STATUSES = ("pass", "fail", "undefined")
CRASHED = {"crashed": {"calls": 1, "examples": ["a.md (base): boom"]}}


def test_the_verdict_is_one_sentence(results: dict[str, Any]) -> None:
    base = results["falsify"]
    assert falsify.verdict(with_statuses(base)).startswith("shipped survives: all five gates pass on 20 pages.")
    assert falsify.verdict(with_statuses(base, saturation="fail", duplication="undefined")) == (
        "shipped is falsified on 20 pages: it fails saturation; it leaves duplication undefined, which is not a pass."
    )
    assert falsify.verdict(with_statuses(base, duplication="undefined")) == (
        "shipped is not cleared on 20 pages: it leaves duplication undefined, which is not a pass."
    )
    assert falsify.verdict(with_statuses(base, failures=CRASHED)) == (
        "shipped is falsified on 20 pages: it did not score every page."
    )
    assert falsify.verdict(with_statuses(base, failures=CRASHED, sources=0)) == (
        "shipped is not cleared: it scored no page under every edit, so no gate could be judged."
    )


@pytest.mark.parametrize("change", [{"saturation": "fail"}, {"saturation": "undefined"}, {"failures": CRASHED}])
def test_nothing_but_five_passes_without_a_fault_is_free_of_findings(
    results: dict[str, Any], change: dict[str, Any]
) -> None:
    assert falsify.findings(with_statuses(results["falsify"])).found is False
    assert falsify.findings(with_statuses(results["falsify"], **change)).found is True


def test_scorers_side_by_side_show_their_faults(results: dict[str, Any]) -> None:
    base = results["falsify"]
    bad = with_statuses(base, failures=CRASHED, not_deterministic={"sources": 2, "examples": ["x"]}, gains=[])
    table = falsify.comparison([base, bad]).table
    first, second = table.texts()
    assert first[0] == second[0] == "shipped"
    assert first[-1] == "none"
    assert second[-1] == "crashed, not deterministic"
    assert second[-2] == "–"


# The other studies


def test_the_order_of_the_levers_is_left_out_where_the_half_is_too_small(results: dict[str, Any]) -> None:
    assert any(line.startswith("held-out order at dose 1: ") for line in gates.findings(results["gates"]).lines)
    small = copy.deepcopy(results["gates"])
    small["verdicts"]["test"]["negative-control"]["status"] = "undefined"
    assert not any("order" in line for line in gates.findings(small).lines)


def test_a_selection_that_fails_held_out_is_not_confirmed(results: dict[str, Any]) -> None:
    result = copy.deepcopy(results["compare"])
    result["selected"] = result["best_aligned"] = "sqrt"
    gates_of = {split: result["strategies"]["sqrt"][split]["gates"] for split in ("train", "test")}
    gates_of["train"]["passed"], gates_of["test"]["passed"] = 5, 5
    assert compare.findings(result).lines[1].endswith("5/5 gates: confirmed")
    gates_of["test"]["passed"] = 4
    lines = compare.findings(result).lines
    assert lines[1].endswith("4/5 gates: NOT confirmed")
    assert "sqrt passes 5/5 on train and 4/5 on test: what a held-out split is for" in lines
    result["selected"] = result["best_aligned"] = None
    assert compare.findings(result).lines == [
        "no fitted strategy passes all five gates on the training split: nothing is selected"
    ]


def test_french_stands_beside_and_only_where_there_is_some(results: dict[str, Any]) -> None:
    titles = [t.title for t in compare.findings(results["compare"]).tables]
    assert titles[-1] == "French transfer, reported and never counted"
    without = copy.deepcopy(results["compare"])
    for entry in without["strategies"].values():
        entry["french"] = None
    assert [t.title for t in compare.findings(without).tables] == titles[:-1]


@pytest.mark.parametrize(
    ("admitted", "role"),
    [
        (None, "not admissible anywhere on the grid"),
        ([0.05, 0.12], "pinned"),
        ([0.0, 0.08], "pinned"),
        ([0.05, 0.3], "forced above zero"),
        ([0.0, 0.3], "bounded above"),
        ([0.0, 0.5], "left open"),
    ],
)
def test_the_role_of_a_weight_is_read_off_its_interval(admitted: list[float] | None, role: str) -> None:
    assert roles.role(admitted) == role


def test_a_reference_under_the_floor_is_told_first(results: dict[str, Any]) -> None:
    result = copy.deepcopy(results["identify"])
    result["reference"]["pearson"] = 0.91
    assert (
        identify.findings(result).lines[0].startswith("the reference refit reaches 0.910 here, under the floor of 0.94")
    )
    result["reference"]["pearson"] = 0.95
    assert identify.findings(result).lines[0].startswith("M has rank ")


def test_a_lever_without_a_carrier_is_a_finding_only_when_checked(results: dict[str, Any]) -> None:
    result = copy.deepcopy(results["matrix"])
    assert matrix_report.findings(result, check=True).found is False
    result["carriers"]["quotation"] = None
    result["disagreements"] = ["quotation → quotable_density: -0.2 here, +47.6 in the paper"]
    findings = matrix_report.findings(result, check=True)
    assert findings.found is True
    assert findings.lines[0] == "quotation: no carrier: no component answers it by 5 points or more"
    assert findings.lines[-2].startswith("sign differs from the paper: quotation → quotable_density")
    assert findings.lines[-1].startswith("1 lever(s) without a carrier")
    assert matrix_report.findings(result).found is False


def test_the_matrix_has_a_row_per_component_in_the_papers_order(results: dict[str, Any]) -> None:
    for titled in matrix_report.findings(results["matrix"]).tables:
        assert [row[0].split()[-1] for row in titled.table.texts()] == list(NAMES)


def test_the_pipeline_says_when_stuffing_pays(results: dict[str, Any]) -> None:
    result = copy.deepcopy(results["pipeline"])
    result["captures"]["fr"]["prior"]["stuffing_dose_8"] = 0.01
    lines = pipeline_report.findings(result).lines
    assert [line.split(":")[0] for line in lines] == [
        f"{language}, {weights}" for language in ("en", "fr") for weights in ("shipped", "prior", "prior, raw")
    ]
    assert [("FAILS" in line) for line in lines] == [False, False, False, False, True, False]


def test_drawn_outcomes_are_called_drawn(results: dict[str, Any]) -> None:
    result = copy.deepcopy(results["observational"])
    assert "20 counts drawn without a look at the page" in observational_report.findings(result).lines[0]
    result["simulated"] = False
    assert "fitted to 20 outcomes:" in observational_report.findings(result).lines[0]


def test_robustness_counts_out_of_how_many(results: dict[str, Any]) -> None:
    first, second, *_ = robustness_report.findings(results["robustness"]).lines
    assert re.fullmatch(r"re-splits: held-out Pearson .* negative on \d of 2, 5/5 gates on \d of 2", first)
    assert second.startswith("5 perturbations of 10%: worst Pearson ")


# Figures


def test_figures_have_a_minus_sign_and_no_negative_zero() -> None:
    assert [signed(v) for v in (1.005, -1.0, 0.0, -0.001, 0.004, None)] == [
        "+1.00",
        "−1.00",
        "0.00",
        "0.00",
        "0.00",
        "–",
    ]
    assert [plain(v) for v in (1.0, -1.0, -0.004, None)] == ["1.00", "−1.00", "0.00", "–"]
    assert between([-0.001, 2.5]) == "0.00 to 2.50"
    assert between([-1.0, -0.5], 1) == "−1.0 to −0.5"
    assert between(None) == between([None, 1.0]) == "–"
