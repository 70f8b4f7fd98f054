"""`lab protocol identify`: which weights the evidence fixes, and the profile refits behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align, summarize_responses
from steelyard.lab.protocol.component_values import (
    Array,
    ComponentValues,
    read_component_values,
    split_train_test,
    sqrt,
)
from steelyard.lab.study.findings import HELD_OUT, Findings, Titled, make_table, plain, signed
from steelyard.lab.study.material import use_captures
from steelyard.lab.study.sources import open_capture, open_french
from steelyard.lab.study.studies.compare_strategies import describe_fitted_pages
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Request, Result, Study
from steelyard.support.plots.plot import Panel, Plot, Series

GRID = (0.0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.20, 0.25, 0.30, 0.35, 0.40, 0.50)
ENTROPY = ("shannon_entropy", "information_density")
FLOOR = 0.94  # the paper's: a held weight is admissible if the alignment on the test half reaches it (Table tab:ident)


def identify(train: ComponentValues, test: ComponentValues, french: ComponentValues | None = None) -> dict[str, Any]:
    """Run all parts of the analysis; the reference is the nested refit of the square-root family."""
    matrix = train.matrix(sqrt)
    reference = fit.fit_nested(train, sqrt)
    unregularised = fit.fit_weights(matrix, fit.LIMIT).weights
    plateau = describe_plateau(matrix)
    released = fit.load_weights("shipped")
    return {
        "ridge": reference.ridge,
        "reference": evaluate_weights(reference.weights, train, test),
        "released": evaluate_weights(released, train, test),
        "unregularised": {
            **evaluate_weights(unregularised, train, test),
            "zeroed": [n for n, w in zip(NAMES, unregularised, strict=True) if w < fit.ZERO],
            "silent_over_prior": _compare_with_prior(unregularised, plateau["silent"]),
        },
        "components": {
            name: _profile_component(i, matrix, reference.ridge, test, released=float(released[i]))
            for i, name in enumerate(NAMES)
        },
        "entropy_merge": _merge_entropies(train, test, french),
        "plateau": plateau,
    }


def evaluate_weights(weights: Array, train: ComponentValues, test: ComponentValues) -> dict[str, Any]:
    """Evaluate a weighting of the square-root family on both splits; `not_passed` names the gates it fails on test."""
    on_train, on_test = (summarize_responses(values.responses(sqrt, weights)) for values in (train, test))
    return {
        **on_test,
        "survives": not on_test["not_passed"],
        "train_pearson": on_train["pearson"],
        "train_gates": on_train["gates"],
        "train_not_passed": on_train["not_passed"],
        "train_cosine": fit.cosine(train.matrix(sqrt), weights),
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
    }


def _compare_with_prior(weights: Array, names: Sequence[str]) -> dict[str, float]:
    """Return some weights over their prior: one factor for all of them means that the prior alone decides."""
    prior = fit.load_weights("prior")
    return {name: float(weights[i] / prior[i]) for i, name in enumerate(NAMES) if name in names}


def _profile_component(
    index: int, matrix: Array, ridge: float, test: ComponentValues, *, released: float
) -> dict[str, Any]:
    """Evaluate the fit without a component, and with its weight held at every value of the grid.

    `released_inside` says whether the released weight lies between the outermost admissible values.
    """

    def evaluate(fitted: fit.Fit) -> dict[str, Any]:
        return summarize_responses(test.responses(sqrt, fitted.weights))

    profile = []
    for value in GRID:
        refit = evaluate(fit.fit_holding_one(matrix, ridge, index, value))
        admissible = not refit["not_passed"] and (refit["pearson"] or -1.0) >= FLOOR
        profile.append({"weight": value, "admissible": admissible, **refit})
    admitted = [p["weight"] for p in profile if p["admissible"]]
    return {
        "left_out": evaluate(fit.fit_weights(matrix, ridge, zero=(index,))),
        "profile": profile,
        "admissible": [min(admitted), max(admitted)] if admitted else None,
        "released_inside": bool(admitted) and min(admitted) <= released <= max(admitted),
    }


def _merge_entropies(train: ComponentValues, test: ComponentValues, french: ComponentValues | None) -> dict[str, Any]:
    """Refit with one of the two entropy components left out, both ways, under the same protocol."""
    merges = {}
    for remaining, left_out in (ENTROPY[::-1], ENTROPY):
        weights = fit.fit_nested(train, sqrt, zero=(NAMES.index(left_out),)).weights
        transfer = align(french.responses(sqrt, weights), draws=0).pearson if french else None
        merges[f"only {remaining}"] = {**evaluate_weights(weights, train, test), "french_pearson": transfer}
    return merges


def describe_plateau(matrix: Array) -> dict[str, Any]:
    """Return rank and kernel of M: alignment cannot tell weightings apart that differ by a kernel vector."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    # Relative to the largest: responses under a ten-thousandth of it are rounding, not evidence.
    rank = int((singular > 1e-4 * singular[0]).sum()) if singular[0] > 0 else 0
    return {
        "singular_values": singular.tolist(),
        "rank": rank,
        "kernel_dimension": matrix.shape[1] - rank,
        "at_least": matrix.shape[1] - matrix.shape[0],
        "silent": [n for n, column in zip(NAMES, matrix.T, strict=True) if not np.abs(column).max() > 0],
    }


