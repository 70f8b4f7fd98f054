"""Which audits and pages were scored in the same way: only their scores can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.site.store import AuditRow, Store

Hashes = Mapping[str, frozenset[str]]  # of the scorings of an audit's pages, by language


def drop_date(scoring: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a scoring without its date, which changes a page's freshness and nothing else."""
    return {key: value for key, value in scoring.items() if key != "as_of"}


def name_kind(page: Mapping[str, Any]) -> tuple[str, str]:
    """Return what the hash of a scoring depends on besides the settings: the language, and whether it was HTML."""
    return str(page.get("language")), str(page.get("offsets"))


@dataclass(frozen=True, slots=True)
class Trend:
    """The finished audits that were scored as the newest one was, the oldest first, and the number of the others.

    `editions` are the others' where they differ from that of the newest.
    """

    audits: Sequence[AuditRow]
    left_out: int
    editions: Sequence[str] = ()

    @property
    def advice(self) -> str:
        """How to go on with the audits that are left out; empty where it is not their edition that differs."""
        return "; ".join(f"`audit --edition {name}` goes on with those in {name}" for name in self.editions)


class Scorings:
    """Says of the audits in a store whether they were scored in the same way, except for the date."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hashes: dict[int, Hashes] = {}

    def are_same(self, old: AuditRow, new: AuditRow) -> bool:
        """Compare edition and weights by name, and the hashes of formulas, weights and language data of some pages."""
        if old.edition != new.edition or drop_date(old.scoring) != drop_date(new.scoring):
            return False
        before, after = self._read(old.id), self._read(new.id)
        return all(before[language] & after[language] for language in before.keys() & after.keys())

    def find_previous(self, audits: Sequence[AuditRow], audit: AuditRow) -> AuditRow | None:
        """Return the last of the finished audits that was scored as this one was."""
        earlier = (other for other in reversed(audits) if other.state == "done" and self.are_same(other, audit))
        return next(earlier, None)

    def find_trend(self, audits: Sequence[AuditRow]) -> Trend:
        """Return the audits of a trend: the newest finished one, and those before it that can be compared with it."""
        finished = [audit for audit in audits if audit.state == "done" and audit.mean is not None]
        same = [audit for audit in finished if self.are_same(audit, finished[-1])]
        others = {audit.edition for audit in finished} - {finished[-1].edition} if finished else set()
        return Trend(same, len(finished) - len(same), sorted(others))

    def _read(self, audit: int) -> Hashes:
        if audit not in self._hashes:
            self._hashes[audit] = self._store.read_scorings(audit)
        return self._hashes[audit]
