"""The reports of the ranker: made from the artifact alone, every figure with its n, nothing claimed without a test."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

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


PRESENT: Mapping[str, Make] = {
    "whole": ranking.findings,
    "bare": ranking.findings,
    "whole audit": ranking_audit.findings,
    "bare audit": ranking_audit.findings,
}


def test_a_study_is_presented_from_its_artifact_alone_and_names_are_not_obeyed() -> None:
    for name, present in PRESENT.items():
        shown = check_presentation(present, result(name))
        for titled in shown.tables if present is ranking.findings else ():
            heads = {column.name for column in titled.table.columns}
            assert heads & {"n", "groups", "share of gain"}, titled.title
        text = to_json(result(name))
        for known in ("engine 0", "odd", "invented"):
            text = text.replace(f'"{known}"', json.dumps(HOSTILE))
        findings = present(json.loads(text))
        for printed in (findings.to_terminal(), findings.to_markdown()):
            assert "\x1b" not in printed, name
            assert "\u202e" not in printed, name
        tables = [t.table.to_markdown() + t.table.to_html() for t in findings.tables]
        assert not any("<script>" in table for table in tables), name


# The study


def test_the_leak_is_called_a_leak_everywhere() -> None:
    findings = ranking.findings(result("whole"))
    assert any(row[0] == "position (LEAK)" for row in rows_of(findings, "Baselines"))
    assert any("position (LEAK)" in row for row in rows_of(findings, "Paired"))
    assert {row[1] for row in rows_of(findings, "One engine left out")} == {"no", "yes (LEAK)"}


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


def test_what_is_undefined_is_said_with_its_reason_and_has_no_table() -> None:
    findings = ranking.findings(result("bare"))
    for words in (
        "every query occurs once",
        "content only: undefined (",
        "+ embedding: undefined (no model was given)",
    ):
        assert any(words in line for line in findings.lines), words
    assert not {"Both kinds of folds", "One engine left out"} & {t.title.split(" (")[0] for t in findings.tables}


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
    assert len({style.hatch for style in PanelDrawer(None, plot.panels).styles.values()}) == 2, "told without colour"


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
    found = result("whole")
    engines = found["transfer"]["without_position"]["engines"]
    engines |= {engine: {"undefined": "4 queries; 5 are needed"} for engine in engines}
    for each in (found, result("bare")):
        assert list(ranking.findings(each).plots) == ["signal"]


# The audit


def test_a_leak_exits_with_1_and_an_undefined_verdict_with_2() -> None:
    exit_code = ranking_audit.STUDY.exit_code
    assert [exit_code({"verdict": v}, {}) for v in ("leaks", "no leak found", "undefined")] == [1, 0, 2]
    assert ranking.STUDY.exit_code(result("whole"), {}) == 0, "a study is no verdict"
