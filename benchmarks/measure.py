"""The measurements: pages a second, cost per component, growth from 100 kB to 1 MB, one page from the shell."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from benchmarks.pages import ROOT
from steelyard import languages
from steelyard.components import COMPONENTS
from steelyard.detectors.layered_filter import detect_manipulation
from steelyard.pipeline import Measured, Page, measure_pages, score_text
from steelyard.scoring import editions
from steelyard.scoring.editions import Edition
from steelyard.scoring.freshness import measure_freshness
from steelyard.scoring.guards import find_guard
from steelyard.settings import Settings
from steelyard.text.document import Document
from steelyard.text.source import Source

AS_OF = date(2026, 7, 1)
ROUNDS = 3


def best_of(rounds: int, work: Callable[[], object]) -> float:
    """The least CPU time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def bulk(pages: Sequence[str], *, evidence: bool) -> float:
    """CPU seconds for all pages through score_text, one core, packs and word lists loaded."""

    def run() -> None:
        for text in pages:
            score_text(text, as_of=AS_OF, evidence=evidence)

    run()
    return best_of(ROUNDS, run)


def detected(pages: Sequence[str]) -> tuple[float, float]:
    """CPU seconds for all pages scored with evidence, and for the detectors on the same documents, page by page.

    Both in one pass: on a noisy machine two passes, one after the other, are two machines.
    """
    best = (float("inf"), float("inf"))
    edition = editions.load()
    settings = Settings.resolve(as_of=AS_OF, edition=edition)
    for _ in range(ROUNDS + 1):
        score = detect = 0.0
        for text in pages:
            started = time.process_time()
            (found,) = measure_pages([Page("page", text)], settings)
            scored = time.process_time()
            if isinstance(found, Measured):
                detect_manipulation(found.document())
            score += scored - started
            detect += time.process_time() - scored
        best = min(best, (score, detect), key=sum)
    return best


def costs(pages: Sequence[str], edition: str = editions.PAPER) -> dict[str, float]:
    """CPU seconds per stage and component over all pages; what is shared is paid for by the stages named first."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS + 1):
        spent: dict[str, float] = {}
        for text in pages:
            _one(text, editions.load(edition), spent)
        if not best or sum(spent.values()) < sum(best.values()):
            best = spent
    return best


def _one(text: str, edition: Edition, spent: dict[str, float]) -> None:
    clock = time.process_time

    def stage(name: str, work: Callable[[], object]) -> None:
        started = clock()
        work()
        spent[name] = spent.get(name, 0.0) + clock() - started

    source = Source(text, repaired=edition.repairs)
    stage("reading view", lambda: source.structure)
    stage("language", lambda: languages.detect(source.structure.view.text, source.word_counts))
    doc = Document(source, edition.load_language("en"), source.first_heading())
    stage("sentences and words", lambda: (doc.n_words, doc.sentence_words))
    stage("tokens", lambda: (doc.tokens, doc.kept_counts))
    for component in COMPONENTS:
        stage(component.name, lambda c=component: c.read(doc, evidence=False))  # type: ignore[misc]
    stage("freshness", lambda: measure_freshness(doc, AS_OF, evidence=False))
    stage("guards", lambda: find_guard(doc))


def growth(make: Callable[[int], str], edition: str = editions.PAPER) -> dict[str, float]:
    """Time for 1 MB over time for 100 kB, per stage and in all; 10 is linear."""
    small, large = costs([make(100_000)], edition), costs([make(1_000_000)], edition)
    ratios = {name: large[name] / small[name] for name in small if large[name] > 0.002}
    return {**ratios, "in all": sum(large.values()) / sum(small.values())}


def one_page(page: Path, edition: str = editions.PAPER) -> dict[str, float]:
    """Wall seconds (best of five, from the second run on) and peak memory of `steelyard score one.md`."""
    command = [
        sys.executable,
        "-m",
        "steelyard",
        "score",
        str(page),
        "--as-of",
        AS_OF.isoformat(),
        "--edition",
        edition,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    walls = []
    for _ in range(6):
        started = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        walls.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"wall_seconds": min(walls[1:]), "peak_megabytes": peak}
