"""The pages of a domain as a leaderboard needs them: scores, what they depend on, and a sample of texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from steelyard.site.model import SCORED
from steelyard.site.scorings import drop_date, name_kind
from steelyard.support.artifacts import to_canonical_json

if TYPE_CHECKING:
    from steelyard.site.store import Store

T = TypeVar("T")

SAMPLE = 20  # pages of a domain that are attacked


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page whose text was kept, with its title and language."""

    text: str
    language: str
    title: str | None


@dataclass(slots=True)
class Domain:
    """The pages of one domain: their scores, and what the scores depend on."""

    name: str
    edition: str = ""
    weights: str = ""
    scoring: Mapping[str, str] = field(default_factory=dict)
    as_of: date | None = None
    audit: int | None = None
    scores: list[float] = field(default_factory=list)
    hashes: dict[tuple[str, str], str] = field(default_factory=dict)  # of the scoring, by language and kind of page
    examined: int = 0  # pages that detectors looked at
    flagged: int = 0
    kept: list[KeptPage] = field(default_factory=list)  # a sample

    @property
    def scoring_key(self) -> tuple[str, str, str]:
        """The settings its pages were scored with, except for the date and for what depends on a page's language."""
        return self.edition, self.weights, to_canonical_json(drop_date(self.scoring)).decode()


class Sample(Generic[T]):
    """At most 20 items, those whose key has the lowest SHA-256: a sample that every run draws again."""

    def __init__(self) -> None:
        self._chosen: list[tuple[bytes, T]] = []

    def add(self, key: str, item: T) -> None:
        """Offer an item."""
        self._chosen.append((hashlib.sha256(key.encode("utf-8", "replace")).digest(), item))
        if len(self._chosen) > 2 * SAMPLE:
            self._chosen = self._sort()

    def list_items(self) -> list[T]:
        """Return the items of the sample, in the order of their hashes."""
        return [item for _, item in self._sort()]

    def _sort(self) -> list[tuple[bytes, T]]:
        return sorted(self._chosen, key=lambda pair: pair[0])[:SAMPLE]


def read_domains(store: Store, *, with_text: bool) -> Iterator[Domain]:
    """Yield the sites of a store by their last finished audits; with a sample of the texts that were kept."""
    for site in store.list_sites():
        audit = site.last
        if audit.state != "done":
            continue
        weights = str(audit.scoring.get("weights", ""))
        domain = Domain(site.site.lower(), audit.edition, weights, audit.scoring, audit.as_of, audit.id)
        _read_pages(store, domain, audit.id, with_text=with_text and audit.keep_texts)
        yield domain


def _read_pages(store: Store, domain: Domain, audit: int, *, with_text: bool) -> None:
    """Add the scored pages of an audit to a domain, each content once, and a sample of their texts."""
    seen: set[str] = set()
    sample = Sample[KeptPage]()
    for visit in store.read_visits(audit, with_text=with_text):
        page = visit.page
        if visit.state != SCORED or page is None or (visit.content or visit.url) in seen:
            continue
        seen.add(visit.content or visit.url)
        add_page(domain, page)
        if page.get("text") is not None:
            sample.add(visit.url, KeptPage(page["text"], page["language"], page["title"]))
    domain.kept = sample.list_items()


def add_page(domain: Domain, page: Mapping[str, Any]) -> None:
    """Add a page, an entry of `pages` in the JSON of `score`, to its domain."""
    domain.scores.append(float(page["score"]))
    if page.get("hash"):
        domain.hashes.setdefault(name_kind(page), str(page["hash"]))
    report = page.get("manipulation")
    if isinstance(report, Mapping):
        domain.examined += 1
        domain.flagged += bool(report.get("flagged"))


def takes_page(domain: Domain, page: Mapping[str, Any]) -> bool:
    """Return whether a page was scored as those of the domain were."""
    known = domain.hashes.get(name_kind(page))
    same = domain.edition == str(page.get("edition") or "") and domain.weights == str(page.get("weights") or "")
    return same and known in (None, str(page.get("hash")))
