"""The steps from content to score, and the order in which components are shown, for every report."""

from __future__ import annotations

from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE, PageScore


def blend(page: PageScore) -> str:
    """Content and freshness put together, then whatever limits the result."""
    content, fresh = (
        f"content {page.content:.2f} × {CONTENT_SHARE}",
        f"freshness {page.freshness:.2f} × {FRESHNESS_SHARE}",
    )
    stop = limit(page)
    end = f", {stop} → {page.score:.2f}" if stop else ""
    return f"{content} + {fresh} = {page.blended:.2f}{end}"


def limit(page: PageScore) -> str:
    """The guard that fired or the cap that binds; empty when neither does."""
    if page.guard:
        return page.guard
    return f"cap {page.cap:.0f}" if page.cap is not None and page.blended > page.cap else ""


def most_to_be_had(page: PageScore) -> list[str]:
    """Component names, those with the most points still to be had first."""
    return sorted(page.readings, key=lambda n: (page.contributions[n] - 100 * page.weights[n], n))
