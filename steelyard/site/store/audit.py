"""An audit in progress: its addresses in the store, each finished in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, and_, bindparam, func, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from steelyard.site.model import DUPLICATE, LINK, SCORED, START, Link, Visit
from steelyard.site.store.database import Database
from steelyard.site.store.errors import AuditLost
from steelyard.site.store.packing import Packed, pack_text, split_page
from steelyard.site.store.queries import summarise
from steelyard.site.store.tables import (
    DONE,
    QUEUED,
    RUNNING,
    STOPPED,
    addresses,
    audits,
    clean,
    date_dependent,
    readings,
    texts,
)
from steelyard.support.artifacts import to_json

T = TypeVar("T")

PIECE = 200  # addresses in one statement
HEARTBEAT_SECONDS = 5.0  # between two signs of life
MAX_ADDRESS = 2_000  # bytes; PostgreSQL's index takes no more than 2,700
MAX_REMEMBERED = 20_000  # addresses that need not be looked up again, such as those of a menu on every page
_SIGN = 1 << 63

# Made once: to make a statement takes longer than to run it.
_OWN_AUDIT = and_(audits.c.id == bindparam("number"), audits.c.owner == bindparam("token"), audits.c.state == RUNNING)
_CHECK = select(audits.c.id).where(_OWN_AUDIT)
_HEARTBEAT = update(audits).where(_OWN_AUDIT).values(beat=bindparam("now"))
_ADDRESS = and_(addresses.c.audit == bindparam("number"), addresses.c.url == bindparam("address"))
_FIND_STATE = select(addresses.c.state).where(_ADDRESS)
_VISIT_COLUMNS = (
    "state", "reason", "status", "final_url", "content_type", "canonical", "content", "simhash", "score", "freshness",
    "reading", "dated", "access",
)  # fmt: skip
_FINISH = update(addresses).where(_ADDRESS).values({name: bindparam(f"new_{name}") for name in _VISIT_COLUMNS})
_FIND_PARTS = {
    table.name: select(table.c.id).where(table.c.digest == bindparam("digest")) for table in (readings, date_dependent)
}
_ADDRESSES = and_(addresses.c.audit == bindparam("number"), addresses.c.url.in_(bindparam("urls", expanding=True)))
_FIND_KNOWN = select(addresses.c.url, addresses.c.linked).where(_ADDRESSES)
_LINK_KNOWN = update(addresses).where(_ADDRESSES).values(linked=True)
_NEXT = (
    select(addresses.c.url, addresses.c.depth, addresses.c.origin, addresses.c.found_on)
    # Written out: the index of queued addresses is used only where the statement says so itself.
    .where(addresses.c.audit == bindparam("number"), addresses.c.state == literal_column(f"'{QUEUED}'"))
    .order_by(addresses.c.depth, addresses.c.url)
    .limit(bindparam("most"))
)


class Audit:
    """A `Frontier` in the store: it outlives its process, and another one continues where this one ended.

    It belongs to one process and one thread. Whoever finds that another process has taken it over gets AuditLost.
    """

    def __init__(self, database: Database, number: int, site: str, owner: str, *, keep_texts: bool, resumed: bool):
        self.id = number
        self.site = site
        self.resumed = resumed
        self._database = database
        self._owner = owner
        self._keep_texts = keep_texts
        self._under_way: dict[str, int] = {}  # depth by address
        self._remembered: set[str] = set()  # addresses in the store that are known to be linked
        self._met: set[str] = set()  # the same, of the transaction under way
        self._next_heartbeat = 0.0
        self._is_ended = False
        self._finished, self._known, self._bytes = self._count()

    def add(self, links: Iterable[Link]) -> None:
        """See Frontier. An address of more than 2,000 bytes is left out."""
        remaining = iter(links)
        while piece := list(islice(remaining, PIECE)):
            self._change(partial(self._add_counted, piece))

    def take(self, most: int) -> list[Link]:
        """See Frontier."""
        parameters = {"number": self.id, "most": most + len(self._under_way)}
        rows = self._database.read(lambda connection: connection.execute(_NEXT, parameters).all())
        waiting = [Link(*row) for row in rows if row.url not in self._under_way]
        if not waiting or any(depth < waiting[0].depth for depth in self._under_way.values()):
            return []
        links = [link for link in waiting if link.depth == waiting[0].depth][:most]
        self._under_way.update({link.url: link.depth for link in links})
        return links

    def finish(self, visit: Visit, links: Sequence[Link] = ()) -> None:
        """See Frontier. One transaction; when this returns, the visit survives the end of the process."""
        self._change(lambda connection: self._finish(connection, visit, links))
        self._under_way.pop(visit.link.url, None)

    def mark_duplicates(self, duplicates: Sequence[tuple[str, str]]) -> None:
        """Mark visited addresses as duplicates, each with the reason, and no others; their pages stay what they are."""
        marked = and_(addresses.c.audit == self.id, addresses.c.state == DUPLICATE, addresses.c.reading.is_not(None))

        def mark(connection: Connection) -> None:
            # An audit that was stopped has such marks already, and another page may be the one to keep by now.
            connection.execute(update(addresses).where(marked).values(state=SCORED, reason=None))
            for url, reason in duplicates:
                this = and_(addresses.c.audit == self.id, addresses.c.url == clean(url))
                connection.execute(update(addresses).where(this).values(state=DUPLICATE, reason=clean(reason)))

        self._work(mark)

    def count(self) -> tuple[int, int]:
        """See Frontier."""
        return self._finished, self._known

    def measure_bytes(self) -> int:
        """See Frontier."""
        return self._bytes

    def finished(self) -> Iterator[Visit]:
        """See Frontier; without the pages."""
        columns = (addresses.c[name] for name in ("url", "depth", "origin", "found_on", "state", "reason", "status"))
        query = select(*columns).where(addresses.c.audit == self.id, addresses.c.state != QUEUED)
        with self._database.open_stream() as connection:
            for row in connection.execute(query):
                yield Visit(Link(row.url, row.depth, row.origin, row.found_on), row.state, row.reason or "", row.status)

    def end(self, state: str, end: Mapping[str, Any]) -> None:
        """Close the audit.

        Args:
            state: "done", or "stopped" for one that will not be continued.
            end: What to keep about its end, for JSON.
        """
        if state not in (DONE, STOPPED):
            raise ValueError(f"an audit ends as done or stopped, not as {state!r}")
        self._work(lambda connection: close_audit(connection, self.id, state, end))
        self._is_ended = True

    def release(self) -> None:
        """Let another process continue the audit; does nothing after `end`."""
        if self._is_ended:
            return
        self._is_ended = True
        mine = (audits.c.id == self.id, audits.c.owner == self._owner)
        self._database.write(lambda c: c.execute(update(audits).where(*mine).values(owner=None)), patience=0.0)

    def _work(self, work: Callable[[Connection], T]) -> T:
        """Do work that writes, provided that the audit is still ours; renew the sign of life."""

        def owned(connection: Connection) -> T:
            self._database.share_content(connection)
            mine = {"number": self.id, "token": self._owner}
            if time.monotonic() >= self._next_heartbeat:
                is_mine = connection.execute(_HEARTBEAT, {**mine, "now": time.time()}).rowcount == 1
            else:
                is_mine = connection.execute(_CHECK, mine).first() is not None
            if not is_mine:
                raise AuditLost(self.id)
            return work(connection)

        result = self._database.write(owned)
        if time.monotonic() >= self._next_heartbeat:
            self._next_heartbeat = time.monotonic() + HEARTBEAT_SECONDS
        return result

    def _change(self, work: Callable[[Connection], tuple[int, list[Link]]]) -> None:
        """Do work that returns how many more addresses are finished, and which are new, and count them."""
        before = self._database.repeated
        finished, new = self._work(work)
        if len(self._remembered) > MAX_REMEMBERED:
            self._remembered.clear()
        self._remembered |= self._met  # only now: what a failed transaction met is not in the store
        if self._database.repeated == before:
            self._finished += finished
            self._known += len(new)
            self._bytes += sum(link.bytes for link in new)
        else:  # an earlier try may have been kept although its answer was lost
            self._finished, self._known, self._bytes = self._count()

    def _count(self) -> tuple[int, int, int]:
        """Return how many addresses are finished and known, and the bytes that they take."""
        is_queued = addresses.c.state == QUEUED
        size = func.sum(func.length(addresses.c.url) + func.coalesce(func.length(addresses.c.found_on), 0))
        query = select(func.count(), func.count().filter(is_queued), size).where(addresses.c.audit == self.id)
        known, queued, total = self._database.read(lambda connection: connection.execute(query).one())
        return known - queued, known, int(total or 0)

    def _finish(self, connection: Connection, visit: Visit, links: Sequence[Link]) -> tuple[int, list[Link]]:
        """Record a visit and its links; return whether the visit is new, and the addresses that are."""
        self._met.clear()
        values = self._describe(connection, visit)
        this = {"number": self.id, "address": clean(visit.link.url)}
        before = connection.execute(_FIND_STATE, this).scalar()
        added = self._add(connection, [visit.link]) if before is None else []
        connection.execute(_FINISH, {**this, **{f"new_{name}": values.get(name) for name in _VISIT_COLUMNS}})
        for start in range(0, len(links), PIECE):
            added += self._add(connection, links[start : start + PIECE])
        return int(before in (None, QUEUED)), added

    def _describe(self, connection: Connection, visit: Visit) -> dict[str, Any]:
        """Return the columns of a visit, and store its page where that is not there yet."""
        url = visit.link.url
        page = visit.page
        values: dict[str, Any] = {
            "state": visit.state,
            "reason": clean(visit.reason) or None,
            "status": visit.status,
            "final_url": clean(visit.final_url) if visit.final_url != url else None,
            "content_type": clean(visit.content_type) or None,
            "canonical": clean(visit.canonical),
            "content": visit.content if page is None else None,
            "simhash": None if visit.simhash is None else visit.simhash - (_SIGN * 2 if visit.simhash >= _SIGN else 0),
            "access": None if visit.access is None else clean(to_json(visit.access.to_dict(), indent=None)),
        }
        if page is None:
            return values
        reading, later = split_page(page, url, visit.content or "")
        values |= {
            "score": page["score"],
            "freshness": page.get("freshness"),
            "reading": self._store_part(connection, readings, reading, _list_columns(page, visit.content or "")),
            "dated": self._store_part(connection, date_dependent, later, {}),
        }
        text = page.get("text")
        if self._keep_texts and text is not None and visit.content:
            self._insert_new(connection, texts, [{"content": visit.content, "body": pack_text(text)}])
        return values

    def _store_part(self, connection: Connection, table: Any, part: Packed, columns: Mapping[str, Any]) -> int:
        """Return the number of a part's row, which is made unless there is one."""
        query, digest = _FIND_PARTS[table.name], {"digest": part.digest}
        number = connection.execute(query, digest).scalar()
        if number is None:
            self._insert_new(connection, table, [{**digest, "body": part.body, **columns}])
            number = connection.execute(query, digest).scalar_one()
        return int(number)

    def _add_counted(self, links: Sequence[Link], connection: Connection) -> tuple[int, list[Link]]:
        self._met.clear()
        return 0, self._add(connection, links)

    def _add(self, connection: Connection, links: Sequence[Link]) -> list[Link]:
        """Add the addresses that are not known; mark known ones that a page links to. Return those that are new."""
        by_url: dict[str, Link] = {}
        linked = set()
        for link in links:
            url = clean(link.url)
            if url in self._remembered or len(url.encode()) > MAX_ADDRESS:
                continue
            by_url.setdefault(url, link)
            if link.origin in (START, LINK):
                linked.add(url)
        if not by_url:
            return []
        rows = connection.execute(_FIND_KNOWN, {"number": self.id, "urls": sorted(by_url)})
        known = {row.url: row.linked for row in rows}
        new = {url: link for url, link in sorted(by_url.items()) if url not in known}
        new_rows = [
            {
                "audit": self.id, "url": url, "depth": link.depth, "origin": link.origin,
                "found_on": clean(link.found_on), "linked": url in linked, "state": QUEUED,
            }
            for url, link in new.items()
        ]  # fmt: skip
        self._insert_new(connection, addresses, new_rows)
        orphans = sorted(url for url, was_linked in known.items() if not was_linked and url in linked)
        if orphans:
            connection.execute(_LINK_KNOWN, {"number": self.id, "urls": orphans})
        self._met |= linked
        return list(new.values())

    def _insert_new(self, connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
        if rows:
            make = sqlite.insert if self._database.is_sqlite else postgresql.insert
            connection.execute(make(table).on_conflict_do_nothing(), rows)


def close_audit(connection: Connection, number: int, state: str, end: Mapping[str, Any]) -> None:
    """Write an audit's end and figures, for its owner or for whoever found it abandoned."""
    counts, average, median = summarise(connection, number)
    values = {
        "state": state, "finished": time.time(), "ending": to_json(dict(end), indent=None), "owner": None,
        "counts": to_json(counts, indent=None), "mean": average, "median": median,
    }  # fmt: skip
    connection.execute(update(audits).where(audits.c.id == number).values(values))


def _list_columns(page: Mapping[str, Any], content: str) -> dict[str, Any]:
    """Return the columns of a reading that queries use."""
    return {"content": content, "scoring": page.get("hash", ""), "language": page.get("language")}
