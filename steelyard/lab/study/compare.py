"""`protocol compare`: the strategies, which one the training split selects, and whether the test split agrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import MINUS, between, of_five, plain, right, signed
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.table import Column, Table


def findings(result: Mapping[str, Any]) -> Findings:
    """All tables of the comparison."""
    tables = [
        Titled("Strategies, held-out split", _strategies(result, "test"), "Selected on train; these figures confirm."),
        Titled("The same on the training split", _strategies(result, "train")),
        Titled("Released and refitted weights", _weights(result)),
        Titled("How far each gate's constant can move before the selection changes", _sensitivity(result)),
    ]
    if any(entry["french"] for _, entry in _each(result)):
        tables.append(Titled("French transfer, reported and never counted", _french(result)))
    return Findings("compare", result, tables, {"strategies": _plot(result)}, _lines(result))


def _each(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The strategies in the order they were tried; an artifact keeps its keys in another."""
    return [(name, result["strategies"][name]) for name in result["order"]]


def _lines(result: Mapping[str, Any]) -> list[str]:
    selected, aligned = result["selected"], result["best_aligned"]
    if selected is None:
        return ["no fitted strategy passes all five gates on the training split: nothing is selected"]
    entry = result["strategies"][selected]
    held = entry["test"]["gates"]["passed"]
    shown = [
        f"selected on the training split: {selected} (Pearson {plain(entry['train']['pearson'], 3)}, 5/5 gates)",
        f"held out: Pearson {plain(entry['test']['pearson'], 3)} ({between(entry['test']['interval'], 3)}), "
        f"{held}/5 gates: {'confirmed' if held == 5 else 'NOT confirmed'}",
    ]
    if aligned != selected:
        shown.append(
            f"of those that pass, alignment alone would have taken {aligned}: it aligns better by "
            f"{plain(result['strategies'][aligned]['train']['pearson'] - entry['train']['pearson'], 3)} and gives "
            f"one lever up to {signed(result['strategies'][aligned]['largest_gain'])} points, not "
            f"{signed(entry['largest_gain'])}"
        )
    shown += [f"undefined: {reason}" for reason in result["undefined"]]
    return [*shown, *_overfitted(result)]


def _overfitted(result: Mapping[str, Any]) -> list[str]:
    """Strategies that the training split would have let through."""
    shown = []
    for name, entry in _each(result):
        train, test = entry["train"]["gates"]["passed"], entry["test"]["gates"]["passed"]
        if train == 5 and test < 5:
            shown.append(f"{name} passes 5/5 on train and {test}/5 on test: what a held-out split is for")
    return shown


def _strategies(result: Mapping[str, Any], split: str) -> Table:
    columns = [
        Column("strategy"), right("Pearson"), right("95% interval"), right("Spearman"), right("perm. p"),
        right("stuffing x8"), right("worst step"), right("saturation"), right("|length r|"), right("gates"),
    ]  # fmt: skip
    rows = []
    for name, entry in _each(result):
        found = entry[split]
        gates = found["gates"]
        stuffing = gates["negative-control"]["parts"].get("dose 8")
        mark = " *" if name == result["selected"] else ""
        rows.append(
            [
                name + mark, plain(found["pearson"], 3), between(found["interval"], 3), plain(found["spearman"]),
                plain(found["permutation_p"], 4), signed(stuffing, 1), signed(gates["dose-response"]["statistic"]),
                plain(gates["saturation"]["statistic"]), plain(gates["length-bias"]["statistic"]), of_five(gates),
            ]
        )  # fmt: skip
    return Table(columns, rows)


def _weights(result: Mapping[str, Any]) -> Table:
    released, refit = (result["strategies"][n]["weights"] for n in ("released", "sqrt"))
    rows = [[n, plain(released[n], 3), plain(refit[n], 3), signed(refit[n] - released[n], 3)] for n in NAMES]
    return Table([Column("component"), right("released"), right("refitted"), right("difference")], rows)


def _sensitivity(result: Mapping[str, Any]) -> Table:
    rows = []
    for gate in GATES:
        ends = result["sensitivity"][gate.name]
        low = "any lower" if ends["low"] is None else plain(ends["low"], 3)
        high = "any higher" if ends["high"] is None else plain(ends["high"], 3)
        rows.append([gate.name, f"{gate.bound:g}".replace("-", MINUS), low, high])
    return Table([Column("gate"), right("constant"), right("from"), right("to")], rows)


def _french(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, entry in _each(result):
        french = entry["french"]
        if french:
            stuffing = french["gates"]["negative-control"]["parts"]
            rows.append(
                [
                    name,
                    plain(french["pearson"], 3),
                    between(french["interval"], 3),
                    *(signed(v, 1) for v in stuffing.values()),
                ]
            )
    return Table([Column("strategy"), right("Pearson"), right("95% interval"), right("stuffing x1"), right("x8")], rows)


def _plot(result: Mapping[str, Any]) -> Plot:
    entries = {n: e["test"] for n, e in _each(result) if e["test"]["pearson"] is not None}
    full = [entries[n]["gates"]["passed"] == 5 for n in entries]
    series = Series(
        "five gates pass",
        [entries[n]["pearson"] for n in entries],
        list(entries),
        low=[entries[n]["interval"][0] for n in entries],
        high=[entries[n]["interval"][1] for n in entries],
        marks=full,
        style="bars",
        open_name="at least one does not",
    )
    panel = Panel("", [series], x_label="Pearson with the anchors, held out", uprights=[(0.94, "floor")])
    return Plot("Strategies: alignment and gates", [panel], note="Bars: 95% bootstrap intervals over sources")
