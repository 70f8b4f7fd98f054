"""The same responses on the full score, with freshness, caps and guards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from steelyard.lab.protocol.alignment import align, summarize_responses
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import TooFewSources
from steelyard.lab.scorers.own import NO_CAP, NO_GUARD
from steelyard.scoring import weighting
from steelyard.scoring.guards import Guard
from steelyard.scoring.page import contributions, final_score

# The paper's prior ran on raw values; under our own scale every weighting is applied to the square root.
ROWS = (("shipped", "shipped", "sqrt"), ("prior", "prior", "sqrt"), ("prior, raw", "prior", "raw"))


def recompute_score(values: Mapping[str, float], weights: Mapping[str, float], transform: str = "sqrt") -> float:
    """Return the full score of captured values under a weighting, by the product's own steps."""
    if transform == "raw":
        content = math.fsum(weight * values[name] for name, weight in weights.items())
    else:
        content = math.fsum(contributions(values, weights).values())
    guard = None if values["guard"] == NO_GUARD else Guard("captured", values["guard"], "")
    limit = None if values["cap"] == NO_CAP else values["cap"]
    return final_score(min(100.0, content), values["freshness"], limit, guard)


def study_full_score(captures: Mapping[str, Capture]) -> dict[str, Any]:
    """Return responses, alignment and gates on the full score, per capture (a language, say) and weighting."""
    studied: dict[str, Any] = {}
    for label, capture in captures.items():
        studied[label] = {}
        for row, name, transform in ROWS:
            weights = weighting.load(name).weights
            responses = capture.responses(partial(recompute_score, weights=weights, transform=transform))
            if not len(responses):
                raise TooFewSources(0, 0)
            aligned = align(responses, draws=0)
            studied[label][row] = {
                **summarize_responses(responses),
                "sources": len(responses),
                "responses": aligned.responses,
                "spearman": aligned.spearman,
            }
    return studied
