"""compression: how much smaller the text becomes, that is, how much of it can be predicted from the rest."""

from __future__ import annotations

import zlib

from steelyard.detectors.base import Detector, Measurement, PageWords

LEVEL = 6
PIECE = 4000  # bytes: length alone makes texts more compressible, so only the most compressible piece counts
SHORTEST = 600  # bytes


class Compression(Detector):
    """One minus the ratio of compressed to plain bytes, in the most compressible piece of 4,000."""

    lowest_threshold = 0.7  # leaflets that repeat their terms reach it

    def measure(self, page: PageWords) -> Measurement:
        data = page.doc.text.encode("utf-8", "replace")
        if len(data) < SHORTEST:
            return Measurement(0.0)
        pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
        if len(pieces) > 1 and len(pieces[-1]) < PIECE:
            pieces[-1] = data[-PIECE:]  # the last piece, extended backwards to full size
        saved = max(1 - len(zlib.compress(piece, LEVEL)) / len(piece) for piece in pieces)
        return Measurement(max(0.0, saved), {"bytes": len(data)})
