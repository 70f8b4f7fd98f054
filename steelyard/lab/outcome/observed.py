"""What the baseline answers show, by engine and run and over all of them: position, content, freshness, dispersion."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from typing import Any

from steelyard.lab.outcome.agreement import Query, Read, agreement, query_of, read, scored, snippets
from steelyard.lab.outcome.dispersion import dispersion, half
from steelyard.lab.outcome.freshness import freshness
from steelyard.lab.outcome.position import position
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.visibility import Visibility, Visible

BLOCKS = ("position", "agreement", "freshness", "dispersion")


def observed(visibility: Visibility, *, as_of: date, draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The four blocks for every group and pooled; edited answers do not enter.

    Blocks of content are undefined where sources are snippets, and pooled over the other groups, which are named. Only
    answers asked in several orders enter an average over orders.
    """
    kept = [v for v in visibility.kept if v.arm == BASELINE]
    groups = {group: [v for v in kept if v.group == group] for group in dict.fromkeys(v.group for v in kept)}
    whole = [group for group, records in groups.items() if snippets(records) is None]
    long = [v for v in kept if v.group in whole]
    known = read(long, as_of)
    train = half(query_of(v) for v in kept)
    return {
        "mode": visibility.mode,
        "as_of": as_of.isoformat(),
        "draws": draws,
        "seed": seed,
        "order": list(groups),
        "groups": {
            group: _blocks(records, records, known=known, train=train, draws=draws, seed=seed)
            for group, records in groups.items()
        },
        "pooled": {
            "content_of": whole,
            **_blocks(kept, long or kept, known=known, train=train, draws=draws, seed=seed),
        },
    }


def _blocks(
    records: Sequence[Visible],
    long: Sequence[Visible],
    *,
    known: Read,
    train: frozenset[Query],
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """Each block has a generator of its own, the same for every group: equal records have equal intervals."""
    rng = {block: random.Random(f"{seed}|{block}") for block in BLOCKS}
    found: dict[str, Any] = {
        "queries": len({query_of(v) for v in records}),
        "position": position(records, draws=draws, rng=rng["position"]),
    }
    if (short := snippets(long)) is not None:
        return {**found, **{block: short for block in BLOCKS if block != "position"}}
    sample = scored(long, known)
    return {
        **found,
        "agreement": agreement(sample, draws=draws, rng=rng["agreement"]),
        "freshness": freshness(sample, draws=draws, rng=rng["freshness"]),
        "dispersion": dispersion(sample, train, draws=draws, rng=rng["dispersion"]),
    }
