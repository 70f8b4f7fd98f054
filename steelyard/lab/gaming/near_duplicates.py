"""Near-duplicates across pages: MinHash signatures in buckets, and every pair that meets in one compared in full.

For corpora. One page alone is the work of the detector `duplication`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.detectors.inspected import Examined
from steelyard.errors import MissingExtra
from steelyard.text.document import Document

SHINGLE = 5  # words
FEWEST = 20  # shingles: two lines of navigation are no page
PERMUTATIONS = 128
SEED = 1
THRESHOLD = 0.5
_LOOSER = 0.1  # buckets are drawn this much under the threshold, so that few pairs above it are missed


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pages by their numbers: the share of shingles in either that are in both, and of the smaller page's."""

    first: int
    second: int
    similarity: float
    contained: float


def shingles(doc: Document) -> frozenset[int]:
    """The page's five-word sequences, each as a number of 32 bits; empty for a page with too few."""
    words = Examined(doc).words
    found = {zlib.crc32(" ".join(words[i : i + SHINGLE]).encode()) for i in range(len(words) - SHINGLE + 1)}
    return frozenset(found) if len(found) >= FEWEST else frozenset()


def near_duplicates(pages: Iterable[frozenset[int]], threshold: float = THRESHOLD) -> list[Pair]:
    """Pairs at or above the threshold, by the pages' numbers. Linear in the pages as long as few are alike."""
    kept = list(pages)
    found = []
    for first, second in _candidates(kept, threshold):
        both = len(kept[first] & kept[second])
        similarity = both / (len(kept[first]) + len(kept[second]) - both)
        if similarity >= threshold:
            found.append(Pair(first, second, similarity, both / min(len(kept[first]), len(kept[second]))))
    return sorted(found, key=lambda p: (p.first, p.second))


def groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """Pages that pairs lead from one to the other, largest group first."""
    leads: dict[int, int] = {}

    def head(page: int) -> int:
        while leads.setdefault(page, page) != page:
            leads[page] = leads[leads[page]]
            page = leads[page]
        return page

    for pair in pairs:
        low, high = sorted((head(pair.first), head(pair.second)))
        leads[high] = low
    found: dict[int, list[int]] = {}
    for page in sorted(leads):
        found.setdefault(head(page), []).append(page)
    return sorted(found.values(), key=lambda g: (-len(g), g))


def _candidates(pages: Sequence[frozenset[int]], threshold: float) -> Iterator[tuple[int, int]]:
    """Pairs that share a bucket. Pages of the same shingles are compared with the first of them only."""
    datasketch = _library()
    index = datasketch.MinHashLSH(threshold=max(0.1, threshold - _LOOSER), num_perm=PERMUTATIONS)
    first_of: dict[frozenset[int], int] = {}
    for number, page in enumerate(pages):
        if not page:
            continue
        if page in first_of:
            yield first_of[page], number
            continue
        first_of[page] = number
        signature = datasketch.MinHash(num_perm=PERMUTATIONS, seed=SEED, hashfunc=int)
        signature.update_batch(sorted(page))
        yield from ((other, number) for other in sorted(index.query(signature)))
        index.insert(number, signature)


def _library() -> Any:
    try:
        import datasketch
    except ImportError as error:
        raise MissingExtra("lab", "datasketch") from error
    return datasketch
