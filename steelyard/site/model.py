"""What an audit is made of: addresses to visit, answers, and visits with their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from steelyard.site.access.page_access import PageAccess
from steelyard.text.html import HTML_TYPES

# How an address became known.
START, LINK, SITEMAP, LISTED = "start", "link", "sitemap", "listed"
PROBE = "probe"  # invented, to see how the site answers to anything; no page of it

# The outcomes of an address.
SCORED = "scored"
DUPLICATE = "duplicate"  # another address has the same page: its canonical link, or a redirect to it
NOT_MEASURED = "not measured"  # there, but without a page to score: a script's shell, another type, an empty answer
FAILED = "failed"  # no answer, or an error
EXCLUDED = "excluded"  # not asked for: robots.txt, or a private address
STATES = (SCORED, DUPLICATE, NOT_MEASURED, FAILED, EXCLUDED)

# Content types of pages; one that the server does not name is looked at.
PAGE_TYPES = (*HTML_TYPES, "text/plain", "text/markdown", "text/x-markdown", "")


@dataclass(frozen=True, slots=True)
class Link:
    """An address to visit. `depth` is the number of clicks from a start page, `found_on` the page that names it."""

    url: str
    depth: int = 0
    origin: str = START
    found_on: str | None = None

    @property
    def bytes(self) -> int:
        """The bytes that it takes in a store; normalised addresses are ASCII."""
        return len(self.url) + len(self.found_on or "")


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, unpacked once and read up to the limit, or the reason why there is none.

    `url` is where the last redirect led, `content_type` has no parameters and is in lower case, `charset` is what the
    header says, `x_robots_tag` and `link_header` are the values of these headers. `forbidden` has the agents that
    robots.txt forbids to ask for it; None where no robots.txt was read. `outcome` is FAILED or EXCLUDED where there is
    no body to look at, and `reason` then says why, as the end of a sentence: "timed out after 30 s", "forbidden by
    robots.txt".
    """

    link: Link
    url: str
    status: int | None = None
    content_type: str = ""
    charset: str | None = None
    body: bytes = b""
    outcome: str | None = None
    reason: str = ""
    x_robots_tag: str = ""
    link_header: str = ""
    forbidden: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """The outcome of one address.

    `content` is the SHA-256 of the text that was scored with its title, so equal pages have equal ones; `simhash` is
    close in bits for texts that are nearly the same. `page` is `PageResult.to_dict(with_evidence=False)`, with `text`
    only where texts are kept, and `manipulation` because detectors always run in an audit. `access` is there for what
    was answered as a page, with or without a score.
    """

    link: Link
    state: str
    reason: str = ""
    status: int | None = None
    final_url: str | None = None
    content_type: str = ""
    canonical: str | None = None  # normalised, where it names another address than `final_url`
    content: str | None = None
    simhash: int | None = None
    page: dict[str, Any] | None = None
    access: PageAccess | None = None


class Frontier(Protocol):
    """The addresses of one audit: those to visit, and those visited. It outlives the process that crawls."""

    def add(self, links: Iterable[Link]) -> None:
        """Add addresses that are not known yet; a known one that is now linked is no orphan any more."""

    def take(self, most: int) -> list[Link]:
        """Return addresses to visit next, those of the lowest depth first and in the order of the alphabet.

        An address of a deeper level is handed out only when nothing of a higher one is under way, so that the same
        site gives the same order, and with a limit the same pages, however many are fetched at a time. An empty list
        means: nothing now. There is nothing more at all when nothing is under way either.
        """

    def finish(self, visit: Visit, links: Sequence[Link] = ()) -> None:
        """Record the outcome of an address and the links of its page, both or neither."""

    def count(self) -> tuple[int, int]:
        """Return how many addresses are finished, and how many are known."""

    def measure_bytes(self) -> int:
        """Return the bytes that the known addresses take, with those of the pages that name them."""

    def finished(self) -> Iterable[Visit]:
        """Return the visits of the finished addresses, in any order; their pages may be left out.

        A crawl that goes on counts them once, so that its limits are those of the whole crawl.
        """
