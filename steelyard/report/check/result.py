"""What `steelyard check` found: pages, their findings, and why a page fails."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from steelyard.pipeline import PageError
from steelyard.support.escape import make_visible

LEVELS = ("note", "warning", "error")  # of findings, in this order
WORST = 3  # findings listed with a failing page


@dataclass(frozen=True, slots=True)
class CheckedFinding:
    """A place on a page that a writer can act on.

    `start` and `end` are code points in the file, lines and columns count from 1, and the end is just behind the last
    character. `cost` are the points that the place costs, None where that has no number; with `is_capped` they count
    when the page is long enough for its cap to go. `is_new` and `is_changed` are
    None where there is no baseline and no revision to compare with.
    """

    rule: str
    level: str
    message: str
    action: str
    counted: str
    cost: float | None
    quote: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    fingerprint: str
    is_capped: bool = False
    is_silenced: bool = False
    is_new: bool | None = None
    is_changed: bool | None = None

    @property
    def text(self) -> str:
        """What is wrong, what to do, and what that would gain, in one line."""
        when = ", once the cap is gone" if self.is_capped else ""
        gain = "" if self.cost is None else f" ({self.cost:+.2f} points{when})"
        return f"{self.message}: {self.action}{gain}" if self.action else self.message


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
    """A page's score, its findings, and the reasons why it fails."""

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
        return sort_by_weight(self.reported)[:WORST]


@dataclass(frozen=True, slots=True)
class CheckRun:
    """All pages of a run, those that could not be read, and what else the user should know."""

    pages: Sequence[CheckedPage]
    errors: Sequence[PageError]
    as_of: date
    notes: Sequence[str] = ()
    compared_with: str | None = None  # the baseline's name or the revision
    root: str = "."  # the directory of the repository
    hides_known: bool = False  # whether people are shown only what is not in the baseline

    def select(self, page: CheckedPage, level: str) -> list[CheckedFinding]:
        """Return the findings of a page that people are shown: at least so serious, and new if there is a baseline."""
        wanted = LEVELS[LEVELS.index(level) :]
        return [f for f in page.reported if f.level in wanted and not (self.hides_known and f.is_new is False)]

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
