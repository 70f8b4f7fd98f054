"""The visits of known agents beside the scores of an audit."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from steelyard.errors import InvalidFile, SteelyardError, explain_os_error
from steelyard.inputs.find import STDIN
from steelyard.site.access.agents import find_date, load_agents
from steelyard.site.access.folder import locate_file
from steelyard.site.crawl.robots_file import find_path
from steelyard.site.logs.count import FILES, NOT_FOUND, OUTCOMES, LogCounter, LogCounts, Visits
from steelyard.site.logs.lines import MAX_LINE, parse_line
from steelyard.site.model import SCORED
from steelyard.support.lines import LineSource, read_lines
from steelyard.support.quantile import quantile
from steelyard.support.regular_file import is_packed, open_unpacked

if TYPE_CHECKING:
    from steelyard.site.store import VisitRow

MAX_LISTED = 200  # addresses of a list; they are kept with the audit
_SNIFFED = 100  # lines
_INDEXES = ("index.html", "index.htm", "index.md")
FORGED = (
    "agents are told by their user agent, which anybody can forge: no visitor was compared with the addresses that "
    "owners publish"
)


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """An address of the audit that agents asked for."""

    url: str
    state: str
    score: float | None
    is_low: bool  # it scores less than the median of the audit
    forbidden: tuple[str, ...]  # the agents that robots.txt, as the audit found it, forbids to ask for it
    visits: Visits


@dataclass(frozen=True)
class LogReport:
    """What access logs say of the pages of an audit.

    Attributes:
        files: The logs.
        faults: Those that could not be read to their end, with the reason.
        counts: What was counted.
        pages: The addresses of the audit that were asked for, those read most first.
        median: The median score of the audit; None without a page.
    """

    files: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    counts: LogCounts
    pages: tuple[LoggedPage, ...]
    median: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON, with the first addresses of each list."""
        counts = self.counts
        names = ("lines", "malformed", "nameless", "first", "last", "visits", "elsewhere", "left_out", "assets")
        pages = [
            {"url": p.url, "state": p.state, "score": p.score, "low": p.is_low, **_describe(p.visits)}
            for p in self.pages[:MAX_LISTED]
        ]
        others = sorted(counts.others.items(), key=lambda item: (-item[1].total, item[0]))
        lost = [(page.url, page.visits) for page in self.pages if page.visits.outcomes[NOT_FOUND]]
        lost += [(path, visits) for path, visits in others if visits.outcomes[NOT_FOUND]]
        lost.sort(key=lambda item: (-item[1].outcomes[NOT_FOUND], item[0]))
        forbidden: Counter[str] = Counter()
        for page in self.pages:
            forbidden.update({name: page.visits.agents[name] for name in page.forbidden})
        agents = [
            {
                "name": a.name, "owner": a.owner, "purpose": a.purpose,
                **_describe(counts.agents[a.name], named=False), "forbidden": forbidden[a.name],
            }
            for a in load_agents()
            if a.name in counts.agents
        ]  # fmt: skip
        return {
            "files": list(self.files),
            "faults": [{"file": file, "reason": reason} for file, reason in self.faults],
            **{name: getattr(counts, name) for name in names},
            "agents_as_of": find_date(),
            "agents": sorted(agents, key=lambda one: (-one["visits"], one["name"])),
            "median": self.median,
            "pages_visited": len(self.pages),
            "pages": pages,
            "unknown_visited": len(others),
            "unknown": [{"address": path, **_describe(visits)} for path, visits in others[:MAX_LISTED]],
            "not_found_visited": len(lost),
            "not_found": [{"address": path, **_describe(visits)} for path, visits in lost[:MAX_LISTED]],
            "for_programs": {path: dict(counts.files.get(path, {})) for path in FILES},
        }


def _describe(visits: Visits, *, named: bool = True) -> dict[str, Any]:
    entry = {"visits": visits.total, **{name: visits.outcomes[name] for name in OUTCOMES}, "last": visits.last}
    return {**entry, "agents": dict(visits.agents.most_common())} if named else entry


