"""The text of a page in the HTML report: rendered blocks, marks that never break the markup, evidence at its words."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import date
from html import unescape
from itertools import product

from steelyard.components.base import Evidence
from steelyard.inputs.page_ref import PageRef
from steelyard.pages.html.blocks import Block, find_blocks
from steelyard.pages.html.text import render_text
from steelyard.pipeline import PageResult, analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.text.source import Source
from tests.contract.shared import PROSE, STRUCTURED, TEXTS
from tests.pages.markup import Balance

AS_OF = date(2026, 7, 1)


def score(text: str, edition: str = "2026") -> PageResult:
    chosen = editions.load(edition)
    settings = Settings.resolve(as_of=AS_OF, edition=chosen, language="en", keep_text=True, detect=True)
    return analyse(PageRef("page.md", text=text), settings)


def render(text: str, longest: int = 60_000, *, only_evidence: bool = False) -> str:
    return show(score(text), longest, only_evidence=only_evidence)


def show(result: PageResult, longest: int = 60_000, *, only_evidence: bool = False) -> str:
    return render_text(result, longest, only_evidence=only_evidence)[1]


def with_spans(result: PageResult, *spans: tuple[str, int, int]) -> PageResult:
    """Return a page whose only evidence is at these spans of its source."""
    readings = {
        name: replace(r, evidence=tuple(Evidence(a, b, 1, "made-up", "") for n, a, b in spans if n == name))
        for name, r in result.page.readings.items()
    }
    page = replace(result.page, readings=readings, fresh=replace(result.page.fresh, evidence=()))
    return replace(result, page=page, manipulation=None)


def kinds(text: str) -> list[str]:
    return [block.kind for block in find_blocks(Source(text))]


def words(text: str, block: Block) -> str:
    return Source(text).structure.view.text[block.span[0] : block.span[1]].strip()


def test_every_kind_of_block_is_found_in_order() -> None:
    found = kinds(STRUCTURED)
    expected = "heading paragraph heading paragraph heading list quote table paragraph code".split()
    assert found == expected


def test_marks_of_markdown_are_not_shown_and_all_words_are() -> None:
    shown = "".join(Balance(render(STRUCTURED)).words)
    assert not re.search(r"\*\*|```|\]\(|^#|\|", shown, re.MULTILINE)
    assert "nobody reads this" not in shown
    for word in ("harbour", "anything read by a visitor", "412", "level = 431", "the ledger", "both"):
        assert word in shown
    assert shown.count("level = 431") == 1


def test_headings_lists_tables_code_and_quotes_have_their_elements() -> None:
    html = render(STRUCTURED)
    for element in ("<h5>How a harbour", "<h6>What the ledger", "<ul><li>", '<th scope="col">year', "<pre><code>level"):
        assert element in html
    assert "<blockquote><p>" in html
    assert html.count("<li>") == 3
    assert html.count("<td>") == 4


def test_numbered_and_nested_items_keep_their_numbers_and_depth() -> None:
    html = render(f"{PROSE}\n\n3. third\n4. fourth\n   - below it\n     and on\n")
    assert (
        '<ol><li value="3">third</li><li value="4">fourth</li><li class="d1 bullet">below it\n     and on</li></ol>'
        in html
    )


def test_a_table_says_how_many_columns_it_has_for_windows_of_any_width() -> None:
    for columns, size in ((1, "small"), (3, "small"), (4, "medium"), (8, "medium"), (9, "large")):
        row = "| a " * columns + "|\n"
        assert f'<table class="{size}"><tr>' in render(f"{PROSE}\n\n{row}{'|---' * columns}|\n{row}"), columns


def test_a_paragraph_that_runs_into_a_list_and_a_table_is_three_blocks() -> None:
    text = "A line of words:\n- one\n- two\n\nYear | Level\n--- | ---\n1960 | 412\n"
    blocks = find_blocks(Source(text))
    assert [b.kind for b in blocks] == ["paragraph", "list", "table"]
    assert words(text, blocks[0]) == "A line of words:"
    assert blocks[2].has_head
    assert [len(row) for row in blocks[2].rows] == [2, 2]


def test_evidence_is_marked_at_its_own_words() -> None:
    text = "# Tides\n\nThe **mean** level rose by [14 per cent](https://a.example/x) in a *century*.\n"
    start = text.index("mean")
    result = with_spans(score(text), ("statistic_density", start, text.index(") in a")))
    assert Balance(show(result)).marks == ["mean level rose by 14 per cent"]


def test_each_mark_holds_the_words_of_its_evidence() -> None:
    texts = (STRUCTURED, STRUCTURED.replace("\n", "\r\n"), f"Caf\u0065\u0301 Zo\u0065\u0308. {PROSE}")
    for text, edition in product(texts, editions.NAMES):
        result = score(text, edition)
        entities = result.page.readings["entity_density"].evidence
        assert entities
        only = with_spans(result, *(("entity_density", e.start, e.end) for e in entities))
        marked = Balance(show(only)).marks
        shown = [text[e.start : e.end] for e in entities if "]" not in text[e.start : e.end]]
        expected = [re.sub(r"[*_`\r]", "", words).split() for words in shown]
        assert all(any(" ".join(words) in " ".join(mark.split()) for mark in marked) for words in expected), edition


def test_overlapping_evidence_is_cut_into_pieces_that_name_everything() -> None:
    text = "The harbour board measured the tide for a century."
    result = score(text)
    spans = [
        ("quotable_density", 0, 26),
        ("entity_density", 4, 30),
        ("statistic_density", 12, 17),
        ("citation_f1", 12, 17),
    ]
    html = show(with_spans(result, *spans))
    balance = Balance(html)
    assert "".join(balance.words) == text
    assert balance.marks == [text[0:4], text[4:12], text[12:17], text[17:26], text[26:30]]
    titles = [unescape(t).split("; ") for t in re.findall(r'title="([^"]+)"', html)]
    names = [[meaning.partition(": ")[0] for meaning in title] for title in titles]
    assert names[0] == ["quotable"]
    assert names[2] == ["quotable", "source", "figure", "name, date or amount"]
    # A screen reader hears each piece of evidence once, where it begins.
    assert [t.strip() for t in re.findall(r"<small>([^<]+)</small>", html)] == [
        "quotable", "name, date or amount", "source, figure",
    ]  # fmt: skip


def test_evidence_that_runs_over_blocks_is_marked_in_each_and_one_without_words_is_counted() -> None:
    text = "# Tides of the north\n\nOne paragraph.\n\n- an item\n"
    html = show(with_spans(score(text), ("citation_f1", 2, len(text))))
    assert Balance(html).marks == ["Tides of the north", "One paragraph.", "an item"]
    html = render("---\ndate: 2026-01-02\n---\n\n" + PROSE)
    assert "1 piece of evidence not visible in the text" in html


def test_blocks_without_evidence_are_folded_on_request() -> None:
    text = "Nothing is here.\n\nNothing either.\n\nIn 2019 the level rose by 14% to 431 cm.\n\nNothing at the end."
    result = with_spans(score(text), ("statistic_density", text.index("14%"), text.index("14%") + 3))
    html = show(result, only_evidence=True)
    assert "2 blocks without evidence" in html
    assert "1 block without evidence" in html
    assert "<summary>2 blocks without evidence</summary><p>Nothing is here.</p>" in html
    assert "<summary>" not in show(result)


def test_a_long_text_is_cut_and_says_so() -> None:
    for longest in (0, 1, 20, 100, 700):
        html = render(STRUCTURED, longest)
        shown = "".join(Balance(html).words).partition("the rest of")[0]
        assert len(shown) <= longest
        assert "characters is not shown" in html, longest


def test_any_text_gives_balanced_markup() -> None:
    for text in TEXTS.values():
        result = score(text)
        for only_evidence in (False, True):
            html = show(result, 2_000, only_evidence=only_evidence)
            Balance(html)
            html.encode("utf-8")


def test_the_time_is_linear_in_the_length() -> None:
    pieces = "- x\n;| a | b |\n;a | b\n;> q\n;```\n;1. x\n;# h\n;<b>x</b> ;[a](b) ;|;-|-\n".split(";")
    for piece in pieces:
        seconds = []
        for source in (Source(piece * n) for n in (1_000, 8_000)):
            _ = source.structure
            start = time.process_time()  # of this process alone: others may be busy
            find_blocks(source)
            seconds.append(time.process_time() - start)
        assert seconds[1] < 80 * seconds[0] + 0.5, piece


def test_the_words_between_two_marks_are_kept_and_a_place_is_one_element() -> None:
    text = "We waited then for the ferry. It is 14% better then before, they say."
    at = text.index("14%")
    result = with_spans(score(text), ("statistic_density", at, at + 3), ("semantic_coherence", 10, 14))
    assert "".join(Balance(show(result)).words).split() == text.split()
