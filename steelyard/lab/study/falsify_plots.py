"""Plots of `falsify`: the dose curves of one scorer, and gates and curves of several next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.variants import DOSES, INTERVENTIONS
from steelyard.lab.study.findings import in_words
from steelyard.lab.study.study import Result
from steelyard.support.plots.plot import Panel, Plot, Series

_INTERVALS = "95% intervals over pages"


def plot_curves(result: Result) -> Plot:
    """Plot what every edit does to one scorer, by dose."""
    series = [_make_curve(in_words(edit), points) for edit in INTERVENTIONS if (points := result["curves"][edit])]
    note = f"{result['sources']} pages, {_INTERVALS}"
    return Plot(f"Response by dose: {result['scorer']}", [_make_panel("", series)], note=note)


def plot_scorers(results: Sequence[Result]) -> dict[str, Plot]:
    """Plot several scorers next to each other: the figure of every gate, and the dose curves of every edit."""
    names = name_apart(results)
    plots = {"compared-gates": _plot_gates(results, names)}
    panels = []
    for edit in INTERVENTIONS:
        curves = [(name, r["curves"][edit]) for name, r in zip(names, results, strict=True) if r["curves"]]
        # An edit with a single dose has no curve.
        if series := [_make_curve(name, points) for name, points in curves if len(points) > 1]:
            panels.append(_make_panel(in_words(edit), series))
    if panels:
        note = f"Points against as much neutral filler, {_INTERVALS}; every panel has its own scale."
        plots["compared-curves"] = Plot("Response by dose", panels, columns=2, note=note)
    return plots


def name_apart(results: Sequence[Result]) -> list[str]:
    """Return the names of the scorers, those that occur twice with their number."""
    names = [result["scorer"] for result in results]
    return [
        f"{name} ({number})" if names.count(name) > 1 else name
        for number, name in enumerate(names, start=1)
    ]  # fmt: skip


def _plot_gates(results: Sequence[Result], names: Sequence[str]) -> Plot:
    """Plot a panel for each gate with a bar for each scorer, and the bound."""
    panels = []
    for gate in GATES:
        verdicts = [result["verdicts"]["all"][gate.name] for result in results]
        low, high = ([(verdict["interval"] or (None, None))[i] for verdict in verdicts] for i in (0, 1))
        series = Series(
            "figure of the gate, 95% interval",
            [verdict["statistic"] for verdict in verdicts],
            [
                name if v["status"] == PASS else f"{name} ({v['status']})"
                for name, v in zip(names, verdicts, strict=True)
            ],
            low,
            high,
            filled=[verdict["status"] == PASS for verdict in verdicts],
            style="bars",
            open_label="does not pass",
        )
        label = f"{gate.unit}: passes {'up to the bound' if gate.is_upper_bound else 'from the bound on'}"
        panels.append(Panel(gate.name, [series], label, vertical_lines=[(verdicts[0]["bound"], "bound")]))
    pages = sorted({result["sources"] for result in results})
    number = " to ".join(map(str, dict.fromkeys((pages[0], pages[-1]))))
    note = f"All pages ({number}), {_INTERVALS}."
    return Plot("The five gates, scorer by scorer", panels, columns=2, note=note)


def _make_curve(name: str, points: Sequence[Any]) -> Series:
    """Return the responses to one edit, with their intervals where they have some."""
    low, high = ([p[key] for p in points] if points[0]["low"] is not None else None for key in ("low", "high"))
    return Series(name, [p["dose"] for p in points], [p["response"] for p in points], low, high)


def _make_panel(title: str, series: Sequence[Series]) -> Panel:
    label = "response, points"
    return Panel(title, series, x_label="dose", y_label=label, horizontal_lines=[(0.0, "")], x_ticks=DOSES)
