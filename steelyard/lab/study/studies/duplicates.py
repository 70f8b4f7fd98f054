"""`gaming duplicates`: which pages are nearly the same."""

from __future__ import annotations

import hashlib

from steelyard import languages
from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.inputs.find import find_pages
from steelyard.lab.gaming.near_duplicates import find_near_duplicates, group_pairs, hash_shingles
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.study import Argument, Option, Request, Result, Study
from steelyard.pipeline import read_page
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress
from steelyard.text.document import Document
from steelyard.text.source import Source

SHOWN = 30
FEWEST = 2
_THRESHOLD = Option(
    "--threshold", "Share of five-word sequences in either page that are in both.", float, 0.5, minimum=0.2, maximum=1
)


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
    if len(pages) < FEWEST:
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
        "groups": [[names[i] for i in group] for group in group_pairs(pairs)],
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
    options=(_THRESHOLD,),
    exit_code=lambda result, _: 2 if result["unread"] else int(bool(result["pairs"])),
)
