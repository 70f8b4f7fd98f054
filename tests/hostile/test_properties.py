"""Properties that hold for any text at all."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from steelyard import languages
from steelyard.components import NAMES
from steelyard.errors import PageUnreadable
from steelyard.scoring.freshness import parse_date
from steelyard.support import escape
from steelyard.text import frontmatter, html, markdown
from steelyard.text.decoding import decode
from steelyard.text.document import unify_characters
from steelyard.text.source import Source
from tests.contract.shared import LANGUAGES, assert_inside, document, score_text

MARKS = ["#", "##", "# ", "- ", "* ", "+ ", "1. ", "> ", "|", "| a | b |", "|---|---|", "```", "~~~", "`", "``", "*",
         "**", "_", "~~",
         "---", "===", "=", "--", "[", "]", "(", ")", "](", "[a](https://e.example/)", "[a][b]",
         "[b]: https://e.example/", "![", "<", ">",
         "</", "<b>", "</b>", "<p>", "<br/>", "<x y>", "<a href='https://e.example/'>", "<div hidden>", "</div>",
         "<script>", "</script>",
         "<!--", "-->", "\\", "&lt;", "\0", "\r", "\t", "    ", "\ufeff", "\u200b", "\u202e", "\u2028", "\x1b",
         "\ud800", "İ", "ﬁ", "e\u0301"]  # fmt: skip
WORDS = ["the", "tide", "is", "said Anna Weir", "In 2019", "14%", "caféine", "abc123",
         "According to the Harrow Institute", "However,",
         '"We read it twice a day,"', "« oui »", "$5 million", "(Weir, 2021)", "https://e.example/a",
         "Updated: 2026-01-02", "title: x",
         "1871", "é", "水", "😀", ".", "!", "?", "..."]  # fmt: skip
anything = st.text(max_size=300)
pages = st.lists(
    st.one_of(st.sampled_from(MARKS), st.sampled_from(WORDS), st.sampled_from([" ", "\n", "\n\n", " ", "\n"])),
    max_size=60,
)
texts = st.one_of(anything, pages.map("".join), pages.map(" ".join), pages.map("\n".join))
# No mark of any kind: what an appended comment must not disturb.
unmarked = st.lists(
    st.sampled_from(
        [*WORDS, " ", " ", "\n", "\n\n", "\t", "    ", "-", "=", "#", "•", "1.", "- ", "\f", "\x85", "\u2028", "\n \n"]
    ),
    max_size=60,
)

thorough = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("language", LANGUAGES)
@thorough
@given(text=texts, title=st.none() | st.text(max_size=40) | st.sampled_from(WORDS))
def test_any_text_is_scored_from_0_to_100_and_twice_the_same(language: str, text: str, title: str | None):
    page = score_text(text, title=title, language=language)
    for figure in (page.score, page.content, page.freshness, *(r.value for r in page.readings.values())):
        assert math.isfinite(figure)
        assert 0.0 <= figure <= 100.0
    assert tuple(page.readings) == NAMES
    again = score_text(text, title=title, language=language)
    assert again.readings == page.readings
    assert (again.score, again.fresh, again.unvalidated) == (page.score, page.fresh, page.unvalidated)
    for evidence in (*page.fresh.evidence, *(e for r in page.readings.values() for e in r.evidence)):
        assert_inside(evidence, text)


@thorough
@given(text=unmarked.map("".join), comment=st.text(alphabet="ab \n#-*>|=", max_size=20))
def test_a_comment_appended_to_any_text_changes_nothing(text: str, comment: str):
    assume("--" not in comment and not comment.startswith(("-", ">")) and not comment.endswith("-"))
    before, after = score_text(f"{text}\n", language="en"), score_text(f"{text}\n<!--{comment}-->", language="en")
    assert (after.words, after.content, after.score) == (before.words, before.content, before.score)


@thorough
@given(text=unmarked.map("".join))
@example("a\nb")
@example("a\n=\nb")
@example("text\n      - item")
@example("-- - ")
@example("a\n \nb")
@example("\nSource: Harrow Institute, 2024")
def test_a_text_reads_the_same_with_and_without_the_short_way(text: str):
    """A text without marks takes a short way through the parser; an empty comment sends it the long way."""
    short, long = markdown.parse(text + "\n"), markdown.parse(text + "\n<!---->")
    view = short.view.text
    assert view == long.view.text
    assert short.headings == long.headings
    for spans, others in ((short.paragraphs, long.paragraphs), (short.blocks, long.blocks)):
        assert [w for s in spans if (w := view[slice(*s)].strip())] == [
            w for s in others if (w := view[slice(*s)].strip())
        ]


@thorough
@given(text=texts)
def test_every_character_of_the_view_leads_back_to_itself(text: str):
    source = Source(text)
    view = source.structure.view
    for offset, character in enumerate(view.text):
        start, end = view.source_span(offset, offset + 1)
        assert end == start + 1
        there = source.text[start]
        # A soft line break is shown as a space, and a block element as a line break.
        assert there == character or (character, there) in ((" ", "\n"), ("\n", "<"))


@thorough
@given(text=texts)
def test_the_way_back_never_turns_round(text: str):
    view = Source(text).structure.view
    offsets = [view.source_offset(i) for i in range(len(view.text))]
    assert offsets == sorted(set(offsets))


@thorough
@given(text=texts)
@example("<x \0>")
@example("<x <!-- y --> >")
def test_any_text_has_a_structure_inside_its_view_and_no_NUL(text: str):
    structure = markdown.parse(text)
    view = structure.view.text
    assert "\0" not in view
    assert len(view) <= len(text)
    for start, end in (*structure.paragraphs, *structure.blocks, *((h.start, h.end) for h in structure.headings)):
        assert 0 <= start <= end <= len(view)
    for start, end in (*structure.hidden, *((x.start, x.end) for x in structure.links)):
        assert 0 <= start <= end <= len(text)
    for spans in (structure.paragraphs, structure.blocks, structure.hidden):
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


@thorough
@given(text=texts)
@example("<x <!-- y --> >")
@example("<x\n<!-- y --> >")
def test_nothing_hidden_is_in_the_view(text: str):
    source = Source(text)
    structure = source.structure
    shown = [structure.view.source_offset(i) for i, c in enumerate(structure.view.text) if not c.isspace()]
    for start, end in structure.hidden:
        assert not any(start <= offset < end for offset in shown)


@thorough
@given(text=texts)
def test_segments_and_sentences_lie_in_order_inside_the_text(text: str):
    doc = document(text)
    position = 0
    for start, end in doc.segments:
        assert position <= start <= end <= len(doc.text)
        assert not set(doc.text[start:end]) & set(".!?")
        position = end
    assert doc.sentences == [i for i, (a, b) in enumerate(doc.segments) if b - a > 10]
    assert len(doc.sentence_words) == len(doc.sentence_tokens()) == len(doc.sentences)
    covered = sum(len(doc.text[a:b].split()) for a, b in doc.segments)
    assert covered == len(doc.text.translate(dict.fromkeys(map(ord, ".!?"), " ")).split())


@thorough
@given(text=texts)
def test_tokens_are_ascii_letters_and_lie_in_their_segments(text: str):
    doc = document(text)
    tokens = doc.tokens
    assert len(doc.lowered) == len(doc.text) == len(unify_characters(doc.text))
    assert all(word.isascii() and word.isalpha() and word.islower() for word in tokens.vocabulary)
    assert len(tokens.bounds) == len(doc.segments) + 1
    assert tokens.bounds == sorted(tokens.bounds)
    assert tokens.bounds[-1] == len(tokens.ids)
    assert sum(doc.kept_counts.values()) == len(doc.kept_ids) <= len(tokens.ids)


@thorough
@given(
    text=st.one_of(
        texts,
        texts.map(lambda t: f"---\n{t}"),
        texts.map(lambda t: f"---\n{t}\n---\n"),
        texts.map(lambda t: f"\ufeff---\r\n{t}\r\n...\r\n{t}"),
    )
)
def test_the_front_matter_reader_never_fails(text: str):
    matter, start = frontmatter.read(text)
    assert 0 <= start <= len(text)
    assert all(key == key.lower() for key in matter)
    assert all("\n" not in value for value in matter.values())
    if not start:
        assert matter == {}


@thorough
@given(data=st.binary(max_size=300))
def test_any_bytes_are_text_or_are_refused(data: bytes):
    try:
        text = decode(data, "page")
    except PageUnreadable:
        return
    text.encode("utf-8")


@thorough
@given(text=texts)
def test_a_date_is_found_or_is_not_and_never_fails(text: str):
    parse_date(text, languages.load("en"))


@thorough
@given(text=texts)
def test_any_text_can_be_shown_anywhere(text: str):
    for shown in (escape.make_visible(text), escape.markdown(text), escape.csv_cell(text), escape.html(text)):
        shown.encode("utf-8")
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert escape.width(escape.fit(text, 20)) == 20
    assert escape.width(escape.fit(text, 20, keep="end")) == 20


@thorough
@given(text=texts)
def test_any_text_is_html_or_is_not(text: str):
    assert isinstance(html.is_html(text), bool)
