"""Count what known agents asked for, line by line, in bounded memory however long the logs are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from steelyard.site.access.agents import Agent, recognise
from steelyard.site.addresses import MAX_ADDRESS, drop_session, normalise, same_site
from steelyard.site.crawl.robots_file import find_path
from steelyard.site.logs.lines import MAX_LINE, Entry, decode_target, parse_line
from steelyard.support.lines import LineSource, read_lines

MAX_OTHERS = 20_000  # addresses that the audit does not know, counted at a time
_REMEMBERED = 20_000  # user agents and addresses that need not be read again
# What became of a request, by its status; the first that fits.
FOUND, REDIRECTED, NOT_FOUND, REFUSED, BROKEN = "read", "redirected", "not_found", "refused", "failed"
OUTCOMES = (FOUND, REDIRECTED, NOT_FOUND, REFUSED, BROKEN)
_OF_STATUS = {b"304": FOUND, b"404": NOT_FOUND, b"410": NOT_FOUND} | dict.fromkeys(
    (b"401", b"403", b"407", b"429", b"451"), REFUSED
)
_OF_CLASS = {b"2": FOUND, b"3": REDIRECTED}
# A path and a query without dot segments, escapes and parameters of the path: of that, normalising drops no more than
# some parameters of the query.
_PLAIN = re.compile(rb"(/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*+/?)*+)(?:\?([A-Za-z0-9._~=&+-]*+))?")
FILES = ("/robots.txt", "/llms.txt")
# Files that pages are made of, or that are for programs: no audit looks for them.
_NO_PAGES = tuple(
    ".avif .css .eot .gif .ico .jpeg .jpg .js .json .map .mjs .mp3 .mp4 .png .rss .svg .ttf .txt .webm .webmanifest"
    " .webp .woff .woff2 .xml .gz".split()
)


@dataclass(slots=True)
class Visits:
    """The visits of agents to one address."""

    agents: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    last: str = ""  # time of the last one, as given

    @property
    def total(self) -> int:
        """How many there were."""
        return self.outcomes.total()

    @property
    def reads(self) -> int:
        """How many of them got the page, or were told that it has not changed."""
        return self.outcomes[FOUND]


@dataclass(slots=True)
class LogCounts:
    """What was counted. Lines of people and of unknown programs are counted and nothing else is kept of them.

    Attributes:
        lines: Lines that are not blank.
        malformed: Those in no format that is read.
        nameless: Those without a user agent, as in the common format.
        first: The time of the first line, as given.
        last: That of the last one.
        visits: Requests of known agents.
        elsewhere: Those for another site, or for no address.
        left_out: Those to addresses that were too many to count.
        pages: By address in the audit.
        others: By address that is not.
        files: By file for programs, the agents that asked for it.
        assets: Requests for images, styles and the like.
        agents: By agent.
    """

    lines: int = 0
    malformed: int = 0
    nameless: int = 0
    first: str = ""
    last: str = ""
    visits: int = 0
    elsewhere: int = 0
    left_out: int = 0
    assets: int = 0
    pages: dict[str, Visits] = field(default_factory=dict)
    others: dict[str, Visits] = field(default_factory=dict)
    files: dict[str, Counter[str]] = field(default_factory=dict)
    agents: dict[str, Visits] = field(default_factory=dict)


class LogCounter:
    """Counts the lines of one log after the other.

    Args:
        origin: The beginning of the site's addresses, to which those in the logs are added.
        known: The paths, with queries, of the addresses in the audit.
    """

    def __init__(self, origin: str, known: Collection[str]) -> None:
        self._origin, self._known = origin, known
        self.counts = LogCounts()
        self._recognise = lru_cache(_REMEMBERED)(_recognise)
        self._locate = lru_cache(_REMEMBERED)(self._find_path)

    def read(self, stream: LineSource) -> None:
        """Count the lines of a log."""
        for entry in self._read_entries(stream):
            if entry.agent is not None and (agent := self._recognise(entry.agent)) is not None:
                self._count(agent, entry)

    def _read_entries(self, stream: LineSource) -> Iterator[Entry]:
        counts = self.counts
        last = b""
        for line in read_lines(stream, MAX_LINE):
            if line.is_blank:
                continue
            counts.lines += 1
            entry = parse_line(line.data) if line.data is not None else None
            if entry is None:
                counts.malformed += 1
                continue
            if entry.agent is None:
                counts.nameless += 1
            if not counts.first:
                counts.first = _decode(entry.time)
            last = entry.time
            yield entry
        counts.last = _decode(last) or counts.last

    def _count(self, agent: Agent, entry: Entry) -> None:
        counts = self.counts
        counts.visits += 1
        outcome = _OF_STATUS.get(entry.status) or _OF_CLASS.get(entry.status[:1], BROKEN)
        _add(counts.agents, agent.name, agent, outcome, entry.time)
        path = self._locate(entry.target) if entry.target is not None else None
        if path is None:
            counts.elsewhere += 1
        elif path in self._known:
            _add(counts.pages, path, agent, outcome, entry.time)
        elif path in FILES:
            counts.files.setdefault(path, Counter())[agent.name] += 1
        elif path.partition("?")[0].lower().endswith(_NO_PAGES):
            counts.assets += 1
        else:
            if path not in counts.others and len(counts.others) >= MAX_OTHERS:
                self._forget()
            _add(counts.others, path, agent, outcome, entry.time)

    def _find_path(self, target: bytes) -> str | None:
        """Return the path, with its query, of an address as a request has it; None for another site."""
        if len(target) < MAX_ADDRESS // 2 and (plain := _PLAIN.fullmatch(target)):
            query = drop_session(plain[2].decode("ascii")) if plain[2] else ""
            return plain[1].decode("ascii") + (f"?{query}" if query else "")
        text = decode_target(target)
        is_own = text.startswith("/")
        address = normalise(self._origin + text if is_own else text)
        return find_path(address) if address is not None and (is_own or same_site(address, self._origin)) else None

    def _forget(self) -> None:
        """Drop the half of the other addresses that was asked for least."""
        others = self.counts.others
        for path in sorted(others, key=lambda path: others[path].total)[: MAX_OTHERS // 2]:
            self.counts.left_out += others.pop(path).total


def _add(table: dict[str, Visits], key: str, agent: Agent, outcome: str, time: bytes) -> None:
    visits = table.get(key)
    if visits is None:
        visits = table[key] = Visits()
    visits.agents[agent.name] += 1
    visits.outcomes[outcome] += 1
    visits.last = _decode(time)


def _recognise(agent: bytes) -> Agent | None:
    return recognise(agent.decode("latin-1"))


def _decode(time: bytes) -> str:
    return time.decode("latin-1")
