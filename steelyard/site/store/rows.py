"""Sites, audits and visits as a store returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from steelyard.site.model import SCORED, Visit


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One audit.

    `counts` has the number of addresses by state, with "queued" for those not visited; `mean` and `median` are those
    of the scored pages, None without any. `end` is what the audit recorded when it ended.
    """

    id: int
    site: str
    start: str
    state: str
    started: datetime
    finished: datetime | None
    as_of: date
    edition: str
    scoring: Mapping[str, str]
    keep_texts: bool
    counts: Mapping[str, int]
    mean: float | None
    median: float | None
    settings: Mapping[str, Any]
    end: Mapping[str, Any]

    @property
    def pages(self) -> int:
        """The number of scored pages."""
        return self.counts.get(SCORED, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON; times in UTC."""
        return {
            "id": self.id,
            "site": self.site,
            "start": self.start,
            "state": self.state,
            "started": format_time(self.started),
            "finished": format_time(self.finished),
            "as_of": self.as_of.isoformat(),
            "edition": self.edition,
            "scoring": dict(self.scoring),
            "keep_texts": self.keep_texts,
            "pages": self.pages,
            "counts": dict(self.counts),
            "mean": self.mean,
            "median": self.median,
            "settings": dict(self.settings),
            "end": {name: value for name, value in self.end.items() if name != "logs"},  # which are long
        }


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site, the number of its audits, and the last finished one (or the last of all where none has finished)."""

    site: str
    audits: int
    last: AuditRow

    def to_dict(self) -> dict[str, Any]:
        """Return the site for JSON."""
        return {
            "site": self.site,
            "audits": self.audits,
            "audit": self.last.id,
            "state": self.last.state,
            "finished": format_time(self.last.finished),
            "as_of": self.last.as_of.isoformat(),
            "pages": self.last.pages,
            "mean": self.last.mean,
            "median": self.last.median,
            "edition": self.last.edition,
        }


@dataclass(frozen=True, slots=True)
class VisitRow(Visit):
    """A visit as it was stored. `linked`: a page links to the address or the audit began there, so it is no orphan.

    `page` has `text` only where it was kept and asked for.
    """

    linked: bool = False

    @property
    def url(self) -> str:
        """The address."""
        return self.link.url

    @property
    def score(self) -> float | None:
        """The page's score; None where it has none."""
        return None if self.page is None else float(self.page["score"])

    @property
    def flags(self) -> list[str]:
        """The detectors that flag the page."""
        signals = ((self.page or {}).get("manipulation") or {}).get("signals", {})
        return [name for name, signal in signals.items() if signal["flagged"]]

    @property
    def outcome(self) -> str:
        """The state, with its reason if there is one."""
        return f"{self.state}: {self.reason}" if self.reason else self.state


@dataclass(frozen=True, slots=True)
class Removed:
    """Counts of what retention removed."""

    audits: int
    visits: int
    readings: int
    texts: int


def format_time(moment: datetime | None) -> str | None:
    """Return a time of UTC in ISO form, to the second."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
