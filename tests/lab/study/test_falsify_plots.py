"""Several scorers in one plot: a bar for each under every gate, a curve for each under every edit."""

from __future__ import annotations

import base64
import re
from typing import Any

from steelyard.lab.protocol.gates import NAMES
from steelyard.lab.study.falsify_formats import render_html
from steelyard.lab.study.falsify_plots import name_apart, plot_scorers
from steelyard.lab.study.studies.falsify import present_peers
from tests.lab.study.presentation import committed_result

SCORERS: list[dict[str, Any]] = committed_result("peers")["scorers"]


def test_every_gate_is_a_panel_with_a_bar_for_each_scorer_and_its_bound() -> None:
    plot = plot_scorers(SCORERS)["compared-gates"]
    assert [panel.title for panel in plot.panels] == list(NAMES)
    for gate, panel in zip(NAMES, plot.panels, strict=True):
        (bars,) = panel.series
        verdicts = [scorer["verdicts"]["all"][gate] for scorer in SCORERS]
        assert list(bars.x) == [v["statistic"] for v in verdicts]
        assert list(bars.filled or ()) == [v["status"] == "pass" for v in verdicts]
        assert panel.vertical_lines[0][0] == verdicts[0]["bound"]
        assert list(bars.y) == [
            s["scorer"] + ("" if v["status"] == "pass" else f" ({v['status']})")
            for s, v in zip(SCORERS, verdicts, strict=True)
        ]  # no colour is needed to see what passes


def test_every_edit_with_doses_is_a_panel_with_a_curve_for_each_scorer() -> None:
    plot = plot_scorers(SCORERS)["compared-curves"]
    assert [panel.title for panel in plot.panels] == ["quotation", "statistics", "cite sources", "keyword stuffing"]
    for panel in plot.panels:
        assert [series.name for series in panel.series] == [scorer["scorer"] for scorer in SCORERS]
        assert all(series.low for series in panel.series)


def test_a_scorer_without_curves_leaves_the_others_theirs() -> None:
    silent = {**SCORERS[1], "curves": {}}
    plots = plot_scorers([SCORERS[0], silent])
    assert [series.name for series in plots["compared-curves"].panels[0].series] == [SCORERS[0]["scorer"]]
    assert list(plot_scorers([silent])) == ["compared-gates"]


def test_scorers_of_one_name_are_told_apart() -> None:
    assert name_apart([{"scorer": "a"}, {"scorer": "b"}, {"scorer": "a"}]) == ["a (1)", "b", "a (3)"]


def test_the_page_shows_both_plots_after_the_table() -> None:
    heading = "<h2>Scorers compared</h2>"
    page = render_html(SCORERS[:1], SCORERS[:3], [[]], "41 pages of demo")
    assert '<p class="dim">41 pages of demo</p>' in page
    _, compared = page.split(heading)
    assert re.findall(r'<img alt="([^"]*)"', compared) == ["The five gates, scorer by scorer", "Response by dose"]
    drawn = [base64.b64decode(data) for data in re.findall(r"base64,([^\"]+)", compared)]
    assert all(b"<svg" in svg for svg in drawn)
    assert heading not in render_html(SCORERS[:1], SCORERS[:1], [[]], "")
    several = render_html(SCORERS[:2], SCORERS[:3], [[], []], "")
    assert several.index(heading) < several.index(f"<h2>{SCORERS[0]['scorer']}</h2>")


def test_the_report_on_peers_has_them_too() -> None:
    assert list(present_peers({"scorers": SCORERS}).plots) == ["compared-gates", "compared-curves"]
