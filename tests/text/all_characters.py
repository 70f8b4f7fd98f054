"""The characters that are asked about: all with --all, otherwise some of each block in which all are alike."""

from __future__ import annotations

import os
from itertools import chain, pairwise

# Where a block begins, and of how many characters one is asked about: ideographs, syllables of Hangul, private and
# unassigned characters have no other case and no digit, and no pattern names one. The halves of others are none.
_BLOCKS = (
    (0, 1), (0x3400, 16), (0xA000, 1), (0xAC00, 16), (0xD800, 0), (0xE000, 16), (0xF900, 1), (0x17000, 16),
    (0x18E00, 1), (0x20000, 61), (0x2F800, 1), (0x2FA20, 61), (0xE0000, 1), (0xE0200, 61), (0x110000, 0),
)  # fmt: skip


def choose_characters() -> str:
    every = bool(os.environ.get("STEELYARD_TEST_ALL"))
    parts = (range(start, end, 1 if every else step) for (start, step), (end, _) in pairwise(_BLOCKS) if step)
    return "".join(map(chr, chain(*parts)))
