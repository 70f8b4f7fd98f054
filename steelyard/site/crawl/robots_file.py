"""What a robots.txt says to us, read line by line.

The groups of one name are merged, the longest name that is ours decides, and `*` is for those without a group
(RFC 9309). Rules of others are not kept: a file of thousands of names over thousands of rules costs no more than its
lines. Spelling mistakes that are common on the web are understood, since somebody meant to forbid something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from steelyard.site.addresses import MAX_ADDRESS, escape

MAX_BYTES = 512_000  # of a file; the standard asks for 500 KiB at least
MAX_SITEMAPS = 1_000
MAX_SECONDS = 1e9  # of a delay
_MAX_NUMBER = 400  # characters

_AGENT, _ALLOW, _DISALLOW, _DELAY, _RATE = "user-agent", "allow", "disallow", "crawl-delay", "request-rate"
_SITEMAP, _HOST, _HOURS = "sitemap", "host", "visit-time"
_OF_THE_SITE = (_SITEMAP, _HOST)  # they end no group, wherever they stand
_FIELDS = {
    **{name: name for name in (_AGENT, _ALLOW, _DISALLOW, _DELAY, _RATE, _SITEMAP, _HOST, _HOURS)},
    **dict.fromkeys(("useragent", "user agent"), _AGENT),
    **dict.fromkeys(("dissallow", "dissalow", "disalow", "diasllow", "disallaw"), _DISALLOW),
    "crawl delay": _DELAY,
    "request rate": _RATE,
    "visit time": _HOURS,
    **dict.fromkeys(("sitemaps", "site-map"), _SITEMAP),
}
_LINE = re.compile(r"[^\r\n]+")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_EVERYBODY = "*"
MAX_WILDCARDS = 2_000  # in all rules together: each may have to be looked for in every address
# A rule with more characters than this needs an address of more than `MAX_ADDRESS`, and there is none: at worst
# every fourth one is what an address must have (`%41*`).
_MAX_PATTERN = 4 * MAX_ADDRESS + 4
MAX_AGENT_WILDCARDS = 200  # in the rules for one of the agents that are only looked up, of which there are many
_STARS = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What a robots.txt says to us.

    Attributes:
        rules: What may be asked for.
        delay: Seconds between two requests; 0 where nothing is said.
        sitemaps: The sitemaps that it names, as written.
        left_sitemaps: How many more it names.
        is_cut: There is more than was read.
    """

    rules: PathRules
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()
    left_sitemaps: int = 0
    is_cut: bool = False

    def allow(self, url: str) -> bool:
        """Return whether a normalised address may be asked for."""
        path = find_path(url)
        return path == "/robots.txt" or self.rules.allow(path)


