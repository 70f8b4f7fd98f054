"""What the unedited answers show, by engine and run and pooled: position, agreement, freshness and dispersion."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from typing import Any

from steelyard.lab.outcome import score_agreement as agreement
from steelyard.lab.outcome.position_effect import measure_position
from steelyard.lab.outcome.query_shares import QueryShares, group_pairs
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.score_dispersion import draw_training_queries, measure_dispersion


def analyse_baseline(
    records: Sequence[QueryShares], mode: str, *, as_of: date, draws: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """Return the four blocks for every group and pooled; edited answers do not enter.

    Blocks of content are undefined if sources are snippets, and pooled over the other groups, which are named. Only
    answers asked in several orders enter an average over orders.
    """
    kept = [v for v in records if v.arm == BASELINE]
    groups = group_pairs((v.group, v) for v in kept)
    scorable = [group for group, of_group in groups.items() if agreement.explain_snippets(of_group) is None]
    long = [v for v in kept if v.group in scorable]
    known = agreement.score_sources(long, as_of)
    train = draw_training_queries(agreement.query_of(v) for v in kept)

    def generator(block: str) -> random.Random:
        """Return a block's own generator, the same for every group: equal records have equal intervals."""
        return random.Random(f"{seed}|{block}")

    def make_blocks(records: Sequence[QueryShares], long: Sequence[QueryShares]) -> dict[str, Any]:
        position = measure_position(records, draws=draws, rng=generator("position"))
        blocks: dict[str, Any] = {"queries": len({agreement.query_of(v) for v in records}), "position": position}
        if (undefined := agreement.explain_snippets(long)) is not None:
            return {**blocks, "agreement": undefined, "freshness": undefined, "dispersion": undefined}
        sample = agreement.build_sample(long, known)
        return {
            **blocks,
            "agreement": agreement.measure_agreement(sample, draws=draws, rng=generator("agreement")),
            "freshness": agreement.measure_freshness(sample, draws=draws, rng=generator("freshness")),
            "dispersion": measure_dispersion(sample, train, draws=draws, rng=generator("dispersion")),
        }

    return {
        "mode": mode,
        "as_of": as_of.isoformat(),
        "draws": draws,
        "seed": seed,
        "order": list(groups),
        "groups": {group: make_blocks(of_group, of_group) for group, of_group in groups.items()},
        "pooled": {"content_of": scorable, **make_blocks(kept, long or kept)},
    }
