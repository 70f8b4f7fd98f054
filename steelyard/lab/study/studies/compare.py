"""`protocol compare`: the strategies, which one the training split selects, and whether the test split agrees."""

from __future__ import annotations

from steelyard.components import NAMES
from steelyard.lab.protocol import observational, strategies
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.study.findings import Findings, Titled, make_table
from steelyard.lab.study.formatting import MINUS, format_interval, plain, signed
from steelyard.lab.study.material import use_captures
from steelyard.lab.study.sources import open_capture, open_french
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Option, Request, Result, Study
from steelyard.support.artifacts import hash_file
from steelyard.support.plots.plot import Panel, Plot, Series


def findings(result: Result) -> Findings:
    """Present the strategies on both splits, the weights, and how sensitive the selection is."""
    released, refit = (result["strategies"][n]["weights"] for n in ("released", "sqrt"))
    tables = [
        _strategies(result, "test", "Strategies, held-out split", "Selected on train; these figures confirm."),
        _strategies(result, "train", "The same on the training split"),
        make_table(
            "Released and refitted weights",
            "component | released .3 | refitted .3 | difference +.3",
            [[n, released[n], refit[n], refit[n] - released[n]] for n in NAMES],
        ),
        _sensitivity(result),
    ]
    if any(entry["french"] for _, entry in _each(result)):
        tables.append(_french(result))
    return Findings(_lines(result), tables, {"strategies": _plot(result)})


def _each(result: Result) -> list[tuple[str, Result]]:
    """Return the strategies in the order they were tried; an artifact keeps its keys in another."""
    return [(name, result["strategies"][name]) for name in result["order"]]


def _lines(result: Result) -> list[str]:
    selected, aligned = result["selected"], result["best_aligned"]
    if selected is None:
        return ["no fitted strategy passes all five gates on the training split: nothing is selected"]
    entry = result["strategies"][selected]
    held = entry["test"]["gates"]["passed"]
    lines = [
        f"selected on the training split: {selected} (Pearson {plain(entry['train']['pearson'], 3)}, 5/5 gates)",
        f"held out: Pearson {plain(entry['test']['pearson'], 3)} ({format_interval(entry['test']['interval'], 3)}), "
        f"{held}/5 gates: {'confirmed' if held == 5 else 'NOT confirmed'}",
    ]
    if aligned != selected:
        other = result["strategies"][aligned]
        lines.append(
            f"of those that pass, alignment alone would have selected {aligned}: it aligns better by "
            f"{plain(other['train']['pearson'] - entry['train']['pearson'], 3)} and gives one lever up to "
            f"{signed(other['largest_gain'])} points, not {signed(entry['largest_gain'])}"
        )
    lines += [f"undefined: {reason}" for reason in result["undefined"]]
    for name, entry in _each(result):
        train, test = entry["train"]["gates"]["passed"], entry["test"]["gates"]["passed"]
        if train == 5 and test < 5:
            lines.append(f"{name} passes 5/5 on train and {test}/5 on test: what a held-out split is for")
    return lines


def _strategies(result: Result, split: str, title: str, note: str = "") -> Titled:
    rows = []
    for name, entry in _each(result):
        found, gates = entry[split], entry[split]["gates"]
        rows.append(
            [
                name + (" *" if name == result["selected"] else ""), found["pearson"], found["interval"],
                found["spearman"], found["permutation_p"], gates["negative-control"]["parts"].get("dose 8"),
                gates["dose-response"]["statistic"], gates["saturation"]["statistic"],
                gates["length-bias"]["statistic"], f"{gates['passed']}/5",
            ]
        )  # fmt: skip
    columns = "strategy | Pearson .3 | 95% interval to.3 | Spearman .2 | perm. p .4 | stuffing x8 +.1 | worst step +.2"
    return make_table(title, f"{columns} | saturation .2 | |length r| .2 | gates >", rows, note)


def _sensitivity(result: Result) -> Titled:
    rows = []
    for gate in GATES:
        low, high = (result["sensitivity"][gate.name][end] for end in ("low", "high"))
        constant = f"{gate.bound:g}".replace("-", MINUS)
        rows.append([gate.name, constant, "any lower" if low is None else low, "any higher" if high is None else high])
    title = "How far each gate's constant can move before the selection changes"
    return make_table(title, "gate | constant > | from .3 | to .3", rows)


def _french(result: Result) -> Titled:
    rows = [
        [name, french["pearson"], french["interval"], *french["gates"]["negative-control"]["parts"].values()]
        for name, entry in _each(result)
        if (french := entry["french"])
    ]
    columns = "strategy | Pearson .3 | 95% interval to.3 | stuffing x1 +.1 | x8 +.1"
    return make_table("French transfer, reported and never counted", columns, rows)


def _plot(result: Result) -> Plot:
    entries = {n: e["test"] for n, e in _each(result) if e["test"]["pearson"] is not None}
    series = Series(
        "five gates pass",
        [e["pearson"] for e in entries.values()],
        list(entries),
        low=[e["interval"][0] for e in entries.values()],
        high=[e["interval"][1] for e in entries.values()],
        filled=[e["gates"]["passed"] == 5 for e in entries.values()],
        style="bars",
        open_label="at least one does not",
    )
    panel = Panel("", [series], x_label="Pearson with the anchors, held out", vertical_lines=[(0.94, "floor")])
    return Plot("Strategies: alignment and gates", [panel], note="Bars: 95% bootstrap intervals over sources")


def _compute(request: Request) -> Result:
    found, french = open_capture(request), open_french(request)
    outcomes = request.options["outcomes"]
    records = None
    if outcomes:
        records = observational.read_outcomes(outcomes, request.as_of)
        request.inputs["outcomes"] = hash_file(outcomes)
    request.parameters.update(resampling_seed=request.seed)
    return strategies.compare_strategies(found, french=french, outcomes=records, seed=request.seed)


STUDY = Study(
    "compare",
    "Families and baselines compared",
    _compute,
    findings,
    group="protocol",
    help="Refit every family on the training split, gate everything on both splits, and show which one is selected.",
    options=(
        FRENCH,
        Option("--outcomes", "JSONL with `text` and `outcome`: adds refits to outcomes.", metavar="FILE"),
        *CAPTURE_OPTIONS,
    ),
    sections=use_captures,
)
