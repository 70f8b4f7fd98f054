"""The stored audits, read in threads: the only module here that knows the store."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.site.audit import read_summary
from steelyard.site.leaderboard import build
from steelyard.site.scorings import Scorings, Trend
from steelyard.web.options import ServeOptions
from steelyard.web.responses import HTTPError
from steelyard.web.workers import Workers

if TYPE_CHECKING:
    from steelyard.site.history import AuditDiff
    from steelyard.site.store import Store
    from steelyard.site.summary import Summary

THREADS, WAITING = 2, 20
Result = TypeVar("Result")


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

    async def find_trend(self, site: str) -> Trend:
        """Return the finished audits of a site that were scored as the newest one was, and the number of the others."""
        return await self._read(lambda store: Scorings(store).find_trend(store.list_audits(site)))

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
