"""`lab outcome anchors`: what the levers do to citations now, in percentage points, compared with what was published.

The published figures are gains relative to the target's own visibility. To be compared with a difference of shares
they are turned into points through the mean share of the untouched target.

The weights that the modern anchors would give are a demonstration, labelled as one and never shipped.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import TEST, TRAIN
from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.effects import AVERAGED, POOLED, measure_effects
from steelyard.lab.outcome.query_shares import MIN_QUERIES, QueryShares, compute_query_shares, group_pairs
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.records.load import RecordFile
from steelyard.lab.outcome.study import (
    collect_outcomes,
    count_planned_queries,
    list_notes,
    measure_coverage,
    select_complete,
)
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.component_values import (
    MIN_SOURCES,
    Array,
    ComponentValues,
    TooFewSources,
    read_component_values,
    sqrt,
)
from steelyard.lab.protocol.gates import DRAWS as GATE_DRAWS
from steelyard.lab.protocol.gates import GATES, count_by_estimate, judge, record_verdicts
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS
from steelyard.lab.stats.correlation import pearson, permutation_p
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material
from steelyard.lab.study.sources import open_capture, open_records
from steelyard.lab.study.studies.outcome import EMBEDDED, list_unpooled
from steelyard.lab.study.study import CAPTURE_OPTIONS, DRAWS, Argument, Call, Option, Request, Result, Section, Study
from steelyard.scoring import weighting
from steelyard.support.artifacts import mark_undefined
from steelyard.support.journal import is_journal

HOLDS, LARGER, SMALLER, REVERSED = "holds", "larger", "smaller", "reversed"
UNCONFIRMED, UNDECIDED = "unconfirmed", "undecided"
MEANING = {
    HOLDS: "the interval holds the published effect and not 0",
    LARGER: "the interval lies beyond the published effect",
    SMALLER: "the interval lies between 0 and the published effect: an effect in that direction, and a smaller one",
    REVERSED: "the interval lies on the other side of 0",
    UNCONFIRMED: "the interval holds 0 and not the published effect: none of that size, and perhaps none",
    UNDECIDED: "the interval holds both 0 and the published effect: too few queries to say",
}
NO_ANCHORS = "it needs an effect of every lever, and one that is not 0"


def compare_anchors(
    effects: Mapping[str, Any],
    records: Sequence[QueryShares],
    dated: date | None,
    levers: Sequence[str] = LEVERS,
    *,
    judged: bool = True,
) -> dict[str, Any]:
    """Return the modern anchors with their intervals, and for every lever whether the published one still holds.

    `judged` is False if an embedded reference answered: what it does says nothing about published effects.
    """
    unedited = [v for v in records if v.arm == BASELINE]
    untouched = group_pairs((v.query_id, v.mean[v.target]) for v in unedited if v.target is not None)
    share = mean([mean(of_query) for of_query in untouched.values()]) if untouched else None
    compared = {}
    for lever in levers:
        row = effects[POOLED].get(lever, {}).get(AVERAGED, {"n": 0})
        published = ANCHORS[lever] / 100 * share * 100 if share else None  # a share of 0 cannot gain anything
        points, corrected = (
            [x * 100 for x in row[key]] if row["n"] >= MIN_QUERIES and row.get(key) else None
            for key in ("interval", "interval_bonferroni")
        )
        compared[lever] = {
            "n": row["n"],
            "points": row["mean"] * 100 if row["n"] else None,
            "interval": points,
            "corrected_interval": corrected,
            "corrected_p": row.get("t_p_bonferroni") if corrected else None,
            "published_percent": ANCHORS[lever],
            "published_points": published,
            "verdict": judge_anchor(corrected, published) if judged else None,
        }
    return {
        "dated": dated and dated.isoformat(),
        "judged": judged,
        "baseline_share": share,
        "baseline_queries": len(untouched),
        "order": list(levers),
        "levers": compared,
    }


def judge_anchor(interval: Sequence[float] | None, published: float | None) -> str | None:
    """Return one of MEANING, or None without an interval or a published gain.

    The interval is one of several, corrected for their number; its ends belong to it.
    """
    if interval is None or published is None:
        return None
    low, high = interval if published >= 0 else (-interval[1], -interval[0])
    size = abs(published)
    if high < 0:
        return REVERSED
    if low > 0:
        return LARGER if low > size else SMALLER if high < size else HOLDS
    return UNCONFIRMED if high < size else UNDECIDED


def recalibrate(
    modern: Mapping[str, float], train: ComponentValues, test: ComponentValues, *, draws: int = GATE_DRAWS
) -> dict[str, Any]:
    """Run the paper's pipeline with other anchors: nested strength, gates on both halves, alignment.

    `modern` holds the effects of the first interventions, in their order. With three anchors no alignment can be
    tested: one of six orders agrees by chance.
    """
    if len(train) < MIN_SOURCES or len(test) < MIN_SOURCES:
        raise TooFewSources(len(train), len(test))
    anchors = list(modern.values())
    gamma = np.array(anchors)
    nested = fit.fit_nested(train, sqrt, gamma=gamma)
    free = fit.fit_weights(train.matrix(sqrt)[: len(gamma)], fit.LIMIT, gamma=gamma)
    shipped = fit.load_weights("shipped")
    rows = test.matrix(sqrt)[: len(gamma)]
    free_weights = dict(zip(NAMES, free.weights.tolist(), strict=True))
    return {
        "label": "modern-anchor recalibration, a demonstration that is not shipped",
        "anchors": anchors,
        "order": list(modern),
        "ridge": nested.ridge,
        "ridge_is_the_greatest": nested.ridge == max(fit.LAMBDAS),
        "weights": dict(zip(NAMES, nested.weights.tolist(), strict=True)),
        "without_ridge": {
            "weights": free_weights,
            "zeroed": [n for n, w in free_weights.items() if w < fit.ZERO],
            "train_gates": _judge_gates(train, free.weights, draws),
            "gates": _judge_gates(test, free.weights, draws),
        },
        "train_gates": _judge_gates(train, nested.weights, draws),
        "gates": _judge_gates(test, nested.weights, draws),
        "shipped_gates": _judge_gates(test, shipped, draws),
        "alignment": {
            "recalibrated": pearson((rows @ nested.weights).tolist(), anchors),
            "shipped": pearson((rows @ shipped).tolist(), anchors),
            "permutation_p_of_shipped": permutation_p((rows @ shipped).tolist(), anchors),
            "smallest_p": 1 / math.factorial(len(anchors)),
        },
    }


def _judge_gates(values: ComponentValues, weights: Array, draws: int) -> dict[str, Any]:
    verdicts = judge(values.responses(sqrt, weights), draws=draws)
    not_passed = [v.gate for v in verdicts if not v.by_estimate]
    return {"passed": count_by_estimate(verdicts), "not_passed": not_passed, "verdicts": record_verdicts(verdicts)}


def analyse_anchors(
    files: Sequence[RecordFile],
    mode: str,
    *,
    dated: date | None = None,
    halves: tuple[ComponentValues, ComponentValues] | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the modern anchors of runs with every lever and the filler; with `halves` the weights they would give."""
    outcomes, repeated = collect_outcomes(files)
    arms = {o.arm for o in outcomes}
    missing = sorted({BASELINE, CONTROL, *LEVERS} - arms)
    if missing:
        names = ", ".join(missing)
        raise SteelyardError(f"undefined: no answers for {names}; anchors need a complete `lab outcome run`")
    coverage = measure_coverage(outcomes, count_planned_queries(files))
    records, excluded = compute_query_shares(outcomes, mode)
    complete = select_complete(records, coverage)
    levers = list(itertools.takewhile(arms.__contains__, INTERVENTIONS))
    effects = measure_effects(complete, levers=levers, draws=draws, seed=seed)
    modern = compare_anchors(effects, complete, dated, levers, judged=not any(f.embedded for f in files))
    points = {lever: modern["levers"][lever]["points"] for lever in levers}
    weights: dict[str, Any] | None = None
    if halves is not None:
        is_defined = None not in points.values() and any(points.values())
        weights = recalibrate(points, *halves) if is_defined else mark_undefined(NO_ANCHORS)
    return {
        "mode": mode,
        "notes": [*list_notes(files), *repeated],
        "coverage": coverage,
        "excluded": excluded,
        "anchors": modern,
        "recalibration": weights,
    }