# The six of the paper's figure.
PLOTTED = (
    "quotable_density", "statistic_density", "citation_f1",
    "shannon_entropy", "information_density", "entity_density",
)  # fmt: skip
NARROW = 0.1  # an admissible interval above zero that is this wide or narrower fixes the weight
TOP = 0.5  # of the grid


def weight_role(admissible: Sequence[float] | None) -> str:
    """Name the role of a weight from its admissible interval alone."""
    if admissible is None:
        return "not admissible anywhere on the grid"
    low, high = admissible
    if high == 0:
        return "must be zero"
    if low > 0:
        return "pinned" if high - low <= NARROW else "forced above zero"
    return "bounded above" if high < TOP else "left open"


def findings(result: Result) -> Findings:
    return Findings(
        _list_lines(result), [_show_components(result), _show_fits(result)], {"profiles": _make_plot(result)}
    )


def _list_lines(result: Result) -> list[str]:
    plateau, free, reference = result["plateau"], result["unregularised"], result["reference"]
    silent = f"; {', '.join(plateau['silent'])} respond to no edit at all" if plateau["silent"] else ""
    lines = []
    if reference["pearson"] is None or reference["pearson"] < FLOOR:
        lines.append(
            f"the reference refit reaches {plain(reference['pearson'], 3)} here, under the floor of {FLOOR}: "
            "what is admissible says little on these pages"
        )
    return [
        *lines,
        f"M has rank {plateau['rank']} over {len(NAMES)} weights: a kernel of {plateau['kernel_dimension']} dimensions "
        f"(at least {plateau['at_least']}) in which alignment cannot distinguish weightings{silent}",
        f"without the ridge the fit zeroes {len(free['zeroed'])} weights: training cosine "
        f"{plain(free['train_cosine'], 3)} against {plain(reference['train_cosine'], 3)}, Pearson on the test half "
        f"{plain(free['pearson'], 3)} against {plain(reference['pearson'], 3)}, stuffing at dose 8 "
        f"{signed(free['stuffing_dose_8'])} against {signed(reference['stuffing_dose_8'])}{_state_silent(free)}",
        *_list_outside(result),
    ]


def _state_silent(free: Result) -> str:
    """Say what becomes of the components that no edit moves: the ridge leaves them the prior's proportions."""
    factors = list(free.get("silent_over_prior", {}).values())
    if not factors:
        return ""
    least, most = (plain(end, 2) for end in (min(factors), max(factors)))
    times = least if least == most else f"{least} to {most}"
    return f"; {len(factors)} more, which no edit moves, are at {times} times the prior"


