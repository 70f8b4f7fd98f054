"""`gaming duplicates`: which pages are nearly the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.gaming.near_duplicates import Pair, groups
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import right
from steelyard.support.table import Column, Table

SHOWN = 30


def result(names: Sequence[str], pages: Sequence[frozenset[int]], pairs: Sequence[Pair], threshold: float) -> Any:
    """The study's result: pairs and groups by the pages' names."""
    return {
        "pages": len(pages),
        "too_short": sum(not p for p in pages),
        "threshold": threshold,
        "pairs": [
            {"first": names[p.first], "second": names[p.second], "similarity": p.similarity, "contained": p.contained}
            for p in pairs
        ],
        "groups": [[names[i] for i in group] for group in groups(pairs)],
    }


def findings(result: Mapping[str, Any]) -> Findings:
    pairs = sorted(result["pairs"], key=lambda p: (-p["similarity"], p["first"], p["second"]))
    rows = [[p["first"], p["second"], f"{p['similarity']:.2f}", f"{p['contained']:.2f}"] for p in pairs[:SHOWN]]
    columns = [Column("page"), Column("nearly the same as"), right("similar"), right("contained")]
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
    return Findings(
        "duplicates", result, [Titled("Near-duplicates", Table(columns, rows), note)] if rows else [], {}, lines
    )
