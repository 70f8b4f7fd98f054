"""Compressibility of a text."""

from __future__ import annotations

import gzip

from steelyard.components.arithmetic.numbers import clamp


def gzip_ratio(text: str) -> float:
    """Return |gzip(x)| / |x| in UTF-8 bytes, level 9, no timestamp; 1.0 for an empty text."""
    data = text.encode("utf-8", "replace")
    return len(gzip.compress(data, compresslevel=9, mtime=0)) / len(data) if data else 1.0


def diversity(text: str) -> float:
    """Return the paper's gamma: clamp((ratio - 0.1) / 0.9; 0, 1)."""
    return clamp((gzip_ratio(text) - 0.1) / 0.9)
