"""`gaming run`: what attacks do to the score, who sees them, and what a knowing attacker gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.detect.detectors import NAMES as DETECTORS
from steelyard.render.findings import Findings, Titled
from steelyard.render.plot import Panel, Plot, Series
from steelyard.render.table import Column, Table
from steelyard.report.studies.words import between, name, plain, right, signed

WANTED = {"light": 0.85, "heavy": 0.95}  # AUC that the filter is held to on the families it claims to see


def findings(result: Mapping[str, Any]) -> Findings:
    tables = [
        Titled("Attacks, on the test half", _attacks(result), _NOTE),
        Titled(
            "False positives", _false_positives(result), "Share of clean pages flagged, with a 95% Wilson interval."
        ),
        Titled("Each detector alone: AUC against the neutral control", _detectors(result)),
    ]
    if result["adaptive"]:
        tables += [
            Titled(
                "The adaptive attacker: gain in points",
                _adaptive(result),
                "Added words; mean over pages, 95th percentile, worst.",
            ),
            Titled("Where its gain comes from, at 400 added words", _leaks(result)),
        ]
    return Findings("gaming", result, tables, {"auc": _plot(result)}, _lines(result))


_NOTE = (
    "Change: mean paired change of `content`. AUC against the page with as much fresh neutral filler: of a low score, "
    "and of the filter's suspicion. Seen: share flagged. `claimed`: families the filter claims to see."
)


def short_of(result: Mapping[str, Any]) -> list[str]:
    """Claimed attacks on which the filter does not reach what it is held to."""
    return [
        attack
        for attack in result["order"]
        if result["attacks"][attack]["must_be_seen"]
        and (result["attacks"][attack]["layered_auc"] or 0.0) < WANTED[result["attacks"][attack]["strength"]]
    ]


def _lines(result: Mapping[str, Any]) -> list[str]:
    claimed = [a for a in result["order"] if result["attacks"][a]["must_be_seen"]]
    short = short_of(result)
    test = result["false_positives"]["test"]
    lines = [
        f"the filter reaches its AUC on {len(claimed) - len(short)} of {len(claimed)} claimed attacks"
        + (f"; it falls short on {'; '.join(short)}" if short else ""),
        f"false positives on the test half: {test['clean']['rate']:.1%} of clean pages, "
        f"{test['neutral']['rate']:.1%} of their neutral variants",
    ]
    if result["adaptive"]:
        free, unseen = result["adaptive"]["unconstrained"], result["adaptive"]["unflagged"]
        pairs = ", ".join(
            f"{b} words {signed(free[str(b)]['mean'], 1)} and {signed(unseen[str(b)]['mean'], 1)}"
            for b in result["adaptive"]["budgets"]
        )
        lines.append(f"the adaptive attacker gains, unconstrained and while unflagged: {pairs}")
    return lines


def _attacks(result: Mapping[str, Any]) -> Table:
    columns = [
        Column("attack"), right("change"), right("prior"), right("score AUC"), right("filter AUC"), right("seen"),
        right("95% interval"), Column("claimed"),
    ]  # fmt: skip
    rows = []
    for attack in result["order"]:
        e = result["attacks"][attack]
        rows.append(
            [
                name(attack), signed(e["change"]["shipped"], 1), signed(e["change"]["prior"], 1),
                plain(e["score_auc"]["shipped"]), plain(e["layered_auc"], 3), f"{e['detected']:.0%}",
                between(e["detected_interval"]), "yes" if e["must_be_seen"] else "",
            ]
        )  # fmt: skip
    return Table(columns, rows)


def _false_positives(result: Mapping[str, Any]) -> Table:
    rows = []
    for group in ("train", "test", *sorted(set(result["false_positives"]) - {"train", "test"})):
        for kind in ("clean", "neutral"):
            e = result["false_positives"][group][kind]
            rows.append([group, kind, e["flagged"], e["of"], f"{e['rate']:.1%}", between(e["interval"], 3)])
    return Table(
        [Column("pages"), Column("class"), right("flagged"), right("of"), right("rate"), right("interval")], rows
    )


def _detectors(result: Mapping[str, Any]) -> Table:
    rows = [
        [name(attack), *(plain(result["attacks"][attack]["detector_auc"][d]) for d in DETECTORS)]
        for attack in result["order"]
    ]
    return Table([Column("attack"), *(right(name(d)) for d in DETECTORS)], rows)


def _adaptive(result: Mapping[str, Any]) -> Table:
    rows = []
    for budget in result["adaptive"]["budgets"]:
        row: list[Any] = [budget]
        for mode in ("unconstrained", "unflagged"):
            e = result["adaptive"][mode][str(budget)]
            row += [signed(e["mean"], 1), signed(e["p95"], 1), signed(e["worst"], 1)]
        rows.append(row)
    heads = [right(f"{mode}: {what}") for mode in ("free", "unflagged") for what in ("mean", "p95", "worst")]
    return Table([right("words"), *heads], rows)


def _leaks(result: Mapping[str, Any]) -> Table:
    last = str(result["adaptive"]["budgets"][-1])
    free, unseen = (result["adaptive"][m][last]["components"] for m in ("unconstrained", "unflagged"))
    rows = [[n, signed(free[n]), signed(unseen[n])] for n in NAMES]
    return Table([Column("component"), right("free"), right("unflagged")], rows)


def _plot(result: Mapping[str, Any]) -> Plot:
    names = list(result["order"])
    series = [
        Series("filter", [result["attacks"][a]["layered_auc"] for a in names], [name(a) for a in names], style="bars"),
        Series(
            "score alone",
            [result["attacks"][a]["score_auc"]["shipped"] for a in names],
            [name(a) for a in names],
            style="bars",
        ),
    ]
    panel = Panel("", series, x_label="AUC against as much neutral filler", uprights=[(0.5, "chance")])
    return Plot("Who sees which attack", [panel], note=f"{result['pages']['test']} test pages")