def findings(result: Result) -> Findings:
    anchors = result["anchors"]
    rows = []
    for lever in anchors["order"]:
        e = anchors["levers"][lever]
        published = f"{signed(e['published_percent'], 1)}%", e["published_points"]
        corrected = e["corrected_interval"], e["corrected_p"]
        verdict = e["verdict"] or "undefined"
        rows.append([in_words(lever), e["n"], e["points"], e["interval"], *corrected, *published, verdict])
    note = (
        f"Percentage points of the target's share, paired with filler ({result['mode']}). As points: the published "
        f"relative gain of the untouched target's mean share, {plain(anchors['baseline_share'], 3)} over "
        f"{anchors['baseline_queries']:,} queries, taken as exact. n counts queries. Interval: 95%, bootstrap over "
        f"queries, each lever alone. All levers: Student's intervals that hold together with 95% (Bonferroni), with "
        "the p of the same test; the verdict is read off these."
    )
    columns = "lever | n > | points +.2 | interval to.2 | all levers to.2 | corrected p p"
    columns += " | published > | as points +.2 | verdict"
    title = " ".join(["Anchors measured", *filter(None, [anchors["dated"]])])
    tables = [make_table(title, columns, rows, note)]
    lines = [*result["notes"], *list_unpooled(result["coverage"]), *_list_verdicts(anchors)]
    if again := result["recalibration"]:
        if "undefined" in again:
            lines.append(f"recalibration: undefined, {again['undefined']}")
        else:
            shipped = weighting.load(weighting.DEFAULT).weights
            rows = [[n, shipped[n], again["weights"][n], again["without_ridge"]["weights"][n]] for n in NAMES]
            columns = "component | shipped .3 | with the chosen λ .3 | λ → 0 .3"
            tables.append(make_table("Weights the measured anchors would give", columns, rows))
            tables.append(_show_gates(again))
            lines += _describe_recalibration(again)
    return Findings(lines, tables, main_lines=_list_verdicts(anchors))


