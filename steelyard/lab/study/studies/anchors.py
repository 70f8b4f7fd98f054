"""`outcome anchors`: the modern vector beside the published one."""

from __future__ import annotations

from datetime import date

from steelyard.components import NAMES
from steelyard.lab.corpus.corpus import TEST, TRAIN
from steelyard.lab.outcome.anchors import MEANING
from steelyard.lab.outcome.study import analyse_anchors
from steelyard.lab.protocol.component_values import read_component_values
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.formatting import in_words, plain
from steelyard.lab.study.sources import open_capture, open_records
from steelyard.lab.study.studies.outcome import EMBEDDED, list_unpooled
from steelyard.lab.study.study import CAPTURE_OPTIONS, DRAWS, Argument, Option, Request, Result, Section, Study


def findings(result: Result) -> Findings:
    found = result["anchors"]
    rows = []
    for lever in found["order"]:
        e = found["levers"][lever]
        published = f"+{e['published_percent']:g}%", e["published_points"]
        rows.append([in_words(lever), e["n"], e["points"], e["interval"], *published, e["verdict"] or "undefined"])
    note = (
        f"Percentage points of the target's share, paired with filler ({result['mode']}). As points: the published "
        f"relative gain of the untouched target's mean share, {plain(found['baseline_share'], 3)} over "
        f"{found['baseline_queries']:,} queries."
    )
    columns = "lever | n > | points +.2 | interval to.2 | published > | as points +.2 | verdict"
    tables = [make_table(f"Anchors measured {found['dated']}", columns, rows, note)]
    lines = [*result["notes"], *list_unpooled(result["coverage"]), *_verdicts(found)]
    if again := result["recalibration"]:
        if "undefined" in again:
            lines.append(f"recalibration: undefined, {again['undefined']}")
        else:
            rows = [[n, again["weights"][n], again["without_ridge"]["weights"][n]] for n in NAMES]
            columns = "component | with the chosen λ .3 | λ → 0 .3"
            tables.append(make_table("Weights the measured anchors would give", columns, rows))
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


def _recalibrated(again: Result) -> list[str]:
    zeroed = ", ".join(in_words(n) for n in again["without_ridge"]["zeroed"]) or "nothing"
    alignment = again["alignment"]
    greatest = " (the greatest of the grid)" if again["ridge_is_the_greatest"] else ""
    return [
        f"{again['label']}: λ = {again['ridge']:g}{greatest}, "
        f"{again['gates']['passed']}/5 gates on the held-out half (shipped: {again['shipped_gates']['passed']}/5)",
        f"without a ridge it zeroes {zeroed}",
        f"the shipped weights align with the measured anchors at {plain(alignment['shipped'], 3)}; with three anchors "
        f"no alignment can be tested, since p is never under {plain(alignment['smallest_p'], 3)}",
    ]


def _compute(request: Request) -> Result:
    options = request.options
    files, halves = open_records(request), None
    if options["recalibrate"] is not None:
        capture = open_capture(request, options["recalibrate"])
        halves = read_component_values(capture, split=TRAIN), read_component_values(capture, split=TEST)
    dated = options["dated"] or request.as_of
    request.parameters.update(mode=options["mode"], dated=dated.isoformat(), draws=options["draws"], seed=request.seed)
    return analyse_anchors(
        files, options["mode"], dated=dated, halves=halves, draws=options["draws"], seed=request.seed
    )


STUDY = Study(
    "anchors",
    "Anchors measured with the embedded reference engine",
    _compute,
    findings,
    group="outcome",
    help="""Measure the anchors from RUNS in percentage points, with intervals and a verdict on each published anchor.

    RUNS are journals of `outcome run` with all levers and the filler.
    """,
    argument=Argument("RUNS", several=True),
    options=(
        Option("--mode", "How citations are read.", ("strict", "geo", "zero_based"), "strict"),
        Option("--dated", "When the engines were asked. [default: --as-of]", date, metavar="DATE"),
        Option(
            "--recalibrate",
            "Also refit the weights to the measured anchors on these pages (or demo): a demonstration, never shipped.",
            metavar="SOURCE",
        ),
        DRAWS,
        *CAPTURE_OPTIONS,
    ),
    sections=lambda material: [
        Section(lambda: ([material.embedded_run], {"recalibrate": material.capture("en")}), about=EMBEDDED)
    ],
)
