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
from steelyard.support.plots.axes import PanelDrawer
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


def test_every_baseline_and_model_has_its_row() -> None:
    found = result("whole")
    findings = ranking.findings(found)
    assert [row[0] for row in rows_of(findings, "Baselines")[:4]] == [
        "random", "fixed score (query-blind)", "BM25", "regex blend, nothing fitted"
    ]  # fmt: skip
    assert len(rows_of(findings, "Baselines")) == 1 + len(found["baselines"])
    assert [row[0] for row in rows_of(findings, "Fitted models")] == found["models_order"]
    assert len(rows_of(findings, "Paired")) == 4 * len(found["models"])
    random = rows_of(findings, "Baselines")[0]
    assert random[:4] == ["random", "–", "0.000", "–"]
    assert [float(x) for x in random[4:]] == pytest.approx(
        [found["chance"][m] for m in ("hit@1", "mrr", "ndcg")], abs=0.0006
    )


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


def test_the_table_of_folds_has_every_row_of_the_papers_and_both_counts_of_queries() -> None:
    found = result("whole")
    findings = ranking.findings(found)
    rows = rows_of(findings, "Both kinds of folds")
    assert [row[0] for row in rows] == [
        *ranking_audit.SCOPES.values(), *found["models_order"],
        "fixed score (query-blind), not fitted", "cross-encoder or given relevance, not fitted",
        "LambdaMART, full: mean over engines left out",
    ]  # fmt: skip
    assert [row[2] == row[3] for row in rows[-3:]] == [True, True, False], "what is not fitted knows no folds"
    means = found["transfer"]["without_position"]["means"]
    assert rows[-1][2:4] == [f"{means[regime]:+.3f}" for regime in ("engine", "engine and queries")]
    (titled,) = (t for t in findings.tables if t.title == "Both kinds of folds")
    assert "30 of 30 queries have several answers; in the paper, 150 of 229." in titled.note


def test_where_every_query_occurs_once_there_are_no_folds_to_compare() -> None:
    findings = ranking.findings(result("bare"))
    assert not any(t.title == "Both kinds of folds" for t in findings.tables)
    assert any("every query occurs once" in line for line in findings.lines)


def test_the_grid_of_sizes_is_a_table_and_its_range_a_line() -> None:
    found = result("whole")
    found["capacity"]["cells"] = {key: i / 10 for i, key in enumerate(found["capacity"]["cells"])}
    found["capacity"] |= {"low": 0.0, "high": 0.8}
    findings = ranking.findings(found)
    assert rows_of(findings, "Trees and leaves of LambdaMART, full") == [
        ["5", "30", "0.000", "+0.100", "+0.200"],
        ["10", "30", "+0.300", "+0.400", "+0.500"],
        ["20", "30", "+0.600", "+0.700", "+0.800"],
    ]
    (line,) = (x for x in findings.lines if "settings" in x)
    assert line == (
        "over 9 settings of trees and leaves LambdaMART, full ranges from 0.000 to 0.800 (0.400 with the fixed setting)"
    )
    (titled,) = (t for t in findings.tables if t.title.startswith("Trees and leaves"))
    assert titled.note.endswith("all other figures are those of 10 trees with 15 leaves.")


def test_importance_is_listed_by_size() -> None:
    shares = [float(row[1].rstrip("%")) for row in rows_of(ranking.findings(result("whole")), "looks at")]
    assert len(shares) == ranking.SHOWN
    assert shares == sorted(shares, reverse=True)


def test_tags_are_listed_for_all_and_for_each_engine() -> None:
    findings = ranking.findings(result("whole"))
    (titled,) = (t for t in findings.tables if t.title.startswith("By tag"))
    assert titled.title == "By tag (LambdaMART, full; descriptive)"
    assert [c.name for c in titled.table.columns] == ["tag", "n", "all", "engine 0", "engine 1", "engine 2"]
    assert [row[:2] for row in titled.table.texts()] == [["even", "15"], ["odd", "15"]]
    assert not any("By tag" in t.title for t in ranking.findings(result("bare")).tables)


def test_what_is_undefined_is_said_with_its_reason() -> None:
    findings = ranking.findings(result("bare"))
    assert "content only: undefined (snippets: the median source has 2 words of 150)" in findings.lines
    assert "+ embedding: undefined (no model was given)" in findings.lines
    assert not any("One engine left out" in t.title for t in findings.tables)
    assert not any("covers" in line for line in findings.lines)


def test_an_engine_without_transfer_has_its_reason() -> None:
    found = result("whole")
    for kind in ("without_position", "with_position"):
        found["transfer"][kind]["engines"]["engine 1"] = {"undefined": "4 queries; 5 are needed"}
    rows = rows_of(ranking.findings(found), "One engine left out")
    assert [row[4] for row in rows if row[0] == "engine 1"] == ["4 queries; 5 are needed"] * 2


def test_an_unknown_position_has_a_dash_and_no_rows() -> None:
    found = result("whole")
    for e in found["models"].values():
        e["with_position"] = None
    found["transfer"]["with_position"] = None
    findings = ranking.findings(found)
    assert {row[-1] for row in rows_of(findings, "Fitted models")} == {"–"}
    assert {row[1] for row in rows_of(findings, "One engine left out")} == {"no"}


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


def test_the_lines_begin_with_the_data_and_count_what_was_left_out() -> None:
    found = result("whole")
    found["data"]["excluded"] = {"fewer than two sources": 1200, "all sources equally visible": 3}
    assert ranking.findings(found).lines[0] == (
        "invented: 90 groups of 30 queries, 3 engines; 3 left out: all sources equally visible; "
        "1,200 left out: fewer than two sources"
    )


def test_the_plot_shows_the_named_signals_and_all_models() -> None:
    found = result("whole")
    (panel,) = ranking.plot_signal(found).panels
    (series,) = panel.series
    assert len(series.x) == 6 + len(found["models"])
    assert [name for _, name in panel.vertical_lines] == ["best without the query"]
    (panel,) = ranking.plot_signal(result("bare")).panels
    assert list(panel.vertical_lines) == [(0.0, "chance")]


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


def test_the_audit_says_the_verdict_first_and_what_is_shared() -> None:
    findings = ranking_audit.findings(leak())
    assert list(findings.lines) == [
        "audit: leaks: it does",
        "over all queries the probe gains +0.200; with every answer counted, as in the paper, +0.300",
        "20 of 30 queries have more than one answer",
        "7 sources are candidates of several queries; folds over queries share them",
    ]
    assert rows_of(findings, "Both kinds of folds") == [
        ["query-blind probe, all queries", "30", "+0.300", "+0.100", "+0.200", "0.100 to 0.300"],
        ["query-blind probe, every answer counted", "50", "+0.400", "+0.100", "+0.300", "–"],
        ["query-blind probe, queries with several answers", "20", "+0.500", "+0.100", "+0.400", "0.300 to 0.500"],
    ]
    assert "over 3 shuffles" in findings.tables[0].note


def test_an_audit_without_models_has_no_empty_table() -> None:
    findings = ranking_audit.findings(result("bare audit"))
    assert not findings.tables
    assert findings.lines[1] == "0 of 12 queries have more than one answer"


def test_the_study_reports_its_audit_in_the_same_words() -> None:
    found = result("whole")
    assert list(ranking.findings(found).lines)[-len(ranking_audit.lines(found["audit"])) :] == ranking_audit.lines(
        found["audit"]
    )
