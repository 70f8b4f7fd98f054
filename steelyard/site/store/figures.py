"""The figures of an audit: how many addresses in each state, mean and median score."""

from __future__ import annotations

import math
from array import array

from sqlalchemy import Connection, and_, func, select

from steelyard.site.model import PROBE, SCORED
from steelyard.site.store.tables import addresses


def summarise(connection: Connection, audit: int) -> tuple[dict[str, int], float | None, float | None]:
    """Return the number of addresses by state, and the mean and the median of the scored pages."""
    this = and_(addresses.c.audit == audit, addresses.c.origin != PROBE)
    by_state = select(addresses.c.state, func.count()).where(this).group_by(addresses.c.state)
    counts = {str(state): int(n) for state, n in connection.execute(by_state.order_by(addresses.c.state))}
    # Sorted and added exactly, so that both databases give the same last digit; eight bytes for each page.
    listed = select(addresses.c.score).where(this, addresses.c.state == SCORED, addresses.c.score.is_not(None))
    scores = array("d", connection.execute(listed.order_by(addresses.c.score)).scalars())
    if not scores:
        return counts, None, None
    middle = len(scores) // 2
    median = scores[middle] if len(scores) % 2 else (scores[middle - 1] + scores[middle]) / 2
    return counts, math.fsum(scores) / len(scores), median
