"""HTML pages: the main content as Markdown, and the metadata that the page declares.

trafilatura chooses and writes the main content; docs/decisions/html-extractor.md holds the measurements behind
that choice. A page is counted first (`limits`), then parsed and prepared (`tree`), its metadata read (`metadata`)
and its text extracted (`extraction`), all of that in a process that can be killed (`supervisor`, `child`).
"""

from __future__ import annotations

from functools import cache
from importlib import metadata as _packages
from importlib.util import find_spec

from steelyard.errors import MissingExtra
from steelyard.text.html.extraction import HtmlContent
from steelyard.text.html.limits import DEFAULT_LIMITS, HtmlLimits, admit
from steelyard.text.html.recognition import HTML_SUFFIXES, HTML_TYPES, is_html

__all__ = [
    "DEFAULT_LIMITS", "HTML_SUFFIXES", "HTML_TYPES", "HtmlContent", "HtmlLimits", "extract", "is_html", "is_installed",
    "version",
]  # fmt: skip


def extract(html: str, limits: HtmlLimits = DEFAULT_LIMITS) -> HtmlContent:
    """Extract the main content and metadata of an HTML page.

    Raises:
        MissingExtra: trafilatura is not installed.
        ExtractionFailed: The page is over a limit, or the extractor failed or had to be stopped.
    """
    if not is_installed():
        raise MissingExtra(extra="html", package="trafilatura")
    # Imported here: a run without HTML needs no processes.
    from steelyard.text.html.supervisor import extract_in_child

    return extract_in_child(admit(html, limits), limits)


def is_installed() -> bool:
    """Return whether the extractor is there; it comes with an extra."""
    return find_spec("trafilatura") is not None


@cache
def version() -> str:
    """Return the extractor's name and version, which a page's scoring hash covers."""
    return f"trafilatura {_packages.version('trafilatura')}"
