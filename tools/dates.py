"""Measure how well the dates of pages are read, against dates marked by reading.

    python -m tools.dates                the development half, with every page that is read otherwise than marked
    python -m tools.dates --kept-apart   the half that nothing was tuned on: figures only
    python -m tools.dates --htmldate     either, as htmldate reads HTML pages, for comparison

The marks are in tests/text/data/date_marks.json, the pages in ../shared/data or where STEELYARD_DATA says.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from steelyard.errors import ReadingFailed
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import read_page
from steelyard.text.dates import PageDates

ROOT = Path(__file__).resolve().parent.parent
MARKS = ROOT / "tests" / "text" / "data" / "date_marks.json"
DATA = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")


@dataclass(frozen=True)
class Mark:
    """What a page's dates are: the readings that are right, of which None is one where a date may be left out."""

    page: str
    published: tuple[date | None, ...]
    updated: tuple[date | None, ...]
    where: str

    @property
    def is_dated(self) -> bool:
        """Whether the page has a date."""
        return self.where != "none"


@dataclass
class Tally:
    """Dates that were given and marked, over pages."""

    given: int = 0
    right: int = 0
    marked: int = 0
    found: int = 0
    pages: int = 0
    dated: int = 0
    called_undated: int = 0

    def add(self, mark: Mark, dates: PageDates) -> bool:
        """Count a page; return whether it was read as marked."""
        as_marked = True
        for day, readings in ((dates.published, mark.published), (dates.updated, mark.updated)):
            is_right = day in readings
            as_marked &= is_right
            self.given += day is not None
            self.right += day is not None and is_right
            if readings != (None,) and (None not in readings or day is not None):
                self.marked += 1
                self.found += day is not None and is_right
        self.pages += 1
        self.dated += mark.is_dated
        self.called_undated += mark.is_dated and not dates.known
        return as_marked

    def show(self) -> str:
        """Return the figures in one line."""
        return (
            f"precision {self.right / self.given:.3f} ({self.right}/{self.given}), "
            f"recall {self.found / self.marked:.3f} ({self.found}/{self.marked}); of {self.dated} dated pages "
            f"{self.called_undated} called undated ({self.called_undated / self.dated:.1%}); {self.pages} pages"
        )


def read_marks() -> Iterator[Mark]:
    """Read the marks, each page with the name of its set."""
    for name, pages in json.loads(MARKS.read_text("utf-8"))["pages"].items():
        for page, text in pages.items():
            published, updated, where = (part.strip() for part in text.split("|"))
            yield Mark(f"{name}:{page}", _parse(published), _parse(updated), where)


def _parse(text: str) -> tuple[date | None, ...]:
    return tuple(date.fromisoformat(day) if day else None for day in text.split("/"))


def is_kept_apart(page: str) -> bool:
    """Return whether nothing may be tuned on a page."""
    return int(hashlib.sha256(page.encode()).hexdigest(), 16) % 2 == 0


def load_pages() -> dict[str, PageRef]:
    """Load the pages that have marks."""
    pages = {}
    for entry in json.loads((DATA / "html" / "manifest.json").read_text("utf-8")):
        html = (DATA / "html" / entry["file"]).read_text("utf-8", errors="replace")
        pages[f"html:{entry['file'][:-5]}"] = PageRef("page", text=html, url=entry["url"], html=True)
    for name, entry in json.loads((DATA / "html_truth" / "truth.json").read_text("utf-8")).items():
        with gzip.open(
            DATA / "html_truth" / "html" / f"{name}.html.gz", "rt", encoding="utf-8", errors="replace"
        ) as file:
            pages[f"html_truth:{name}"] = PageRef("page", text=file.read(), url=entry["url"], html=True)
    for code in ("fr", "de", "es"):
        with gzip.open(DATA / "human" / f"pages_{code}.jsonl.gz", "rt", encoding="utf-8") as file:
            for record in map(json.loads, file):
                pages[f"pages_{code}:{record['id']}"] = PageRef("page", text=record["text"], url=record["url"])
    return pages


def read_dates(ref: PageRef, *, peer: bool) -> PageDates | None:
    """Return the dates of a page; None for one that is not read well enough, and for text where the peer is asked."""
    if peer:
        return _read_with_htmldate(ref) if ref.html else None
    try:
        return read_page(ref).dates
    except ReadingFailed:
        return None


def _read_with_htmldate(ref: PageRef) -> PageDates:
    from htmldate import find_date

    def find(*, original: bool) -> date | None:
        found = find_date(ref.text, original_date=original, url=ref.url, min_date="1995-01-01", max_date="2026-11-01")
        return date.fromisoformat(found) if found else None

    return PageDates.of(find(original=True), find(original=False), "")


def main() -> int:
    """Print the figures, and for the development half the pages that are read otherwise."""
    options = set(sys.argv[1:])
    if not (DATA / "html").is_dir():
        print(f"the pages are not in {DATA}; set STEELYARD_DATA")
        return 0
    kept_apart = "--kept-apart" in options
    pages = load_pages()
    tallies: dict[str, Tally] = {}
    for mark in read_marks():
        if is_kept_apart(mark.page) != kept_apart:
            continue
        dates = read_dates(pages[mark.page], peer="--htmldate" in options)
        if dates is None:
            continue
        group = "text" if mark.page.startswith("pages_") else "HTML"
        as_marked = tallies.setdefault(group, Tally()).add(mark, dates) & tallies.setdefault("all", Tally()).add(
            mark, dates
        )
        if not as_marked and not kept_apart:
            print(
                mark.page[:40],
                "marked",
                mark.published[0],
                mark.updated[0],
                mark.where,
                "| read",
                *dates.to_dict().values(),
            )
    for name, tally in tallies.items():
        print(f"{name}: {tally.show()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
