"""The whole gaming study: limits from all clean pages, attacks on the test half, the adaptive attacker.

False positives are counted on pages of an origin that had no part in setting the limits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.corpus import TEST, TRAIN, CorpusPage
from steelyard.lab.gaming import benchmark
from steelyard.lab.gaming.adaptive import climb_pages, select_climbed
from steelyard.lab.gaming.benchmark import RATE, PageReadings, select_clean, summarise_flags
from steelyard.lab.gaming.readings import PAPER, Limits, fit_limits
from steelyard.lab.gaming.suites import CASES, CURVES
from steelyard.scoring.editions import Edition

MIN_ORIGIN_PAGES = 40  # pages; an origin with fewer is pooled with the other small ones of its language
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
        groups[name if len(members) >= MIN_ORIGIN_PAGES else language] += members
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
    limits_of = {id(page): limits[name] for name, members in origins.items() for page in members}
    flags: dict[str, list[bool]] = defaultdict(list)
    for page in pages:
        for kind, readings in select_clean([page]).items():
            flags[kind] += map(limits_of[id(page)].flags, readings)
    return {kind: summarise_flags(of_kind) for kind, of_kind in flags.items()}


def count_origins_left_out(origins: Origins) -> dict[str, Any]:
    """Return how many pages are flagged by limits set without their origin, over all pages and by origin."""
    return {
        "all": count_left_out([page for pages in origins.values() for page in pages], origins),
        "origins": {name: count_left_out(pages, origins) for name, pages in origins.items()},
    }


MIN_PAGES = 10  # pages in each half


def run_gaming(
    pages: Sequence[CorpusPage],
    *,
    as_of: date,
    others: Mapping[str, Sequence[CorpusPage]] | None = None,
    climbed: int,
    edition: Edition = PAPER,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """Measure all attacks on the pages.

    Args:
        pages: A corpus; limits are set on its clean pages, attacks are made on its test half.
        as_of: The date freshness is measured from.
        others: Clean pages, for example of another language, that take part in setting the limits.
        climbed: How many pages the adaptive attacker climbs, of the test half first; 0 leaves it out.
        edition: How pages are read, scored and weighted.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    train = [p for p in pages if p.split == TRAIN]
    test = [p for p in pages if p.split == TEST]
    measure = partial(benchmark.measure_pages, edition=edition, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    climb = partial(climb_pages, edition=edition, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    _require_halves(len(train), len(test))
    on_train, on_test = measure(train, ()), measure(test, (*CASES, *CURVES))
    _require_halves(len(on_train), len(on_test))  # some pages may be too short to be measured
    on_others = {name: measure(more, ()) for name, more in (others or {}).items()}
    clean = {"train": on_train, "test": on_test, **on_others}
    origins = group_by_origin([page for pages in clean.values() for page in pages])
    limits = fit_origins(origins)
    low_scores = benchmark.find_low_scores(on_train)
    return {
        "rate": benchmark.RATE,
        "pages": {"train": len(on_train), "test": len(on_test)},
        "usual": dict(limits.usual),
        "thresholds": dict(limits.thresholds),
        "false_positives": {name: count_left_out(pages, origins) for name, pages in clean.items()},
        "left_out": count_origins_left_out(origins),
        "order": [case.name for case in CASES],
        "attacks": {case.name: benchmark.summarise_case(on_test, case, limits, low_scores) for case in CASES},
        "heavy": benchmark.count_heavy(on_test, limits),
        "score_only": {"rate": benchmark.SCORE_RATE, "below": low_scores},
        "curves": benchmark.summarise_curves(on_test),
        "adaptive": climb(select_climbed(pages, climbed), limits) if climbed else {},
    }


def _require_halves(train: int, test: int) -> None:
    if train < MIN_PAGES or test < MIN_PAGES:
        raise SteelyardError(
            f"undefined: {train} training and {test} test pages; limits and figures need {MIN_PAGES} each, so give "
            f"{2 * MIN_PAGES} pages or more"
        )