def _list_verdicts(anchors: Result) -> list[str]:
    if not anchors["judged"]:
        return ["no verdict: an embedded reference answered, which says nothing about the published effects"]
    lines = []
    for verdict in dict.fromkeys(anchors["levers"][lever]["verdict"] for lever in anchors["order"]):
        levers = ", ".join(in_words(k) for k in anchors["order"] if anchors["levers"][k]["verdict"] == verdict)
        lines.append(
            f"{levers}: {verdict} ({MEANING[verdict]})" if verdict else f"{levers}: undefined, too few queries"
        )
    return lines


def _show_gates(again: Result) -> Titled:
    """Show every gate's figure for the refits on both halves, and for the shipped weights."""
    free = again["without_ridge"]
    judged = {
        "chosen λ, train": again["train_gates"], "chosen λ, test": again["gates"],
        "λ → 0, train": free["train_gates"], "λ → 0, test": free["gates"],
        "shipped, test": again["shipped_gates"],
    }  # fmt: skip
    rows = []
    for gate in GATES:
        verdicts = [of_fit["verdicts"][gate.name] for of_fit in judged.values()]
        shown = [f"{plain(v['statistic'], 2)} {'' if v['status'] == PASS else v['status']}".strip() for v in verdicts]
        rows.append([gate.name, *shown])
    note = "The gate's statistic; a word beside it where the gate does not pass. Selection would look at train."
    return make_table("The gates on these weights", ["gate", *(f"{head} >" for head in judged)], rows, note)


def _describe_recalibration(again: Result) -> list[str]:
    zeroed = ", ".join(in_words(n) for n in again["without_ridge"]["zeroed"]) or "nothing"
    alignment, number = again["alignment"], len(again["order"])
    greatest = " (the greatest of the grid)" if again["ridge_is_the_greatest"] else ""
    shipped = f"the shipped weights align with the measured anchors at {plain(alignment['shipped'], 3)}"
    p = alignment["permutation_p_of_shipped"]
    halves = [
        f"{_count_gates(refit['train_gates'])} on the training half, {_count_gates(refit['gates'])} on the test half"
        for refit in (again, again["without_ridge"])
    ]
    return [
        f"{again['label']}: λ = {again['ridge']:g}{greatest}, {halves[0]} (shipped: "
        f"{again['shipped_gates']['passed']}/5)",
        f"without a ridge it zeroes {zeroed}: {halves[1]}",
        f"{shipped}; with {number} anchors "
        + ("no alignment can be tested, since " if number < 4 else f"p = {plain(p, 3)}, and ")
        + f"p is never under {plain(alignment['smallest_p'], 3)}",
    ]


def _count_gates(gates: Result) -> str:
    """Return `4/5 gates (not: dose-response)`."""
    rejected = f" (not: {', '.join(gates['not_passed'])})" if gates["not_passed"] else ""
    return f"{gates['passed']}/5 gates{rejected}"


def _compute(request: Request) -> Result:
    options = request.options
    files, halves = open_records(request), None
    if options["recalibrate"] is not None:
        capture = open_capture(request, options["recalibrate"])
        halves = read_component_values(capture, split=TRAIN), read_component_values(capture, split=TEST)
    mode, dated, draws = (options[key] for key in ("mode", "dated", "draws"))
    request.parameters.update(mode=mode, dated=dated and dated.isoformat(), draws=draws, seed=request.seed)
    return analyse_anchors(files, mode, dated=dated, halves=halves, draws=draws, seed=request.seed)


def _sections(material: Material) -> Iterator[Section]:
    def call(path: str) -> Call:
        return [path], {"recalibrate": material.capture("en")}

    title = "Anchors measured with the embedded reference engine"
    yield Section(lambda: call(material.embedded_run), title=title, about=EMBEDDED, view="embedded")
    for path, stem in material.record_names().items():
        if is_journal(path):
            yield Section(partial(call, str(path)), f"anchors-{stem}", f"Anchors measured: {path.name}", view=stem)


STUDY = Study(
    "anchors",
    "Measured anchors",
    _compute,
    findings,
    group="outcome",
    help="""Measure the anchors from RUNS in percentage points, with intervals and a verdict on each published anchor.

    RUNS are journals of `lab outcome run` with all levers and the filler.
    """,
    argument=Argument("RUNS", several=True),
    options=(
        Option("--mode", "How citations are read.", ("strict", "geo", "zero_based"), "strict"),
        Option("--dated", "When the engines were asked, as a note.", date, metavar="DATE"),
        Option(
            "--recalibrate",
            "Also refit the weights to the measured anchors on these pages (or demo): a demonstration, never shipped.",
            metavar="SOURCE",
        ),
        DRAWS,
        *CAPTURE_OPTIONS,
    ),
    sample=lambda result, _: f"{result['anchors']['baseline_queries']} queries; intervals resample queries",
    sections=_sections,
)
