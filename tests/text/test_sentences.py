"""Where the careful reading ends sentences, and where it does not."""

from __future__ import annotations

from steelyard.text.sentences import split

ABBREVIATIONS = frozenset({"dr", "e.g", "etc", "no"})


def cut(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in split(text, ABBREVIATIONS)]


def test_ends_of_sentences() -> None:
    for text, sentences in (
        ("It has 0.8 grams. It keeps.", ["It has 0.8 grams", "It keeps."]),
        ("Dr. Weir left. She returned.", ["Dr. Weir left", "She returned."]),
        ("J. K. Weir wrote it. We read it.", ["J. K. Weir wrote it", "We read it."]),
        ("In the U.S. Senate it failed. Why?", ["In the U.S. Senate it failed", "Why"]),
        ("See https://example.org/a.b for more. Then go.", ["See https://example.org/a.b for more", "Then go."]),
        ("Well ... it depends. Perhaps.", ["Well ... it depends", "Perhaps."]),
        ("“It is late.” She left.", ["“It is late", "She left."]),
        ("A heading\n\nA paragraph", ["A heading", "A paragraph"]),
        ("Is it so? Yes! Good.", ["Is it so", "Yes", "Good."]),
        ("No. 4 is best, etc. Others follow", ["No. 4 is best, etc. Others follow"]),
        ("", []),
    ):
        assert [s.rstrip(".") for s in cut(text)] == [s.rstrip(".") for s in sentences], text


def test_the_day_of_a_date_ends_no_sentence() -> None:
    text = "Am 12. Januar 2020 kam er. Es war Nummer 12. Danach ging er."
    spans = split(text, frozenset(), frozenset({"januar"}))
    assert [text[a:b] for a, b in spans] == ["Am 12. Januar 2020 kam er", " Es war Nummer 12", " Danach ging er"]
