"""Synthetic responses and component values whose figures are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.protocol.component_values import ComponentValues
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import VARIANTS

AS_OF = date(2026, 7, 1)

# What a sound scorer answers, over a page of 50 points; multiples of 1/8 so that every mean is exact.
SOUND = {
    **{f"quotation-{dose}": 4.0 for dose in (1, 2, 3, 8)},
    **{f"statistics-{dose}": 3.0 for dose in (1, 2, 3, 8)},
    **{f"cite_sources-{dose}": 2.0 for dose in (1, 2, 3, 8)},
    "technical_terms-1": 0.125,
    "keyword_stuffing-1": -2.0,
    "keyword_stuffing-8": -8.0,
    "duplication-1": -1.0,
    "combined-1": 8.0,
    "combined-8": 7.0,
}
SOURCES = 16  # a power of two: a mean over them loses no bit


def responses(
    changes: Mapping[str, float] | None = None,
    *,
    words: Sequence[int] | None = None,
    spread: Sequence[float] | None = None,
    base: float = 50.0,
) -> Responses:
    """The sound scorer with some of its answers changed; `spread` moves a page in all its variants alike."""
    given = {**SOUND, **(changes or {})}
    words = words or tuple((200, 400)[i % 2] for i in range(SOURCES))
    # Two pages up and two down in turn, while lengths change at every page: no correlation with length.
    spread = spread or [(-1.0, -1.0, 1.0, 1.0)[i % 4] for i in range(len(words))]
    points = {v.name: [base + s + given.get(v.name, 0.0) for s in spread] for v in VARIANTS}
    return Responses(tuple(f"page-{i}" for i in range(len(words))), tuple(words), points)


def noisy_responses(seed: int, sources: int = 24, noise: float = 3.0) -> Responses:
    """A sound scorer on pages that differ in everything."""
    rng = np.random.default_rng(seed)
    words = tuple(int(w) for w in rng.integers(200, 400, sources))
    points = {
        v.name: (50 + 2 * SOUND.get(v.name, 0.0) + noise * rng.standard_normal(sources)).tolist() for v in VARIANTS
    }
    return Responses(tuple(f"page-{i}" for i in range(sources)), words, points)


def component_values(
    changes: Mapping[tuple[str, str], float | Sequence[float]], *, sources: int = 12, base: float = 20.0
) -> ComponentValues:
    """Every component at `base` under every variant, but for the named (variant, component)s."""
    values = {v.name: np.full((sources, len(NAMES)), base) for v in VARIANTS}
    for (variant, component), value in changes.items():
        values[variant][:, NAMES.index(component)] = value
    names = tuple(f"page-{i}" for i in range(sources))
    return ComponentValues(names, tuple(200 + 10 * i for i in range(sources)), values)
