"""`falsify` and `protocol gates`: five lines, one verdict, the curves and the gains behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import PASS, UNDEFINED, Gate
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import MINUS, between, name, plain, right, signed
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.table import Column, Table

HALVES = ("train", "test")  # all pages together stand in the lines above the table


def findings(result: Mapping[str, Any]) -> Findings:
    """One scorer."""
    tables = []
    if any(_statuses(result, half) != {UNDEFINED} for half in HALVES):
        tables.append(Titled("Gates by split", _gates(result), "Figure, and its 95% bootstrap interval over sources."))
    if result["curves"]:
        tables.append(
            Titled("Response by dose, in points", _curves(result), "Against the same page with as much neutral filler.")
        )
    if result["gains"]:
        note = f"Over {result['long_sources']} untouched pages of 300 words and more; what an attacker would see."
        tables.append(Titled("Gain over the untouched page, in points", _gains(result), note))
    plots = {"dose-curves": _plot(result)} if result["curves"] else {}
    return Findings("falsify", result, tables, plots, lines(result), found=not result["survives"])


def lines(result: Mapping[str, Any]) -> list[str]:
    """One line per gate, then what went wrong, then the verdict."""
    verdicts = result["verdicts"]["all"]
    shown = [gate_line(gate, verdicts[gate.name]) for gate in GATES]
    return [*shown, *_troubles(result), verdict(result)]


def gate_line(gate: Gate, found: Mapping[str, Any]) -> str:
    """`negative-control: pass  −2.02 points, at most 0 (margin 2.02; 95% interval −2.06 to −1.98)`."""
    head = f"{gate.name}: {found['status']}"
    if found["statistic"] is None:
        return f"{head}  {found['reason']}"
    side = "at most" if gate.upper else "at least"
    bound = plain(gate.bound, 2).rstrip("0").rstrip(".") or "0"
    figure = signed(found["statistic"]) if gate.unit == "points" else plain(found["statistic"])
    text = f"{head}  {figure} {gate.unit}, {side} {bound} (margin {plain(found['margin'])}"
    if found["interval"]:
        text += f"; 95% interval {between(found['interval'])}"
    return text + ")" + (f"  {found['reason']}" if found["reason"] else "")


def _troubles(result: Mapping[str, Any]) -> list[str]:
    shown = []
    for kind, entry in result["failures"].items():
        calls = f"{entry['calls']} call{'' if entry['calls'] == 1 else 's'}"
        shown.append(f"the scorer {_did(kind)} on {calls}, for example {entry['examples'][0]}")
    unstable = result["not_deterministic"]
    if unstable["sources"]:
        shown.append(
            f"the scorer is not deterministic: {unstable['sources']} pages scored otherwise the second time, "
            f"for example {unstable['examples'][0]}"
        )
    if result["gave_up"]:
        shown.append(f"stopped early: {result['gave_up']}")
    high = result["scale"]["highest"]
    if high is not None and high <= 1:
        shown.append("all points are between 0 and 1: if that is the scorer's scale, give --range 0,1")
    return shown


def _did(kind: str) -> str:
    return {"not a number": "returned no number", "out of range": "left its range"}.get(kind, kind)


def verdict(result: Mapping[str, Any]) -> str:
    """What it comes to, in one sentence."""
    who, sources = result["scorer"], result["sources"]
    if result["survives"]:
        return f"{who} survives: all five gates pass on {sources} pages. That is not proof; it has not been falsified."
    if not sources and result["failures"]:
        return f"{who} is not cleared: it scored no page under every edit, so no gate could be judged."
    verdicts = result["verdicts"]["all"]
    failed = [g.name for g in GATES if verdicts[g.name]["status"] not in (PASS, UNDEFINED)]
    undefined = [g.name for g in GATES if verdicts[g.name]["status"] == UNDEFINED]
    reasons = []
    if failed:
        reasons.append(f"fails {', '.join(failed)}")
    if undefined:
        which = "all five gates" if len(undefined) == len(GATES) else ", ".join(undefined)
        reasons.append(f"leaves {which} undefined, which is not a pass")
    if result["failures"]:
        reasons.append("did not score every page")
    if result["not_deterministic"]["sources"]:
        reasons.append("does not give the same page the same score")
    word = (
        "is falsified" if failed or result["failures"] or result["not_deterministic"]["sources"] else "is not cleared"
    )
    return f"{who} {word} on {sources} pages: it {'; it '.join(reasons)}."


def _statuses(result: Mapping[str, Any], split: str) -> set[str]:
    return {result["verdicts"][split][gate.name]["status"] for gate in GATES}


def _gates(result: Mapping[str, Any]) -> Table:
    columns = [Column("gate"), Column("bound")]
    for split in HALVES:
        columns += [Column(split), right("figure"), right("interval")]
    rows = []
    for gate in GATES:
        row: list[Any] = [gate.name, f"{'≤' if gate.upper else '≥'} {gate.bound:g}".replace("-", MINUS)]
        for split in HALVES:
            found = result["verdicts"][split][gate.name]
            row += [found["status"], plain(found["statistic"]), between(found["interval"])]
        rows.append(row)
    return Table(columns, rows)


def _curves(result: Mapping[str, Any]) -> Table:
    doses = sorted({p["dose"] for points in result["curves"].values() for p in points})
    rows = []
    for edit in INTERVENTIONS:
        points = result["curves"][edit]
        by_dose = {p["dose"]: p["response"] for p in points}
        rows.append([name(edit), *(signed(by_dose.get(d)) for d in doses)])
    return Table([Column("edit"), *(right(f"dose {d}") for d in doses)], rows)


def _gains(result: Mapping[str, Any]) -> Table:
    columns = [Column("edit"), right("dose"), right("mean"), right("p95"), right("worst page")]
    rows = [[name(r["edit"]), r["dose"], *(signed(r[k]) for k in ("mean", "p95", "worst"))] for r in result["gains"]]
    return Table(columns, rows)


def _plot(result: Mapping[str, Any]) -> Plot:
    series = [
        Series(
            name(edit),
            [p["dose"] for p in points],
            [p["response"] for p in points],
            low=[p["low"] for p in points] if points[0]["low"] is not None else None,
            high=[p["high"] for p in points] if points[0]["high"] is not None else None,
        )
        for edit in INTERVENTIONS
        if (points := result["curves"][edit])
    ]
    panel = Panel("", series, x_label="dose", y_label="response, points", rules=[(0.0, "")], x_ticks=[1, 2, 3, 8])
    return Plot(f"Response by dose: {result['scorer']}", [panel], note=f"{result['sources']} pages, 95% intervals")


def comparison(results: Sequence[Mapping[str, Any]]) -> Titled:
    """Several scorers side by side."""
    columns = [
        Column("scorer"),
        right("passed"),
        *(Column(g.name) for g in GATES),
        right("best lever"),
        Column("faults"),
    ]
    rows = []
    for result in results:
        cells = []
        for gate in GATES:
            found = result["verdicts"]["all"][gate.name]
            cells.append(
                f"{found['status']} {plain(found['statistic'])}" if found["statistic"] is not None else found["status"]
            )
        singles = [r["mean"] for r in result["gains"] if r["edit"] in LEVERS]
        faults = [*result["failures"], *(["not deterministic"] if result["not_deterministic"]["sources"] else [])]
        best = signed(max(singles)) if singles else "–"
        rows.append([result["scorer"], f"{result['passed']}/5", *cells, best, ", ".join(faults) or "none"])
    note = "`best lever`: the largest mean gain of one lever at any dose over untouched pages of 300 words and more."
    return Titled("Scorers compared", Table(columns, rows), note)
