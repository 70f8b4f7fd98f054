"""`protocol identify`: which weights the evidence fixes, and the profile refits behind it."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.components import NAMES
from steelyard.lab.protocol.component_values import read_component_values, split_train_test
from steelyard.lab.protocol.identifiability import ENTROPY, FLOOR, identify
from steelyard.lab.study.findings import Findings, Titled, make_table, plain, signed
from steelyard.lab.study.material import use_captures
from steelyard.lab.study.sources import open_capture, open_french
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Request, Result, Study
from steelyard.support.plots.plot import Panel, Plot, Series

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
    return Findings(_lines(result), [_components(result), _fits(result)], {"profiles": _plot(result)})


def _lines(result: Result) -> list[str]:
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
        f"{plain(free['train_cosine'], 3)} against {plain(reference['train_cosine'], 3)}, held-out Pearson "
        f"{plain(free['pearson'], 3)} against {plain(reference['pearson'], 3)}, stuffing at dose 8 "
        f"{signed(free['stuffing_dose_8'])} against {signed(reference['stuffing_dose_8'])}",
        *_list_outside(result),
    ]


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


def _components(result: Result) -> Titled:
    rows = []
    for name in NAMES:
        entry = result["components"][name]
        left_out, admissible = entry["left_out"], entry["admissible"]
        released, gates = result["released"]["weights"][name], f"{left_out['gates']}/5"
        interval, inside = _format_admissible(admissible), "yes" if entry["released_inside"] else "no"
        rows.append([name, released, left_out["pearson"], gates, interval, inside, weight_role(admissible)])
    note = (
        "Left out: refitted without it. Admissible: outermost grid values with 5/5 gates and a held-out Pearson "
        f"of {FLOOR} or more."
    )
    columns = "component | released .3 | left out: Pearson .3 | gates > | admissible > | released inside | role"
    return make_table("Weight by weight", columns, rows, note)


def _fits(result: Result) -> Titled:
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
    return make_table("Other fits of the same family, held out", columns, rows)


def _plot(result: Result) -> Plot:
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
                name, [series], x_label="weight held at", y_label="held-out Pearson",
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
    sections=use_captures,
)
