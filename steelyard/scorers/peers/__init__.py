"""Scorers by other people, or as simple as can be, to put the gates' figures beside ours."""

from __future__ import annotations

from steelyard.base.errors import UnknownName
from steelyard.scorers.peers.base import Peer
from steelyard.scorers.peers.compression import COMPRESSION
from steelyard.scorers.peers.flesch import FLESCH
from steelyard.scorers.peers.geo_optimizer import GEO_OPTIMIZER
from steelyard.scorers.peers.gopher_rules import GOPHER_RULES
from steelyard.scorers.peers.length import LENGTH

PEERS: tuple[Peer, ...] = (LENGTH, COMPRESSION, GOPHER_RULES, FLESCH, GEO_OPTIMIZER)
NAMES: tuple[str, ...] = tuple(p.name for p in PEERS)


def peer(name: str) -> Peer:
    """The peer of that name."""
    for found in PEERS:
        if found.name == name:
            return found
    raise UnknownName("peer", name, NAMES)


__all__ = ["NAMES", "PEERS", "Peer", "peer"]