def check_logs(paths: Sequence[str]) -> None:
    """Refuse logs that cannot be read, before an audit that takes long.

    Raises:
        SteelyardError: One of them cannot be opened, is damaged, or has no line in a format that is read.
    """
    if paths.count(STDIN) > 1:
        raise SteelyardError(f"--log {STDIN}: standard input can be read once")
    for path in paths:
        if path == STDIN:
            continue
        with _open(path) as stream:
            lines = [line.data for _, line in zip(range(_SNIFFED), read_lines(stream, MAX_LINE), strict=False)]
        if lines and not any(line is not None and parse_line(line) for line in lines):
            advice = "give a log in the common or the combined format, packed with gzip or not"
            raise SteelyardError(f"{path}: none of its first lines is one of an access log; {advice}")


def read_logs(paths: Sequence[str], site: str, directory: str | None, visits: Iterable[VisitRow]) -> LogReport:
    """Count the lines of access logs, and join them with the visits of an audit.

    Args:
        paths: The files; `-` for standard input.
        site: An address of the site.
        directory: The directory that is its root, where pages were read from files.
        visits: What was audited.
    """
    known = _list_known(visits, directory)
    counter = LogCounter(_find_origin(site, directory), known)
    faults = []
    for path in paths:
        try:
            with _open(path) as stream:
                counter.read(stream)
        except SteelyardError as error:  # what was read of it is counted, and the audit is not lost
            faults.append((path, str(error).removeprefix(f"{path}: ")))
    scored = {url: score for url, state, score, _ in known.values() if state == SCORED and score is not None}
    scores = sorted(scored.values())
    median = quantile(scores, 0.5) if scores else None
    pages: dict[str, LoggedPage] = {}
    for path, counted in counter.counts.pages.items():
        url, state, score, forbidden = known[path]
        is_low = score is not None and median is not None and score < median
        before = pages.get(url)
        merged = _merge(before.visits, counted) if before else counted
        pages[url] = LoggedPage(url, state, score, is_low, forbidden, merged)
    listed = sorted(pages.values(), key=lambda page: (-page.visits.reads, -page.visits.total, page.url))
    return LogReport(tuple(paths), tuple(faults), counter.counts, tuple(listed), median)


def _merge(one: Visits, other: Visits) -> Visits:
    return Visits(one.agents + other.agents, one.outcomes + other.outcomes, other.last)


_Known = dict[str, tuple[str, str, float | None, tuple[str, ...]]]


def _list_known(visits: Iterable[VisitRow], directory: str | None) -> _Known:
    """Return the addresses of an audit by their paths, each with its state, its score, and whom it is forbidden."""
    known: _Known = {}
    aliases: _Known = {}
    for visit in visits:
        forbidden = (visit.access.forbidden if visit.access else None) or ()
        entry = visit.link.url, visit.state, visit.score, forbidden
        address = visit.link.url if directory is None else locate_file(visit.link.url, directory)
        if address is None:
            continue
        path = find_path(address)
        if path not in known or visit.state == SCORED:
            known[path] = entry
        if directory is not None:
            aliases.update(dict.fromkeys(_list_aliases(path), entry))
    return {**aliases, **known}


def _list_aliases(path: str) -> Iterator[str]:
    """Yield under what other addresses servers usually show a file."""
    folder, _, name = path.rpartition("/")
    if name in _INDEXES:
        yield f"{folder}/"
    elif "." in name:
        yield f"{folder}/{name.rpartition('.')[0]}"


def _find_origin(site: str, directory: str | None) -> str:
    if directory is not None:
        return "http://localhost"
    parts = urlsplit(site)
    return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def _open(path: str) -> Iterator[LineSource]:
    """Open a log.

    Raises:
        SteelyardError: It cannot be read, or is damaged; also while it is being read.
    """
    try:
        if path != STDIN:
            with open_unpacked(path) as stream:
                yield stream
            return
        reader = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer), 1 << 20)
        try:
            yield gzip.GzipFile(fileobj=cast("IO[bytes]", reader)) if is_packed(reader.peek(2)) else reader
        finally:
            reader.detach()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidFile(path, f"the gzip file is damaged ({error}); fetch it again") from error
    except OSError as error:
        raise explain_os_error(path, error) from error
