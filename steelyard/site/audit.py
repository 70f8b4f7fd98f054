"""An audit: every page of a site visited, scored and stored, and the duplicates merged at the end."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard.errors import PageUnreadable
from steelyard.inputs.find import find_pages
from steelyard.inputs.page_ref import PageRef, read_bytes
from steelyard.native.core import choose_core
from steelyard.settings import Settings
from steelyard.site.charset import decode_answer
from steelyard.site.crawl.summary import TIME
from steelyard.site.duplicates import Candidate, Group, are_near, find_groups
from steelyard.site.logs.report import LogReport, read_logs
from steelyard.site.measure import measure, measure_ref
from steelyard.site.model import EXCLUDED, FAILED, LISTED, NOT_MEASURED, PROBE, SCORED, START, Fetched, Link, Visit
from steelyard.site.summary import LOGS, Summary, summarise
from steelyard.support.children import ChildDied, Children
from steelyard.support.pool import LostTask, ordered_map
from steelyard.text.html import is_html

if TYPE_CHECKING:
    from steelyard.site.crawl.options import CrawlOptions
    from steelyard.site.store import Audit, Store, VisitRow

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """The target of an audit: a site from its start pages, addresses of a list, or the pages of a directory."""

    site: str
    starts: Sequence[str] = ()  # addresses
    directory: str | None = None
    listed: bool = False  # whether the addresses are a list, whose links are not followed
    logs: Sequence[str] = ()  # files with access logs


@dataclass(frozen=True, slots=True)
class Run:
    """An audit that is done, or was stopped: its number in the store, and its results."""

    site: str
    audit: int
    summary: Summary
    is_over: bool = True  # False where its time was over first, so that it can be continued
    logs: LogReport | None = None


def run_audit(
    plan: Plan,
    store: Store,
    settings: Settings,
    options: CrawlOptions | None = None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda finished, known: None,
    started: Callable[[int, bool], None] = lambda audit, resumed: None,
) -> Run:
    """Audit a site, or continue the audit of it that was interrupted.

    Raises:
        SteelyardError: The store cannot be used, or another process audits this site.
    """
    settings = replace(settings, core=choose_core())
    directory = plan.directory and os.path.abspath(plan.directory)
    described = {"starts": list(plan.starts), "directory": directory, **_describe_options(options)}
    audit = store.begin_audit(
        plan.site,
        plan.directory or next(iter(plan.starts), ""),
        described,
        as_of=settings.as_of,
        edition=settings.edition.name,
        scoring=settings.to_dict(),
        keep_texts=settings.keep_text,
        fresh=fresh,
    )
    started(audit.id, audit.resumed)
    # Whatever ends this early leaves the audit to be continued: closing the store releases it.
    workers = jobs or os.cpu_count() or 1
    if plan.directory is not None:
        end = _read_directory(plan.directory, audit, settings, workers, progress)
    elif options is not None:
        end = _crawl(plan, store, audit, settings, options, workers, progress)
    else:
        raise ValueError("a crawl needs its options")
    groups = find_groups(list(_list_candidates(store, audit.id)))
    audit.mark_duplicates([pair for group in groups for pair in group.others])
    logs = _read_logs(plan, store, audit.id)
    if logs is not None:
        end = {**end, LOGS: logs.to_dict()}
    summary = read_summary(store, audit.id, groups, end)
    is_over = all(limit["kind"] != TIME for limit in end.get("limits", ()))
    if is_over:
        audit.end("done", {**end, **summary.figures()})
    return Run(plan.site, audit.id, summary, is_over, logs)


def _read_logs(plan: Plan, store: Store, audit: int) -> LogReport | None:
    if not plan.logs:
        return None
    visits = (visit for visit in store.read_visits(audit) if visit.link.origin != PROBE)
    return read_logs(plan.logs, next(iter(plan.starts), f"https://{plan.site}/"), plan.directory, visits)


def find_date(store: Store, site: str) -> date | None:
    """Return the date of the audit of a site that was interrupted, with which it must go on; None without one."""
    return next((row.as_of for row in store.list_audits(site) if row.state == "running"), None)


def read_summary(
    store: Store, audit: int, groups: Sequence[Group] | None = None, end: Mapping[str, Any] | None = None
) -> Summary:
    """Return the summary of an audit in the store."""
    row = store.read_audit(audit)
    visits = (visit for visit in store.read_visits(audit) if visit.link.origin != PROBE)
    if groups is None:
        groups = find_groups(list(_list_candidates(store, audit)))
    crawled = row.settings.get("directory") is None and row.settings.get("follow", False)
    return summarise(visits, groups, end if end is not None else row.end, crawled=crawled)


# How fast and how patiently pages are fetched does not decide which ones there are.
_PACE = frozenset(("concurrency", "delay", "timeout", "retries", "headers", "max_seconds"))


def _describe_options(options: CrawlOptions | None) -> dict[str, Any]:
    """Return what of the options decides which pages are found: an audit with other ones is another audit."""
    if options is None:
        return {}
    described = {name: value for name, value in asdict(options).items() if name not in _PACE}
    return {**described, "private_hosts": sorted(options.private_hosts), "sitemaps": list(options.sitemaps)}


def _list_candidates(store: Store, audit: int) -> Iterator[Candidate]:
    for visit in store.read_visits(audit):
        if visit.content is not None and visit.page is not None and visit.link.origin != PROBE:
            url = visit.link.url
            yield Candidate(
                url, visit.final_url or url, visit.canonical, visit.content, visit.simhash, visit.link.depth
            )


def _crawl(  # noqa: PLR0917 - the parts of one run
    plan: Plan, store: Store, audit: Audit, settings: Settings, options: CrawlOptions, jobs: int, progress: Progress
) -> dict[str, Any]:
    from steelyard.site.crawl.visits import crawl

    links = [Link(url, 0, LISTED if plan.listed else START) for url in plan.starts]
    probe = None
    if not plan.listed and links:
        # Visited before everything else, so that pages which are the site's answer to anything are known as that.
        links.append(Link(_invent_address(links[0].url), -1, PROBE))
        probe = store.read_page(audit.id, links[-1].url) if audit.resumed else None
    audit.add(links)
    with _Scorers(settings, jobs, probe) as scorers:
        summary = crawl(audit, options, scorers.measure, progress)
    return {**summary.to_dict(), "notes": summary.list_notes()}


def _invent_address(start: str) -> str:
    """Return an address that no site has, the same for every audit of this one."""
    scheme, _, rest = start.partition("://")
    host = rest.partition("/")[0]
    return f"{scheme}://{host}/no-such-page-{hashlib.sha256(host.encode()).hexdigest()[:16]}"


class _Scorers:
    """Processes that score answers while others are fetched."""

    def __init__(self, settings: Settings, jobs: int, probe: Visit | VisitRow | None) -> None:
        self._settings = settings
        self._children = Children()
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="steelyard-score")  # one waits for each process
        self._probe = probe

    def __enter__(self) -> _Scorers:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._children.close()

    async def measure(self, fetched: Fetched) -> Visit:
        """Return the visit of an address."""
        visit = measure(fetched, self._settings) if fetched.outcome is not None else await self._measure(fetched)
        if fetched.link.origin == PROBE:
            self._probe = visit
            # No page of the site, so it takes no part in its counts and limits.
            return replace(
                visit, state=EXCLUDED, status=None, page=None, reason="tells how the site answers to anything"
            )
        if visit.state == SCORED and self._is_probe(visit):
            return replace(visit, state=NOT_MEASURED, page=None, content=None, reason=_SOFT_404)
        return visit

    async def _measure(self, fetched: Fetched) -> Visit:
        call = partial(self._children.ask, measure, fetched, self._settings)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except ChildDied:
            return Visit(fetched.link, FAILED, _DIED, fetched.status, fetched.url)

    def _is_probe(self, visit: Visit) -> bool:
        probe = self._probe
        if probe is None or probe.content is None or visit.link.origin == START:
            return False
        if visit.link.url == visit.final_url == probe.final_url:
            return False  # a page of its own, to which the site sends whoever is lost
        return visit.content == probe.content or are_near(visit.simhash, probe.simhash)


_DIED = "the process scoring this page died"
_SOFT_404 = "answers as the site does for an address that does not exist, with status 200"


def _read_directory(directory: str, audit: Audit, settings: Settings, jobs: int, progress: Progress) -> dict[str, Any]:
    from steelyard.site.access.folder import FolderAccess
    from steelyard.site.store.tables import clean

    folder = FolderAccess(directory)
    refs = [ref for ref in find_pages([directory], max_bytes=settings.max_bytes) if folder.is_page(ref.path)]
    audit.add(Link(ref.source, 0, LISTED) for ref in refs)
    by_name = {clean(ref.source): ref for ref in refs}
    while links := audit.take(_PIECE):
        tasks = [by_name.get(link.url) or PageRef(link.url, error="no longer there") for link in links]
        results = ordered_map(partial(_measure_file, settings=settings), tasks, jobs if len(tasks) > 1 else 1)
        for link, result in zip(links, results, strict=True):
            visit = Visit(link, FAILED, _DIED) if isinstance(result, LostTask) else replace(result, link=link)
            forbidden = folder.list_forbidden(link.url)
            audit.finish(replace(visit, access=visit.access and replace(visit.access, forbidden=forbidden)))
            progress(*audit.count())
    return {"access": folder.site.to_dict()}


_PIECE = 500  # files that are taken at a time


def _measure_file(ref: PageRef, settings: Settings) -> Visit:
    visit = Visit(Link(ref.source, 0, LISTED), FAILED, final_url=ref.source)
    if ref.error is not None:
        return replace(visit, reason=ref.error)
    try:
        return measure_ref(_load(ref, settings), visit, settings)
    except PageUnreadable as error:
        return replace(visit, reason=str(error).removeprefix(f"{ref.source}: "))


def _load(ref: PageRef, settings: Settings) -> PageRef:
    """Return the page with its text, in whatever encoding its file is, so that it is read once."""
    if ref.path is None:
        return ref
    text = decode_answer(read_bytes(ref.path, settings.max_bytes), ref.source)
    return replace(ref, path=None, text=text, html=is_html(text, name=ref.path))
