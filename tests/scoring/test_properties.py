"""What the second edition promises about small changes of a page: no cliffs, and no gain from removing evidence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from datetime import date

import pytest

from steelyard.components.base import Evidence
from steelyard.lab.corpus import loading
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from steelyard.scoring.page import PageScore
from tests.lab.outcome.records.sample_records import real

EDITION = editions.load("2026")
NEUTRAL = "and then there was some more of the same kind of thing as before in that place while it all went on".split()
STEP, MAX_STEPS = 2.0, 0.05  # points, and the share of pages that five more words may move further
MAX_STEP = 8.0  # when a sentence loses its mark, and so is no running text
RAISE, MAX_RAISED = 0.5, 0.02


def read(text: str) -> PageScore:
    return score_text(text, as_of=date(2026, 7, 1), language="en", edition=EDITION)


def list_evidence(page: PageScore) -> Iterator[tuple[str, list[Evidence]]]:
    """Yield the pieces of every kind of evidence that a reader could remove."""
    quotable = page.readings["quotable_density"].evidence
    yield "quotation", [e for e in quotable if e.family == "quotation"]
    yield "statistic", list(page.readings["statistic_density"].evidence)
    yield "citation", list(page.readings["citation_f1"].evidence)
    yield "date", list(page.fresh.evidence)


def check(texts: Iterable[str]) -> None:
    rng, tried, raised, steps = random.Random(1), 0, [], []
    for text in texts:
        whole = text[: text.rfind(".") + 1]  # a sentence that was cut off counts once it has an end
        page = read(text)
        before = read(whole).score
        assert abs(read(f"{whole} and then it went on").score - before) <= MAX_STEP, text[-60:]  # its mark is gone
        steps.append(abs(read(f"{whole[:-1]} and then it went on.").score - before))
        for kind, found in list_evidence(page):
            if not found:
                continue
            piece = rng.choice(found)
            words = len(text[piece.start : piece.end].split())
            neutral = " ".join(NEUTRAL[i % len(NEUTRAL)] for i in range(words))
            tried += 1
            if read(text[: piece.start] + neutral + text[piece.end :]).score > page.score + RAISE:
                raised.append((kind, text[piece.start : piece.end]))
    assert sum(step > STEP for step in steps) <= MAX_STEPS * len(steps)
    assert tried
    assert len(raised) <= MAX_RAISED * tried, raised


def test_small_changes_of_the_demo_pages() -> None:
    check(page.text for page in loading.load_corpus(loading.DEMO).pages_in("en"))


@pytest.mark.full
def test_small_changes_of_the_measuring_pages() -> None:
    check(json.loads(line)["text"] for line in real("web_en.jsonl").read_text("utf-8").splitlines())
