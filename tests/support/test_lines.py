"""Lines in pieces: a line over the limit is skipped or stopped at, whatever its length."""

from __future__ import annotations

import gzip
import io

from steelyard.support.lines import Line, read_lines


def test_every_line_has_its_number_and_size() -> None:
    lines = list(read_lines(io.BytesIO(b"one\n\n  \nfour"), 10))
    assert lines == [Line(1, b"one\n", 4), Line(2, b"\n", 1), Line(3, b"  \n", 3), Line(4, b"four", 4)]
    assert [line.is_blank for line in lines] == [False, True, True, False]


def test_a_line_over_the_limit_is_skipped_to_its_end() -> None:
    lines = list(read_lines(io.BytesIO(b"12345\n123456\n12345"), 5))
    assert [line.data for line in lines] == [b"12345\n", None, b"12345"], "the line break does not count"
    for length in (11, 100, (1 << 20) - 1, 1 << 20, (3 << 20) + 1):
        for ending, rest in ((b"\n", [Line(3, b"b\n", 2)]), (b"", [])):
            stream = io.BytesIO(b"a\n" + b"\0" * length + ending + (b"b\n" if rest else b""))
            expected = [Line(1, b"a\n", 2), Line(2, None, length + len(ending)), *rest]
            assert list(read_lines(stream, 10)) == expected, (length, ending)


def test_a_strict_reader_stops_there() -> None:
    stream = io.BytesIO(b"a\n" + b"\0" * 1_000 + b"\nb\n")
    assert list(read_lines(stream, 10, strict=True)) == [Line(1, b"a\n", 2), Line(2, None, 11)]
    assert stream.tell() == 13


def test_a_byte_order_mark_is_removed_from_the_first_line_only() -> None:
    data = b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n"
    assert [line.data for line in read_lines(io.BytesIO(data), 10)] == [b"one\n", b"\xef\xbb\xbftwo\n"]
    assert next(read_lines(io.BytesIO(data), 10, number=7)).data == b"\xef\xbb\xbfone\n"
    only = next(read_lines(io.BytesIO(b"\xef\xbb\xbf"), 10))
    assert (only.is_blank, only.size) == (True, 3)


def test_lines_end_with_a_line_feed_only_and_packed_ones_are_read_alike() -> None:
    data = "a\u2028b\x85c\x0cd\re\n".encode()
    assert [line.data for line in read_lines(io.BytesIO(data), 100)] == [data]
    data = b"one\n" + b"x" * 5_000_000 + b"\nthree\n"
    lines = list(read_lines(gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data))), 1_000))
    assert lines == [Line(1, b"one\n", 4), Line(2, None, 5_000_001), Line(3, b"three\n", 6)]
