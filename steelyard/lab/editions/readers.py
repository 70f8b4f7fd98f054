"""What readers said of pages: the evidence they marked, of which an edition finds a part, and grades of substance.

A mark is found if a span of its family overlaps it; a span is right if it overlaps a mark of its family. Nothing is
ever fitted to the grades.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.components.base import select_longest
from steelyard.components.quotable_density import find_quotable
from steelyard.errors import InvalidFile
from steelyard.lab.corpus import STRUCTURED, CorpusPage, read_records
from steelyard.lab.scorers.base import POINTS, Passage, Scorer, ScorerFailed
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.intervals import bootstrap_interval, wilson_interval
from steelyard.scoring.editions import Edition
from steelyard.text.document import Document
from steelyard.text.lines import Span

FAMILIES = ("quotation", "definition", "statistic", "citation")
# Given marks: the half the patterns were written from, and the other. Our own: pages that were read, and those not.
WRITING, CONFIRMING, READ, UNREAD = "writing", "confirming", "read", "unread"
MIN_MARKED_PAGES = 2
SETS = (WRITING, CONFIRMING, READ, UNREAD)

Marks = Mapping[str, Sequence[Span]]  # family → spans of the page's text


def half_of(page_id: str) -> str:
    """Return the half of the given marks that a page is in, by a hash of its id."""
    return CONFIRMING if int(hashlib.sha256(page_id.encode()).hexdigest(), 16) % 2 else WRITING


def read_marked(pages: Sequence[CorpusPage], given: Path | None) -> Iterator[tuple[str, str, Marks]]:
    """Yield (set, text, marks) of every page that has marks: given ones by its id, our own by its text."""
    own = load_own_marks()
    by_id = _read_given(given) if given else {}
    for page in pages:
        text = page.view(STRUCTURED)
        if page.id in by_id:
            yield half_of(page.id), text, {f: _locate(page.id, text, by_id[page.id][f]) for f in FAMILIES}
        if record := own.get(hash_text(text)):
            yield record["set"], text, {f: [(start, end) for start, end in record[f]] for f in FAMILIES}


def hash_text(text: str) -> str:
    """Return the key of a page among our own marks."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def load_own_marks() -> dict[str, dict[str, Any]]:
    """Return our readers' marks by the hash of the page's text; they hold offsets and no words."""
    folder = Path(str(resources.files("steelyard.lab.editions").joinpath("own_marks")))
    return {record["page"]: record for path in sorted(folder.glob("*.jsonl")) for _, record in read_records(path)}


def _read_given(path: Path) -> dict[str, dict[str, Any]]:
    marks = {}
    for number, record in read_records(path):
        missing = [key for key in ("id", *FAMILIES) if key not in record]
        if missing:
            raise InvalidFile(f"{path}:{number}", f"no {missing[0]!r}; a line of marks holds id, {', '.join(FAMILIES)}")
        for family in FAMILIES:
            marked = record[family]
            if not isinstance(marked, list) or not all(isinstance(words, str) and words for words in marked):
                raise InvalidFile(f"{path}:{number}", f"{family!r} is no list of texts; write the marked words")
        marks[str(record["id"])] = record
    return marks


def _locate(page_id: str, text: str, marked: Sequence[str]) -> list[Span]:
    """Return the spans of the marks; those behind the place where a corpus cuts its pages are left out."""
    spans: list[Span] = []
    for words in marked:
        start = text.find(words)
        while (start, start + len(words)) in spans:  # the same words again are the next place that has them
            start = text.find(words, start + 1)
        if start >= 0:
            spans.append((start, start + len(words)))
    if marked and not spans:
        raise InvalidFile(page_id, "no mark is in the page's text; give the pages that were marked")
    return spans


