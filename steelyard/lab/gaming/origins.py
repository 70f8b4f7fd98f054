"""False positives on pages of an origin that had no part in setting the limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.corpus.corpus import CorpusPage
from steelyard.lab.gaming.benchmark import RATE, PageReadings, count_flagged, select_clean
from steelyard.lab.gaming.thresholds import Limits, fit_limits
from steelyard.lab.stats.intervals import wilson_interval

SMALL = 40  # pages; an origin with fewer is pooled with the other small ones of its language
Origins = Mapping[str, Sequence[PageReadings]]


def group_by_origin(pages: Sequence[PageReadings]) -> dict[str, list[PageReadings]]:
    """Group pages by language and origin: what stands before the colon of an id (`c4:98`).

    Pages of one origin only are grouped by their half of the corpus, so that each half is judged by the other.
    """
    origins: dict[str, list[PageReadings]] = defaultdict(list)
    for page in pages:
        origins[_name_origin(page.page)].append(page)
    groups: dict[str, list[PageReadings]] = defaultdict(list)
    for name, members in origins.items():
        language = members[0].page.language
        groups[name if len(members) >= SMALL else language] += members
    if len(groups) == 1:
        groups = defaultdict(list)
        for page in pages:
            groups[page.page.split].append(page)
    return dict(sorted(groups.items()))


def _name_origin(page: CorpusPage) -> str:
    prefix, colon, _ = page.id.partition(":")
    return f"{page.language} {prefix}" if colon else page.language


def fit_origins(origins: Origins) -> Limits:
    """Set the limits on the untouched pages of every origin, with and without line breaks, and on neutral variants."""
    return fit_limits([readings for pages in origins.values() for readings in select_clean(pages).values()], RATE)


def leave_out(origins: Origins) -> dict[str, Limits]:
    """Return for each origin the limits set on all the others."""
    return {
        name: fit_origins({other: pages for other, pages in origins.items() if other != name} or origins)
        for name in origins
    }


def count_left_out(pages: Sequence[PageReadings], origins: Origins) -> dict[str, Any]:
    """Return how many of these pages are flagged by limits set without their origin, by class of clean pages."""
    limits = leave_out(origins)
    origin_of = {id(page): name for name, members in origins.items() for page in members}
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for name in origins:
        chosen = [page for page in pages if origin_of[id(page)] == name]
        if chosen:
            for kind, readings in select_clean(chosen).items():
                parts[kind].append(count_flagged(readings, limits[name]))
    return {kind: _add(counts) for kind, counts in parts.items()}


def count_origins_left_out(origins: Origins) -> dict[str, Any]:
    """Return how many pages are flagged by limits set without their origin, over all pages and by origin."""
    return {
        "all": count_left_out([page for pages in origins.values() for page in pages], origins),
        "origins": {name: count_left_out(pages, origins) for name, pages in origins.items()},
    }


def _add(counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    flagged, total = (sum(count[key] for count in counts) for key in ("flagged", "of"))
    interval = wilson_interval(flagged, total) or (None, None)
    return {"flagged": flagged, "of": total, "rate": flagged / total, "interval": list(interval)}
