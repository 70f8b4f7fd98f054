"""Pipeline: the same responses on the score itself, with freshness, caps and guards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.gates import judge, passed
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.readings import TooFewSources
from steelyard.lab.protocol.variants import INTERVENTIONS, MOST, STUFFING
from steelyard.lab.scorers.ours import NO_CAP, NO_GUARD
from steelyard.scoring import weighting
from steelyard.scoring.guards import Guard
from steelyard.scoring.page import contributions, final

# The paper's prior ran on raw values; under our own scale every weighting is applied to the square root.
ROWS = (("shipped", "shipped", "sqrt"), ("prior", "prior", "sqrt"), ("prior, raw", "prior", "raw"))


def pipeline_score(values: Mapping[str, float], weights: Mapping[str, float], transform: str = "sqrt") -> float:
    """The final score of captured values under a weighting, by the product's own steps."""
    if transform == "raw":
        content = math.fsum(weight * values[name] for name, weight in weights.items())
    else:
        content = math.fsum(contributions(values, weights).values())
    guard = None if values["guard"] == NO_GUARD else Guard("captured", values["guard"], "")
    limit = None if values["cap"] == NO_CAP else values["cap"]
    return final(min(100.0, content), values["freshness"], limit, guard)


def pipeline(captures: Mapping[str, Capture]) -> dict[str, Any]:
    """Per capture (a language, say) and weighting: responses, alignment and gates on the final score."""
    found: dict[str, Any] = {}
    for label, capture in captures.items():
        for row, name, transform in ROWS:
            weights = weighting.load(name).weights
            responses = capture.responses(partial(pipeline_score, weights=weights, transform=transform))
            if not len(responses):
                raise TooFewSources(0, 0)
            aligned, verdicts = align(responses, draws=0), judge(responses, draws=0)
            found.setdefault(label, {})[row] = {
                "sources": len(responses),
                "responses": {edit: responses.delta(edit, 1) for edit in INTERVENTIONS},
                "stuffing_dose_8": responses.delta(STUFFING, MOST),
                "pearson": aligned.pearson,
                "spearman": aligned.spearman,
                "gates": passed(verdicts),
                "not_passed": [v.gate for v in verdicts if v.status != PASS],
            }
    return found
