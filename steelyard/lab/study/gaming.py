"""`gaming run`: what attacks do to the score, who sees them, and what a knowing attacker gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.detectors.registry import NAMES as DETECTORS
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import between, name, plain, right, signed
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.table import Column, Table

LEAKS_AT = 50  # added words
# What an attacker has to write to move a component, in words that stay true whatever the figures.
WRITTEN = {
    "information_density": "rarer words, a little",
    "quotable_density": "one or two enumerations or definitions",
    "entity_density": "three or four names",
    "semantic_coherence": "a connective before a word of the page",
    "statistic_density": "two to five figures with a year",
    "citation_f1": "one named source",
}
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
                "Words added. Free: knows the score and not the filter; of its pages the filter flags so many, and "
                "leaves so much of the mean gain, flagged pages counted as 0. Knowing: takes no step that it sees.",
            ),
            Titled(f"What leaks at {LEAKS_AT} added words, in points by component", _leaks(result)),
        ]
    tables.insert(1, Titled("Gain by dose, in points over the untouched page", _gains(result)))
    return Findings("gaming", result, tables, {"auc": _plot(result), "gains": _gain_plot(result)}, _lines(result))


_NOTE = (
    "Change: mean paired change of `content`. AUC against the page with as much fresh neutral filler: of a low score, "
    "and of the filter's suspicion. Low: share under the score that 5% of clean training pages stay under. Seen: share "
    "the filter flags. `claimed`: families the filter claims to see."
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
        free, left, unseen = (result["adaptive"][m] for m in ("unconstrained", "left_unflagged", "unflagged"))
        pairs = ", ".join(
            f"{b} words {signed(free[str(b)]['mean'], 1)} / {signed(left[str(b)]['over_all'], 1)} / "
            f"{signed(unseen[str(b)]['mean'], 1)}"
            for b in result["adaptive"]["budgets"]
        )
        lines.append(f"the adaptive attacker gains, before the filter / after it / knowing it: {pairs}")
    return lines


def _attacks(result: Mapping[str, Any]) -> Table:
    columns = [
        Column("attack"), right("change"), right("prior"), right("score AUC"), right("low"), right("filter AUC"),
        right("seen"), right("95% interval"), Column("claimed"),
    ]  # fmt: skip
    rows = []
    for attack in result["order"]:
        e = result["attacks"][attack]
        rows.append(
            [
                name(attack), signed(e["change"]["shipped"], 1), signed(e["change"]["prior"], 1),
                plain(e["score_auc"]["shipped"]), f"{e['score_detected']['shipped']:.0%}",
                plain(e["layered_auc"], 3), f"{e['detected']:.0%}", between(e["detected_interval"]),
                "yes" if e["must_be_seen"] else "",
            ]
        )  # fmt: skip
    return Table(columns, rows)


def _gains(result: Mapping[str, Any]) -> Table:
    doses = sorted({int(d) for e in result["curves"].values() for d in e["shipped"]})
    rows = [
        [name(edit), weighting, *(signed(found[weighting].get(str(d)), 1) for d in doses)]
        for edit, found in result["curves"].items()
        for weighting in ("shipped", "prior")
    ]
    return Table([Column("edit"), Column("weighting"), *(right(f"dose {d}") for d in doses)], rows)


def _gain_plot(result: Mapping[str, Any]) -> Plot:
    panels = []
    for weighting in ("shipped", "prior"):
        series = [
            Series(name(edit), [int(d) for d in found[weighting]], list(found[weighting].values()))
            for edit, found in result["curves"].items()
        ]
        panels.append(Panel(weighting, series, x_label="dose", y_label="points over the untouched page"))
    return Plot("What an attacker gains by dose", panels, note=f"{result['pages']['test']} test pages")


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
    for budget in map(str, result["adaptive"]["budgets"]):
        free, left, unseen = (result["adaptive"][m][budget] for m in ("unconstrained", "left_unflagged", "unflagged"))
        rows.append(
            [
                int(budget), signed(free["mean"], 1), signed(free["p95"], 1), signed(free["worst"], 1),
                f"{1 - left['share']:.0%}", signed(left["over_all"], 1), signed(unseen["mean"], 1),
                signed(unseen["p95"], 1), signed(unseen["worst"], 1),
            ]
        )  # fmt: skip
    heads = ["words", "free: mean", "p95", "worst", "flagged", "left", "knowing: mean", "p95", "worst"]
    return Table([right(head) for head in heads], rows)


def _leaks(result: Mapping[str, Any]) -> Table:
    first = str(LEAKS_AT)
    parts = [result["adaptive"][m][first]["components"] for m in ("unconstrained", "left_unflagged", "unflagged")]
    rows = [[n, *(signed(p[n]) for p in parts), WRITTEN.get(n, "")] for n in NAMES]
    return Table([Column("component"), right("free"), right("left"), right("knowing"), Column("what is written")], rows)


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
