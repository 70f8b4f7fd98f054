"""The placement among comparable pages, and what is said of it."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.pipeline import Page, score_text
from steelyard.scoring import editions, reference
from steelyard.scoring.page import PageScore
from steelyard.scoring.reference import LENGTHS, MIN_PAGES, Comparable, Reference, find_length, name_length
from tools.reference import measure

AS_OF = date(2026, 7, 1)
SENTENCE = "The harbour office of Port Ellis counted 1,204 arrivals in 2025, says the survey of May. "
SET = Reference("Pages", {250: Comparable(tuple(float(n) for n in range(200)), "Pages of a length", 66.3, 132.7)}, "h")


def score(words: int, **options: str) -> PageScore:
    sentence = SENTENCE.replace("Port Ellis", options.pop("place", "Port Ellis"))
    text = "".join(f"{sentence}{'' if n % 4 else chr(10) * 2}" for n in range(1 + words // 14))
    return score_text(" ".join(text.split(" ")[:words]), as_of=AS_OF, **options)  # type: ignore[arg-type]


def test_classes_of_length_cover_every_page_that_is_not_too_short() -> None:
    assert find_length(LENGTHS[0] - 1) is None
    for start in LENGTHS:
        assert find_length(start) == start
        assert find_length(start - 1) != start
    assert find_length(10**9) == LENGTHS[-1]
    assert [name_length(start) for start in LENGTHS] == [
        "100 to 249 words", "250 to 499 words", "500 to 999 words", "1,000 words or more",
    ]  # fmt: skip


def test_every_shipped_set_is_sorted_and_large_enough() -> None:
    for edition in map(editions.load, editions.NAMES):
        for code in edition.languages:
            known = reference.load(edition.name, code)
            assert known is not None
            assert known.lengths
            for start, others in known.lengths.items():
                assert start in LENGTHS
                assert len(others.contents) >= MIN_PAGES
                assert list(others.contents) == sorted(others.contents)
                assert others.contents[0] < others.fair_from < others.good_from < others.contents[-1]
                below = sum(content < others.fair_from for content in others.contents) / len(others.contents)
                assert below == pytest.approx(1 / 3, abs=0.05)


def test_no_page_is_above_all_of_a_hundred_per_cent() -> None:
    for content, words in (
        (0.0, "higher than none of 200 Pages of a length"),
        (1.0, "higher than less than 1% of 200"),
        (2.0, "higher than 1% of 200"),
        (199.0, "higher than 99% of 200"),
        (200.0, "higher than all 200 Pages of a length"),
    ):
        placed = SET.place(content, 300)
        assert placed is not None
        assert placed.describe().startswith(words), content
        assert "100%" not in placed.describe()


def test_the_word_is_the_third_and_changes_at_the_printed_bound() -> None:
    for content, word in ((66.2, "poor"), (66.3, "fair"), (132.6, "fair"), (132.7, "good")):
        placed = SET.place(content, 300)
        assert placed is not None
        assert placed.rate(content) == word


def test_the_set_is_that_of_the_page_s_length() -> None:
    for words, name in ((120, "100 to 249 words"), (400, "250 to 499 words"), (1200, "1,000 words or more")):
        page = score(words, language="en")
        assert page.placement is not None
        assert page.placement.set == f"English web pages of {name}", page.words
        assert page.rating is not None
        assert page.meaning == (
            f"{page.rating}: its content scores {page.content:.1f}, {page.placement.describe()} "
            f"(fair, the middle third, begins at {page.placement.fair_from:.1f}; "
            f"good, the upper third, at {page.placement.good_from:.1f})"
        )


def test_a_page_without_comparable_pages_says_why() -> None:
    for page, why in (
        (score(60, language="en"), "since it has under 100 words"),
        (score(1200, language="fr"), "since there are too few French web pages of 1,000 words or more"),
    ):
        assert (page.placement, page.rating) == (None, None)
        assert why in page.meaning
        assert page.to_row()["percentile"] is None


def test_a_page_that_a_guard_stops_is_neither_good_nor_poor() -> None:
    page = score_text("word " * 400, as_of=AS_OF, language="en")
    assert page.guard
    assert (page.rating, page.meaning) == (None, "")


def test_the_tool_sorts_pages_into_classes_without_those_that_are_too_short_or_no_text() -> None:
    sentence = SENTENCE.replace("May", "May, said Anna Weir of the survey")
    texts = {60: sentence * 3, 120: sentence * 7, 700: sentence * 40, 0: "word " * 400}
    pages = [(Page("page", "".join(text)), "en") for text in texts.values()]
    for edition in map(editions.load, editions.NAMES):
        found = measure([*pages, (Page("page", texts[120]), "de")], edition)
        classes = {code: {start: len(contents) for start, contents in rows.items()} for code, rows in found.items()}
        expected = {"en": {100: 1, 500: 1}}
        assert classes == (expected if "de" not in edition.languages else {**expected, "de": {100: 1}}), edition.name
