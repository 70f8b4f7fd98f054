"""compression: how little gzip can shorten the text. Ours, range 0 to 1."""

from __future__ import annotations

from steelyard.components.arithmetic.compression import gzip_ratio
from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.peers.base import InProcess


def incompressible(text: str) -> float:
    """The gzip ratio, clipped at 1: gzip's header makes very short texts longer than they were.

    An empty text says nothing and gets 0.
    """
    return min(1.0, gzip_ratio(text)) if text else 0.0


COMPRESSION = InProcess(
    name="compression",
    version="1",
    range=Range(0.0, 1.0),
    about="the size after gzip over the size before, clipped at 1",
    measure=incompressible,
)
