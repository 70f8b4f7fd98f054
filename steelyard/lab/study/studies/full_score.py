"""`protocol pipeline`: the responses of the score itself, freshness, caps and guards included."""

from __future__ import annotations

from steelyard.lab.protocol.component_values import read_component_values
from steelyard.lab.protocol.full_score import ROWS, study_full_score
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.variants import INTERVENTIONS
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.formatting import in_words, signed
from steelyard.lab.study.material import use_captures
from steelyard.lab.study.sources import open_capture, open_french, require
from steelyard.lab.study.study import CAPTURE_OPTIONS, FRENCH, Request, Result, Study

_SHORT = {"technical_terms": "technical", "keyword_stuffing": "stuffing"}  # for a table of 120 columns
_NOTE = (
    "Responses of `score` at dose 1. A block can lift a short page's cap: "
    "the order of levers is claimed for `content` only."
)


def findings(result: Result) -> Findings:
    rows, lines = [], []
    for label, weightings in result["captures"].items():
        for weights, _, _ in ROWS:
            e = weightings[weights]
            first, most = e["responses"]["keyword_stuffing"], e["stuffing_dose_8"]
            responses = (e["responses"][i] for i in INTERVENTIONS)
            rows.append(
                [label, weights, e["sources"], *responses, most, e["pearson"], e["spearman"], f"{e['gates']}/5"]
            )
            verdict = "holds" if first <= 0 and most <= 0 else "FAILS"
            missed = f"; not passed: {', '.join(e['not_passed'])}" if e["not_passed"] else ""
            lines.append(
                f"{label}, {weights}: the negative control {verdict} ({signed(first)} at dose 1, {signed(most)} at "
                f"dose 8){missed}"
            )
    edits = " | ".join(f"{_SHORT.get(e, in_words(e))} +.2" for e in INTERVENTIONS)
    columns = f"pages | weights | n > | {edits} | stuffing x8 +.2 | Pearson .3 | Spearman +.2 | gates >"
    return Findings(lines, [make_table("The full score", columns, rows, _NOTE)])


def _compute(request: Request) -> Result:
    found, french = open_capture(request), open_french(request)
    captures = {found.header.parameters["language"]: found} | ({"fr": french} if french else {})
    for language, capture in captures.items():  # read_component_values() refuses a capture of another scorer
        require(len(read_component_values(capture)), FEWEST_SOURCES, "source", f" ({language})")
    return {"captures": study_full_score(captures)}


STUDY = Study(
    "pipeline",
    "The full score, with freshness and caps",
    _compute,
    findings,
    group="protocol",
    help="Measure the same edits on `score`, with freshness, caps and guards, under the shipped and the prior weights.",
    options=(FRENCH, *CAPTURE_OPTIONS),
    sections=use_captures,
)
