"""A page in two versions: the points it gained or lost by component, and the evidence that came and went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.components import NAMES
from steelyard.pipeline import PageResult
from steelyard.scoring.page import FRESHNESS_SHARE, blend

PATTERNED = ("quotable_density", "entity_density", "statistic_density", "citation_f1")
FRESHNESS = "freshness"
PAGE, DATE, SCORING = "page", "date", "scoring"
CAUSES = (PAGE, DATE, SCORING)  # of a change between two audits
MIN_SHOWN_CHANGE = 0.005  # points, from which a change is shown
MAX_PIECE = 200  # characters
STEPS = ("score", "held", "content", "freshness", "words", "cap", "guard", "language")

Pieces = list[dict[str, Any]]  # of evidence: line, pattern and words


@dataclass(frozen=True, slots=True)
class PageVersion:
    """The figures of one version of a page; a comparison of thousands of pages keeps two of them for each.

    `values` and `evidence` are those of the components, and empty unless two pages are compared in detail.
    """

    score: float
    content: float
    freshness: float
    words: int
    cap: float | None
    guard: str | None
    language: str
    points: Mapping[str, float]
    values: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Pieces] = field(default_factory=dict)
    held: str | None = None  # which score it would have and what holds it down

    @classmethod
    def from_result(cls, result: PageResult, *, detailed: bool = False) -> PageVersion:
        """Keep what a change is computed from; with `detailed` also the values and the evidence."""
        page = result.page
        return cls(
            page.score, page.content, page.freshness, page.words, page.cap, page.guard, page.language,
            dict(page.contributions),
            {name: page.readings[name].value for name in NAMES} if detailed else {},
            {name: _list_evidence(result, name) for name in PATTERNED} if detailed else {},
            page.held or None,
        )  # fmt: skip

    @classmethod
    def from_entry(cls, page: Mapping[str, Any]) -> PageVersion:
        """Keep the same of an entry of `pages` in the JSON of `score`, as a store has it."""
        return cls(
            page["score"], page["content"], page["freshness"], page["words"], page["cap"], page["guard"],
            page["language"], {name: page["components"][name]["points"] for name in NAMES}, held=page.get("held"),
        )  # fmt: skip

    @property
    def limit(self) -> str:
        """The guard that applies or the cap that binds; empty when neither does."""
        if self.guard:
            return self.guard
        is_capped = self.cap is not None and blend(self.content, self.freshness) > self.cap
        return f"cap {self.cap:.0f}" if is_capped else ""


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page in two versions; `old` is None for a page that was added, `new` for one that was removed.

    `source` is its path or address, `old_source` what that was before it was renamed. Between two audits `causes` says
    what differs: the page, the date, the scoring. Under another scoring there is nothing to compare. `due_to_date` has
    the points that the date alone explains, None where that cannot be separated; `note` names a cap or guard that
    changed, or the state of a page in the audit that has no score of it.
    """

    source: str
    status: str
    old: PageVersion | None
    new: PageVersion | None
    old_source: str | None = None
    causes: tuple[str, ...] = ()
    due_to_date: float | None = None
    note: str = ""

    @classmethod
    def from_results(cls, old: PageResult, new: PageResult) -> PageChange:
        """Compare two results in detail."""
        before, after = (PageVersion.from_result(result, detailed=True) for result in (old, new))
        return cls(new.source, "changed", before, after, old.source)

    @property
    def name(self) -> str:
        """The source, and the one before."""
        return f"{self.old_source} → {self.source}" if self.old_source is not None else self.source

    @property
    def change(self) -> float | None:
        """The points gained or lost; None for a page that was added, removed or scored in another way."""
        is_comparable = SCORING not in self.causes
        return self.new.score - self.old.score if self.old and self.new and is_comparable else None

    @property
    def point_changes(self) -> dict[str, float]:
        """The points of the content score that each component gained or lost, and of the score that freshness did.

        It is empty where there is no `change`.
        """
        if self.old is None or self.new is None or SCORING in self.causes:
            return {}
        changes = {name: self.new.points[name] - self.old.points[name] for name in NAMES}
        return {**changes, FRESHNESS: FRESHNESS_SHARE * (self.new.freshness - self.old.freshness)}

    def find_most_moved(self, *, freshness: bool = False) -> str | None:
        """Return the component whose points changed most, or with `freshness` possibly that; None where none did."""
        changes = self.point_changes
        names = [name for name in changes if freshness or name != FRESHNESS]
        name = max(names, key=lambda n: abs(changes[n]), default=None)
        return name if name is not None and abs(changes[name]) >= MIN_SHOWN_CHANGE else None

    def list_components(self) -> dict[str, dict[str, Any]]:
        """Return the points of each component, and in detail its values and the evidence gained and lost."""
        old, new = self.old, self.new
        if old is None or new is None:
            return {}
        changes = self.point_changes
        components: dict[str, dict[str, Any]] = {}
        for name in NAMES:
            values = {"old_value": old.values[name], "new_value": new.values[name]} if name in new.values else {}
            points = {"old_points": old.points[name], "new_points": new.points[name], "change": changes[name]}
            components[name] = {**values, **points}
        for name in new.evidence:
            before, after = old.evidence[name], new.evidence[name]
            components[name] |= {"gained": _subtract(after, before), "lost": _subtract(before, after)}
        return components

    def sort_components(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the same, the component with the largest change first."""
        return sorted(self.list_components().items(), key=lambda item: (-abs(item[1]["change"]), item[0]))

    def list_steps(self, names: Sequence[str] = STEPS) -> dict[str, dict[str, Any]]:
        """Return what leads from the components to the score, before and after."""
        return {key: {"old": getattr(self.old, key), "new": getattr(self.new, key)} for key in names}

    def list_shown_steps(self) -> list[tuple[str, str, str]]:
        """Return the same as people read it, without the score, the language, and what does not apply."""
        steps = self.list_steps(STEPS[1:-1]).items()
        shown = [(name, step["old"], step["new"]) for name, step in steps]
        return [
            (name, format_step(old), format_step(new))
            for name, old, new in shown
            if name != "held" or old is not None or new is not None
        ]

    def describe_scores(self) -> dict[str, Any]:
        """Return the fields that every JSON document has of a change."""
        return {
            "status": self.status,
            "old_score": self.old.score if self.old else None,
            "new_score": self.new.score if self.new else None,
            "change": self.change,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the page as one entry of `pages` in the JSON of `compare`."""
        return {
            "path": self.source,
            "old_path": self.old_source,
            **self.describe_scores(),
            "most_moved": self.find_most_moved(),
            "components": self.list_components() or None,
        }

    def to_document(self) -> dict[str, Any]:
        """Return the page as the JSON of `compare` for two pages."""
        names = {"old": self.old_source, "new": self.source}
        return {**names, **self.list_steps(), "change": self.change, "components": self.list_components()}


def format_step(value: Any) -> str:
    """Return one side of a step as people read it."""
    return "none" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _list_evidence(result: PageResult, name: str) -> Pieces:
    text = result.text or ""
    return [
        {"line": e.line, "pattern": e.pattern, "text": " ".join(text[e.start : e.end].split())}
        for e in result.page.readings[name].evidence
    ]


def _subtract(pieces: Pieces, others: Pieces) -> Pieces:
    """Return the pieces whose words are not among the others, each of which cancels one piece."""
    left = Counter(other["text"].lower() for other in others)
    remaining = []
    for piece in pieces:
        key = piece["text"].lower()
        if left[key] > 0:
            left[key] -= 1
        else:
            remaining.append({**piece, "text": piece["text"][:MAX_PIECE]})
    return remaining
