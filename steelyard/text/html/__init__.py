"""HTML pages: the main content as Markdown, and the metadata that the page declares.

trafilatura chooses and writes the main content; docs/decisions/html-extractor.md holds the measurements behind
that choice. A page is counted first (`limits`), then parsed and prepared (`tree`), its metadata read (`metadata`)
and its text extracted (`extraction`), all of that in a process that can be killed (`supervisor`, `child`).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from steelyard.errors import MissingExtra
from steelyard.text.dates import DateWords
from steelyard.text.html.limits import DEFAULT_LIMITS, HtmlLimits, admit
from steelyard.text.html.reading import HtmlReading, needs_scripts
from steelyard.text.html.recognition import HTML_SUFFIXES, HTML_TYPES, is_html
from steelyard.text.html.selection import check_selector

if TYPE_CHECKING:
    from steelyard.text.html.extraction import HtmlContent

__all__ = [
    "DEFAULT_LIMITS", "HTML_SUFFIXES", "HTML_TYPES", "HtmlLimits", "HtmlReading", "check_selector",
    "extract", "is_html", "is_installed", "needs_scripts", "version",
]  # fmt: skip


def extract(
    html: str,
    limits: HtmlLimits = DEFAULT_LIMITS,
    words: DateWords | None = None,
    address: str | None = None,
    selector: str | None = None,
) -> HtmlContent:
    """Extract the main content and metadata of an HTML page.

    Args:
        html: The page's source.
        limits: How much of everything it may have.
        words: The words that its dates are written with; without them only English months are read.
        address: Where it is from, if that is known; else its canonical link counts.
        selector: A CSS selector that picks the main content; None lets the extractor choose.

    Raises:
        MissingExtra: An extractor is not installed.
        SelectedNothing: The selector fits nothing.
        ExtractionFailed: The page is over a limit, or the extractor failed or had to be stopped.
    """
    if not is_installed():
        raise MissingExtra(extra="html", package="trafilatura")
    # Imported here: a run without HTML needs no processes.
    from steelyard.text.html.supervisor import extract_in_child

    return extract_in_child(admit(html, limits), limits, words or DateWords(), address, selector)


def is_installed() -> bool:
    """Return whether the extractor is there; it comes with an extra."""
    return find_spec("trafilatura") is not None


@cache
def version() -> str:
    """Return the extractor's name and version, which a page's scoring hash covers."""
    from importlib import metadata  # slow to load

    return f"trafilatura {metadata.version('trafilatura')}"
