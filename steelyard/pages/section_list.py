"""The sections of a page for people: a table, and which of them is the weakest and the strongest."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.pipeline import PageResult
from steelyard.scoring.sections import Section, find_strongest, find_weakest
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

OPENING = "(before the first heading)"
MAX_NAME = 60  # characters of a heading in a sentence
# What a kind of evidence is called, once and often; in JSON it has the name of the paper's lever.
_NAMES = {
    "quotation": ("quotable passage", "quotable passages"),
    "statistic": ("figure", "figures"),
    "citation": ("source", "sources"),
    "entity": ("name, date or amount", "names, dates and amounts"),
}


def list_shown(result: PageResult) -> Sequence[Section]:
    """Return the sections of a page, or none where fewer than two are long enough to be compared."""
    sections = result.sections or ()
    return sections if find_weakest(sections) else ()


def name_section(section: Section) -> str:
    """Return the heading of a section."""
    return OPENING if section.heading is None else section.heading or "(a heading without words)"


def describe_evidence(section: Section) -> str:
    """Say how many pieces of evidence of each kind are in a section."""
    counts = [(n, kind) for kind, n in section.evidence.items() if n]
    return "; ".join(f"{n} {_NAMES[kind][n != 1]}" for n, kind in counts) or "none"


def describe_extremes(sections: Sequence[Section]) -> str:
    """Name the weakest and the strongest section; an empty string where there are none to compare."""
    weakest, strongest = find_weakest(sections), find_strongest(sections)
    if weakest is None or strongest is None:
        return ""
    return f"weakest section: {_quote(weakest)}; strongest: {_quote(strongest)}"


def describe_gaps(sections: Sequence[Section]) -> str:
    """Say why some sections have no content; an empty string where all have."""
    reasons = sorted({section.reason for section in sections if section.reason})
    return f"–: {'; '.join(reasons)}" if reasons else ""


def _quote(section: Section) -> str:
    name = name_section(section)
    name = name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1].rstrip()}…"
    return f"{name if section.heading is None else f'“{name}”'} ({section.content or 0.0:.1f})"


def make_table(
    sections: Sequence[Section],
    *,
    width: int | None = None,
    evidence_width: int | None = None,
    with_lines: bool = True,
    with_kinds: bool = True,
) -> Table:
    """Return the table of the sections.

    The evidence is listed by kind, or only counted.

    Args:
        sections: The sections, in their order.
        width: The columns for a heading; without it headings are whole.
        evidence_width: The columns for the evidence; without it all of it is listed.
        with_lines: Whether to give the lines; those of extracted text are in no file.
        with_kinds: Whether to say which kinds of evidence there are, and not only how much.
    """
    heads = [
        Column("section", width=width),
        *([Column("line", right=True)] if with_lines else []),
        Column("words", ",", right=True),
        Column("content", ".1f", right=True),
        Column("evidence", right=not with_kinds, width=evidence_width),
    ]
    rows = [
        [
            name_section(s), *([s.line] if with_lines else []), s.words, s.content,
            describe_evidence(s) if with_kinds else sum(s.evidence.values()),
        ]
        for s in sections
    ]  # fmt: skip
    return Table(heads, rows)


def describe_rest(total: int, shown: int) -> str:
    """Say how many sections are not shown."""
    return f"… and {format_count(total - shown, 'more section')}" if total > shown else ""
