"""The stored audits, read in threads: the only module here that knows the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.site.audit import read_summary
from steelyard.site.leaderboard import build
from steelyard.site.page_views import Past, read_past
from steelyard.site.scorings import Scorings
from steelyard.web.chart import Median
from steelyard.web.options import ServeOptions
from steelyard.web.responses import HTTPError
from steelyard.web.workers import Workers

if TYPE_CHECKING:
    from steelyard.site.history import AuditDiff
    from steelyard.site.store import Store
    from steelyard.site.summary import Summary

THREADS, WAITING = 2, 20
MAX_MEDIANS = 60  # audits in a chart, the newest
Result = TypeVar("Result")
# An audit, the entries of its pages, and their earlier scores, both by address.
StoredPages = tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, tuple[Past, ...]]]


class Sites:
    """Reads the store for pages and API; it is opened when it is first needed."""

    def __init__(self, options: ServeOptions) -> None:
        self._url = options.store
        self._workers = Workers("store", THREADS, WAITING, options.max_work_seconds)
        self._opening = Lock()
        self._store: Store | None = None

    async def list_sites(self) -> list[dict[str, Any]]:
        """Return the sites with their last audits."""
        return await self._read(lambda store: [row.to_dict() for row in store.list_sites()])

    async def list_audits(self, site: str) -> list[dict[str, Any]]:
        """Return a site's audits, the newest first.

        Raises:
            HTTPError: There is no such site.
        """
        audits = await self._read(lambda store: [row.to_dict() for row in store.list_audits(site)])
        if not audits:
            raise HTTPError(404, "there is no audit of this site in the store")
        return sorted(audits, key=lambda audit: audit["id"], reverse=True)

    async def find_medians(self, site: str) -> list[Median]:
        """Return the medians of a site's finished audits, the oldest first, and where the scoring changed."""

        def read(store: Store) -> list[Median]:
            finished = [a for a in store.list_audits(site) if a.state == "done" and a.median is not None][-MAX_MEDIANS:]
            scorings = Scorings(store)
            same = [False, *(scorings.are_same(old, new) for old, new in pairwise(finished))]
            return [
                Median(audit.as_of.isoformat(), audit.median or 0.0, audit.edition, is_new=not is_same)
                for audit, is_same in zip(finished, same, strict=False)
            ]

        return await self._read(read)

    async def read_pages(self, site: str, number: int, urls: Sequence[str]) -> StoredPages:
        """Return an audit, the entries of some of its pages, with texts that were kept, and their histories.

        Raises:
            HTTPError: There is no such audit, or none of these pages has a score.
        """

        def read(store: Store) -> StoredPages:
            row = store.find_audit(site, str(number))
            visits = (store.read_page(row.id, url) for url in urls)
            entries = {visit.link.url: visit.page for visit in visits if visit is not None and visit.page is not None}
            if not entries:
                raise HTTPError(404, "this audit has no such page with a score")
            return row.to_dict(), entries, read_past(store, row)

        return await self._read(read)

    async def read_audit(self, site: str, number: int) -> tuple[dict[str, Any], Summary]:
        """Return one audit of a site, and its summary.

        Raises:
            HTTPError: There is none.
        """

        def read(store: Store) -> tuple[dict[str, Any], Summary]:
            row = store.find_audit(site, str(number))
            return row.to_dict(), read_summary(store, row.id)

        return await self._read(read)

    async def compare(self, site: str, old: str, new: str) -> AuditDiff:
        """Return what changed between two audits of a site, each a number, a date, "previous" or "latest".

        Raises:
            HTTPError: There are no such audits.
        """

        def compare(store: Store) -> AuditDiff:
            from steelyard.site.history import compare_audits

            return compare_audits(store, store.find_audit(site, old).id, store.find_audit(site, new).id)

        return await self._read(compare)

    async def build_leaderboard(self) -> dict[str, Any]:
        """Return the leaderboard of all sites."""
        return await self._read(lambda store: build(store).to_dict())

    def close(self) -> None:
        """Close the store."""
        self._workers.close()
        if self._store is not None:
            self._store.close()

    async def _read(self, work: Callable[[Store], Result]) -> Result:
        """Read the store in a thread.

        Raises:
            HTTPError: What was asked for is not there, or the store cannot be used.
        """
        try:
            return await self._workers.run(lambda: work(self._open()))
        except MissingExtra as error:
            raise HTTPError(501, str(error)) from None
        except SteelyardError as error:
            raise HTTPError(_choose_status(error), str(error)) from None

    def _open(self) -> Store:
        with self._opening:
            if self._store is None:
                from steelyard.site.store import open_store

                self._store = open_store(self._url)
            return self._store


def _choose_status(error: SteelyardError) -> int:
    """Return the status of an error of the store: unusable, without such an audit, or asked for a wrong name."""
    from steelyard.site.store.errors import NoSuchAudit, StoreError

    return 503 if isinstance(error, StoreError) else 404 if isinstance(error, NoSuchAudit) else 422
