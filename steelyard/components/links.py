"""Links to other sites: readers do not see their addresses, but they are sources all the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.components.base import Evidence
from steelyard.text.characters import ALNUM, is_capitals, is_upper, lower
from steelyard.text.document import Document, Match
from steelyard.text.lines import Link

_WORD = re.compile(f"{ALNUM}+")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)")
MAX_NAME = 4  # words of a site's name
SHORT_NAME = 4  # letters, below which a name is an acronym: "time" is a word, "TIME" may be one
_SUFFIXES = frozenset({"co", "com", "org", "net", "gov", "ac", "edu", "or", "go"})  # before a country's


def normalise_address(url: str) -> str:
    """Return an address in the form in which addresses are compared."""
    return lower(url.strip()).rstrip("/")


def parse_host(url: str) -> str:
    """Return the host of an address, without user and port; "" where there is none.

    An address can be any text, and the parser of the standard library differs between versions of Python.
    """
    match = _AUTHORITY.match(url)
    host = match[1].rpartition("@")[2] if match else ""
    return lower(host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0])


def is_same_site(host: str, site: str) -> bool:
    """Tell whether two hosts are of one site: equal, or one a subdomain of the other, `www` aside."""
    first, second = host.removeprefix("www."), site.removeprefix("www.")
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")


def names_site(text: str, site: str) -> bool:
    """Tell whether a text names the site: "the Guardian" for theguardian.com, "BBC" for bbc.co.uk.

    A site's name is the part before its suffix; words in small letters alone name nothing ("who" for who.int).
    """
    parts = [part for part in site.split(".")[:-1] if part not in _SUFFIXES]
    words = _WORD.findall(text)
    names = (words[i : i + n] for i in range(len(words)) for n in range(1, MAX_NAME + 1))
    return bool(parts) and any(lower("".join(name)) == parts[-1] and _is_name(name) for name in names)


def _is_name(words: Sequence[str]) -> bool:
    """Tell whether words are written as a name: with a capital, and a short one in capitals."""
    return is_capitals(words[-1]) if len("".join(words)) < SHORT_NAME else any(is_upper(word[0]) for word in words)


def find_external(doc: Document, matches: Sequence[Match]) -> list[Link]:
    """Return the first link to each web address that none of the matches shows already, apart from the page's site."""
    if not doc.structure.links:
        return []
    shown = {normalise_address(doc.matched_text(m)) for m in matches}
    first: dict[str, Link] = {}
    for link in doc.structure.links:
        address = normalise_address(link.url)
        host = parse_host(address) if address.startswith(("http://", "https://")) else ""
        if host and address not in shown and not (doc.site and is_same_site(host, doc.site)):
            first.setdefault(address, link)
    return list(first.values())


def first_per_site(links: Sequence[Link]) -> list[Link]:
    """Return the first link to each site."""
    return list({parse_host(link.url): link for link in reversed(links)}.values())[::-1]


def locate_links(doc: Document, links: Sequence[Link], pattern: str, family: str) -> list[Evidence]:
    """Return the links as evidence, each under the id `pattern`."""
    spans = (doc.source.to_file(link.start, link.end) for link in links)
    return [Evidence(start, end, doc.source.line(start), pattern, family) for start, end in spans]
