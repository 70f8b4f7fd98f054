"""A long page is examined in pieces: memory does not grow with it, and the worst piece decides."""

from __future__ import annotations

import random
import tracemalloc
from itertools import pairwise

import pytest

from steelyard.detectors import DETECTORS, base
from steelyard.detectors.base import MAX_PIECE, PageWords, cut_pieces
from steelyard.detectors.layered_filter import detect_manipulation, load_thresholds, measure_page
from steelyard.text.document import Document
from tests.contract.shared import document

SMALL = 100_000  # the length of a piece in most tests: they examine the same pieces four times faster
VARIED = 'The harbour of Brest, "a quiet place", had 7% more [ships](https://a.example) in 2019 than Al Bo said. Why? '


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MAX_PIECE", SMALL)


def make_words(length: int) -> str:
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefghij", k=4)) for _ in range(5_000)]
    return " ".join(rng.choices(words, k=length // 5))


def measure_peak(doc: Document) -> int:
    doc.find("statistic"), doc.find("citation"), doc.find("entity")  # found before, for the score
    tracemalloc.start()
    measure_page(doc)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("length", [0, 1, MAX_PIECE, MAX_PIECE + 1, 20_000_000])
def test_pieces_cover_a_text_and_are_of_about_the_same_length(length: int) -> None:
    pieces = cut_pieces(length)
    assert (pieces[0][0], pieces[-1][1]) == (0, length)
    assert all(one[1] == other[0] for one, other in pairwise(pieces))
    assert len({end - start for start, end in pieces}) <= 2
    assert max(end - start for start, end in pieces) <= MAX_PIECE


@pytest.mark.usefixtures("small_pieces")
def test_a_page_of_four_pieces_needs_hardly_more_memory_than_one_of_one() -> None:
    short, long = (measure_peak(document(make_words(count * SMALL), "en")) for count in (1, 4))
    assert long < 1.5 * short


@pytest.mark.usefixtures("small_pieces")
def test_a_piece_is_measured_like_a_page_of_its_own() -> None:
    text = (VARIED * (SMALL // len(VARIED)))[:SMALL]
    alone = document(text[: SMALL // 2], "en")
    piece = PageWords(document(text, "en"), (0, len(alone.text)))
    for detector in DETECTORS:
        measured, expected = detector.measure(piece), detector.measure(PageWords(alone))
        assert measured.statistic == pytest.approx(expected.statistic, rel=0.01), detector.name


PLANTED = {
    "repetition": "cheap flights " * 60,
    "hidden_text": "<!-- " + "cheap flights " * 5_000 + "-->",
    "questions": "Why? What? How? Who? When? Where? " * 10,
    "testimonials": "I love it, it is the best! ★★★★★ " * 10,
    "links": " ".join(f"[best price](https://{n}.example/)" for n in range(2_000)),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
@pytest.mark.usefixtures("small_pieces")
def test_what_is_planted_in_a_long_page_is_flagged_where_it_is(name: str, place: float) -> None:
    assert_flagged(name, place, 2 * SMALL)


def test_what_is_planted_is_flagged_in_pieces_of_their_real_length() -> None:
    assert_flagged("repetition", 0.9, 2 * MAX_PIECE)


def assert_flagged(name: str, place: float, length: int) -> None:
    words = make_words(length)
    at = int(place * len(words))
    start = words.index(" ", at) + 1
    text = f"{words[: start - 1]}\n\n{PLANTED[name]}\n\n{words[start:]}"
    report = detect_manipulation(document(text, "en"))
    assert report.signals[name].flagged
    assert report.signals[name].statistic > load_thresholds()["thresholds"][name]
    places = [(found.start, found.end) for found in report.evidence if found.detector == name]
    assert places
    assert all(start - 60 <= first < last <= start + len(PLANTED[name]) + 400 for first, last in places)
