"""Runs with one of our cores: score and detectors, or the score alone, over the same pages and by length of a page."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from datetime import date

from benchmarks.pages import prose_of_words
from steelyard import score_many
from steelyard.bulk import columns
from steelyard.bulk.arguments import build_settings
from steelyard.native.core import core_in_use

AS_OF = date(2026, 7, 1)
BATCH = 1000
LENGTHS = {100: 200, 1_000: 50, 10_000: 5, 100_000: 1}  # words of a page: pages to measure


def main() -> None:
    pages, rounds, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    wanted = os.environ["STEELYARD_CORE"]
    # Without this a core that is not there would be measured as the other one, under its own name.
    used = core_in_use()
    if used != wanted:
        print(json.dumps({"undefined": f"the {wanted} core is not in use here, the {used} core is"}))
        return
    score = {"rows": score_with_detectors, "score": score_alone}[what]
    with open(pages, encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    measure(score, texts[:50])  # loads the languages
    seconds = min(measure(score, texts) for _ in range(rounds))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lengths = {}
    for words, n in LENGTHS.items():
        long = [prose_of_words(words)] * n
        lengths[str(words)] = 1000 * min(measure(score, long) for _ in range(rounds)) / n
    result = {"seconds": seconds, "pages": len(texts), "kept": None, "peak_megabytes": peak}
    print(json.dumps({**result, "milliseconds_by_words": lengths}))


def measure(score: Callable[[list[str]], None], texts: list[str]) -> float:
    """Return the CPU seconds for all texts, on all threads together."""
    started = time.process_time()
    score(texts)
    return time.process_time() - started


def score_with_detectors(texts: list[str]) -> None:
    settings = build_settings(as_of=AS_OF)
    for start in range(0, len(texts), BATCH):
        columns.score_rows(texts[start : start + BATCH], settings)


def score_alone(texts: list[str]) -> None:
    score_many(texts, as_of=AS_OF)


if __name__ == "__main__":
    main()
