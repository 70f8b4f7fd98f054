"""Lines of access logs, and what is counted of them."""

from __future__ import annotations

import io
import string
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.site.logs import count as counting
from steelyard.site.logs.count import LogCounter, LogCounts
from steelyard.site.logs.lines import Entry, decode_target, parse_line

HEAD = b"203.0.113.7 - - [10/Oct/2026:13:55:36 -0700] "
TIME = b"10/Oct/2026:13:55:36 -0700"


def combined(target: str = "/a", status: int = 200, agent: str = "GPTBot/1.1") -> bytes:
    return HEAD + f'"GET {target} HTTP/1.1" {status} 2326 "https://a.example/" "{agent}"\n'.encode()


def count(lines: bytes, known: tuple[str, ...] = ("/a",)) -> LogCounts:
    counter = LogCounter("https://a.example", known)
    counter.read(io.BytesIO(lines))
    return counter.counts


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        (HEAD + b'"GET /a HTTP/1.1" 200 2326', Entry(TIME, b"/a", b"200", None)),
        (HEAD + b'"GET /a HTTP/1.1" 200 -\r\n', Entry(TIME, b"/a", b"200", None)),
        (combined(), Entry(TIME, b"/a", b"200", b"GPTBot/1.1")),
        (combined() + b' "1.2.3.4" "more"', Entry(TIME, b"/a", b"200", b"GPTBot/1.1")),
        (combined(agent='a \\"quoted\\" one'), Entry(TIME, b"/a", b"200", b"a \x01\x02quoted\x01\x02 one")),
        (b'::1 - ann lee [x] "GET / HTTP/2.0" 304 0', Entry(b"x", b"/", b"304", None)),
        (HEAD + b'"GET /a" 200 1', Entry(TIME, b"/a", b"200", None)),
        (HEAD + b'"GET /a b HTTP/1.1" 200 1', Entry(TIME, b"/a%20b", b"200", None)),
        (HEAD + b'"-" 408 0', Entry(TIME, None, b"408", None)),
        (HEAD + b'"\\x16\\x03\\x01" 400 0', Entry(TIME, None, b"400", None)),
    ],
)
def test_both_formats_are_read(line: bytes, entry: Entry) -> None:
    assert parse_line(line) == entry


@pytest.mark.parametrize(
    "line",
    [
        b"rubbish",
        b'{"request": "GET / HTTP/1.1", "status": 200}',
        b'[x] "GET / HTTP/1.1" 200 1',  # nobody asked
        b'1.2.3.4 - - x "GET / HTTP/1.1" 200 1',
        HEAD + b'"GET / HTTP/1.1" OK 1',
        HEAD + b'"GET / HTTP/1.1" 2000 1',
        HEAD + b'"GET / HTTP/1.1',
        HEAD + b'"GET / HTTP/1.1" 200 1 "-" "an "open" agent"x"',
        b"1.2.3.4 - - [" + b"x" * 100 + b'] "GET / HTTP/1.1" 200 1',
        b'"' * 1_000,
        b"[" * 1_000,
        b"",
    ],
)
def test_other_lines_are_malformed(line: bytes) -> None:
    parsed = parse_line(line)
    assert parsed is None or b"open" in line  # a quotation mark more is a field more


@given(st.binary(max_size=300))
def test_no_line_is_an_error(line: bytes) -> None:
    parse_line(line)
    parse_line(HEAD + b'"GET ' + line + b' HTTP/1.1" 200 1 "-" "GPTBot"')
    decode_target(line)
    count(line)
    count(HEAD + b'"GET ' + line + b' HTTP/1.1" 200 1 "-" "GPTBot"')


def test_requests_are_counted_by_page_agent_and_outcome() -> None:
    log = combined() * 3 + combined("/a?utm_source=x") + combined("https://www.a.example/a", agent="Claude-User/1")
    log += combined("/a", 404) + combined("/new", 404) + combined("/logo.png") + combined("/robots.txt")
    log += (
        combined("https://b.example/a") + combined("/a", agent="Mozilla/5.0 Firefox/100") + HEAD + b'"GET /a x" 200 1\n'
    )
    log += b"\n rubbish \n" + b"x" * 100_000 + b"\n" + combined("/a", 503) + combined("/a", 301) + combined("/a", 429)
    counts = count(log)
    assert (counts.lines, counts.malformed, counts.nameless, counts.visits) == (17, 2, 1, 13)
    assert (counts.elsewhere, counts.assets, counts.left_out) == (1, 1, 0)
    assert counts.files == {"/robots.txt": {"GPTBot": 1}}
    page = counts.pages["/a"]
    assert page.agents == {"GPTBot": 8, "Claude-User": 1}
    assert page.outcomes == {"read": 5, "not_found": 1, "failed": 1, "redirected": 1, "refused": 1}
    assert (page.total, page.reads, page.last) == (9, 5, TIME.decode())
    assert list(counts.others) == ["/new"]
    assert counts.agents["GPTBot"].total == 12
    assert (counts.first, counts.last) == (TIME.decode(), TIME.decode())


def test_addresses_are_compared_as_the_audit_spells_them() -> None:
    known = ("/caf%C3%A9", "/a%20b", "/q?x=1", "/~ann/")
    targets = ("/caf\\xC3\\xA9", "/caf%c3%a9", "/café", "/a b", "/./a%20b", "/q?x=1#top", "/%7Eann/", "/~ann/")
    counts = count(b"".join(map(combined, targets)), known)
    assert {path: visits.total for path, visits in counts.pages.items()} == {
        "/caf%C3%A9": 3, "/a%20b": 2, "/q?x=1": 1, "/~ann/": 2,
    }  # fmt: skip


@given(st.text(alphabet=string.ascii_letters + "0123456789._~-/%?=&;", max_size=40))
def test_the_short_way_to_an_address_is_the_long_one(path: str) -> None:
    counter = LogCounter("https://a.example", ())
    found = counter._find_path(f"/{path}".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MAX_ADDRESS", 0)
        assert counter._find_path(f"/{path}".encode()) == found


def test_memory_is_bounded_and_frequent_addresses_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_OTHERS", 100)
    lines = (combined(f"/once-{n}") + (combined("/often") if n % 10 == 0 else b"") for n in range(2_000))
    counts = count(b"".join(lines))
    assert counts.others["/often"].total == 200
    assert len(counts.others) <= 100
    assert counts.visits == 2_200 == counts.left_out + sum(visits.total for visits in counts.others.values())


def test_ten_times_the_lines_take_no_more_memory(tmp_path: Path) -> None:
    peaks = []
    for times in (1, 10):
        path = tmp_path / f"{times}.log"
        path.write_bytes(b"".join(combined(f"/p-{n % 500}", agent=f"GPTBot/{n % 700}") for n in range(3_000 * times)))
        tracemalloc.start()
        with path.open("rb") as stream:
            LogCounter("https://a.example", ()).read(stream)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0], peaks
