"""The whole gaming study: limits from all clean pages, attacks on the test half, the adaptive attacker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import TEST, TRAIN, CorpusPage
from steelyard.lab.gaming import benchmark
from steelyard.lab.gaming.adaptive import climb_pages
from steelyard.lab.gaming.measuring import PAPER
from steelyard.lab.gaming.origins import count_left_out, count_origins_left_out, fit_origins, group_by_origin
from steelyard.lab.gaming.suites import CASES, CURVES
from steelyard.scoring.editions import Edition

FEWEST = 10  # pages in each half


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
        climbed: How many test pages the adaptive attacker climbs; 0 leaves it out.
        edition: How pages are read, scored and weighted.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    train = [p for p in pages if p.split == TRAIN]
    test = [p for p in pages if p.split == TEST]
    measure = partial(benchmark.measure_pages, edition=edition, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    climb = partial(climb_pages, edition=edition, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    on_train, on_test = measure(train, ()), measure(test, (*CASES, *CURVES))
    if len(on_train) < FEWEST or len(on_test) < FEWEST:
        raise SteelyardError(
            f"undefined: {len(on_train)} training and {len(on_test)} test pages; limits and figures need {FEWEST} "
            f"each, so give {2 * FEWEST} pages or more"
        )
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
        "adaptive": climb(test[:climbed], limits) if climbed else {},
    }