def find_spans(doc: Document, family: str) -> list[Span]:
    """Return the spans of a kind of evidence in the page as it was written."""
    matches = find_quotable(doc) if family in ("quotation", "definition") else doc.find(family)
    longest = select_longest(m for m in matches if doc.family_of(m) == family)
    return [doc.source.view_to_file(m.start, m.end) for m in longest]


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def count_found(edition: Edition, code: str, pages: Sequence[CorpusPage], given: Path | None) -> dict[str, Any]:
    """Return, by set and family, marks, found marks, spans and right spans, with 95% intervals over pages.

    Marks of one page are alike, so pages are resampled, not marks.
    """
    counts: dict[str, Any] = {}
    by_page: dict[tuple[str, str], list[dict[str, int]]] = {}
    for which, text, marks in read_marked(pages, given):
        of_set = counts.setdefault(
            which, {"pages": 0} | {f: {"marks": 0, "found": 0, "spans": 0, "right": 0} for f in FAMILIES}
        )
        of_set["pages"] += 1
        doc = edition.open(text, code)
        for family in FAMILIES:
            spans = find_spans(doc, family)
            of_page = {
                "marks": len(marks[family]),
                "found": sum(overlaps(mark, spans) for mark in marks[family]),
                "spans": len(spans),
                "right": sum(overlaps(span, marks[family]) for span in spans),
            }
            by_page.setdefault((which, family), []).append(of_page)
            for key, number in of_page.items():
                of_set[family][key] += number
    for (which, family), found in by_page.items():
        for name, part, whole in (("recall", "found", "marks"), ("precision", "right", "spans")):
            counts[which][family][name] = resample_share(found, part, whole, f"{which}|{family}|{name}")
    return {which: counts[which] for which in SETS if which in counts}


def resample_share(pages: Sequence[Mapping[str, int]], part: str, whole: str, seed: str) -> list[float] | None:
    """Return the 95% interval over pages of the share `part` of `whole`; None if fewer than two pages have any.

    Where all pages have all of it, or none, resampling shows no spread: then it is Wilson's, each page counted once.
    """
    counted = [page for page in pages if page[whole]]
    if len(counted) < MIN_MARKED_PAGES:
        return None

    if (share_of_all := sum(page[part] for page in counted) / sum(page[whole] for page in counted)) in (0.0, 1.0):
        return list(wilson_interval(round(share_of_all * len(counted)), len(counted)) or ())

    def share(draw: Sequence[int]) -> float:
        return sum(counted[i][part] for i in draw) / sum(counted[i][whole] for i in draw)

    low, high = bootstrap_interval(len(counted), share, random.Random(seed))
    return None if low is None or high is None else [low, high]


MAX_GRADE = 1e6  # NaN and infinity are not below it


def read_grades(path: Path) -> dict[str, float]:
    """Return the mean grade of substance by page id."""
    grades = {}
    for number, record in read_records(path):
        substance = record.get("substance")
        values: list[Any] = substance if isinstance(substance, list) else [substance]
        if "id" not in record or not values or not all(_is_number(v) for v in values):
            raise InvalidFile(f"{path}:{number}", "no id or no grade; a line of grades holds id and substance")
        grades[str(record["id"])] = mean(values)
    return grades


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MAX_GRADE


def measure_agreement(
    scorer: Scorer, pages: Sequence[CorpusPage], grades: dict[str, float], view: str, *, seed: int = 0
) -> dict[str, Any]:
    """Return Spearman's rank correlation of the points with the grades, with a bootstrap interval."""
    points, graded, failed = [], [], 0
    with scorer.open() as session:
        for page in pages:
            if page.id not in grades:
                continue
            try:
                values = session.score(Passage(page.view(view), page.language, page.view_title(view)))
            except ScorerFailed:
                failed += 1
                continue
            points.append(values[POINTS])
            graded.append(grades[page.id])
    low, high = (
        bootstrap_interval(
            len(points),
            lambda draw: spearman([points[i] for i in draw], [graded[i] for i in draw]),
            random.Random(f"{seed}|grades"),
        )
        if points
        else (None, None)
    )
    rank = spearman(points, graded) if len(points) > 1 else None
    return {"pages": len(points), "failed": failed, "spearman": rank, "interval": [low, high]}
