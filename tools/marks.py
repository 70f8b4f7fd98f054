"""Compare the editions' patterns with what readers marked on the measuring pages.

    python -m tools.marks            reads $STEELYARD_DATA or ../shared/data, writes docs/study/checks/marks.json
    python -m tools.marks --table    prints the table of docs/editions.md from that file

A mark is found if a span of its family overlaps it, a span is right if it overlaps a mark of its family. The patterns
were written from one half of the marked pages, by a hash of the page's id; the other half only confirms.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any

from steelyard.components.base import select_longest
from steelyard.components.quotable_density import find_quotable
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring import editions
from steelyard.support.artifacts import hash_file, make_envelope, round_floats, write_artifact
from steelyard.support.table import Column, Table
from steelyard.text.document import Document, Match, Source
from tools.study import STUDY, data_folder

RESULT = STUDY / "checks" / "marks.json"
FAMILIES = ("quotation", "definition", "statistic", "citation")
WRITING, CONFIRMING = "writing", "confirming"
Span = tuple[int, int]


def half_of(page_id: str) -> str:
    """Return the half of the marked pages that a page is in."""
    return CONFIRMING if int(hashlib.sha256(page_id.encode()).hexdigest(), 16) % 2 else WRITING


def read_marked(code: str) -> Iterator[tuple[str, str, dict[str, list[Span]]]]:
    """Yield (half, text, spans of every family) of each marked page of a language."""
    folder = data_folder()
    texts = {p["id"]: p["text"] for p in map(json.loads, (folder / f"web_{code}.jsonl").open(encoding="utf-8"))}
    for line in (folder / "marks" / f"{code}.jsonl").open(encoding="utf-8"):
        marked = json.loads(line)
        text = texts[marked["id"]]
        spans = {f: [(text.index(words), text.index(words) + len(words)) for words in marked[f]] for f in FAMILIES}
        yield half_of(marked["id"]), text, spans


def find_spans(doc: Document, family: str) -> list[Span]:
    """Return the spans of a kind of evidence in the page's source."""
    matches: list[Match] = find_quotable(doc) if family in ("quotation", "definition") else doc.find(family)
    found = select_longest(m for m in matches if doc.family_of(m) == family)
    return [doc.structure.view.source_span(m.start, m.end) for m in found]


def overlaps(one: Span, others: list[Span]) -> bool:
    return any(one[0] < end and start < one[1] for start, end in others)


def compare(edition: str, code: str) -> dict[str, Any]:
    """Return marks, found marks, spans and right spans, by half and family."""
    language = editions.load(edition).load_language(code)
    counts: dict[str, Any] = {
        half: {family: {"marks": 0, "found": 0, "spans": 0, "right": 0} for family in FAMILIES}
        for half in (WRITING, CONFIRMING)
    }
    pages = {WRITING: 0, CONFIRMING: 0}
    for half, text, marks in read_marked(code):
        pages[half] += 1
        doc = Document(Source(text), language)
        for family in FAMILIES:
            spans, row = find_spans(doc, family), counts[half][family]
            row["marks"] += len(marks[family])
            row["found"] += sum(overlaps(mark, spans) for mark in marks[family])
            row["spans"] += len(spans)
            row["right"] += sum(overlaps(span, marks[family]) for span in spans)
    for families in counts.values():
        for row in families.values():
            row["recall"] = wilson_interval(row["found"], row["marks"])
            row["precision"] = wilson_interval(row["right"], row["spans"])
    return {"pages": pages, "families": counts}


def measure() -> None:
    """Compare every edition in every language that has marks, and write the result."""
    read = [(name, code) for name in editions.NAMES for code in editions.load(name).languages]
    result = {f"{edition} {code}": compare(edition, code) for edition, code in read}
    inputs = {f"marks/{code}.jsonl": hash_file(data_folder() / "marks" / f"{code}.jsonl") for _, code in read}
    write_artifact(
        RESULT, round_floats(make_envelope("steelyard.marks/1", inputs=inputs, parameters={}, result=result))
    )


def render_table() -> str:
    """Return the table of the documentation."""
    result = json.loads(RESULT.read_text("utf-8"))["result"]
    rows = []
    for name, found in result.items():
        edition, code = name.split()
        for family in FAMILIES:
            cells = []
            for half in (WRITING, CONFIRMING):
                row = found["families"][half][family]
                cells += [_share(row["found"], row["marks"]), _share(row["right"], row["spans"])]
            rows.append([edition, code, family, *cells])
    heads = [f"{half}: {figure}" for half in (WRITING, CONFIRMING) for figure in ("recall", "precision")]
    columns = [Column("edition"), Column("language"), Column("family"), *(Column(h, right=True) for h in heads)]
    return Table(columns, rows).to_markdown()


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part} of {whole})" if whole else "–"


def main() -> None:
    if sys.argv[1:] == ["--table"]:
        print(render_table())
    else:
        measure()
        print(render_table())


if __name__ == "__main__":
    main()
