"""Whole pages of people, and how many of them the shipped limits flag, by length.

The pages that the limits were set on are cut at 400 words. These are not cut, and took no part in setting them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.detectors.false_positives import LENGTHS, name_length
from steelyard.errors import InvalidFile, PageUnreadable, UnsupportedLanguage
from steelyard.inputs.find import find_pages
from steelyard.inputs.page_ref import PageRef
from steelyard.lab.corpus import read_records
from steelyard.lab.gaming.benchmark import summarise_flags
from steelyard.pipeline import Page, measure_pages, read_page
from steelyard.scoring import editions
from steelyard.settings import Settings

# Sources by name: those whose pages nobody cut and nobody set limits on, then two that are only shown beside them.
HTML, TYPED, KEPT, GIVEN = "HTML pages", "typed off by people", "kept by people", "pages"
DROPPED, CUT = "dropped by people", "that set the limits, cut"
HONEST = (HTML, TYPED, KEPT, GIVEN)
SOURCES = (*HONEST, DROPPED, CUT)
# Where a corpus folder has them.
HTML_FOLDER, TRUTH, JUDGED, CUT_PAGES = "html", "html_truth/truth.json", "human/dclm.jsonl", "web_*.jsonl"
ALL = "all lengths"
UNREADABLE, ANOTHER_LANGUAGE, SET_LIMITS = "cannot be read", "in another language", "also among those that set limits"


@dataclass(frozen=True)
class WholePages:
    """Pages by source, how many were left out by reason, which parts the folder lacks, and a digest of all texts."""

    by_source: Mapping[str, Sequence[Page]]
    left_out: Mapping[str, int]
    absent: Sequence[str]
    digest: str


def find_files(folder: Path) -> list[Path]:
    """Return the files of a corpus folder that hold whole pages of people."""
    return [*_find_html(folder), *(path for name in (TRUTH, JUDGED) if (path := folder / name).is_file())]


def _find_html(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / HTML_FOLDER).glob("*.html") if path.is_file())


def load_whole_pages(spec: str) -> WholePages:
    """Load the pages of a corpus folder in the documented form, or any pages that the user named.

    A page whose address is among the pages that set the limits is left out.
    """
    folder = Path(spec)
    cut = sorted(folder.glob(CUT_PAGES)) if folder.is_dir() else []
    found: dict[str, list[Page]] = {}
    left_out: Counter[str] = Counter()
    fitted = {str(record["url"]) for path in cut for _, record in read_records(path) if record.get("url")}
    is_corpus = bool(cut or (folder.is_dir() and find_files(folder)))
    for source, ref in _list_corpus(folder, cut) if is_corpus else ((GIVEN, ref) for ref in find_pages([spec])):
        if source in HONEST and ref.url in fitted:
            left_out[SET_LIMITS] += 1
            continue
        try:
            found.setdefault(source, []).append(read_page(ref))
        except PageUnreadable:
            left_out[UNREADABLE] += 1
    parts = {HTML_FOLDER: HTML, TRUTH: TYPED, JUDGED: KEPT}
    absent = [name for name, source in parts.items() if source not in found] if is_corpus else []
    texts = [[source, [page.text for page in pages]] for source, pages in sorted(found.items())]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    return WholePages({s: found[s] for s in SOURCES if s in found}, dict(left_out), absent, digest)


def _list_corpus(folder: Path, cut: Sequence[Path]) -> Iterator[tuple[str, PageRef]]:
    """Yield the source of each page of a corpus folder, and the page."""
    for path in _find_html(folder):
        yield HTML, PageRef(path.name, path=str(path), html=True)
    if (folder / TRUTH).is_file():
        for name, record in _read_truth(folder / TRUTH).items():
            yield TYPED, PageRef(name, text=record["text"], url=record.get("url"))
    if (folder / JUDGED).is_file():
        for number, record in read_records(folder / JUDGED):
            if not isinstance(record.get("text"), str) or record.get("keep") not in (0, 1):
                raise InvalidFile(f"{folder / JUDGED}:{number}", "needs `text`, and `keep` as 0 or 1")
            yield (KEPT if record["keep"] else DROPPED), PageRef(str(number), text=record["text"])
    for path in cut:
        for number, record in read_records(path):
            yield CUT, PageRef(str(number), text=str(record.get("text", "")))


def _read_truth(path: Path) -> dict[str, Any]:
    try:
        pages = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidFile(str(path), f"is not valid JSON ({error})") from error
    if not isinstance(pages, dict) or not all(
        isinstance(p, dict) and isinstance(p.get("text"), str) for p in pages.values()
    ):
        raise InvalidFile(str(path), "is no object of pages with a `text`")
    return pages


def count_flagged_pages(pages: WholePages, as_of: date) -> dict[str, Any]:
    """Return for each edition how many pages of each source and length its shipped limits flag."""
    return {name: _count_edition(pages, name, as_of) for name in editions.NAMES}


def _count_edition(pages: WholePages, edition: str, as_of: date) -> dict[str, Any]:
    settings = Settings.resolve(as_of=as_of, edition=edition, detect=True)
    left_out: Counter[str] = Counter()
    flags: dict[str, dict[str, list[bool]]] = {}
    detectors: dict[str, Counter[str]] = {length: Counter() for length in LENGTHS}
    for source, of_source in pages.by_source.items():
        lists = flags[source] = {length: [] for length in LENGTHS}
        for page in of_source:
            (measured,) = measure_pages([page], settings, evidence=False)
            if isinstance(measured, UnsupportedLanguage):
                left_out[ANOTHER_LANGUAGE] += source in HONEST
                continue
            if isinstance(measured, Exception):
                raise measured
            if measured.manipulation is None:
                raise RuntimeError("detection was requested")
            length = name_length(measured.score.words)
            lists[length].append(measured.manipulation.flagged)
            if source in HONEST:
                detectors[length].update(n for n, s in measured.manipulation.signals.items() if s.flagged)
    honest = {length: [f for s in HONEST if s in flags for f in flags[s][length]] for length in LENGTHS}
    return {
        "honest": _summarise(honest),
        "sources": {source: _summarise(lists) for source, lists in flags.items()},
        "detectors": {length: dict(sorted(counter.items())) for length, counter in detectors.items()},
        "left_out": dict(left_out),
    }


def _summarise(flags: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return how many pages are flagged, by length and over all, with Wilson intervals; nothing of no pages."""
    everything = {**flags, ALL: [f for of_length in flags.values() for f in of_length]}
    return {length: summarise_flags(of_length) for length, of_length in everything.items() if of_length}
