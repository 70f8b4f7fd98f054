"""`outcome anchors`: the modern vector beside the published one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import partial

from steelyard.components import NAMES
from steelyard.lab.corpus.corpus import TEST, TRAIN
from steelyard.lab.outcome.anchors import MEANING
from steelyard.lab.outcome.study import analyse_anchors
from steelyard.lab.protocol.component_values import read_component_values
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material
from steelyard.lab.study.sources import open_capture, open_records
from steelyard.lab.study.studies.outcome import EMBEDDED, list_unpooled
from steelyard.lab.study.study import CAPTURE_OPTIONS, DRAWS, Argument, Call, Option, Request, Result, Section, Study
from steelyard.scoring import weighting
from steelyard.support.journal import is_journal


def findings(result: Result) -> Findings:
    found = result["anchors"]
    rows = []
    for lever in found["order"]:
        e = found["levers"][lever]
        published = f"{signed(e['published_percent'], 1)}%", e["published_points"]
        rows.append([in_words(lever), e["n"], e["points"], e["interval"], *published, e["verdict"] or "undefined"])
    note = (
        f"Percentage points of the target's share, paired with filler ({result['mode']}). As points: the published "
        f"relative gain of the untouched target's mean share, {plain(found['baseline_share'], 3)} over "
        f"{found['baseline_queries']:,} queries."
    )
    columns = "lever | n > | points +.2 | interval to.2 | published > | as points +.2 | verdict"
    tables = [make_table(" ".join(["Anchors measured", *filter(None, [found["dated"]])]), columns, rows, note)]
    lines = [*result["notes"], *list_unpooled(result["coverage"]), *_verdicts(found)]
    if again := result["recalibration"]:
        if "undefined" in again:
            lines.append(f"recalibration: undefined, {again['undefined']}")
        else:
            shipped = weighting.load(weighting.DEFAULT).weights
            rows = [[n, shipped[n], again["weights"][n], again["without_ridge"]["weights"][n]] for n in NAMES]
            columns = "component | shipped .3 | with the chosen λ .3 | λ → 0 .3"
            tables.append(make_table("Weights the measured anchors would give", columns, rows))
            tables.append(_gates(again))
            lines += _recalibrated(again)
    return Findings(lines, tables)


def _verdicts(found: Result) -> list[str]:
    if not found["judged"]:
        return ["no verdict: an embedded reference answered, which says nothing about the published effects"]
    lines = []
    for verdict in dict.fromkeys(found["levers"][lever]["verdict"] for lever in found["order"]):
        levers = ", ".join(in_words(k) for k in found["order"] if found["levers"][k]["verdict"] == verdict)
        lines.append(
            f"{levers}: {verdict} ({MEANING[verdict]})" if verdict else f"{levers}: undefined, too few queries"
        )
    return lines


def _gates(again: Result) -> Titled:
    """Show every gate's figure for the refits on both halves, and for the shipped weights."""
    free = again["without_ridge"]
    judged = {
        "chosen λ, train": again["train_gates"], "chosen λ, test": again["gates"],
        "λ → 0, train": free["train_gates"], "λ → 0, test": free["gates"],
        "shipped, test": again["shipped_gates"],
    }  # fmt: skip
    rows = []
    for gate in GATES:
        verdicts = [found["verdicts"][gate.name] for found in judged.values()]
        shown = [f"{plain(v['statistic'], 2)} {'' if v['status'] == PASS else v['status']}".strip() for v in verdicts]
        rows.append([gate.name, *shown])
    note = "The gate's statistic; a word beside it where the gate does not pass. Selection would look at train."
    return make_table("The gates on these weights", ["gate", *(f"{head} >" for head in judged)], rows, note)


def _recalibrated(again: Result) -> list[str]:
    zeroed = ", ".join(in_words(n) for n in again["without_ridge"]["zeroed"]) or "nothing"
    alignment, number = again["alignment"], len(again["order"])
    greatest = " (the greatest of the grid)" if again["ridge_is_the_greatest"] else ""
    shipped = f"the shipped weights align with the measured anchors at {plain(alignment['shipped'], 3)}"
    p = alignment["permutation_p_of_shipped"]
    return [
        f"{again['label']}: λ = {again['ridge']:g}{greatest}, {_passed(again['train_gates'])} on the training half, "
        f"{_passed(again['gates'])} on the held-out half (shipped: {again['shipped_gates']['passed']}/5)",
        f"without a ridge it zeroes {zeroed}: {_passed(again['without_ridge']['train_gates'])} on the training half, "
        f"{_passed(again['without_ridge']['gates'])} on the held-out half",
        f"{shipped}; with {number} anchors "
        + ("no alignment can be tested, since " if number < 4 else f"p = {plain(p, 3)}, and ")
        + f"p is never under {plain(alignment['smallest_p'], 3)}",
    ]


def _passed(gates: Result) -> str:
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
    yield Section(lambda: call(material.embedded_run), title=title, about=EMBEDDED)
    for path, stem in material.record_names().items():
        if is_journal(path):
            yield Section(partial(call, str(path)), f"anchors-{stem}", f"Anchors measured: {path.name}")


STUDY = Study(
    "anchors",
    "Measured anchors",
    _compute,
    findings,
    group="outcome",
    help="""Measure the anchors from RUNS in percentage points, with intervals and a verdict on each published anchor.

    RUNS are journals of `outcome run` with all levers and the filler.
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
    sections=_sections,
)
