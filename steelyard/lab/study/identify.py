"""`protocol identify`: which weights the evidence fixes, and the profile refits behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.identifiability import ENTROPY
from steelyard.lab.protocol.strategies import FLOOR
from steelyard.lab.study import concepts
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.roles import role
from steelyard.lab.study.wording import plain, right, signed
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.table import Column, Table

# The six of the paper's figure.
DRAWN = (
    "quotable_density", "statistic_density", "citation_f1",
    "shannon_entropy", "information_density", "entity_density",
)  # fmt: skip


def findings(result: Mapping[str, Any]) -> Findings:
    tables = [
        Titled(
            "Weight by weight",
            _components(result),
            "Left out: refitted without it. Admissible: outermost grid values with 5/5 gates and a held-out Pearson "
            f"of {FLOOR} or more.",
        ),
        Titled("Other fits of the same family, held out", _fits(result)),
    ]
    plots = {"profiles": _plot(result), "taxonomy": concepts.taxonomy(result)}
    return Findings("identify", result, tables, plots, _lines(result))


def _lines(result: Mapping[str, Any]) -> list[str]:
    plateau, free = result["plateau"], result["unregularised"]
    silent = f"; {', '.join(plateau['silent'])} answer to no intervention at all" if plateau["silent"] else ""
    reference = result["reference"]["pearson"]
    low = (
        [
            f"the reference refit reaches {plain(reference, 3)} here, under the floor of {FLOOR}: "
            "what is admissible says little on these pages"
        ]
        if reference is None or reference < FLOOR
        else []
    )
    return [
        *low,
        f"M has rank {plateau['rank']} over {len(NAMES)} weights: a kernel of {plateau['kernel_dimension']} dimensions "
        f"(at least {plateau['at_least']}) in which alignment cannot tell weightings apart{silent}",
        f"without the ridge the fit zeroes {len(free['zeroed'])} weights: training cosine "
        f"{plain(free['train_cosine'], 3)} against {plain(result['reference']['train_cosine'], 3)}, held-out Pearson "
        f"{plain(free['pearson'], 3)} against {plain(result['reference']['pearson'], 3)}, stuffing at dose 8 "
        f"{signed(free['stuffing_dose_8'])} against {signed(result['reference']['stuffing_dose_8'])}",
    ]


def _components(result: Mapping[str, Any]) -> Table:
    columns = [
        Column("component"),
        right("released"),
        right("left out: Pearson"),
        right("gates"),
        right("admissible"),
        Column("role"),
    ]
    rows = []
    for name in NAMES:
        entry = result["components"][name]
        out, admitted = entry["left_out"], entry["admissible"]
        shown = f"{admitted[0]:g} to {admitted[1]:g}" if admitted else "none"
        released = result["released"]["weights"][name]
        rows.append([name, plain(released, 3), plain(out["pearson"], 3), f"{out['gates']}/5", shown, role(admitted)])
    return Table(columns, rows)


def _fits(result: Mapping[str, Any]) -> Table:
    columns = [
        Column("fit"),
        right("Pearson"),
        right("gates"),
        right("train gates"),
        right("stuffing x8"),
        right("French Pearson"),
    ]
    listed = {
        "reference refit": result["reference"],
        "released": result["released"],
        "no ridge": result["unregularised"],
        **{f"only {n}": result["entropy_merge"][f"only {n}"] for n in ENTROPY[::-1]},
    }
    rows = [
        [
            name, plain(e["pearson"], 3), f"{e['gates']}/5", f"{e['train_gates']}/5", signed(e["stuffing_dose_8"]),
            plain(e.get("french_pearson"), 3),
        ]
        for name, e in listed.items()
    ]  # fmt: skip
    return Table(columns, rows)


def _plot(result: Mapping[str, Any]) -> Plot:
    panels = []
    for name in DRAWN:
        profile = result["components"][name]["profile"]
        series = Series(
            "five gates pass",
            [p["weight"] for p in profile],
            [p["pearson"] for p in profile],
            marks=[p["gates"] == 5 for p in profile],
            open_name="at least one does not",
        )
        released = result["released"]["weights"][name]
        panels.append(
            Panel(
                name, [series], x_label="weight held at", y_label="held-out Pearson",
                rules=[(FLOOR, "floor")], uprights=[(released, "released")],
            )
        )  # fmt: skip
    return Plot("Profile refits", panels, columns=3, share_y=True, note="The other ten weights refitted on train.")
