"""Duplicate pages of a site: by redirect, by canonical link, by their text, or nearly so."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

BITS = 64  # of a fingerprint
# Bits in which two pages may differ and still be near duplicates. Of 300 real pages of 200 to 400 words any two differ
# in 16 or more; a page with 1% of its words replaced in 8 or fewer in 99 of 100 cases, with 2% in 92, with 5% in 62.
NEAR = 8
MIN_WORDS = 40  # words; below this a handful of common words makes strangers look alike
MAX_WORDS = 20_000  # that are looked at: by then two pages that differ do so
_WORD = re.compile(r"\w+")
_BANDS = NEAR + 1  # two fingerprints that differ in so few bits are equal in one of these parts
_WIDTH = BITS // _BANDS
_MAX_COMPARED = 1_000  # distinct fingerprints with an equal part that are compared pairwise


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored page, with what tells whether it is another page as well."""

    url: str
    final_url: str
    canonical: str | None
    content: str
    simhash: int | None
    depth: int


@dataclass(frozen=True, slots=True)
class Group:
    """Duplicates of one page; `kept` is the one that counts, `others` are the rest with the reason for each."""

    kept: str
    others: tuple[tuple[str, str], ...]


def fingerprint(text: str) -> int | None:
    """Return 64 bits that are nearly the same for texts that are (Charikar 2002); None for one too short to tell."""
    words = _WORD.findall(text.lower())[:MAX_WORDS]
    if len(words) < MIN_WORDS:
        return None
    totals = [0] * BITS
    for pair, count in Counter(pairwise(words)).items():
        digest = int.from_bytes(hashlib.blake2b(" ".join(pair).encode("utf-8", "replace"), digest_size=8).digest())
        for bit in range(BITS):
            totals[bit] += count if digest >> bit & 1 else -count
    return sum(1 << bit for bit in range(BITS) if totals[bit] > 0)


def are_near(first: int | None, second: int | None) -> bool:
    """Return whether two fingerprints are those of near duplicates."""
    return first is not None and second is not None and (first ^ second).bit_count() <= NEAR


def find_groups(pages: Sequence[Candidate]) -> list[Group]:
    """Return the groups of two pages or more, in the order of the page that is kept."""
    sets = _Sets(len(pages))
    for first, second in _find_pairs(pages):
        sets.join(first, second)
    members: defaultdict[int, list[Candidate]] = defaultdict(list)
    for number, page in enumerate(pages):
        members[sets.find(number)].append(page)
    groups = [_make_group(same) for same in members.values() if len(same) > 1]
    return sorted(groups, key=lambda group: group.kept)


def _find_pairs(pages: Sequence[Candidate]) -> Iterator[tuple[int, int]]:
    """Yield pairs of duplicates; where there are several of a page, enough pairs to connect them all."""
    by_address = {page.final_url: number for number, page in enumerate(pages)}
    by_content: dict[str, int] = {}
    for number, page in enumerate(pages):
        yield number, by_address[page.final_url]
        if page.canonical in by_address:
            yield number, by_address[page.canonical]
        yield number, by_content.setdefault(page.content, number)
    by_hash: dict[int, int] = {}
    for number, page in enumerate(pages):
        if page.simhash is not None:
            yield number, by_hash.setdefault(page.simhash, number)
    for first, second in _find_near(by_hash):
        yield by_hash[first], by_hash[second]


def _find_near(hashes: Iterable[int]) -> Iterator[tuple[int, int]]:
    distinct = sorted(hashes)
    for band in range(_BANDS):
        buckets: defaultdict[int, list[int]] = defaultdict(list)
        for value in distinct:
            buckets[value >> band * _WIDTH & (1 << _WIDTH) - 1].append(value)
        for bucket in buckets.values():
            yield from (pair for pair in combinations(bucket[:_MAX_COMPARED], 2) if are_near(*pair))


def _make_group(members: Sequence[Candidate]) -> Group:
    canonical = {page.canonical for page in members}
    kept = min(
        members,
        key=lambda p: (p.url not in canonical, p.url != p.final_url, p.depth, len(p.url), p.url),
    )
    others = sorted((page.url, _explain(page, kept)) for page in members if page is not kept)
    return Group(kept.url, tuple(others))


def _explain(page: Candidate, kept: Candidate) -> str:
    if page.final_url == kept.final_url:
        return f"leads to the same page as {kept.url}"
    if page.canonical is not None and page.canonical in (kept.url, kept.final_url):
        return f"names {page.canonical} as its canonical address"
    if page.content == kept.content:
        return f"has the same text as {kept.url}"
    return f"has nearly the same text as {kept.url}"


class _Sets:
    """Disjoint sets of numbers."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def find(self, number: int) -> int:
        while self._parents[number] != number:
            self._parents[number] = self._parents[self._parents[number]]
            number = self._parents[number]
        return number

    def join(self, first: int, second: int) -> None:
        low, high = sorted((self.find(first), self.find(second)))
        self._parents[high] = low