def _list_outside(result: Result) -> list[str]:
    """Name the released weights that no profile refit admits, next to what the released vector reaches as a whole."""
    released = result["released"]
    outside = [
        f"{name} ({plain(released['weights'][name], 3)}, admissible {_format_admissible(e['admissible'])})"
        for name in NAMES
        if not (e := result["components"][name])["released_inside"]
    ]
    if not outside:
        return ["every released weight lies inside its admissible interval"]
    return [
        f"released weights outside their admissible intervals: {', '.join(outside)}; an interval holds one weight and "
        f"refits the others, and the released vector as a whole reaches {plain(released['pearson'], 3)} with "
        f"{released['gates']}/5 gates"
    ]


def _format_admissible(interval: Sequence[float] | None) -> str:
    return f"{interval[0]:g} to {interval[1]:g}" if interval else "none"


def _show_components(result: Result) -> Titled:
    rows = []
    for name in NAMES:
        entry = result["components"][name]
        left_out, admissible = entry["left_out"], entry["admissible"]
        released, gates = result["released"]["weights"][name], f"{left_out['gates']}/5"
        interval, inside = _format_admissible(admissible), "yes" if entry["released_inside"] else "no"
        rows.append([name, released, left_out["pearson"], gates, interval, inside, weight_role(admissible)])
    note = (
        "Left out: refitted without it. Admissible: outermost grid values with 5/5 gates and a Pearson of "
        f"{FLOOR} or more on the test half. {HELD_OUT}"
    )
    columns = "component | released .3 | left out: Pearson .3 | gates > | admissible > | released inside | role"
    return make_table("Weight by weight", columns, rows, note)


def _show_fits(result: Result) -> Titled:
    listed = {
        "reference refit": result["reference"],
        "released": result["released"],
        "no ridge": result["unregularised"],
        **{f"only {n}": result["entropy_merge"][f"only {n}"] for n in ENTROPY[::-1]},
    }
    rows = [
        [
            name, e["pearson"], f"{e['gates']}/5", f"{e['train_gates']}/5", e["stuffing_dose_8"],
            e.get("french_pearson"), ", ".join(dict.fromkeys([*e["not_passed"], *e["train_not_passed"]])) or "none",
        ]
        for name, e in listed.items()
    ]  # fmt: skip
    columns = "fit | Pearson .3 | gates > | train gates > | stuffing x8 +.2 | French Pearson .3 | gates not passed"
    return make_table("Other fits of the same family, test half", columns, rows, is_main=True)


def _make_plot(result: Result) -> Plot:
    panels = []
    for name in PLOTTED:
        profile = result["components"][name]["profile"]
        series = Series(
            "five gates pass",
            [p["weight"] for p in profile],
            [p["pearson"] for p in profile],
            filled=[p["gates"] == 5 for p in profile],
            open_label="at least one does not",
        )
        released = result["released"]["weights"][name]
        panels.append(
            Panel(
                name, [series], x_label="weight held at", y_label="Pearson, test half",
                horizontal_lines=[(FLOOR, "floor")], vertical_lines=[(released, "released")],
            )
        )  # fmt: skip
    return Plot("Profile refits", panels, columns=3, share_y=True, note="The other ten weights refitted on train.")


def _compute(request: Request) -> Result:
    train, test = split_train_test(open_capture(request))
    french = open_french(request)
    return identify(train, test, read_component_values(french) if french else None)


STUDY = Study(
    "identify",
    "Which weights the anchors identify",
    _compute,
    findings,
    group="protocol",
    help="Leave each component out, hold its weight at twelve values, drop the ridge, merge the entropies.",
    options=(FRENCH, *CAPTURE_OPTIONS),
    sample=describe_fitted_pages,
    sections=use_captures,
)
