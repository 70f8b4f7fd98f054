"""Compare the pages of a run with those of the baseline, and make the next baseline from them."""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path

from steelyard.check.baseline import ADVICE, Baseline, locate_baseline
from steelyard.check.measure import Task
from steelyard.check.result import CheckedPage, Previous
from steelyard.configuration.file import Configuration, PageSettings
from steelyard.errors import SteelyardError
from steelyard.pages.sketches import SketchIndex, sketch_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.page import describe_scoring
from steelyard.scoring.weighting import Weighting
from steelyard.support.formatting import format_count
from steelyard.text import html


class History:
    """The baseline and the pages of a run, from which the next baseline is made."""

    def __init__(self, config: Configuration, baseline: Baseline | None) -> None:
        self._config = config
        self._baseline = baseline
        self._pages: list[tuple[Task, CheckedPage, frozenset[str]]] = []
        self._renamed: set[str] = set()
        self._better: list[CheckedPage] = []
        self._cleared = 0
        pages = baseline.pages if baseline else {}
        self._gone = {path: page for path, page in pages.items() if not Path(config.root, path).exists()}

    def find(self, task: Task, page: CheckedPage) -> Previous | None:
        """Return the baseline's entry of a page, also of one that was renamed since.

        Raises:
            SteelyardError: The baseline was made with another scoring.
        """
        if self._baseline is None:
            return None
        old = self._baseline.pages.get(self._config.locate(task.path))
        if old is None:
            renamed = self._find_renamed(task.data)
            if renamed is None:
                return None
            old = self._gone[renamed]
            self._renamed.add(renamed)
        if old.hash != page.hash and old.hash not in _list_hashes(task.settings.edition, task.settings.weights):
            raise SteelyardError(f"{locate_baseline(self._config)}: {self._explain_scoring(old.hash, page)} {ADVICE}")
        return old

    def _explain_scoring(self, old: str, page: CheckedPage) -> str:
        """Say how the baseline was scored; where that was another edition, how to go on with it."""
        edition = self._baseline.edition if self._baseline and self._baseline.edition else _find_edition(old)
        if edition in ("", page.edition):
            return f"made with another scoring (its pages have the scoring hash {old}, and this run {page.hash});"
        return (
            f"made in edition {edition}, and this run scores in {page.edition}; to go on with it give --edition "
            f'{edition} or write edition = "{edition}" in the configuration, or'
        )

    def _find_renamed(self, data: bytes) -> str | None:
        """Return the path that a new file had before, among those of the baseline whose files are gone."""
        same = self._contents.get(_hash(data))
        while same:
            if (path := same.popleft()) not in self._renamed:
                return path
        similar = self._sketches.find_similar(_sketch(data), self._renamed)
        best = max(similar, key=lambda pair: pair[0], default=None)
        return best[1] if best else None

    @cached_property
    def _contents(self) -> Mapping[str, deque[str]]:
        found: defaultdict[str, deque[str]] = defaultdict(deque)
        for path, page in self._gone.items():
            found[page.content].append(path)
        return found

    @cached_property
    def _sketches(self) -> SketchIndex:
        return SketchIndex({path: page.sketch for path, page in self._gone.items()})

    def add(self, task: Task, page: CheckedPage, settings: PageSettings) -> None:
        """Add a page to the next baseline."""
        findings = frozenset(f.fingerprint for f in page.reported)
        self._pages.append((task, page, findings))
        if page.before is not None and page.before.is_baseline:
            gone = page.before.findings - findings
            self._cleared += len(gone)
            if page.score - page.before.score > settings["max_drop"] or gone:
                self._better.append(page)

    def make_baseline(self, as_of: date) -> Baseline:
        """Return the pages of this run as a baseline."""
        pages = [
            Previous(
                self._config.locate(task.path),
                page.score,
                findings,
                is_baseline=True,
                hash=page.hash,
                content=_hash(task.data),
                sketch=_sketch(task.data),
            )
            for task, page, findings in self._pages
        ]
        edition = self._pages[0][1].edition if self._pages else ""
        return Baseline(as_of, {page.path: page for page in pages}, edition)

    def list_notes(self, *, complete: bool) -> Iterator[str]:
        """Yield the improvements, and the pages that are gone; `complete` if all pages were checked."""
        if self._better:
            pages, findings = format_count(len(self._better), "page"), format_count(self._cleared, "finding")
            yield f"{pages} better than in the baseline, {findings} gone; keep that with --write-baseline"
        missing = [path for path in self._gone if path not in self._renamed]
        if complete and missing:
            yield f"{format_count(len(missing), 'page')} of the baseline no longer there; --write-baseline drops them"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _sketch(data: bytes) -> tuple[str, ...]:
    return sketch_text(data.decode("utf-8", "replace"))


def _find_edition(scoring: str) -> str:
    """Return the edition that has this scoring hash now, with its own weights; empty where none has it."""
    every = map(editions.load, editions.NAMES)
    return next((e.name for e in every if scoring in _list_hashes(e, weighting.load(e.weights))), "")


def _list_hashes(edition: Edition, weights: Weighting) -> set[str]:
    """Return the scoring hashes of an edition in any language: a translated page is no other scoring."""
    extractors = ("", html.version()) if html.is_installed() else ("",)
    return {
        describe_scoring(weights.name, weights.digest, edition, code, extractor).hash
        for code in edition.languages
        for extractor in extractors
    }
