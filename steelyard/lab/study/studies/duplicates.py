"""`lab gaming duplicates`: which pages are nearly the same."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steelyard import languages
from steelyard.detectors.base import PageWords
from steelyard.errors import MissingExtra, PageUnreadable, SteelyardError
from steelyard.inputs.find import find_pages
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.study import Argument, Option, Request, Result, Study
from steelyard.pipeline import read_page
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress
from steelyard.text.document import Document
from steelyard.text.source import Source

SHINGLE = 5  # words
MIN_SHINGLES = 20  # shingles: two lines of navigation are no page
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
    return frozenset(shingles) if len(shingles) >= MIN_SHINGLES else frozenset()


def find_near_duplicates(pages: Sequence[frozenset[int]], threshold: float = THRESHOLD) -> list[Pair]:
    """Return the pairs at or above the threshold. Linear in the number of pages as long as few are alike."""
    pairs = []
    for first, second in _find_candidates(pages, threshold):
        shingles, others = pages[first], pages[second]
        both = len(shingles & others)
        similarity = both / len(shingles | others)
        if similarity >= threshold:
            pairs.append(Pair(first, second, similarity, both / min(len(shingles), len(others))))
    return sorted(pairs, key=lambda p: (p.first, p.second))


def group_pages(pairs: Sequence[Pair]) -> list[list[int]]:
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


SHOWN = 30
MIN_PAGES = 2


def findings(result: Result) -> Findings:
    pairs = sorted(result["pairs"], key=lambda p: (-p["similarity"], p["first"], p["second"]))
    rows = [[p["first"], p["second"], p["similarity"], p["contained"]] for p in pairs[:SHOWN]]
    note = "Similar: share of five-word sequences in either page that are in both. Contained: of the smaller page's."
    if len(pairs) > SHOWN:
        note += f" The {SHOWN} most similar of {len(pairs):,}; the artifact holds all."
    within = sum(len(g) for g in result["groups"])
    lines = [
        f"{result['pages']:,} pages; {len(pairs):,} pairs at {result['threshold']:.2f} or more, "
        f"{within:,} pages in {len(result['groups']):,} groups",
    ]
    if result["too_short"]:
        lines.append(f"{result['too_short']:,} pages are too short to compare")
    columns = "page | nearly the same as | similar .2 | contained .2"
    return Findings(lines, [make_table("Near-duplicates", columns, rows, note)] if rows else [])


def _compute(request: Request) -> Result:
    names, pages, digests, unread = [], [], [], 0
    refs = list(find_pages(request.arguments))
    for ref in show_progress(refs, total=len(refs), noun="pages", quiet=request.quiet):
        try:
            page = read_page(ref)
        except PageUnreadable as error:
            request.warn(f"steelyard: {make_visible(str(error))}")
            unread += 1
            continue
        names.append(page.source)
        digests.append(hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest())
        pages.append(hash_shingles(Document(Source(page.text), languages.load("en"))))
    if len(pages) < MIN_PAGES:
        raise SteelyardError(f"{format_count(len(pages), 'readable page')}; give two or more to compare")
    threshold = request.options["threshold"]
    request.inputs["pages"] = hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()
    request.parameters.update(threshold=threshold)
    pairs = find_near_duplicates(pages, threshold)
    return {
        "pages": len(pages),
        "unread": unread,
        "too_short": sum(not p for p in pages),
        "threshold": threshold,
        "pairs": [
            {"first": names[p.first], "second": names[p.second], "similarity": p.similarity, "contained": p.contained}
            for p in pairs
        ],
        "groups": [[names[i] for i in group] for group in group_pages(pairs)],
    }


STUDY = Study(
    "duplicates",
    "Near-duplicates",
    _compute,
    findings,
    group="gaming",
    help="""Find near-duplicates among many pages: files, directories, globs, or JSONL with a `text` key.

    \b
    Exit codes: 0 none found, 1 some pages are nearly the same, 2 something could not be read.
    """,
    argument=Argument("TARGETS", several=True),
    options=(
        Option(
            "--threshold",
            "Share of five-word sequences in either page that are in both.",
            float,
            THRESHOLD,
            minimum=0.2,
            maximum=1,
        ),
    ),
    exit_code=lambda result, _: 2 if result["unread"] else int(bool(result["pairs"])),
)
