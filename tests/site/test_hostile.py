"""Garbage for everything that reads what a site, a file or a child says."""

from __future__ import annotations

import contextlib
import random
from datetime import date
from pathlib import Path

import pytest

from fuzz.kinds import KINDS
from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.settings import Settings
from steelyard.site.addresses import normalise
from steelyard.site.audit_plan import read_addresses
from steelyard.site.charset import decode_answer
from steelyard.site.crawl.links import read_links
from steelyard.site.crawl.sitemaps import Unreadable, parse_sitemap
from steelyard.site.duplicates import fingerprint
from steelyard.site.measure import measure
from steelyard.site.model import STATES, Fetched, Link
from steelyard.site.page_kinds import describe_shell, read_canonical
from steelyard.web.audits import AuditEntry, _apply, _read_event

SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), detect=True)
URL = "https://a.example/dir/page?x=1"
NAMES = (None, "", "utf-8", "utf-16", "utf-7", "latin-1", "x" * 3_000, "\0", "shift_jis", "hex", "zlib", "gb18030", "é")
TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "", "image/png", "\0", "text/html" * 500)
PIECES = (
    *"< > </ <! <![ <![CDATA[ <!-- --> ' = // ? # % &amp &#0; &#xD800; %zz 404 é \u202e \0 \ud800".split(" "),
    '"', " ", "\n", "<a href=", "<base href=//[", "<link rel=canonical href=", "<meta charset=", "<script>", "</script",
    "<meta http-equiv=refresh content='0;url=", "<body", "javascript:", "http://[::1", "not found", "<loc>", "</loc>",
)  # fmt: skip


def make_text(rng: random.Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.randint(0, 80))) * rng.choice((1, 1, 1, 40))


@pytest.mark.parametrize("seed", range(40))
def test_any_answer_becomes_a_visit(seed: int) -> None:
    rng = random.Random(seed)
    made = KINDS["html"].make(rng, [])
    junk = make_text(rng).encode("utf-8", "surrogatepass")
    for body in (made, made[: rng.randrange(len(made) + 1)], junk, rng.randbytes(500), junk + made, b""):
        fetched = Fetched(Link(URL), URL, rng.choice((200, 204, 404, None)), rng.choice(TYPES), rng.choice(NAMES), body)
        visit = measure(fetched, SETTINGS)
        assert visit.state in STATES
        assert "bug" not in visit.reason, visit.reason


@pytest.mark.parametrize("seed", range(200))
def test_readers_of_markup_take_anything(seed: int) -> None:
    rng = random.Random(seed)
    text = make_text(rng)
    data = text.encode("utf-8", "surrogatepass")
    describe_shell(text)
    fingerprint(text)
    read_links(data, rng.choice(NAMES), "steelyard")
    with contextlib.suppress(Unreadable):
        list(parse_sitemap(data)[1])
    named = read_canonical(text, URL)
    assert named is None or normalise(named) == named


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_text_or_refused(name: str | None) -> None:
    rng = random.Random(str(name))
    for size in (0, 1, 2, 3, 100, 5_000):
        for body in (rng.randbytes(size), bytes(rng.choices(b"ab<>\x00\xff\xfe\xef\xbb\xbf\x1b$B", k=size))):
            with contextlib.suppress(PageUnreadable):
                assert isinstance(decode_answer(body, "page", name), str)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"\xff\xfe\x00", b"# only a comment\n", b"a" * 100_000, b"http://[\n", b"\x1b[31m\n"]
)
def test_a_list_of_addresses_that_is_none(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(data)
    with pytest.raises(SteelyardError) as refused:
        read_addresses(str(path))
    assert len(str(refused.value)) < 1_000
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"null", b'{"event": 5}', b'{"event": "progress", "finished": "x", "known": null}', b"\xff" * 50,
     b'{"event": "ended", "audit": [], "mean": "<b>"}', b'{"event": "error"}', b"[" * 100_000],
)  # fmt: skip
def test_what_the_child_of_the_app_says(line: bytes) -> None:
    event = _read_event(line)
    if event is not None:
        _apply(event, AuditEntry(1, URL, 10))
