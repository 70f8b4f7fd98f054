"""The whole gaming study: thresholds on train, figures on test, the adaptive attacker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import TEST, TRAIN, CorpusPage
from steelyard.lab.gaming import benchmark
from steelyard.lab.gaming.adaptive import climb_pages
from steelyard.lab.gaming.suites import CASES, CURVES
from steelyard.lab.gaming.thresholds import fit_limits

FEWEST = 10  # pages in each half


def run_gaming(
    pages: Sequence[CorpusPage],
    *,
    as_of: date,
    others: Mapping[str, Sequence[CorpusPage]] | None = None,
    climbed: int,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """Measure all attacks on the pages.

    Args:
        pages: A corpus; thresholds are set on its training half, figures come from its test half.
        as_of: The date freshness is measured from.
        others: Clean pages, for example of another language, whose false positives are reported too.
        climbed: How many test pages the adaptive attacker climbs; 0 leaves it out.
        seed: Of all random draws.
        jobs: Worker processes.
        quiet: Show no progress.
    """
    train = [p for p in pages if p.split == TRAIN]
    test = [p for p in pages if p.split == TEST]
    if len(train) < FEWEST or len(test) < FEWEST:
        raise SteelyardError(
            f"undefined: {len(train)} training and {len(test)} test pages; thresholds and figures need {FEWEST} each, "
            f"so give {2 * FEWEST} pages or more"
        )
    measure = partial(benchmark.measure_pages, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    climb = partial(climb_pages, seed=seed, as_of=as_of, jobs=jobs, quiet=quiet)
    on_train, on_test = measure(train, ()), measure(test, (*CASES, *CURVES))
    limits = fit_limits(benchmark.select_clean(on_train), benchmark.RATE)
    low_scores = benchmark.find_low_scores(on_train)
    clean = {"train": on_train, "test": on_test} | {name: measure(more, ()) for name, more in (others or {}).items()}
    return {
        "rate": benchmark.RATE,
        "pages": {"train": len(on_train), "test": len(on_test)},
        "usual": dict(limits.usual),
        "thresholds": dict(limits.thresholds),
        "false_positives": {n: benchmark.count_false_positives(readings, limits) for n, readings in clean.items()},
        "order": [case.name for case in CASES],
        "attacks": {case.name: benchmark.summarise_case(on_test, case, limits, low_scores) for case in CASES},
        "score_only": {"rate": benchmark.SCORE_RATE, "below": low_scores},
        "curves": benchmark.summarise_curves(on_test),
        "adaptive": climb(test[:climbed], limits) if climbed else {},
    }
