"""The result of `steelyard check`: pages, their findings, and why a page fails."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.configuration.rules import LEVELS
from steelyard.pipeline import PageError
from steelyard.scoring.finding import Finding
from steelyard.support.escape import make_visible

MAX_WORST = 3  # findings listed with a failing page


# The fields of a finding in JSON and for assistants, in this order.
FIELDS = (
    "rule", "level", "message", "action", "counted", "cost", "quote", "start", "end", "line", "column", "end_line",
    "end_column", "fingerprint", "is_capped", "is_silenced", "is_new", "is_changed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFinding(Finding):
    """A finding at its place in the file, with what a check knows about it.

    The fingerprint stays the same when the page changes elsewhere. `is_silenced` says whether a directive on the page
    silences the finding. How serious it is depends on the page's settings; `is_new` and `is_changed` are None where
    there is no baseline and no revision to compare with.
    """

    fingerprint: str
    is_silenced: bool = False
    level: str = LEVELS[0]
    is_new: bool | None = None
    is_changed: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as one entry of `findings` in the JSON."""
        return {name: getattr(self, name) for name in FIELDS}


@dataclass(frozen=True, slots=True)
class Previous:
    """A page as it was: at a revision, or in the baseline, where only getting worse makes it fail.

    `path` differs where the file was renamed. The baseline has the hashes of the scoring and of the file, and a sketch
    of its lines, by which a renamed file is recognised.
    """

    path: str
    score: float
    findings: frozenset[str] = frozenset()  # fingerprints
    is_baseline: bool = False
    hash: str = ""
    content: str = ""
    sketch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A page's score, its findings, and, once it is judged by its settings, the reasons why it fails."""

    path: str
    score: float
    content: float
    words: int
    language: str
    edition: str
    hash: str
    components: Mapping[str, Mapping[str, float]]  # value and points
    findings: tuple[CheckedFinding, ...]
    failures: tuple[str, ...] = ()
    min_score: float | None = None
    before: Previous | None = None

    @property
    def margin(self) -> float | None:
        """How far the score lies above the lowest that passes; negative below it."""
        return None if self.min_score is None else self.score - self.min_score

    @property
    def reported(self) -> list[CheckedFinding]:
        """The findings that are shown: not silenced, in the order of the file."""
        return [f for f in self.findings if not f.is_silenced]

    @property
    def worst(self) -> list[CheckedFinding]:
        """The findings to begin with."""
        return sort_by_weight(self.reported)[:MAX_WORST]


@dataclass(frozen=True, slots=True)
class CheckRun:
    """All pages of a run, those that could not be read, and notes for the user."""

    pages: Sequence[CheckedPage]
    errors: Sequence[PageError]
    as_of: date
    notes: Sequence[str] = ()
    compared_with: str | None = None  # the baseline's name or the revision
    root: str = "."  # the directory of the repository
    hides_known: bool = False  # whether people are shown only what is not in the baseline

    def select(self, page: CheckedPage, level: str) -> list[CheckedFinding]:
        """Return the findings of a page that people are shown: at least so serious, and new if there is a baseline."""
        levels = LEVELS[LEVELS.index(level) :]
        return [f for f in page.reported if f.level in levels and not (self.hides_known and f.is_new is False)]

    def locate(self, path: str) -> str:
        """Return a path as programs that know only the repository need it: relative to its root, with slashes."""
        inside = os.path.relpath(path, self.root)
        return (path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")

    @property
    def failed(self) -> list[CheckedPage]:
        """The pages that fail, the one furthest below its threshold first."""
        failed = [page for page in self.pages if page.failures]
        return sorted(failed, key=lambda p: (p.margin if p.margin is not None else 0.0, p.path))

    @property
    def exit_code(self) -> int:
        """0: all pages pass, 1: one fails, 2: one could not be read."""
        return 2 if self.errors else 1 if self.failed else 0


def show_path(path: str) -> str:
    """Return a path for a line of a log, where one that begins with colons would be read as a command."""
    shown = make_visible(path)
    return f"./{shown}" if shown.startswith(":") else shown


def sort_by_weight(findings: Sequence[CheckedFinding]) -> list[CheckedFinding]:
    """Return the findings: new ones first, then errors, then those that cost most."""
    return sorted(
        findings, key=lambda f: (not f.is_new, not f.is_changed, -LEVELS.index(f.level), -(f.cost or 0.0), f.start)
    )
