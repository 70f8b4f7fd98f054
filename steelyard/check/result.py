"""The result of `steelyard check`: pages, their findings, and why a page fails."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from steelyard.advice.finding import Finding
from steelyard.advice.kinds import NOT_DECIDED, PageKind
from steelyard.advice.rule import LEVELS
from steelyard.pipeline import PageError
from steelyard.support.escape import make_visible
from steelyard.text.html import HtmlReading

MAX_WORST = 3  # findings listed with a failing page


# The fields of a finding in JSON and for assistants, in this order.
FIELDS = (
    "rule", "component", "level", "message", "why", "action", "counted", "cost", "gain", "quote", "span", "start",
    "end", "line", "column", "end_line", "end_column", "fingerprint", "certain", "help", "is_capped", "is_silenced",
    "is_new", "is_changed", "failure",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFinding(Finding):
    """A finding at its place in the file, with what a check knows about it.

    The fingerprint stays the same when the page changes elsewhere. `is_silenced` says whether a directive on the page
    silences the finding. How serious it is depends on the page's settings; `is_new` and `is_changed` are None where
    there is no baseline and no revision to compare with. `failure` is the number of the failure that
    this explains.
    """

    fingerprint: str
    is_silenced: bool = False
    level: str = LEVELS[0]
    is_new: bool | None = None
    is_changed: bool | None = None
    failure: int | None = None

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


class Failure(NamedTuple):
    """Why a page fails, in words.

    `rule` is that of the findings that explain it, or empty; `margin` is how far what failed lies above the lowest
    value that passes, which is negative, or None where nothing is measured. `action` is what to do where no finding
    explains it.
    """

    reason: str
    rule: str = ""
    margin: float | None = None
    action: str = ""

    @property
    def subject(self) -> str:
        """What fails, in a word or two."""
        return self.rule or "score"


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A page's score, its findings, and, once it is judged by its settings, why it fails, the most specific first.

    `held` says which score the page would have and what holds it down, where a cap does, and `lift` how much more text
    would lift that.
    """

    path: str
    score: float
    content: float
    words: int
    language: str
    edition: str
    hash: str
    components: Mapping[str, Mapping[str, float]]  # value and points
    findings: tuple[CheckedFinding, ...]
    causes: tuple[Failure, ...] = ()
    min_score: float | None = None
    before: Previous | None = None
    kind: PageKind = NOT_DECIDED
    held: str = ""
    lift: str = ""
    reading: HtmlReading | None = None

    @property
    def margin(self) -> float | None:
        """How far the score lies above the lowest that passes; negative below it."""
        return None if self.min_score is None else self.score - self.min_score

    @property
    def failures(self) -> tuple[str, ...]:
        """The reasons why the page fails, in words."""
        return tuple(failure.reason for failure in self.causes)

    @property
    def reported(self) -> list[CheckedFinding]:
        """The findings that are shown: not silenced, in the order of the file."""
        return [f for f in self.findings if not f.is_silenced]

    @property
    def worst(self) -> list[CheckedFinding]:
        """The findings to begin with: of a failed component its own, else all."""
        first = sort_by_weight(self.reported)
        explaining = [f for f in first if f.failure == 0]
        is_named = bool(self.causes and self.causes[0].rule)
        return (explaining if explaining or is_named else first)[:MAX_WORST]

    def explain_failures(self) -> str:
        """Return why the page fails, and what to begin with, in one line; empty for a page that passes."""
        reasons = "; ".join(self.failures)
        if not self.causes:
            return reasons
        if self.worst:
            return f"{reasons}; begin with line {self.worst[0].line}: {self.worst[0].text}"
        return f"{reasons}; {self.causes[0].action}" if self.causes[0].action else reasons


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
        """Return the findings of a page that people are shown, in the order of the file.

        They are at least so serious, and new if there is a baseline, or they explain why the page fails: those first.
        """
        levels = LEVELS[LEVELS.index(level) :]
        shown = [f for f in page.reported if f.level in levels and not (self.hides_known and f.is_new is False)]
        causes = [f for f in page.reported if f.failure is not None]
        causes.sort(key=lambda f: f.failure or 0)  # which keeps the order of the file
        return [*causes, *(f for f in shown if f.failure is None)]

    def locate(self, path: str) -> str:
        """Return a path as programs that know only the repository need it: relative to its root, with slashes."""
        inside = os.path.relpath(path, self.root)
        return (path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")

    @property
    def failed(self) -> list[CheckedPage]:
        """The pages that fail, the one furthest below what it fails first."""
        failed = [page for page in self.pages if page.failures]
        return sorted(failed, key=lambda p: (p.causes[0].margin or 0.0, p.path))

    @property
    def exit_code(self) -> int:
        """0: all pages pass, 1: one fails, 2: one could not be read."""
        return 2 if self.errors else 1 if self.failed else 0


def show_path(path: str) -> str:
    """Return a path for a line of a log, where one that begins with colons would be read as a command."""
    shown = make_visible(path)
    return f"./{shown}" if shown.startswith(":") else shown


def sort_by_weight(findings: Sequence[CheckedFinding]) -> list[CheckedFinding]:
    """Return the findings: those that explain a failure first, then new ones, errors, and those that cost most."""

    def weigh(f: CheckedFinding) -> tuple[float | bool, ...]:
        cause = math.inf if f.failure is None else f.failure
        return cause, not f.is_new, not f.is_changed, -LEVELS.index(f.level), -(f.cost or 0.0), f.start

    return sorted(findings, key=weigh)
