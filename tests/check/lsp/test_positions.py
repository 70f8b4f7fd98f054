"""Positions and edits as the protocol counts them, against a slow count over the encoded text."""

from __future__ import annotations

import random

import pytest
from lsprotocol.types import Position, Range, TextDocumentContentChangePartial, TextDocumentContentChangeWholeDocument

from steelyard.check.lsp.documents import CheckedText, Document
from steelyard.text.positions import EditorLines, replace_half_pairs, split_lines

ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
PIECES = ("a", "é", "漢", "😀", "\n", "\r\n", "\r", " ", "\u2028", "\x0b", "\x0c", "\x85", "e\u0301", "\U0010fffd")


def make_text(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(PIECES) for _ in range(length))


def count_slowly(text: str, offset: int, encoding: str) -> tuple[int, int]:
    """Walk over the text, character by character."""
    name, width = ENCODINGS[encoding]
    line = column = at = 0
    while at < offset:
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 0
        else:
            column += len(text[at].encode(name)) // width
        at += 1
    return line, column


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_are_those_of_a_slow_count(encoding: str) -> None:
    rng = random.Random(1)
    for _ in range(60):
        text = make_text(rng, rng.randrange(40))
        lines = EditorLines(text, encoding)
        for offset in range(len(text) + 1):
            line, column = lines.line_column(offset)
            if offset and text[offset - 1 : offset + 1] == "\r\n":
                offset -= 1  # noqa: PLW2901 - no position is between the two
            assert (line, column) == count_slowly(text, offset, encoding)
            assert lines.offset(line, column) == offset


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    assert split_lines("a\nb\r\nc\rd\u2028e\x0bf\x85g") == ["a\n", "b\r\n", "c\r", "d\u2028e\x0bf\x85g"]
    assert split_lines("") == [""]
    assert split_lines("a\n") == ["a\n", ""]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_edits_give_the_text_that_replacing_the_span_gives(encoding: str) -> None:
    rng = random.Random(2)
    document = Document("file:///a.md", "/a.md", 1, encoding)
    document.replace("")
    text = ""
    for _ in range(800):
        edges = [at for at in range(len(text) + 1) if at == 0 or text[at - 1 : at + 1] != "\r\n"]
        start, end = sorted((rng.choice(edges), rng.choice(edges)))
        end = min(end, start + 6)
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        new = make_text(rng, rng.randrange(8))
        where = CheckedText(text, EditorLines(text, encoding), None).to_range(start, end)
        document.apply([TextDocumentContentChangePartial(where, new)])
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document.lines == split_lines(text)


def test_an_edit_outside_the_text_is_one_at_the_nearest_end_and_cr_and_lf_become_one_line_end() -> None:
    document = Document("file:///a.md", "/a.md", 1, "utf-16")
    for before, start, end, new, after in (
        ("a\rb", (1, 0), (1, 0), "\n", "a\r\nb"),
        ("one\ntwo", (0, 99), (0, 99), "!", "one!\ntwo"),
        ("one!\ntwo", (99, 0), (99, 9), "?", "one!\ntwo?"),
        ("one!\ntwo?", (1, 4), (0, 4), " ", "one! "),  # backwards
    ):
        document.replace(before)
        document.apply([TextDocumentContentChangePartial(Range(Position(*start), Position(*end)), new)])
        assert document.text == after
        assert document.lines == split_lines(after)
    document.apply([TextDocumentContentChangeWholeDocument("")])
    assert document.text == ""


def test_a_column_inside_a_surrogate_pair_is_the_start_of_its_character() -> None:
    lines = EditorLines("😀b", "utf-16")
    assert [lines.offset(0, column) for column in (1, 2)] == [0, 1]


def test_half_a_surrogate_pair_is_replaced_without_moving_anything() -> None:
    assert replace_half_pairs("a\ud83db") == "a\ufffdb"
    assert replace_half_pairs("a😀b") == "a😀b"
