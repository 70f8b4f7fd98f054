"""A fingerprint of 64 bits that is nearly the same for texts that are nearly the same (Charikar 2002)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import pairwise

BITS = 64
# Bits in which two pages may differ and still be near duplicates. Of 300 real pages of 200 to 400 words any two differ
# in 16 or more; a page with 1% of its words replaced in 8 or fewer in 99 of 100 cases, with 2% in 92, with 5% in 62.
NEAR = 8
MIN_WORDS = 40  # words; below this a handful of common words makes strangers look alike
MAX_WORDS = 20_000  # that are looked at: by then two pages that differ do so
_WORD = re.compile(r"\w+")


def fingerprint(text: str) -> int | None:
    """Return the fingerprint of a text; None for one that is too short to tell."""
    words = _WORD.findall(text.lower())[:MAX_WORDS]
    if len(words) < MIN_WORDS:
        return None
    totals = [0] * BITS
    for pair, count in Counter(pairwise(words)).items():
        digest = int.from_bytes(hashlib.blake2b(" ".join(pair).encode("utf-8", "replace"), digest_size=8).digest())
        for bit in range(BITS):
            totals[bit] += count if digest >> bit & 1 else -count
    return sum(1 << bit for bit in range(BITS) if totals[bit] > 0)


def count_differences(one: int, other: int) -> int:
    """Return in how many bits two fingerprints differ."""
    return (one ^ other).bit_count()
