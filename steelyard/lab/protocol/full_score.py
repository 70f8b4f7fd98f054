"""The same responses on the full score, with freshness, caps and guards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from steelyard.lab.protocol.alignment import align, summarize_responses
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import TooFewSources
from steelyard.lab.protocol.gates.length_bias import LengthBias
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, LEVERS, MOST, STUFFING, variant_name
from steelyard.lab.scorers.own import NO_CAP, NO_GUARD
from steelyard.lab.stats.correlation import spearman
from steelyard.scoring import weighting
from steelyard.scoring.guards import Guard
from steelyard.scoring.page import contributions, final_score

# Row, weighting, transform. The paper's prior is linear; `--weights prior` applies its weights to the square root.
ROWS = (("shipped", "shipped", "sqrt"), ("prior", "prior", "raw"), ("prior, sqrt", "prior", "sqrt"))


def recompute_score(
    values: Mapping[str, float], weights: Mapping[str, float], transform: str = "sqrt", *, capped: bool = True
) -> float:
    """Return the full score of captured values under a weighting, by the product's own steps."""
    if transform == "raw":
        content = math.fsum(weight * values[name] for name, weight in weights.items())
    else:
        content = math.fsum(contributions(values, weights).values())
    guard = None if values["guard"] == NO_GUARD else Guard("captured", values["guard"], "")
    limit = values["cap"] if capped and values["cap"] != NO_CAP else None
    return final_score(min(100.0, content), values["freshness"], limit, guard)


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
                "lever_spearman": _rank_levers(responses),
                "length_bias": {
                    "capped": LengthBias().measure(responses).value,
                    "uncapped": LengthBias().measure(capture.responses(partial(score, capped=False))).value,
                },
                "stuffing_over_untouched": {
                    f"dose {dose}": responses.mean(variant_name(STUFFING, dose)) - responses.mean(BASE.name)
                    for dose in (1, MOST)
                },
            }
    return studied


def _rank_levers(responses: Responses) -> float | None:
    """Return the rank correlation of the three levers' responses with their anchors, as in the paper's check."""
    return spearman([responses.delta(lever, 1) for lever in LEVERS], [ANCHORS[lever] for lever in LEVERS])
