"""Near-duplicates across pages: MinHash signatures in buckets, and every pair in the same bucket compared in full.

For corpora. The detector `duplication` looks at one page alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steelyard.detectors.base import PageWords
from steelyard.errors import MissingExtra
from steelyard.text.document import Document

SHINGLE = 5  # words
FEWEST = 20  # shingles: two lines of navigation are no page
PERMUTATIONS = 128
SEED = 1
THRESHOLD = 0.5
_LOOSER = 0.1  # the buckets use a threshold this much lower, so that few pairs above the real one are missed


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pages by their numbers: the share of shingles in either that are in both, and of the smaller page's."""

    first: int
    second: int
    similarity: float
    contained: float


def hash_shingles(doc: Document) -> frozenset[int]:
    """Return the page's five-word sequences as numbers of 32 bits; none for a page with too few."""
    words = PageWords(doc).words
    shingles = {zlib.crc32(" ".join(words[i : i + SHINGLE]).encode()) for i in range(len(words) - SHINGLE + 1)}
    return frozenset(shingles) if len(shingles) >= FEWEST else frozenset()


def find_near_duplicates(pages: Sequence[frozenset[int]], threshold: float = THRESHOLD) -> list[Pair]:
    """Return the pairs at or above the threshold. Linear in the number of pages as long as few are alike."""
    pairs = []
    for first, second in _find_candidates(pages, threshold):
        one, other = pages[first], pages[second]
        both = len(one & other)
        similarity = both / len(one | other)
        if similarity >= threshold:
            pairs.append(Pair(first, second, similarity, both / min(len(one), len(other))))
    return sorted(pairs, key=lambda p: (p.first, p.second))


def group_pairs(pairs: Sequence[Pair]) -> list[list[int]]:
    """Return the groups of pages that pairs connect, the largest first."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        both = [group_of.setdefault(page, [page]) for page in (pair.first, pair.second)]
        small, large = sorted(both, key=len)
        if small is not large:
            large += small
            group_of |= dict.fromkeys(small, large)
    groups = {id(group): sorted(group) for group in group_of.values()}
    return sorted(groups.values(), key=lambda g: (-len(g), g))


def _find_candidates(pages: Sequence[frozenset[int]], threshold: float) -> Iterator[tuple[int, int]]:
    """Yield pairs that share a bucket. Pages with the same shingles are compared with the first of them only."""
    try:
        import datasketch
    except ImportError as error:
        raise MissingExtra("lab", "datasketch") from error
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
