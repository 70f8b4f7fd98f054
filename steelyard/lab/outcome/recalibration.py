"""The weights that the modern anchors would give: a demonstration, labelled as one and never shipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.families import sqrt
from steelyard.lab.protocol.gates import DRAWS, judge, passed
from steelyard.lab.protocol.readings import FEWEST, Array, Readings, TooFewSources
from steelyard.lab.protocol.strategies import gate_records
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.correlation import pearson, permutation_p

FLAT = 1e-4  # of the weakest strength of the fit: what λ → 0 is read at
ZERO = 0.0005  # a weight under this is printed as 0.000


def recalibrated(modern: Sequence[float], train: Readings, test: Readings, *, draws: int = DRAWS) -> dict[str, Any]:
    """The paper's pipeline with the anchors replaced: nested strength, gates, alignment of the held-out half.

    With three anchors no alignment can be tested: one of six orders agrees by chance.
    """
    if len(train) < FEWEST or len(test) < FEWEST:
        raise TooFewSources(len(train), len(test))
    gamma = np.array(modern, float)
    found = fit.nested(train, sqrt, gamma=gamma)
    free = fit.fit(train.matrix(sqrt)[: len(gamma)], FLAT * min(fit.LAMBDAS), gamma=gamma)
    shipped = fit.vector("shipped")
    rows = test.matrix(sqrt)[: len(gamma)]
    return {
        "label": "modern-anchor recalibration, a demonstration that is not shipped",
        "anchors": list(modern),
        "order": list(LEVERS),
        "ridge": found.ridge,
        "ridge_is_the_greatest": found.ridge == max(fit.LAMBDAS),
        "weights": dict(zip(NAMES, found.weights.tolist(), strict=True)),
        "without_ridge": {
            "weights": dict(zip(NAMES, free.weights.tolist(), strict=True)),
            "zeroed": [n for n, w in zip(NAMES, free.weights.tolist(), strict=True) if w < ZERO],
        },
        "gates": _gates(test, found.weights, draws),
        "shipped_gates": _gates(test, shipped, draws),
        "alignment": {
            "recalibrated": pearson((rows @ found.weights).tolist(), list(modern)),
            "shipped": pearson((rows @ shipped).tolist(), list(modern)),
            "permutation_p_of_shipped": permutation_p((rows @ shipped).tolist(), list(modern)),
            "smallest_p": 1 / 6,
        },
    }


def _gates(test: Readings, weights: Array, draws: int) -> dict[str, Any]:
    verdicts = judge(test.responses(sqrt, weights), draws=draws)
    return {"passed": passed(verdicts), "verdicts": gate_records(verdicts)}
