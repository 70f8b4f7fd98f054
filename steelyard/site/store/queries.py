"""The queries of a store: sites, audits, visits and their figures."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, func, select

from steelyard.errors import UnknownName
from steelyard.site.access.page_access import PageAccess
from steelyard.site.model import PROBE, SCORED, Link
from steelyard.site.store.errors import NoSuchAudit
from steelyard.site.store.packing import join_page, parse_object, unpack_text
from steelyard.site.store.rows import AuditRow, SiteRow, VisitRow
from steelyard.site.store.tables import DONE, QUEUED, addresses, audits, clean, date_dependent, readings, texts

PIECE = 200  # visits in memory at a time
Order = Literal["url", "score"]
LATEST, PREVIOUS = "latest", "previous"
_SIGN = 1 << 63


def list_sites(connection: Connection) -> list[SiteRow]:
    """Return all sites by name."""
    counts = select(audits.c.site, func.count()).group_by(audits.c.site)
    sites = sorted((str(site), int(n)) for site, n in connection.execute(counts))
    return [SiteRow(site, n, list_finished(list_audits(connection, site))[-1]) for site, n in sites]


def list_audits(connection: Connection, site: str) -> list[AuditRow]:
    """Return the audits of a site, the oldest first."""
    query = select(audits).where(audits.c.site == clean(site)).order_by(audits.c.started, audits.c.id)
    return [_make_audit(connection, row) for row in connection.execute(query).all()]


def list_finished(rows: Sequence[AuditRow]) -> list[AuditRow]:
    """Return the audits that are done, or all of them where none is."""
    return [row for row in rows if row.state == DONE] or list(rows)


def find_audit(connection: Connection, site: str, which: str) -> AuditRow:
    """Return an audit of a site by name, number or date."""
    every = list_audits(connection, site)
    if not every:
        known = connection.execute(select(audits.c.site).distinct().order_by(audits.c.site)).scalars()
        raise NoSuchAudit(site, known, "site")
    finished = list_finished(every)
    audit: AuditRow | None
    if which == LATEST:
        audit = finished[-1]
    elif which == PREVIOUS:
        audit = finished[-2] if len(finished) > 1 else None
    elif which.isascii() and which.isdigit():
        audit = next((row for row in every if str(row.id) == which), None)
    else:
        try:
            day = date.fromisoformat(which)
        except ValueError:
            raise UnknownName("audit", which, (LATEST, PREVIOUS, "a number", "a date such as 2026-07-01")) from None
        audit = max((row for row in finished if row.as_of <= day), key=lambda row: (row.as_of, row.id), default=None)
    if audit is None:
        raise NoSuchAudit(f"{site}@{which}", (f"{row.id} of {row.as_of}, {row.state}" for row in reversed(every)))
    return audit


def read_audit(connection: Connection, number: int) -> AuditRow:
    """Return an audit by its number."""
    row = connection.execute(select(audits).where(audits.c.id == number)).first()
    if row is None:
        query = select(audits.c.id, audits.c.site).order_by(audits.c.id.desc())
        raise NoSuchAudit(f"audit {number}", (f"{n} of {site}" for n, site in connection.execute(query)))
    return _make_audit(connection, row)


def summarise(connection: Connection, audit: int) -> tuple[dict[str, int], float | None, float | None]:
    """Return the number of addresses by state, and the mean and the median of the scored pages."""
    this = and_(addresses.c.audit == audit, addresses.c.origin != PROBE)
    by_state = select(addresses.c.state, func.count()).where(this).group_by(addresses.c.state)
    counts = {str(state): int(n) for state, n in connection.execute(by_state.order_by(addresses.c.state))}
    # Sorted and added exactly, so that both databases give the same last digit; eight bytes for each page.
    listed = select(addresses.c.score).where(this, addresses.c.state == SCORED, addresses.c.score.is_not(None))
    scores = array("d", connection.execute(listed.order_by(addresses.c.score)).scalars())
    if not scores:
        return counts, None, None
    middle = len(scores) // 2
    median = scores[middle] if len(scores) % 2 else (scores[middle - 1] + scores[middle]) / 2
    return counts, math.fsum(scores) / len(scores), median


def read_visits(connection: Connection, audit: int, *, order: Order, with_text: bool) -> Iterator[VisitRow]:
    """Yield the visits of an audit; addresses are read in order, and their pages in pieces."""
    keys = select(addresses.c.url).where(addresses.c.audit == audit, addresses.c.state != QUEUED)
    if order == "score":  # those without a score last, on either database
        keys = keys.order_by(addresses.c.score.is_(None), addresses.c.score)
    keys = keys.order_by(addresses.c.url)
    # Only these are streamed: for the options of a connection, every later statement would be as well.
    options = {"stream_results": True, "max_row_buffer": PIECE}
    with connection.execute(keys, execution_options=options) as streamed:
        for piece in streamed.scalars().partitions(PIECE):
            visits = {visit.url: visit for visit in _read_piece(connection, audit, list(piece), with_text=with_text)}
            yield from (visits[url] for url in piece if url in visits)


def read_scorings(connection: Connection, audit: int) -> dict[str, frozenset[str]]:
    """Return the hashes of the scorings of some pages, by language; all pages of a kind have the same one."""
    source = addresses.join(readings, addresses.c.reading == readings.c.id)
    query = select(readings.c.language, readings.c.scoring).select_from(source)
    query = query.where(addresses.c.audit == audit, addresses.c.state == SCORED).order_by(addresses.c.url).limit(PIECE)
    hashes: defaultdict[str, set[str]] = defaultdict(set)
    for language, scoring in connection.execute(query):
        hashes[str(language)].add(str(scoring))
    return {language: frozenset(values) for language, values in hashes.items()}


def read_scores(connection: Connection, audit: int) -> dict[str, float]:
    """Return the scores of an audit's pages by their addresses."""
    query = select(addresses.c.url, addresses.c.score)
    query = query.where(addresses.c.audit == audit, addresses.c.state == SCORED, addresses.c.score.is_not(None))
    return {str(url): float(score) for url, score in connection.execute(query)}


