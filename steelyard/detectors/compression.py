"""compression: how much smaller the text becomes, which is how much of it is predictable from the rest."""

from __future__ import annotations

import zlib

from steelyard.detectors.base import Detector, Measured
from steelyard.detectors.inspected import Examined

LEVEL = 6
PIECE = 4000  # bytes: longer texts compress better by their length alone, so the most compressible piece counts
SHORTEST = 600  # bytes


class Compression(Detector):
    """1 less the ratio of compressed to plain bytes, of the most compressible piece of 4,000."""

    about = "the share of bytes that compression saves in the most predictable 4,000"
    least = 0.7  # leaflets that repeat their terms reach it

    def measure(self, page: Examined) -> Measured:
        data = page.doc.text.encode("utf-8", "replace")
        if len(data) < SHORTEST:
            return Measured(0.0)
        pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
        if len(pieces) > 1 and len(pieces[-1]) < PIECE:
            pieces[-1] = data[-PIECE:]  # the end with as much before it as makes a whole piece
        saved = max(1 - len(zlib.compress(piece, LEVEL)) / len(piece) for piece in pieces)
        return Measured(max(0.0, saved), {"bytes": len(data)})
