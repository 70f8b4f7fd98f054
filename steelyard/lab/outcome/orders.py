"""In which orders an engine sees its sources: with one order alone, its effect would be measured first."""

from __future__ import annotations

from steelyard.errors import UnknownName
from steelyard.lab.outcome.records.base import FORWARD, REVERSED

SCHEMES = ("counterbalanced", "single", "latin")
ROTATED = "rotated "


def list_orders(n: int, scheme: str = "counterbalanced") -> dict[str, tuple[int, ...]]:
    """Return, by name of the order, which source is at each place of the prompt.

    `single` is the paper's, `counterbalanced` adds its reverse, `latin` is the n rotations: every source once at
    every place.
    """
    forward = tuple(range(n))
    if scheme == "single":
        return {FORWARD: forward}
    if scheme == "counterbalanced":
        return {FORWARD: forward, REVERSED: forward[::-1]}
    if scheme == "latin":
        return {FORWARD if not k else f"{ROTATED}{k}": (*forward[k:], *forward[:k]) for k in range(n)}
    raise UnknownName("scheme of orders", scheme, SCHEMES)


def has_order(order: str, n: int) -> bool:
    """Return whether `n` sources can be shown in that order: there are only n rotations of them."""
    return not order.startswith(ROTATED) or int(order.removeprefix(ROTATED)) < n
