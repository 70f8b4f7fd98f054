"""The reports of the ranker: made from the artifact alone, every figure with its n, nothing claimed without a test."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from steelyard.lab.ranking.leakage import PROBE
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.studies import ranking, ranking_audit
from steelyard.support.artifacts import to_json
from steelyard.support.plots.panels import PanelDrawer
from tests.lab.ranking.sample_data import run_sample_study
from tests.lab.study.presentation import HOSTILE, check_presentation, rows_of

Make = Callable[[Mapping[str, Any]], Findings]


def result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(run_sample_study(name.removesuffix(" audit")))
    return found["audit"] if name.endswith(" audit") else found


def leak(difference: float = 0.4) -> dict[str, Any]:
    shared = {"n": 20, "record_folds": 0.5, "query_folds": 0.1, "difference": difference, "interval": [0.3, 0.5]}
    answers = {"n": 50, "record_folds": 0.4, "query_folds": 0.1, "difference": 0.3, "interval": None}
    probe = {"n": 30, "record_folds": 0.3, "query_folds": 0.1, "difference": 0.2, "interval": [0.1, 0.3]}
    return {
        "groups": 50, "queries": 30, "engines": ["a"], "shared_queries": 20, "shared_sources": 7, "verdict": "leaks",
        "reason": "it does", "shuffles": 3, "models": {PROBE: {**probe, "answers": answers, "shared": shared}},
    }  # fmt: skip


REPORTS: Mapping[str, Make] = {
    "whole": ranking.findings,
    "bare": ranking.findings,
    "whole audit": ranking_audit.findings,
    "bare audit": ranking_audit.findings,
}
each = pytest.mark.parametrize("name", REPORTS)


@each
def test_a_study_is_presented_from_its_artifact_alone(name: str) -> None:
    check_presentation(REPORTS[name], result(name))


@pytest.mark.parametrize("name", ["whole", "bare"])
def test_every_table_of_figures_has_its_n(name: str) -> None:
    for titled in ranking.findings(result(name)).tables:
        heads = {column.name for column in titled.table.columns}
        if "share of gain" not in heads:
            assert heads & {"n", "groups"}, titled.title


@each
def test_names_are_shown_and_not_obeyed(name: str) -> None:
    text = to_json(result(name))
    for plain in ("engine 0", "odd", "invented"):
        text = text.replace(f'"{plain}"', json.dumps(HOSTILE))
    findings = REPORTS[name](json.loads(text))
    for shown in (findings.to_terminal(), findings.to_markdown()):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert not any("<script>" in t.table.to_markdown() or "<script>" in t.table.to_html() for t in findings.tables)


# The study


def test_the_leak_is_called_a_leak_everywhere() -> None:
    findings = ranking.findings(result("whole"))
    assert any(row[0] == "position (LEAK)" for row in rows_of(findings, "Baselines"))
    assert any("position (LEAK)" in row for row in rows_of(findings, "Paired"))
    assert {row[1] for row in rows_of(findings, "One engine left out")} == {"no", "yes (LEAK)"}
    (titled,) = (t for t in findings.tables if t.title == "Both kinds of folds")
    assert "record folds (leaky)" in [c.name for c in titled.table.columns]
    assert "must not be done" in titled.note


def test_the_figures_are_those_of_the_result() -> None:
    found = result("whole")
    name = "LambdaMART, regex only"
    e = found["models"][name]
    (row,) = (r for r in rows_of(ranking.findings(found), "Fitted models") if r[0] == name)
    assert row[1] == "30"
    assert float(row[2].replace("−", "-")) == pytest.approx(e["metrics"]["spearman"]["mean"], abs=0.0006)
    assert row[-1] == f"{e['with_position']['spearman']['mean']:+.3f}".replace("-", "−")
    (folds,) = (r for r in rows_of(ranking.findings(found), "Both kinds") if r[0] == name)
    for cell, key in zip(folds[2:5], ("record_folds", "query_folds", "difference"), strict=True):
        assert float(cell.replace("−", "-")) == pytest.approx(e["folds"][key], abs=0.0006)


def test_where_every_query_occurs_once_there_are_no_folds_to_compare() -> None:
    findings = ranking.findings(result("bare"))
    assert not any(t.title == "Both kinds of folds" for t in findings.tables)
    assert any("every query occurs once" in line for line in findings.lines)


def test_what_is_undefined_is_said_with_its_reason() -> None:
    findings = ranking.findings(result("bare"))
    assert "content only: undefined (snippets: the median source has 2 words of 150)" in findings.lines
    assert "+ embedding: undefined (no model was given)" in findings.lines
    assert not any("One engine left out" in t.title for t in findings.tables)
    assert not any("covers" in line for line in findings.lines)


def test_better_is_said_only_where_a_paired_test_says_so() -> None:
    found = result("whole")
    start = f"better in a paired test, uncorrected for {2 * len(found['models'])} tests: "
    (line,) = (x for x in ranking.findings(found).lines if x.startswith(start))
    assert "ridge, full over BM25 (+0." in line
    assert "LambdaMART, content only over" not in line, "it is worse"
    for e in found["models"].values():
        for other in e["against"].values():
            other["p"] = 0.06
    assert "no fitted model beats BM25 or the given relevance in a paired test" in ranking.findings(found).lines
    for e in found["models"].values():
        for other in e["against"].values():
            other |= {"p": 0.001, "difference": -abs(other["difference"])}
    assert "no fitted model beats BM25 or the given relevance in a paired test" in ranking.findings(found).lines


def test_what_sees_no_query_is_an_empty_bar_and_the_best_of_it_a_line() -> None:
    found = result("whole")
    found["models"]["ridge, content only"]["metrics"]["spearman"]["mean"] = 0.77
    found["baselines"]["leak_position"]["spearman"]["mean"] = 0.99
    (panel,) = ranking.plot_signal(found).panels
    (series,) = panel.series
    assert series.filled is not None
    empty = {str(name) for name, filled in zip(series.y, series.filled, strict=True) if not filled}
    assert empty == {
        "fixed score (query-blind)", "position (LEAK)", "ridge, content only", "LambdaMART, content only"
    }  # fmt: skip
    assert list(panel.vertical_lines) == [(0.77, "best without the query")], "a leak is never the best"


# Leave one engine out


def test_both_regimes_are_drawn_for_every_engine_with_their_intervals() -> None:
    found = result("whole")
    plot = ranking.plot_transfer(found)
    assert plot is not None
    assert ranking.findings(found).plots["transfer"] == plot
    (panel,) = plot.panels
    assert [s.name for s in panel.series] == ["the engine left out", "the engine and its queries left out"]
    engines = found["transfer"]["without_position"]["engines"]
    for series, regime in zip(panel.series, ("engine", "engine and queries"), strict=True):
        assert list(series.y) == ["engine 0", "engine 1", "engine 2"]
        figures = [engines[e][regime]["spearman"] for e in series.y]
        assert list(series.x) == [f["mean"] for f in figures]
        assert [series.low, series.high] == [[f["interval"][end] for f in figures] for end in (0, 1)]
    assert all(plot.render())


def test_the_two_regimes_differ_without_colour() -> None:
    plot = ranking.plot_transfer(result("whole"))
    assert plot is not None
    looks = PanelDrawer(None, plot.panels).styles.values()
    assert len({look.hatch for look in looks}) == 2


def test_an_undefined_engine_is_named_and_not_drawn() -> None:
    found = result("whole")
    found["transfer"]["without_position"]["engines"]["engine 1"] = {"undefined": "4 queries; 5 are needed"}
    for regime in ("engine", "engine and queries"):
        found["transfer"]["without_position"]["engines"]["engine 2"][regime]["spearman"] |= {
            "mean": None, "interval": None
        }  # fmt: skip
    plot = ranking.plot_transfer(found)
    assert plot is not None
    assert [list(s.y) for s in plot.panels[0].series] == [["engine 0"], ["engine 0"]]
    assert plot.note.endswith("Undefined: engine 1, engine 2.")


def test_no_transfer_is_plotted_where_no_engine_could_be_left_out() -> None:
    assert list(ranking.findings(result("bare")).plots) == ["signal"]
    found = result("whole")
    for engine in ("engine 0", "engine 1", "engine 2"):
        found["transfer"]["without_position"]["engines"][engine] = {"undefined": "4 queries; 5 are needed"}
    assert list(ranking.findings(found).plots) == ["signal"]


# The audit


def test_only_a_leak_is_a_complaint() -> None:
    assert ranking_audit.findings(leak()).complaint
    assert not ranking_audit.findings(result("whole audit") | {"verdict": "no leak found"}).complaint
    assert not ranking_audit.findings(leak() | {"verdict": "undefined"}).complaint
    assert not ranking.findings(result("whole")).complaint, "a study is no verdict"
