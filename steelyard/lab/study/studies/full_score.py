"""`lab protocol pipeline`: the responses of the score itself, freshness, caps and guards included."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from steelyard.lab.protocol.alignment import align, summarize_responses
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import TooFewSources, read_component_values
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.gates.length_bias import LengthBias
from steelyard.lab.protocol.variants import BASE, INTERVENTIONS, LEVERS, MAX_DOSE, STUFFING, variant_name
from steelyard.lab.scorers.own import recompute_score
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.study.findings import Findings, in_words, make_table, plain, signed
from steelyard.lab.study.material import use_captures
from steelyard.lab.study.paper_comparison import read_grid
from steelyard.lab.study.sources import open_capture, open_french, require
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Request, Result, Study
from steelyard.scoring import weighting

# Row, weighting, transform. The paper's prior is linear; `--weights prior` applies its weights to the square root.
ROWS = (("shipped", "shipped", "sqrt"), ("prior", "prior", "raw"), ("prior, sqrt", "prior", "sqrt"))


def study_full_score(captures: Mapping[str, Capture]) -> dict[str, Any]:
    """Return responses, alignment and gates on the full score, per capture (a language, say) and weighting."""
    studied: dict[str, Any] = {}
    for label, capture in captures.items():
        studied[label] = {}
        for row, name, transform in ROWS:
            weights = weighting.load(name).weights
            score = partial(recompute_score, weights=weights, transform=transform)
            responses = capture.responses(score)
            if not len(responses):
                raise TooFewSources(0, 0)
            aligned = align(responses, draws=0)
            studied[label][row] = {
                **summarize_responses(responses),
                "sources": len(responses),
                "responses": aligned.responses,
                "spearman": aligned.spearman,
                "lever_spearman": spearman(
                    [responses.delta(lever, 1) for lever in LEVERS], [ANCHORS[lever] for lever in LEVERS]
                ),
                "length_bias": {
                    "capped": LengthBias().measure(responses).value,
                    "uncapped": LengthBias().measure(capture.responses(partial(score, capped=False))).value,
                },
                "stuffing_over_untouched": {
                    f"dose {dose}": responses.mean(variant_name(STUFFING, dose)) - responses.mean(BASE.name)
                    for dose in (1, MAX_DOSE)
                },
            }
    return studied


_SHORT = {"technical_terms": "technical", "keyword_stuffing": "stuffing"}  # for a table of 120 columns
_NOTE = (
    "At dose 1, against as much filler. Ranks: Spearman with the anchors, of the three levers and of all five edits."
)
_STUFFING = "Against as much filler, and against the untouched page; the paper does not say which its figures are."
PAPER_STUFFING = ("stuffing over filler, dose 1", "over filler, dose 8")  # columns of the paper's end-to-end check


def findings(result: Result) -> Findings:
    paper = read_grid("appendix: end-to-end check")
    rows, stuffing, lines = [], [], []
    for label, weightings in result["captures"].items():
        for weights, _, _ in ROWS:
            e = weightings[weights]
            first, most = e["responses"]["keyword_stuffing"], e["stuffing_dose_8"]
            responses = (e["responses"][i] for i in INTERVENTIONS)
            ranks = (e["lever_spearman"], e["spearman"])
            rows.append([label, weights, e["sources"], *responses, e["pearson"], *ranks, f"{e['gates']}/5"])
            over = e["stuffing_over_untouched"]
            theirs = paper.get(f"{label}/{weights}", {})
            stuffing.append(
                [label, weights, first, most, over["dose 1"], over["dose 8"]]
                + [signed(theirs.get(column), 1) for column in PAPER_STUFFING]
            )
            verdict = "holds" if first <= 0 and most <= 0 else "FAILS"
            missed = f"; not passed: {', '.join(e['not_passed'])}" if e["not_passed"] else ""
            if "length-bias" in e["not_passed"]:
                bias = e["length_bias"]
                missed += f" (|r| {plain(bias['capped'])}; {plain(bias['uncapped'])} without the caps)"
            lines.append(
                f"{label}, {weights}: the negative control {verdict} ({signed(first)} at dose 1, {signed(most)} at "
                f"dose 8){missed}"
            )
        lines.append(_compare_levers(label, weightings))
    edits = " | ".join(f"{_SHORT.get(e, in_words(e))} +.2" for e in INTERVENTIONS)
    columns = f"pages | weights | n > | {edits} | Pearson .3 | 3 ranks +.2 | 5 ranks +.2 | gates >"
    heads = ["pages", "weights", *(f"{a} x{d} +.2" for a in ("filler", "untouched", "paper") for d in (1, 8))]
    tables = [
        make_table("The full score (prior: linear, as in the paper)", columns, rows, _NOTE),
        make_table("Keyword stuffing on the full score", heads, stuffing, _STUFFING),
    ]
    return Findings(lines, tables)


def _compare_levers(label: str, weightings: Result) -> str:
    """Return what the shipped weights do to quotation and to the order of the three levers."""
    before, after = (weightings[name] for name in ("prior", "shipped"))
    return (
        f"{label}, prior → shipped: quotation {signed(before['responses']['quotation'])} → "
        f"{signed(after['responses']['quotation'])}, rank correlation of the three levers with the anchors "
        f"{signed(before['lever_spearman'], 1)} → {signed(after['lever_spearman'], 1)}"
    )


def _compute(request: Request) -> Result:
    english, french = open_capture(request), open_french(request)
    captures = {english.header.parameters["language"]: english} | ({"fr": french} if french else {})
    for language, capture in captures.items():  # read_component_values() refuses a capture of another scorer
        require(len(read_component_values(capture)), MIN_SOURCES, "source", f" ({language})")
    return {"captures": study_full_score(captures)}


STUDY = Study(
    "pipeline",
    "The full score, with freshness and caps",
    _compute,
    findings,
    group="protocol",
    help="Measure the same edits on `score`, with freshness, caps and guards, under the shipped and the prior weights.",
    options=(FRENCH, *CAPTURE_OPTIONS),
    sample=lambda result, _: (
        f"{', '.join(str(ws['shipped']['sources']) + ' ' + c + ' pages' for c, ws in result['captures'].items())}; "
        "nothing resampled"
    ),
    sections=use_captures,
)
