"""Scorers by other people, or as simple as can be, to put the gates' figures beside ours."""

from __future__ import annotations

from steelyard.errors import UnknownName
from steelyard.lab.scorers.peers.base import Peer
from steelyard.lab.scorers.peers.compression import COMPRESSION
from steelyard.lab.scorers.peers.flesch import FLESCH
from steelyard.lab.scorers.peers.geo_optimizer import GEO_OPTIMIZER
from steelyard.lab.scorers.peers.gopher_rules import GOPHER_RULES
from steelyard.lab.scorers.peers.length import LENGTH

PEERS: tuple[Peer, ...] = (LENGTH, COMPRESSION, GOPHER_RULES, FLESCH, GEO_OPTIMIZER)
NAMES: tuple[str, ...] = tuple(p.name for p in PEERS)


def peer(name: str) -> Peer:
    """The peer of that name."""
    for found in PEERS:
        if found.name == name:
            return found
    raise UnknownName("peer", name, NAMES)


__all__ = ["NAMES", "PEERS", "Peer", "peer"]
