"""`lab protocol compare`: the strategies, which one the training split selects, and whether the test split agrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol import strategies
from steelyard.lab.protocol.component_values import split_train_test
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.study.findings import (
    HELD_OUT,
    Findings,
    Titled,
    format_interval,
    in_words,
    make_bars,
    make_table,
    plain,
    signed,
)
from steelyard.lab.study.material import Material, use_captures
from steelyard.lab.study.paper_comparison import read_grid
from steelyard.lab.study.sources import open_capture, open_french
from steelyard.lab.study.studies import compare_outcomes
from steelyard.lab.study.studies.observational import MIN_SOURCES, Outcomes, read_outcomes, refit_to_outcomes
from steelyard.lab.study.studies.recorded_outcomes import as_arrays, join_files, read_cited_sources
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Call, Option, Request, Result, Section, Study
from steelyard.support.artifacts import hash_file
from steelyard.support.formatting import MINUS
from steelyard.support.plots.plot import Panel, Plot


def _paper_saturation() -> dict[str, float | None]:
    """Return the paper's column `game`, undefined there for the single component.

    That the Pearson fit is the row "obs. recalib. (raw)" is our reading (docs/decisions/fit.md).
    """
    return {name: row["ratio"] for name, row in read_grid("tab:ab").items()}


def findings(result: Result) -> Findings:
    """Present the strategies on both splits, the weights, and how sensitive the selection is."""
    released, refit = (result["strategies"][n]["weights"] for n in ("released", "sqrt"))
    tables = [
        _show_strategies(result, "test", "Strategies, test half", f"Selected on train (*); these confirm. {HELD_OUT}"),
        _show_strategies(result, "train", "The same on the training split"),
        make_table(
            "Released and refitted weights",
            "component | released .3 | refitted .3 | difference +.3",
            [[n, released[n], refit[n], refit[n] - released[n]] for n in NAMES],
        ),
        _show_saturation(result),
        _show_sensitivity(result),
        *compare_outcomes.make_table_of(result["outcomes"]),
    ]
    if any(entry["french"] for _, entry in _list_strategies(result)):
        tables.append(_show_french(result))
    lines = _list_lines(result)
    main = [line for line in lines if not line.startswith(compare_outcomes.HYBRID)]
    return Findings(lines, tables, {"strategies": _make_plot(result)}, main)


def _list_strategies(result: Result) -> list[tuple[str, Result]]:
    """Return the strategies in the order they were tried; an artifact keeps its keys in another."""
    return [(name, result["strategies"][name]) for name in result["order"]]


def _list_lines(result: Result) -> list[str]:
    selected = result["selected"]
    if selected is None:
        lines = ["no fitted strategy passes all five gates on the training split: nothing is selected"]
    else:
        entry = result["strategies"][selected]
        confirmed, held = entry["test"], entry["test"]["gates"]["passed_by_estimate"]
        lines = [
            f"selected on the training split: {selected}, the best aligned of the fitted families that pass all five "
            f"gates (Pearson {plain(entry['train']['pearson'], 3)}, largest gain of one lever {_state_gain(entry)})",
            f"on the test half: Pearson {plain(confirmed['pearson'], 3)} "
            f"({format_interval(confirmed['interval'], 3)}), {held}/5 gates: "
            f"{'confirmed' if held == 5 else 'NOT confirmed'}",
        ]
        if selected != "sqrt":
            lines.append(f"the paper's rule selected sqrt on its own pages; here sqrt has {_describe(result, 'sqrt')}")
    lines.append(
        f"the shipped weights are the paper's released vector, because the score is the paper's and not because they "
        f"were selected here; they have {_describe(result, 'released')}"
    )
    if (other := result["selected_with_calibrated"]) not in (None, selected):
        lines.append(
            f"{other} is one of the paper's baselines and no candidate; it would be selected if it were: "
            f"{_describe(result, other)}"
        )
    lines.append(_state_saturation(result))
    if fitted_to := result.get("fitted_to"):
        lines.append(
            f"refits to outcomes: the citation shares of one source of each of {fitted_to['queries']} queries "
            f"({', '.join(fitted_to['files'])}); no candidates"
        )
    lines += [f"undefined: {reason}" for reason in result["undefined"]]
    for name, entry in _list_strategies(result):
        train, test = entry["train"]["gates"]["passed_by_estimate"], entry["test"]["gates"]["passed_by_estimate"]
        if train == 5 and test < 5:
            lines.append(f"{name} passes 5/5 on train and {test}/5 on test: what a second half is for")
    return [*lines, *compare_outcomes.make_lines(result["outcomes"])]


def _describe(result: Result, name: str) -> str:
    """Return alignment and gates on both splits, and the largest gain of one lever."""
    e = result["strategies"][name]
    train, test = (
        f"{plain(e[s]['pearson'], 3)} with {e[s]['gates']['passed_by_estimate']}/5 gates" for s in ("train", "test")
    )
    return f"Pearson {train} on train, {test} on test, largest gain of one lever {_state_gain(e)}"


def _state_gain(entry: Result) -> str:
    """Return the largest gain of one lever over training pages, with its interval."""
    interval = entry.get("largest_gain_interval")
    return signed(entry["largest_gain"]) + (f" ({format_interval(interval)})" if interval else "")


def _state_saturation(result: Result) -> str:
    """Say which of the two families amplifies a lever less, here and in the paper."""
    here = {n: result["strategies"][n]["test"]["gates"]["saturation"]["statistic"] for n in ("sqrt", "raw")}
    paper = _paper_saturation()
    shown = ", ".join(f"{n} {plain(v)} (paper {plain(paper[n])})" for n, v in here.items())
    if None in here.values():
        return f"largest ratio of dose 8 to dose 1, test half: {shown}"
    return f"largest ratio of dose 8 to dose 1, test half: {shown}; {min(here, key=lambda n: here[n])} is the lower one"


def _show_saturation(result: Result) -> Titled:
    paper, rows = _paper_saturation(), []
    for name, entry in _list_strategies(result):
        gate = entry["test"]["gates"]["saturation"]
        ratios = [gate["parts"].get(lever) for lever in LEVERS]
        rows.append([name, *ratios, gate["statistic"], paper.get(name), entry["largest_gain"]])
    columns = [
        "strategy", *(f"{in_words(lever)} .2" for lever in LEVERS), "largest .2", "largest in the paper .2",
        "largest gain +.2",
    ]  # fmt: skip
    note = (
        "Response at dose 8 over that at dose 1, test half. Gain: of one lever over untouched training pages, points."
    )
    return make_table("Amplification by dose, and the largest gain", columns, rows, note)


def _show_strategies(result: Result, split: str, title: str, note: str = "") -> Titled:
    rows = []
    for name, entry in _list_strategies(result):
        aligned, gates = entry[split], entry[split]["gates"]
        rows.append(
            [
                name + (" *" if name == result["selected"] else ""), aligned["pearson"], aligned["interval"],
                aligned["spearman"], aligned["permutation_p"], gates["negative-control"]["parts"].get("dose 8"),
                gates["dose-response"]["statistic"], gates["saturation"]["statistic"],
                gates["length-bias"]["statistic"], f"{gates['passed_by_estimate']}/5",
            ]
        )  # fmt: skip
    columns = "strategy | Pearson .3 | 95% interval to.3 | Spearman .2 | perm. p .4 | stuffing x8 +.1 | worst step +.2"
    return make_table(title, f"{columns} | saturation .2 | |length r| .2 | gates >", rows, note)


def _show_sensitivity(result: Result) -> Titled:
    rows = []
    for gate in GATES:
        low, high = (result["sensitivity"][gate.name][end] for end in ("low", "high"))
        constant = f"{gate.bound:g}".replace("-", MINUS)
        rows.append([gate.name, constant, "any lower" if low is None else low, "any higher" if high is None else high])
    title = "How far each gate's constant can move before the selection changes"
    return make_table(title, "gate | constant > | from .3 | to .3", rows, is_main=True)


def _show_french(result: Result) -> Titled:
    rows = [
        [name, french["pearson"], french["interval"], *french["gates"]["negative-control"]["parts"].values()]
        for name, entry in _list_strategies(result)
        if (french := entry["french"])
    ]
    columns = "strategy | Pearson .3 | 95% interval to.3 | stuffing x1 +.1 | x8 +.1"
    return make_table("French transfer, reported and never counted", columns, rows)


def _make_plot(result: Result) -> Plot:
    entries = {n: e["test"] for n, e in _list_strategies(result) if e["test"]["pearson"] is not None}
    gates_pass = [e["gates"]["passed_by_estimate"] == 5 for e in entries.values()]
    series = make_bars(
        "five gates pass", [*entries], [*entries.values()], figure="pearson", filled=gates_pass,
        open_label="at least one does not",
    )  # fmt: skip
    panel = Panel("", [series], x_label="Pearson with the anchors, test half")
    return Plot("Strategies: alignment and gates", [panel], note="Bars: 95% bootstrap intervals over sources")


def describe_sample(result: Result, _: object = None) -> str:
    """Return the pages of both halves, which the studies of single fits share."""
    n = result["sources"]
    french = f", {n['french']} French" if n.get("french") else ""
    return f"{n['train']} training and {n['test']} held-out pages{french}; intervals resample pages"


def describe_fitted_pages(_: Result, result_of: Callable[[str], Any]) -> str:
    """Return the same for a study of the square-root fit: it reads the pages of this one, and resamples nothing."""
    compared = result_of("compare")
    if compared is None or "sources" not in compared:
        return "the pages of `lab protocol compare`; nothing resampled"
    return describe_sample(compared).replace("intervals resample pages", "nothing resampled")


def _compute(request: Request) -> Result:
    english, french = open_capture(request), open_french(request)
    outcomes = request.options["outcomes"]
    refits, fitted_to = None, None
    if outcomes:
        refits = refit_to_outcomes(read_outcomes(outcomes, request.as_of))
        request.inputs["outcomes"] = hash_file(outcomes)
    elif records := request.options["records"]:
        found, _ = read_cited_sources(request, [records] if isinstance(records, str) else records)
        if len(sources := join_files(found)) >= MIN_SOURCES:
            refits = refit_to_outcomes(Outcomes(*as_arrays(sources)))
            fitted_to = {"queries": len(sources), "files": list(found)}
    request.parameters.update(resampling_seed=request.seed)
    result = strategies.compare_strategies(english, french=french, refits=refits, seed=request.seed)
    weights = {name: result["strategies"][name]["weights"] for name in compare_outcomes.COMPARED}
    train, _ = split_train_test(english)
    result = {**result, "fitted_to": fitted_to}
    return {**result, "outcomes": compare_outcomes.compare_on_records(request, train, weights)}


def _sections(material: Material) -> list[Section]:
    """Return the section of both captures, with every file of records for the outcome arm."""
    (section,) = use_captures(material)

    def call() -> Call:
        arguments, options = section.call()
        return arguments, {**options, "records": [str(path) for path in material.records]}

    return [Section(call)]


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
        Option("--records", "Recorded answers: adds the outcome correlation of the hybrid.", metavar="FILE"),
        *CAPTURE_OPTIONS,
    ),
    sample=describe_sample,
    sections=_sections,
)
