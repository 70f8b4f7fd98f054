"""Two versions of several pages: which changed, by how much, and how a ranker orders them; the JSON with its schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from steelyard import __version__
from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.pages.json_document import ERROR
from steelyard.pages.page_change import PageChange
from steelyard.pipeline import PageError
from steelyard.scoring.editions import NAMES as EDITIONS
from steelyard.support.schema import (
    COUNT,
    DATE,
    NUMBER_OR_NULL,
    POINTS,
    POINTS_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    make_object,
)

SCHEMA_VERSION = 1
STATUSES = ("changed", "renamed", "added", "removed")


@dataclass(frozen=True, slots=True)
class QueryRank:
    """The ranks of a page for a query, from 1, and the ranker's scores; None in the version without the page."""

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
    ranks: Sequence[QueryRank]

    def to_dict(self) -> dict[str, Any]:
        """Return the view as the JSON has it."""
        return {"query": self.query, "scope": self.scope, "pages": [asdict(rank) for rank in self.ranks]}


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
        both = [(page.change, page.source, page) for page in self.pages if page.change is not None]
        return [page for *_, page in sorted(both, key=lambda item: item[:2])]

    @property
    def rows(self) -> list[PageChange]:
        """All pages that are listed: those in both versions, then the added and the removed ones, by path."""
        others = [page for page in self.pages if page.change is None]
        return [*self.in_both, *sorted(others, key=lambda page: (STATUSES.index(page.status), page.source))]

    @property
    def counts(self) -> dict[str, int]:
        """The number of pages of each kind."""
        counts = Counter(page.status for page in self.pages)
        return {**{status: counts[status] for status in STATUSES}, "unchanged": self.unchanged}

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


_CHANGE = {"type": "number", "minimum": -100, "maximum": 100}
_CHANGE_OR_NULL = {"type": ["number", "null"], "minimum": -100, "maximum": 100}
_PLACE = {"type": ["integer", "null"], "minimum": 1}
_COMPONENT = make_object({"old_points": POINTS, "new_points": POINTS, "change": _CHANGE})
_PAGE = make_object(
    {
        "path": TEXT,
        "old_path": TEXT_OR_NULL,
        "status": {"enum": list(STATUSES)},
        "old_score": POINTS_OR_NULL,
        "new_score": POINTS_OR_NULL,
        "change": _CHANGE_OR_NULL,
        "most_moved": {"enum": [*NAMES, None]},
        "components": {**make_object(dict.fromkeys(NAMES, _COMPONENT)), "type": ["object", "null"]},
    }
)
_PLACES = make_object(
    {
        "path": TEXT,
        "old_place": _PLACE,
        "new_place": _PLACE,
        "old_score": NUMBER_OR_NULL,
        "new_score": NUMBER_OR_NULL,
    }
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "steelyard compare --format json, for two directories",
    **make_object(
        {
            "schema_version": {"const": SCHEMA_VERSION},
            "tool": make_object({"name": {"const": "steelyard"}, "version": TEXT}),
            "scoring": make_object({"edition": {"enum": list(EDITIONS)}, "weights": TEXT, "as_of": DATE}),
            "old": TEXT,
            "new": TEXT,
            "counts": make_object(dict.fromkeys((*STATUSES, "unchanged"), COUNT)),
            "mean_change": make_object({"points": _CHANGE_OR_NULL, "pages": COUNT}),
            "pages": list_of(_PAGE),
            "errors": list_of(ERROR),
            "query": make_object({"query": TEXT, "scope": TEXT, "pages": list_of(_PLACES)}),
        },
        optional=("query",),
    ),
}
