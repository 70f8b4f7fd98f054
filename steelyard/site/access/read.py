"""The checks of one page, from its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from steelyard.languages.dates import load_date_words
from steelyard.site.access.agents import name_agents
from steelyard.site.access.directives import Directive, read_directives
from steelyard.site.access.page_access import CHECKS, PageAccess
from steelyard.site.access.structured import check_structured
from steelyard.site.access.tags import PageTags, read_canonical_links, read_tags
from steelyard.site.addresses import normalise

META, HEADER = "a robots meta tag", "X-Robots-Tag"
MAX_NAMED = 3  # addresses and directives named in a reason
MAX_SHOWN = 200  # characters of an address in a reason


@dataclass(frozen=True, slots=True)
class Answer:
    """What of a page's answer and reading its checks need.

    Attributes:
        url: Its address.
        html: Its source; None where it is no HTML.
        x_robots_tag: The value of this header.
        link: The value of the Link header.
        title: The title that was read.
        shown: The blocks that a visitor sees.
        scripted: Why its text is not there without scripts; empty where it is.
    """

    url: str
    html: str | None = None
    x_robots_tag: str = ""
    link: str = ""
    title: str | None = None
    shown: Sequence[str] = ()
    scripted: str = ""


def read_access(answer: Answer) -> PageAccess:
    """Return the checks that a page passes and fails."""
    found = dict(_check(answer))
    passed = tuple(name for name in CHECKS if found.get(name) == "")
    return PageAccess(passed, {name: found[name] for name in CHECKS if found.get(name)})


def _check(answer: Answer) -> Iterator[tuple[str, str]]:
    tags = read_tags(answer.html) if answer.html is not None else PageTags()
    placed = [(META, directive) for directive in tags.directives]
    placed += [(HEADER, directive) for directive in read_directives(answer.x_robots_tag) if _is_known(directive)]
    yield "index", _describe(placed, ("noindex", "none"))
    yield "snippet", _describe(placed, ("nosnippet", "max-snippet:0"))
    written = [*tags.canonicals, *read_canonical_links(answer.link)]
    if written:
        is_unlisted = any(not directive.agent for _, directive in placed if directive.name in ("noindex", "none"))
        yield "canonical", _check_canonical(answer.url, written, is_unlisted=is_unlisted)
    if answer.html is not None:
        yield "scripts", answer.scripted
        yield from check_structured(tags.json_ld, answer.title, answer.shown, load_date_words())


def _is_known(directive: Directive) -> bool:
    return not directive.agent or directive.agent in name_agents()


def _describe(placed: Iterable[tuple[str, Directive]], names: Sequence[str]) -> str:
    """Return which of the directives are there, for whom and where; an empty text for none."""
    reasons: dict[str, None] = {}
    for place, directive in placed:
        written = f"{directive.name}:{directive.value}" if directive.name == "max-snippet" else directive.name
        if written in names:
            agent = name_agents().get(directive.agent)
            reasons[f"{written} for {agent.name if agent else 'everybody'} in {place}"] = None
    return _join(reasons)


def _check_canonical(url: str, written: Sequence[str], *, is_unlisted: bool) -> str:
    """Return what is wrong with the canonical addresses of a page; an empty text where nothing is."""
    base = url if url.startswith(("http://", "https://")) else None
    named: dict[str, None] = {}
    for address in written:
        normal = normalise(address, base)
        if normal is None and base is not None:
            return f"names “{address[:MAX_SHOWN]}”, which is no web address"
        named[normal or address] = None
    if len(named) > 1:
        return f"names {len(named)} addresses: {_join(named)}"
    (only,) = named
    if is_unlisted and base is not None and only != normalise(url):
        return f"has noindex, and names another address: {only[:MAX_SHOWN]}"
    return ""


def _join(texts: Iterable[str]) -> str:
    listed = [text[:MAX_SHOWN] for text in texts]
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    return ", ".join(listed[:MAX_NAMED]) + more
