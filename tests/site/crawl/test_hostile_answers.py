"""Whatever bytes a server sends, there is a page or a reason."""

from __future__ import annotations

import gzip
import random
import socket
import threading
from collections.abc import Iterator

import pytest

from steelyard.site.crawl.fetch import fetch_page
from steelyard.site.model import STATES
from tests.site.crawl.crawling import list_options

HEADS = (
    *[b"HTTP/1.1 200 OK"] * 4, b"HTTP/1.0 200", b"HTTP/1.1 302 Found", b"HTTP/1.1 103 Early Hints",
    b"HTTP/1.1 101 Switching", b"HTTP/1.1 204 No Content", b"HTTP/1.1 304 Not Modified",
    b"HTTP/9.9 999 \xff", b"HTTP/1.1 -1 x", b"<html>",
    b"",
)  # fmt: skip
LINES = (
    b"Content-Type: text/html", b"Content-Type: \xff\xfe; charset=\xe9", b"Content-Length: 5", b"Content-Length: -5",
    b"Content-Length: 99999999999999999999", b"Content-Length: 5, 6", b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked", b"Content-Encoding: gzip", b"Content-Encoding: deflate",
    b"Content-Encoding: gzip, gzip", b"Location: /x", b"Location: http://[::1", b"Location: \xff\x00//",
    b"Location: //", b"Location: http://\xc3\xbc.example:0/", b"Connection: close", b"Connection: upgrade",
    b"Upgrade: h2c", b"no colon", b": no name", b" folded", b"X-Robots-Tag: nofollow", b"Retry-After: soon",
    b"X: " + b"y" * 70_000,
)  # fmt: skip
BODIES = (
    b"hello", b"5\r\nhello\r\n0\r\n\r\n", b"5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"ffffffffffffffff\r\nx",
    b"-1\r\n", b"zz\r\n", gzip.compress(b"<p>hello</p>"), b"\x1f\x8b\x08\x00", b"\x00" * 1000,
    b"<meta http-equiv=refresh content='0;/y'>",
    b"<meta http-equiv=refresh content='0;http://[::1'><base href='http://['><a href='http://]/'>",
)  # fmt: skip


def make_answer(luck: random.Random) -> bytes:
    lines = [luck.choice(HEADS), *luck.sample(LINES, luck.randrange(4))]
    answer = luck.choice((b"\r\n", b"\n")).join(lines) + luck.choice((b"\r\n\r\n", b"\n\n", b"")) + luck.choice(BODIES)
    if luck.random() < 0.3:
        place = luck.randrange(len(answer) + 1)
        answer = answer[:place] + luck.randbytes(luck.randrange(4)) + answer[place + luck.randrange(4) :]
    return answer


@pytest.fixture
def answers() -> Iterator[tuple[str, list[bytes]]]:
    """A server that sends the last of the given answers, whatever is asked."""
    given: list[bytes] = [b""]
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(10_000)
                    connection.sendall(given[-1])
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", given
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_no_answer_raises_an_error(answers: tuple[str, list[bytes]]) -> None:
    url, given = answers
    luck = random.Random(18)
    reasons = set()
    for _ in range(150):
        given.append(make_answer(luck))
        fetched = fetch_page(url, list_options(timeout=2.0, retries=0))
        assert fetched.outcome is None or (fetched.outcome in STATES and fetched.reason), given[-1]
        reasons.add(fetched.reason)
    assert "" in reasons, "none of the answers was a page"
    assert len(reasons) > 5, "most answers were refused for the same reason"
