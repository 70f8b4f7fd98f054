"""What is known of an HTML page once it has been read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Extracted:
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