def read_page(connection: Connection, audit: int, url: str) -> VisitRow | None:
    """Return one visit with all that was kept of it."""
    return next(iter(_read_piece(connection, audit, [clean(url)], with_text=True)), None)


def _read_piece(connection: Connection, audit: int, urls: list[str], *, with_text: bool) -> list[VisitRow]:
    columns: list[Any] = [
        addresses,
        readings.c.body.label("reading_body"),
        readings.c.content.label("reading_content"),
        date_dependent.c.body.label("dated_body"),
    ]
    source: Any = addresses.outerjoin(readings, addresses.c.reading == readings.c.id)
    source = source.outerjoin(date_dependent, addresses.c.dated == date_dependent.c.id)
    if with_text:
        source = source.outerjoin(texts, readings.c.content == texts.c.content)
        columns.append(texts.c.body.label("text_body"))
    query = select(*columns).select_from(source)
    query = query.where(addresses.c.audit == audit, addresses.c.url.in_(urls), addresses.c.state != QUEUED)
    return [_make_visit(row) for row in connection.execute(query)]


def _make_visit(row: Row[Any]) -> VisitRow:
    page = None
    if row.reading_body is not None and row.dated_body is not None:
        page = join_page(row.reading_body, row.dated_body, row.url, row.score, row.freshness)
        text = row._mapping.get("text_body")
        if text is not None:
            page["text"] = unpack_text(text)
    access = PageAccess.from_dict(parse_object(row.access)) if row.access else None
    return VisitRow(
        link=Link(row.url, row.depth, row.origin, row.found_on),
        state=row.state,
        reason=row.reason or "",
        status=row.status,
        # It is not stored where it is the address itself.
        final_url=row.final_url or (row.url if row.status is not None else None),
        content_type=row.content_type or "",
        canonical=row.canonical,
        content=row.reading_content or row.content,
        simhash=None if row.simhash is None else row.simhash % (2 * _SIGN),
        page=page,
        access=access and access.check_site(row.final_url or row.url, row.canonical),
        linked=row.linked,
    )


def _make_audit(connection: Connection, row: Row[Any]) -> AuditRow:
    if row.counts is None:
        counts, average, median = summarise(connection, row.id)
    else:
        counts, average, median = parse_object(row.counts), row.mean, row.median
    return AuditRow(
        id=row.id,
        site=row.site,
        start=row.start,
        state=row.state,
        started=datetime.fromtimestamp(row.started, UTC),
        finished=None if row.finished is None else datetime.fromtimestamp(row.finished, UTC),
        as_of=date.fromisoformat(row.as_of),
        edition=row.edition,
        scoring=parse_object(row.scoring),
        keep_texts=row.keep_texts,
        counts=counts,
        mean=average,
        median=median,
        settings=parse_object(row.settings),
        end=parse_object(row.ending) if row.ending else {},
    )
