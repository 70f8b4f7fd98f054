"""Compare two versions of several pages: which changed, by how much, and the component that moved most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard import __version__
from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.pipeline import PageError, PageResult
from steelyard.report.descriptions import describe_limit

SCHEMA_VERSION = 1
STATUSES = ("changed", "renamed", "added", "removed")
MOVED = 0.005  # points, from which a change is shown


@dataclass(frozen=True, slots=True)
class ScoredVersion:
    """What is kept of a page's result: a site of thousands of pages has two of them for each."""

    score: float
    points: Mapping[str, float]
    limit: str

    @classmethod
    def from_result(cls, result: PageResult) -> ScoredVersion:
        """Keep the score, the points per component, and the guard or cap that applies."""
        return cls(result.page.score, dict(result.page.contributions), describe_limit(result.page))


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page in two versions; `old` is None for an added page, `new` for a removed one."""

    path: str
    status: str
    old: ScoredVersion | None
    new: ScoredVersion | None
    old_path: str | None = None  # where the page was renamed

    @property
    def change(self) -> float | None:
        """The points gained or lost; None for an added or removed page."""
        return self.new.score - self.old.score if self.old and self.new else None

    @property
    def moves(self) -> dict[str, float]:
        """The points that each component gained or lost; empty for an added or removed page."""
        if self.old is None or self.new is None:
            return {}
        return {name: self.new.points[name] - self.old.points[name] for name in NAMES}

    @property
    def most_moved(self) -> str | None:
        """The component whose points changed most; None where none did."""
        moves = self.moves
        name = max(moves, key=lambda n: abs(moves[n]), default=None)
        return name if name is not None and abs(moves[name]) >= MOVED else None

    @property
    def name(self) -> str:
        """The path, and the one before."""
        return f"{self.old_path} → {self.path}" if self.old_path is not None else self.path

    def to_dict(self) -> dict[str, Any]:
        """Return the page as one entry of `pages` in the JSON."""
        moves = self.moves
        return {
            "path": self.path,
            "old_path": self.old_path,
            "status": self.status,
            "old_score": self.old.score if self.old else None,
            "new_score": self.new.score if self.new else None,
            "change": self.change,
            "most_moved": self.most_moved,
            "components": {
                name: {"old_points": self.old.points[name], "new_points": self.new.points[name], "change": moves[name]}
                for name in NAMES
            }
            if self.old and self.new
            else None,
        }


@dataclass(frozen=True, slots=True)
class QueryPlace:
    """The places of a page for a query, from 1, and the ranker's scores; None in the version without the page."""

    path: str
    old_place: int | None
    new_place: int | None
    old_score: float | None
    new_score: float | None


@dataclass(frozen=True, slots=True)
class QueryView:
    """How a ranker orders the pages of each version for a query; `scope` says what that is worth."""

    query: str
    scope: str
    places: Sequence[QueryPlace]

    def to_dict(self) -> dict[str, Any]:
        """Return the view as the JSON has it."""
        fields = QueryPlace.__slots__
        pages = [{name: getattr(place, name) for name in fields} for place in self.places]
        return {"query": self.query, "scope": self.scope, "pages": pages}


@dataclass(frozen=True, slots=True)
class SiteComparison:
    """Two versions of several pages."""

    old: str
    new: str
    scoring: Mapping[str, str]
    pages: Sequence[PageChange]
    unchanged: int
    errors: Sequence[PageError]
    view: QueryView | None = None

    @property
    def in_both(self) -> list[PageChange]:
        """The pages that were scored in both versions, the largest loss first."""
        both = [(page.change, page.path, page) for page in self.pages if page.change is not None]
        return [page for *_, page in sorted(both, key=lambda item: item[:2])]

    @property
    def rows(self) -> list[PageChange]:
        """All pages that are listed: those in both versions, then the added and the removed ones, by path."""
        others = [page for page in self.pages if page.change is None]
        return [*self.in_both, *sorted(others, key=lambda page: (STATUSES.index(page.status), page.path))]

    @property
    def counts(self) -> dict[str, int]:
        """The number of pages of each kind."""
        found = Counter(page.status for page in self.pages)
        return {**{status: found[status] for status in STATUSES}, "unchanged": self.unchanged}

    @property
    def mean_change(self) -> float | None:
        """The mean over all pages in both versions, unchanged ones included; None where there are none."""
        changes = [page.change for page in self.in_both if page.change is not None]
        return mean([*changes, *[0.0] * self.unchanged]) if changes or self.unchanged else None

    def find_drops(self, limit: float) -> list[PageChange]:
        """Return the pages that lost more points than this, the largest loss first."""
        return [page for page in self.in_both if page.change is not None and -page.change > limit]

    def add_view(self, view: QueryView, errors: Sequence[PageError]) -> SiteComparison:
        """Return the comparison with a ranker's view; pages that only the ranker had to read may have failed, too."""
        known = {error.source for error in self.errors}
        others = [error for error in errors if error.source not in known]
        return replace(self, view=view, errors=[*self.errors, *others])

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as the JSON has it (docs/schema/compare.schema.json)."""
        return {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "steelyard", "version": __version__},
            "scoring": dict(self.scoring),
            "old": self.old,
            "new": self.new,
            "counts": self.counts,
            "mean_change": {"points": self.mean_change, "pages": len(self.in_both) + self.unchanged},
            "pages": [page.to_dict() for page in self.rows],
            "errors": [error.to_dict() for error in self.errors],
            **({"query": self.view.to_dict()} if self.view else {}),
        }
