"""From a counted source to its main content and metadata, in this process."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from steelyard.errors import ExtractionFailed, MissingExtra
from steelyard.text.html.limits import DEFAULT_LIMITS, HtmlLimits
from steelyard.text.html.metadata import read_dates, read_titles, read_url
from steelyard.text.html.tree import count_elements, drop_hidden, parse, protect

if TYPE_CHECKING:
    from types import ModuleType

    from lxml.html import HtmlElement

# The largest of the 59 pages measured has 1,739 elements. Above this bound trafilatura's second opinions
# (readability, jusText) are left out: jusText compares paragraphs pairwise, 14 s for 10,000 short ones.
_THOROUGH_ELEMENTS = 4_000
_TAG_SHOWN_AS_TEXT = re.compile(r"\\<(?=[A-Za-z/!?])")

# trafilatura reads the clock for a latest date unless it is given one; no date is extracted with it.
_NO_CLOCK = {"max_date": "1970-01-01"}
# What library code raises on a tree it did not foresee; MemoryError and the like are not ours to swallow.
_LIBRARY_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class HtmlContent:
    """The main content of an HTML page and its metadata.

    Attributes:
        markdown: The main content; "" when nothing was found.
        title: <title>, else og:title, else the first visible h1.
        dates: Labelled dates in the page's own time zone, sorted and unique; invalid ones are dropped.
        url: The page's own address, from its canonical link or og:url; None without either.
    """

    markdown: str
    title: str | None
    dates: tuple[date, ...]
    url: str | None = None


def extract_here(source: str, limits: HtmlLimits = DEFAULT_LIMITS) -> HtmlContent:
    """Extract the main content and metadata of a page whose source was cleaned and counted.

    Raises:
        MissingExtra: trafilatura is not installed.
        ExtractionFailed: The page's tree is over a limit, or the extractor failed.
    """
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtra(extra="html", package="trafilatura") from error
    tree = parse(source, limits)
    if tree is None:
        return HtmlContent("", None, ())
    titles = read_titles(tree)
    dates, url = read_dates(tree), read_url(tree)
    drop_hidden(tree)
    title = next((words for text in titles if (words := " ".join(text.split()))), None)
    if title is None:
        headings = (" ".join(heading.text_content().split()) for heading in tree.iter("h1"))
        title = next((words for words in headings if words), None)
    return HtmlContent(_extract_markdown(trafilatura, tree, limits), title, dates, url)


def _extract_markdown(trafilatura: ModuleType, tree: HtmlElement, limits: HtmlLimits) -> str:
    from lxml import etree

    is_large = count_elements(tree) > _THOROUGH_ELEMENTS
    protect(tree, limits)
    try:
        markdown = trafilatura.extract(
            tree,
            output_format="markdown",
            include_comments=False,
            include_images=False,
            include_links=True,
            include_tables=True,
            fast=is_large,
            # Its memory of earlier pages would make a page's text depend on those read before it.
            deduplicate=False,
            with_metadata=False,
            date_extraction_params=_NO_CLOCK,
        )
    except (etree.LxmlError, *_LIBRARY_ERRORS) as error:
        raise ExtractionFailed(f"trafilatura gave up with {type(error).__name__}") from error
    # \< and &lt; are the same character in Markdown; only the second cannot be taken for a tag by a reader
    # that looks for hidden elements, so a page that explains <template> is not hidden from there on.
    return _TAG_SHOWN_AS_TEXT.sub("&lt;", markdown or "").strip()
