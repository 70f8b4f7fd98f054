"""Positions: a span of the measured text or of the reading view is the same words in the file as it was written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import steelyard
from steelyard.scoring import editions
from steelyard.text.directives import strip_directives
from steelyard.text.positions import EditorLines, Lines
from steelyard.text.source import Source

# Accents that compose into one character with their letter; inside of others an offset has no exact counterpart.
PIECES = (
    "The tide rose. ", "a", "é", "e\u0301", "u\u0308", "漢", "😀", "𝒢", "\t", " ", "\n", "\n\n", "\r\n",
    "\r\n\r\n", "\r", "# Gears\n", "*so*", "[a](https://a.org)", "> ", "- ", "`x`", "<p hidden>no</p>", "<!-- x -->",
    "<!-- steelyard: off -->", "<!-- steelyard: off citation_f1 -->\n", "\n\n<!-- steelyard: on -->\r\n\r\n", "\ud800",
)  # fmt: skip
HEADS = (
    "",
    "---\ntitle: x\n---\n",
    "\ufeff---\r\ntitle: é\r\n---\r\n",
    "<!-- steelyard: off -->\n---\ndate: 2026-01-02\n---\n",
)
written_texts = st.builds(
    lambda head, pieces: head + "".join(pieces), st.sampled_from(HEADS), st.lists(st.sampled_from(PIECES), max_size=30)
)
thorough = settings(max_examples=400, deadline=None)


def open_source(written: str, *, repaired: bool) -> Source:
    return Source(strip_directives(written), repaired=repaired)


def same_words(one: str, other: str) -> bool:
    """Whether two texts are the same but for accents in one or two characters, and lone surrogates."""
    first, second = (unicodedata.normalize("NFD", text.replace("\ud800", "\ufffd")) for text in (one, other))
    return first == second


@thorough
@given(written=written_texts, repaired=st.booleans())
@example(written="e\u0301 <!-- steelyard: off -->e\u0301", repaired=True)
def test_every_character_of_the_measured_text_leads_to_itself_in_the_file(written: str, repaired: bool) -> None:
    source = open_source(written, repaired=repaired)
    ends = [0]
    for offset, character in enumerate(source.text):
        start, end = source.to_file(offset, offset + 1)
        assert start >= ends[-1]  # in order, and no character twice
        assert same_words(source.written[start:end], character)
        ends.append(end)
    spans = [source.to_file(offset, offset) for offset in range(len(source.text) + 1)]
    assert all(start == end <= len(written) for start, end in spans)


@thorough
@given(written=written_texts, repaired=st.booleans(), data=st.data())
def test_a_span_without_a_directive_inside_is_the_same_words_in_the_file(
    written: str, repaired: bool, data: st.DataObject
) -> None:
    source = open_source(written, repaired=repaired)
    start = data.draw(st.integers(0, len(source.text)))
    end = data.draw(st.integers(start, len(source.text)))
    first, last = source.to_file(start, end)
    inside = strip_directives(source.written[first:last])
    if inside.text == inside.written:
        assert same_words(source.written[first:last], source.text[start:end])


@thorough
@given(written=written_texts, repaired=st.booleans())
def test_the_reading_view_leads_to_the_measured_text_and_back(written: str, repaired: bool) -> None:
    source = open_source(written, repaired=repaired)
    for offset in range(len(source.structure.view.text)):
        span = source.structure.view.source_span(offset, offset + 1)
        assert source.to_view(*span) == (offset, offset + 1)
        assert source.view_to_file(offset, offset + 1) == source.to_file(*span)


@thorough
@given(written=written_texts)
def test_lines_and_columns_lead_back_to_their_offset(written: str) -> None:
    source = open_source(written, repaired=True)
    lines = written.split("\n")
    for offset in range(len(written) + 1):
        place = source.locate(offset, offset)
        assert place.line == place.end_line == source.line(offset) == written.count("\n", 0, offset) + 1
        assert sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1 == offset


@thorough
@given(written=written_texts, encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_the_positions_of_an_editor_lead_back_to_their_offset(written: str, encoding: str) -> None:
    text = written.replace("\ud800", "\ufffd")
    lines = EditorLines(text, encoding)
    for offset in range(len(text) + 1):
        between = text[offset - 1 : offset + 1] == "\r\n" if offset else False
        assert lines.offset(*lines.line_column(offset)) == offset - between


def test_a_span_that_ends_before_it_starts_is_empty() -> None:
    assert Lines("ab\ncd").locate(4, 1) == (4, 1, 2, 2, 2, 2)


@pytest.mark.parametrize("edition", editions.NAMES)
def test_everything_that_is_reported_points_at_its_words_in_a_page_with_all_of_it(edition: str) -> None:
    claim = "Studies show that 45 % of the cafe\u0301s 😀 in Lyon closed in 2024."
    page = "\r\n\r\n".join([
        "---\r\ntitle: x\r\ndate: 2026-05-01\r\n---\r\n# Cafés", "<!-- steelyard: off citation_f1 -->",
        f"{claim} <!-- steelyard: off --> Many people\twent\nto the cafe\u0301 a lot more often than before.",
        *["The harbour of the town is old and the boats stay there in the winter of every year."] * 8,
    ])  # fmt: skip
    found = steelyard.score(page, language="en", edition=edition, as_of="2026-07-01")
    for e in (*(e for r in found.readings.values() for e in r.evidence), *found.fresh.evidence):
        assert e.line == page.count("\n", 0, e.start) + 1
    figures = [page[e.start : e.end] for e in found.readings["statistic_density"].evidence]
    assert any("45 %" in words for words in figures)
