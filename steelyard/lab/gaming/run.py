"""The whole gaming study: thresholds on train, figures on test, the adaptive attacker, the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import TEST, TRAIN, CorpusPage
from steelyard.lab.gaming.adaptive import adaptive
from steelyard.lab.gaming.benchmark import (
    RATE,
    SCORE_RATE,
    curves,
    false_positives,
    halves,
    limits_of,
    look,
    low_scores,
    summary,
)
from steelyard.lab.gaming.suites import CASES, CURVES

FEWEST = 10  # pages in each half
CLIMBED = 40  # test pages that the adaptive attacker climbs


class TooFewPages(SteelyardError):
    """Thresholds are set on one half and figures taken from the other."""

    def __init__(self, train: int, test: int) -> None:
        super().__init__(
            f"undefined: {train} training and {test} test pages; thresholds and figures need {FEWEST} each, "
            f"so give {2 * FEWEST} pages or more"
        )


def study(
    pages: Sequence[CorpusPage],
    *,
    as_of: date,
    others: Mapping[str, Sequence[CorpusPage]] | None = None,
    climbed: int = CLIMBED,
    seed: int = 0,
    jobs: int = 1,
    quiet: bool = True,
) -> dict[str, Any]:
    """`others` are clean pages (another language, say) whose false positives are reported beside."""
    train = [p for p in pages if p.split == TRAIN]
    test = [p for p in pages if p.split == TEST]
    if len(train) < FEWEST or len(test) < FEWEST:
        raise TooFewPages(len(train), len(test))
    seen = [
        *look(train, (), seed=seed, as_of=as_of, jobs=jobs, quiet=quiet),
        *look(test, (*CASES, *CURVES), seed=seed, as_of=as_of, jobs=jobs, quiet=quiet),
    ]
    on_train, on_test = halves(seen)
    found = limits_of(on_train)
    low = low_scores(on_train)
    beside = {
        name: false_positives(look(more, (), seed=seed, as_of=as_of, jobs=jobs, quiet=quiet), found)
        for name, more in (others or {}).items()
    }
    return {
        "rate": RATE,
        "pages": {"train": len(on_train), "test": len(on_test)},
        "usual": dict(found.usual),
        "thresholds": dict(found.thresholds),
        "false_positives": {
            "train": false_positives(on_train, found),
            "test": false_positives(on_test, found),
            **beside,
        },
        "order": [case.name for case in CASES],
        "attacks": summary(on_test, CASES, found, low),
        "score_only": {"rate": SCORE_RATE, "below": low},
        "curves": curves(on_test),
        "adaptive": adaptive(test[:climbed], found.thresholds, as_of=as_of, seed=seed, jobs=jobs, quiet=quiet)
        if climbed
        else {},
    }
