"""A site on loopback that is full of traps for crawlers, and that logs every request.

As a program it serves until it is killed: `python -m tests.site.trap_site [--pages N] [--directory DIR]`.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

TYPES = {".html": "text/html; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".png": "image/png"}
PARAGRAPH = "<p>The harbour master of a small northern town keeps a careful record of every ship and its cargo.</p>"
HUGE_BYTES = 100_000_000
PRIVATE_LINKS = (
    "http://127.0.0.2/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/",
    "http://2130706433/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/",
)  # fmt: skip

ROBOTS = """User-agent: *
Disallow: /forbidden/
Allow: /forbidden/except.html
Disallow: /*.secret$

User-agent: otherbot
Disallow: /

Sitemap: {site}/sitemap-index.xml
Sitemap: {site}/sitemap-bad.xml
Sitemap: {site}/sitemap-missing.xml
"""


@dataclass(frozen=True)
class Asked:
    """One request, as the server saw it."""

    when: float
    path: str
    headers: dict[str, str]


@dataclass
class Reply:
    """An answer to be sent as it is."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


def html(*links: str, head: str = "", text: str = PARAGRAPH) -> Reply:
    """Return a page with links."""
    anchors = "".join(f'<a href="{link}">link</a> ' for link in links)
    return Reply(f"<!doctype html><html><head><title>Page</title>{head}</head><body>{text}{anchors}</body>".encode())


def redirect(target: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": target})


class TrapSite:
    """The site. Tests add pages to `pages` and read `log`.

    Attributes:
        pages: Answers by path, before those of the traps; functions get the handler.
        log: Every request.
        robots: The text of robots.txt; None for 404; a number for that status.
    """

    def __init__(self, *, directory: Path | None = None, generated: int = 0, traps: bool = True) -> None:
        self.pages: dict[str, Reply | Callable[[_Handler], Reply | None]] = {}
        self.log: list[Asked] = []
        self.robots: str | int | None = ROBOTS if traps else None
        self.generated, self.has_traps = generated, traps
        self.keeps_log = True
        self.answer_unknown: Callable[[_Handler], Reply] = lambda _: Reply(b"no such page", 404, {})
        self._lock = threading.Lock()
        self._tries: dict[str, int] = {}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        self.port: int = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        if traps:
            self.pages |= list_traps(self)
        if directory is not None:
            files = sorted(p for p in directory.rglob("*") if p.suffix in TYPES)
            self.files = {"/" + quote(p.relative_to(directory).as_posix()): p for p in files}
            self.pages["/"] = html(*self.files)
        else:
            self.files = {}

    def asked(self, path: str) -> list[Asked]:
        """Return the requests for a path, its query included."""
        return [one for one in self.log if one.path == path]

    def paths(self) -> set[str]:
        """Return every path that was asked for."""
        return {one.path for one in self.log}

    def note(self, asked: Asked) -> None:
        if self.keeps_log:
            with self._lock:
                self.log.append(asked)

    def count_try(self, path: str) -> int:
        """Return which request for a path this is, from 1."""
        with self._lock:
            self._tries[path] = self._tries.get(path, 0) + 1
            return self._tries[path]

    def forget_tries(self) -> None:
        """Answer to everything as if it were asked for the first time."""
        with self._lock:
            self._tries.clear()

    def find(self, handler: _Handler) -> Reply | None:
        """Return the answer to a request; None where the handler has written it already."""
        path = urlsplit(handler.path).path
        if path == "/robots.txt" and path not in self.pages:
            return self._tell_rules()
        known = self.pages.get(handler.path) or self.pages.get(path)
        if known is None and self.has_traps and path.startswith("/calendar/"):
            known = _read_calendar
        if isinstance(known, Reply):
            return known
        if known is not None:
            return known(handler)
        if path in self.files:
            file = self.files[path]
            return Reply(file.read_bytes(), headers={"Content-Type": TYPES[file.suffix]})
        return self._make(path) or self.answer_unknown(handler)

    def _tell_rules(self) -> Reply:
        if isinstance(self.robots, str):
            text = self.robots.replace("{site}", self.url)
            return Reply(text.encode(), headers={"Content-Type": "text/plain"})
        return Reply(status=self.robots or 404, headers={})

    def _make(self, path: str) -> Reply | None:
        if self.generated and (path == "/" or path.startswith("/g/")):
            number = read_spelled(path[3:]) if path != "/" else 0
            return html(*(f"/g/{spell(n)}" for n in range(10 * number + 1, 10 * number + 11) if n < self.generated))
        if path.startswith("/soft404/"):
            return html("/", text="<h1>Page not found</h1><p>Sorry, this page does not exist.</p>")
        return None

    @contextmanager
    def serving(self) -> Iterator[TrapSite]:
        """Serve within the block."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.stop()
            thread.join()

    def stop(self) -> None:
        """Answer no more; open connections are broken off."""
        self._server.shutdown()
        self._server.server_close()
        self._server.break_connections()


def spell(number: int) -> str:
    """Return a number in letters, so that addresses do not differ only in digits."""
    letters = ""
    while True:
        number, rest = divmod(number, 26)
        letters = chr(ord("a") + rest) + letters
        if not number:
            return letters


def read_spelled(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("a")
    return number


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    site: TrapSite

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._open: set[object] = set()

    def process_request(self, request: object, client_address: object) -> None:
        self._open.add(request)
        super().process_request(request, client_address)  # type: ignore[arg-type]

    def shutdown_request(self, request: object) -> None:
        self._open.discard(request)
        super().shutdown_request(request)  # type: ignore[arg-type]

    def break_connections(self) -> None:
        for request in list(self._open):
            self.shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):  # the crawler hung up, as it should
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        site = self.server.site
        site.note(Asked(time.monotonic(), self.path, {name.lower(): value for name, value in self.headers.items()}))
        reply = site.find(self)
        if reply is None:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if "Content-Length" not in reply.headers and "Transfer-Encoding" not in reply.headers:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
        self.wfile.flush()

    def write_raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()


def _drip_body(handler: _Handler) -> None:
    handler.write_raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(1000):
        handler.write_raw(b"x")
        time.sleep(0.05)


def _drip_headers(handler: _Handler) -> None:
    handler.write_raw(b"HTTP/1.1 200 OK\r\n")
    for number in range(1000):
        handler.write_raw(f"X-{number}: y\r\n".encode())
        time.sleep(0.05)


def _continue_endlessly(handler: _Handler) -> None:
    for _ in range(1000):
        handler.write_raw(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.05)


def _flood_headers(handler: _Handler) -> None:
    handler.write_raw(b"HTTP/1.1 200 OK\r\n")
    for _ in range(20_000):
        handler.write_raw(b"X-Filler: " + b"y" * 1000 + b"\r\n")


def _send_huge(handler: _Handler) -> None:
    """Send 100 MB without saying so beforehand."""
    handler.write_raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>")
    piece = b"word " * 20_000
    for _ in range(HUGE_BYTES // len(piece)):
        handler.write_raw(piece)


def _sleep(handler: _Handler) -> Reply:
    time.sleep(15)
    return html()


def _read_calendar(handler: _Handler) -> Reply:
    year, month = (int(part) for part in handler.path.split("/")[2:4])
    later = (year, month + 1) if month < 12 else (year + 1, 1)
    return html(f"/calendar/{later[0]}/{later[1]}", f"/calendar/{year + 1}/{month}", f"/calendar/{year + 7}/{month}")


def _sell(handler: _Handler) -> Reply:
    """A shop that hands every visitor new session ids, and has endless filters."""
    number = abs(hash(time.monotonic_ns()))
    given = parse_qs(urlsplit(handler.path).query).get("filter", ["0"])[0]
    return html(
        f"/shop?PHPSESSID={number}&page=two", f"/shop;jsessionid={number}?utm_source={number}",
        f"/shop?filter={given}a", f"/shop?filter={given}b",
    )  # fmt: skip


def _be_busy(site: TrapSite) -> Callable[[_Handler], Reply]:
    def reply(handler: _Handler) -> Reply:
        if site.count_try(handler.path) == 1:
            return Reply(status=429, headers={"Retry-After": "2"})
        return html()

    return reply


def _be_flaky(site: TrapSite) -> Callable[[_Handler], Reply]:
    return lambda handler: html() if site.count_try(handler.path) > 2 else Reply(status=503, headers={})


@cache
def pack_bomb(unpacked: int) -> bytes:
    """Return gzip data that unpacks to so many zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    pieces = [packer.compress(b"\0" * 1_000_000) for _ in range(unpacked // 1_000_000)]
    return b"".join(pieces) + packer.flush()


def _packed(body: bytes, encoding: str) -> Reply:
    return Reply(body, headers={"Content-Type": "text/html", "Content-Encoding": encoding})


def list_traps(site: TrapSite) -> dict[str, Reply | Callable[[_Handler], Reply | None]]:
    """Return the traps by path; "/" is the page that leads to them."""
    page = html().body
    other = f"http://localhost:{site.port}"
    sitemap = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
    orphans = [f"{site.url}/orphan", f"{site.url}/also&amp;orphan", "https://elsewhere.example/x"]
    packed_sitemap = gzip.compress(sitemap.format("".join(f"<url><loc>{u}</loc></url>" for u in orphans)).encode())
    index = f"""<sitemapindex><sitemap><loc>{site.url}/sitemap-pages.xml.gz</loc></sitemap>
        <sitemap><loc>{site.url}/sitemap.txt</loc></sitemap></sitemapindex>"""
    bad = f"""<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
        <urlset><url><loc>{site.url}/&b;&f;</loc></url></urlset>"""
    traps = [
        "/allowed.html", "/forbidden/page.html", "/forbidden/except.html", "/x.secret", "/loop/a", "/chain/0", "/slow",
        "/drip-body", "/drip-headers", "/continue", "/flood-headers", "/huge", "/announced-huge", "/bomb", "/nested",
        "/brotli", "/charset/wrong", "/charset/missing", "/soft404/one", "/shell", "/refresh", "/image.png", "/busy",
        "/flaky", "/off-site-redirect", "/private-redirect", "/copy", "/nofollow-page", "/noindex-page", "/gone",
        "/calendar/2026/1", "/shop", "/nothing", "/packed", "/deflated", "mailto:a@b.example", "javascript:void(0)",
        "https://elsewhere.example/", f"{other}/", *PRIVATE_LINKS,
    ]  # fmt: skip
    front = html(*traps, text=PARAGRAPH + '<a rel="nofollow" href="/nofollow-link">no</a>')
    plain = {"Content-Type": "text/plain"}
    return {
        "/": front,
        "/allowed.html": html("/deeper/one.html"),
        "/deeper/one.html": html("two.html", "/"),
        "/deeper/two.html": html(),
        "/forbidden/except.html": html(),
        "/loop/a": redirect("/loop/b"),
        "/loop/b": redirect("/loop/a", 301),
        **{f"/chain/{n}": redirect(f"/chain/{n + 1}") for n in range(20)},
        "/slow": _sleep,
        "/drip-body": _drip_body,
        "/drip-headers": _drip_headers,
        "/continue": _continue_endlessly,
        "/flood-headers": _flood_headers,
        "/huge": _send_huge,
        "/announced-huge": lambda handler: handler.write_raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000000\r\n\r\n"
        ),
        "/bomb": _packed(pack_bomb(200_000_000), "gzip"),
        "/nested": _packed(gzip.compress(gzip.compress(page)), "gzip, gzip"),
        "/brotli": _packed(page, "br"),
        "/packed": _packed(gzip.compress(page), "gzip"),
        "/deflated": _packed(zlib.compress(page), "deflate"),
        "/charset/wrong": Reply("<p>café</p>".encode("latin-1"), headers={"Content-Type": "text/html; charset=utf-8"}),
        "/charset/missing": Reply("<p>café</p>".encode("latin-1"), headers={"Content-Type": "text/html"}),
        "/shell": html(text='<div id="root"></div><script src="/app.js"></script>'),
        "/refresh": html(head='<meta http-equiv="refresh" content="0; url=/refreshed">'),
        "/refreshed": html(),
        "/image.png": Reply(b"\x89PNG" + b"\0" * 200_000, headers={"Content-Type": "image/png"}),
        "/busy": _be_busy(site),
        "/flaky": _be_flaky(site),
        "/off-site-redirect": redirect("https://elsewhere.example/page"),
        "/private-redirect": redirect("http://127.0.0.2:1/"),
        "/copy": html(head=f'<link rel="canonical" href="{site.url}/allowed.html">'),
        "/nofollow-page": html("/behind-nofollow", head='<meta name="robots" content="index, nofollow">'),
        "/noindex-page": html("/behind-noindex", head='<meta name="robots" content="noindex">'),
        "/behind-noindex": html(),
        "/gone": Reply(b"gone", 410, plain),
        "/shop": _sell,
        **{p: html() for p in ("/orphan", "/also&orphan", "/listed-orphan")},
        "/sitemap-index.xml": Reply(index.encode(), headers={"Content-Type": "application/xml"}),
        "/sitemap-pages.xml.gz": Reply(packed_sitemap, headers={"Content-Type": "application/gzip"}),
        "/sitemap.txt": Reply(f"{site.url}/listed-orphan\nhttp://10.0.0.1/x\n".encode(), headers=plain),
        "/sitemap-bad.xml": Reply(bad.encode(), headers={"Content-Type": "application/xml"}),
    }


def main() -> None:
    """Serve until killed; print the address first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=0, help="serve so many generated pages instead of the traps")
    parser.add_argument("--directory", type=Path, help="serve the files of a directory, with a front page")
    options = parser.parse_args()
    site = TrapSite(
        directory=options.directory, generated=options.pages, traps=not (options.pages or options.directory)
    )
    site.keeps_log = False
    with site.serving():
        print(site.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
