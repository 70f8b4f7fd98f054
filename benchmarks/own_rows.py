"""Runs with one of our cores: score and detectors, or the score alone, over the same pages and by length of a page."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

from benchmarks.pages import prose_of_words
from steelyard import score_many
from steelyard.corpora import columns
from steelyard.native.core import choose_core
from steelyard.scoring import editions
from steelyard.settings import Settings


def read_peak() -> float:
    """Return the most megabytes held; `getrusage` would count the program that started this one too."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


AS_OF = date(2026, 7, 1)
BATCH = 1000
LENGTHS = {100: 200, 1_000: 50, 10_000: 5, 100_000: 1}  # words of a page: pages to measure


Score = Callable[..., None]  # of texts and threads


def main() -> None:
    pages, rounds, what, edition = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    wanted = os.environ["STEELYARD_CORE"]
    # Without this a core that is not there would be measured as the other one, under its own name.
    used = choose_core()
    if used != wanted:
        print(json.dumps({"undefined": f"the {wanted} core is not in use here, the {used} core is"}))
        return
    score = partial({"rows": score_with_detectors, "score": score_alone}[what], edition)
    with open(pages, encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    measure(score, texts[:50])  # loads the languages
    each = [measure(score, texts) for _ in range(rounds)]
    peak = read_peak()
    lengths = {}
    for words, n in LENGTHS.items():
        long = [prose_of_words(words)] * n
        lengths[str(words)] = 1000 * min(measure(score, long) for _ in range(rounds)) / n
    result: dict[str, Any] = {"seconds": min(each), "seconds_of_rounds": each, "pages": len(texts), "kept": None}
    result["peak_megabytes"] = peak
    if wanted == "native":
        result["threads"] = cores = os.cpu_count() or 1
        result["times_one_thread"] = wait(score, texts, 1, rounds) / wait(score, texts, cores, rounds)
    print(json.dumps({**result, "milliseconds_by_words": lengths}))


def measure(score: Score, texts: list[str]) -> float:
    """Return the CPU seconds for all texts, on all threads together."""
    started = time.process_time()
    score(texts)
    return time.process_time() - started


def wait(score: Score, texts: list[str], threads: int, rounds: int) -> float:
    """Return the least wall-clock seconds of several rounds on some threads."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        score(texts, threads)
        times.append(time.perf_counter() - started)
    return min(times)


def score_with_detectors(edition: str, texts: list[str], threads: int = 1) -> None:
    settings = Settings.resolve(as_of=AS_OF, edition=editions.load(edition))
    for start in range(0, len(texts), BATCH):
        columns.score_rows(texts[start : start + BATCH], settings, threads=threads)


def score_alone(edition: str, texts: list[str], threads: int = 1) -> None:
    score_many(texts, as_of=AS_OF, edition=edition, threads=threads)


if __name__ == "__main__":
    main()