def find_path(url: str) -> str:
    """Return the part of a normalised address that rules are about: its path and its query."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@dataclass(frozen=True, slots=True)
class AgentRules:
    """What a robots.txt says to another agent: its rules, and whether the file names it."""

    rules: PathRules
    is_named: bool = False


def parse_robots(body: bytes, product: str) -> RobotsFile:
    """Return what a robots.txt says to the product of a user agent, in lower case; it says something whatever it is."""
    is_cut = len(body) > MAX_BYTES
    lines = _read_lines(body)
    ours = _find_name(lines, product)
    rules: list[tuple[str, bool]] = []
    sitemaps: list[str] = []
    delay = rate = 0.0
    for is_ours, name, value in _read_groups(lines, ours):
        if name == _SITEMAP:
            sitemaps.append(value)
        elif not is_ours:
            continue
        elif name in (_ALLOW, _DISALLOW):
            rules.append((value, name == _ALLOW))
        elif name == _DELAY:
            delay = _read_number(value, delay)
        elif name == _RATE:
            rate = _read_rate(value, rate)
    named, left = tuple(sitemaps[:MAX_SITEMAPS]), max(0, len(sitemaps) - MAX_SITEMAPS)
    return RobotsFile(PathRules(rules), min(MAX_SECONDS, max(delay, rate)), named, left, is_cut)


def parse_agents(body: bytes, names: Mapping[str, Sequence[str]]) -> dict[str, AgentRules]:
    """Return what a robots.txt says to others, each by the first of its names, in lower case, that has a group."""
    lines = _read_lines(body)
    written = {_read_agent(value) for name, value in lines if name == _AGENT}
    groups = {agent: next((name for name in own if name in written), _EVERYBODY) for agent, own in names.items()}
    rules = {group: PathRules(_list_rules(lines, group), MAX_AGENT_WILDCARDS) for group in set(groups.values())}
    return {agent: AgentRules(rules[group], group != _EVERYBODY) for agent, group in groups.items()}


def _list_rules(lines: list[tuple[str, str]], group: str) -> Iterator[tuple[str, bool]]:
    for is_ours, name, value in _read_groups(lines, group):
        if is_ours and name in (_ALLOW, _DISALLOW):
            yield value, name == _ALLOW


def _read_lines(body: bytes) -> list[tuple[str, str]]:
    """Return the name and the value of each line, of a file that is too long without the line that was cut."""
    if len(body) > MAX_BYTES:
        body = body[: 1 + max(body.rfind(b"\n", 0, MAX_BYTES), body.rfind(b"\r", 0, MAX_BYTES))]
    text = body.decode("utf-8-sig", "replace")
    return [line for match in _LINE.finditer(text) if (line := _read_line(match[0].partition("#")[0].strip()))]


def _find_name(lines: list[tuple[str, str]], product: str) -> str:
    """Return the name under which the file speaks to us: the longest that is part of ours, else `*`."""
    names = (_read_agent(value) for name, value in lines if name == _AGENT)
    ours = {name for name in names if name and _is_part(name, product)}
    return min(ours, key=lambda name: (-len(name), product.find(name)), default=_EVERYBODY)


def _is_part(name: str, product: str) -> bool:
    """Return whether a name stands in our own, from the start of a word."""
    start = product.find(name)
    while start > 0 and (product[start - 1].isalnum() or product[start - 1] in "-_"):
        start = product.find(name, start + 1)
    return start >= 0


def _read_agent(value: str) -> str:
    """Return the name in the line of a user agent, without a version, and without wildcards that stand for nothing."""
    value = value.partition("/")[0].strip().lower()
    return value if value == _EVERYBODY else value.replace("*", "")


def _read_groups(lines: list[tuple[str, str]], ours: str) -> Iterator[tuple[bool, str, str]]:
    """Yield the name and the value of each line that has both, and whether its group is ours."""
    is_ours = is_over = False
    for name, value in lines:
        if name == _AGENT:
            is_ours = _read_agent(value) == ours or (is_ours and not is_over)
            is_over = False
            continue
        is_over = is_over or name not in _OF_THE_SITE
        if value:
            yield is_ours, name, value


def _read_line(line: str) -> tuple[str, str] | None:
    """Return the name and the value of a line; a known name needs no colon."""
    written, colon, value = line.partition(":")
    name = written.strip().lower()
    if colon and name in _FIELDS:
        return _FIELDS[name], value.strip()
    if colon and (not value or value[0].isspace()):
        return name, value.strip()
    for words in (1, 2):
        parts = line.split(None, words)
        if (known := _FIELDS.get(" ".join(parts[:words]).lower())) is not None:
            return known, parts[words] if len(parts) > words else ""
    return (name, value.strip()) if colon else None


def _read_number(value: str, otherwise: float) -> float:
    try:
        number = float(value[:_MAX_NUMBER])
    except ValueError:
        return otherwise
    return min(number, MAX_SECONDS) if number >= 0 else otherwise


def _read_rate(value: str, otherwise: float) -> float:
    """Return the seconds between two requests for `1/10`, `1/10s`, `2/1m 0900-1700`; the hours are not looked at."""
    requests, _, seconds = value.split(None, 1)[0].lower().partition("/")
    unit = _UNITS.get(seconds[-1:])
    number, count = _read_number(seconds[:-1] if unit else seconds, 0.0), _read_number(requests, 0.0)
    return number * (unit or 1) / count if number and count else otherwise


class PathRules:
    """Decides by the longest rule that matches, at equal length by one that allows, as RFC 9309 says.

    Rules without a wildcard are looked up, so that their number does not matter. Wildcards are looked for one after the
    other, from left to right and never back. A rule beyond the limit of wildcards cannot be asked, so it forbids
    whatever begins as it does up to its first wildcard, or allows nothing: too little is asked for, never too much.

    Args:
        rules: Patterns as written, and whether they allow.
        most: The limit of wildcards.

    Attributes:
        is_simplified: There are more wildcards than the limit.
    """

    def __init__(self, rules: Iterable[tuple[str, bool]], most: int = MAX_WILDCARDS) -> None:
        self._most = most
        self.is_simplified = False
        self._prefixes: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}  # paths that a rule names to their end
        self._wildcards: dict[tuple[str, bool], tuple[int, bool]] = {}  # ranks by pattern and whether that is its end
        self._stars = 0
        forbidden: set[str] = set()
        for written, allowed in rules:
            pattern = _STARS.sub("*", written)
            for text, has_end in _read_pattern(pattern, allowed=allowed):
                rank = (len(text) + has_end + len(written) - len(pattern), allowed)
                if not self._add(text, has_end=has_end, rank=rank) and not allowed:
                    forbidden.add(text.partition("*")[0])
        self._forbidden = tuple(forbidden)
        self._lengths = tuple(sorted({len(prefix) for prefix in self._prefixes}, reverse=True))
        patterns = (_Pattern.parse(text, has_end, rank) for (text, has_end), rank in self._wildcards.items())
        self._patterns = tuple(sorted(patterns, key=lambda pattern: pattern.rank, reverse=True))

    def allow(self, path: str) -> bool:
        """Return whether a path, with its query, is allowed; it must be normalised."""
        if path.startswith(self._forbidden):
            return False
        best = (0, True)
        for length in self._lengths:
            if length <= len(path) and (allowed := self._prefixes.get(path[:length])) is not None:
                best = (length, allowed)
                break
        if (allowed := self._whole.get(path)) is not None:
            best = max(best, (len(path) + 1, allowed))
        for pattern in self._patterns:
            if pattern.rank <= best:
                break
            if pattern.match(path):
                return pattern.rank[1]
        return best[1]

    def _add(self, text: str, *, has_end: bool, rank: tuple[int, bool]) -> bool:
        """Add a rule; return whether there was room."""
        if "*" not in text:
            rules = self._whole if has_end else self._prefixes
            rules[text] = rank[1] or rules.get(text, False)
            return True
        key = (text, has_end)
        if key not in self._wildcards:
            stars = text.count("*")
            if self._stars + stars > self._most:
                self.is_simplified = True
                return False
            self._stars += stars
        self._wildcards[key] = max(rank, self._wildcards.get(key, rank))
        return True


def _read_pattern(pattern: str, *, allowed: bool) -> list[tuple[str, bool]]:
    """Return what a pattern means: texts with `*`, and whether a path must end there."""
    if len(pattern) > _MAX_PATTERN or not pattern.startswith(("/", "*")):
        return []
    text = escape(pattern)
    if "$" not in text:
        # Whoever allows the index allows the address under which it is usually shown.
        folder = text.removesuffix("index.html")
        return [(text, False)] + ([(folder, True)] if allowed and folder.endswith("/") and folder != text else [])
    # A dollar in the middle is itself; one at the end is the end, and it may be meant as itself as well.
    return [(text, False)] + ([(text[:-1], True)] if text.endswith("$") else [])


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern with wildcards, as the texts between them."""

    rank: tuple[int, bool]  # its length as written, and whether it allows
    first: str
    middle: tuple[str, ...]
    last: str
    has_end: bool

    @classmethod
    def parse(cls, text: str, has_end: bool, rank: tuple[int, bool]) -> _Pattern:
        first, *middle, last = text.split("*")
        return cls(rank, first, tuple(middle), last, has_end)

    def match(self, path: str) -> bool:
        if not path.startswith(self.first):
            return False
        position = len(self.first)
        for part in self.middle:
            start = path.find(part, position)
            if start < 0:
                return False
            position = start + len(part)
        if self.has_end:
            return len(path) - len(self.last) >= position and path.endswith(self.last)
        return path.find(self.last, position) >= 0
