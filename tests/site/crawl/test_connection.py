"""The address really connected to decides, whatever a name server says, and at every redirect."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import certifi
import httpcore
import pytest

from steelyard.site.crawl import CrawlOptions, fetch_page
from steelyard.site.crawl.connection import GuardedBackend, NameFailed, PrivateAddress
from steelyard.site.crawl.exchange import Answer, Client, ExchangeFailed, Wanted
from steelyard.site.crawl.scrapy_engine import run_with_scrapy
from steelyard.site.crawl.sender import Sender
from steelyard.site.guard import may_connect
from steelyard.site.model import EXCLUDED, FAILED
from tests.site.trap_site import PRIVATE_LINKS, TrapSite


class FakeNames:
    """A name server that changes its mind: it gives the next list of addresses with every question."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers, self.asked = list(answers), 0

    async def __call__(self, _host: str, _port: int) -> list[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def allow_public(host: str, port: int, address: str) -> bool:
    return may_connect(host, port, address, ())


def get(url: str, names: FakeNames, **options: Any) -> Answer:
    async def ask() -> Answer:
        client = Client(CrawlOptions(timeout=5.0, **options), names)
        try:
            return await client.get(Wanted(url, own_headers=False, most_bytes=1000))
        finally:
            await client.close()

    return asyncio.run(ask())


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that are connected to; all of them lead to nowhere."""
    seen: list[str] = []

    async def connect(address: str, _port: int) -> object:
        seen.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("steelyard.site.crawl.connection.asyncio.open_connection", connect)
    return seen


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00:ec2::254"]
)
def test_a_public_name_with_a_private_address_is_refused(address: str, connections: list[str]) -> None:
    with pytest.raises(ExchangeFailed) as failed:
        get("http://public.example/", FakeNames([address]))
    assert failed.value.outcome == EXCLUDED
    assert connections == []


def test_only_the_public_addresses_of_a_name_are_tried(connections: list[str]) -> None:
    with pytest.raises(ExchangeFailed, match="connection refused"):
        get("http://public.example/", FakeNames(["127.0.0.1", "8.8.8.8", "10.0.0.1", "1.1.1.1"]))
    assert connections == ["8.8.8.8", "1.1.1.1"]


def test_the_address_that_was_checked_is_the_one_connected_to(connections: list[str]) -> None:
    """A name that is public when it is checked and private a moment later leads nowhere."""
    names = FakeNames(["8.8.8.8"], ["127.0.0.1"])
    with pytest.raises(ExchangeFailed, match="connection refused"):
        get("http://rebinding.example/", names)
    assert connections == ["8.8.8.8"]
    assert names.asked == 1
    with pytest.raises(ExchangeFailed, match="private"):
        get("http://rebinding.example/", names)
    assert connections == ["8.8.8.8"]


def test_a_typed_host_that_is_public_cannot_become_private_later(connections: list[str]) -> None:
    async def ask_twice() -> list[str]:
        options = CrawlOptions(private_hosts=frozenset({"typed.example"}))
        client = Client(options, FakeNames(["8.8.8.8"], ["127.0.0.1"]))
        reasons = []
        for _ in range(2):
            try:
                await client.get(Wanted("http://typed.example/", own_headers=True, most_bytes=1000))
            except ExchangeFailed as failure:
                reasons.append(failure.outcome)
        await client.close()
        return reasons

    assert asyncio.run(ask_twice()) == [FAILED, EXCLUDED]
    assert connections == ["8.8.8.8"]


def test_the_other_end_is_checked_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrapSite().serving() as site:
        connect = asyncio.open_connection

        async def divert(_address: str, _port: int) -> Any:
            return await connect("127.0.0.1", site.port)

        monkeypatch.setattr("steelyard.site.crawl.connection.asyncio.open_connection", divert)
        backend = GuardedBackend(allow_public, FakeNames(["8.8.8.8"]))
        with pytest.raises(PrivateAddress):
            asyncio.run(backend.connect_tcp("public.example", 80))
        assert site.log == []


def test_a_name_without_address_is_not_known() -> None:
    with pytest.raises(NameFailed):
        asyncio.run(GuardedBackend(allow_public).connect_tcp("no-such-host.invalid", 80))


def test_the_crawl_itself_uses_the_guarded_connections() -> None:
    """Scrapy has download handlers of its own; none of them may be used."""
    reasons = []

    async def work(sender: Sender) -> None:
        try:
            await sender.send(Wanted("http://public.example/", own_headers=False, most_bytes=10))
        except ExchangeFailed as failure:
            reasons.append(failure.reason)

    asyncio.run(run_with_scrapy(CrawlOptions(), work, FakeNames(["127.0.0.1"])))
    assert reasons == ["public.example is a private address, and only those that were typed are visited"]


@pytest.mark.parametrize("url", [*PRIVATE_LINKS, "http://localhost/", "http://127.0.0.1:1/"])
def test_private_addresses_are_refused_in_every_spelling(url: str) -> None:
    fetched = fetch_page(url)
    assert fetched.outcome == EXCLUDED
    assert "private address" in fetched.reason


def _make_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1 that signs itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "certificate.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return chain, secret


@pytest.fixture
def encrypted_site(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A site with TLS, and its certificate."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

    certificate, key = _make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}/", certificate
    server.shutdown()
    server.server_close()


def test_encrypted_pages_need_a_certificate_that_is_trusted(
    encrypted_site: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = encrypted_site
    options = CrawlOptions(private_hosts=frozenset({"127.0.0.1"}), retries=0, timeout=5.0)
    refused = fetch_page(url, options)
    assert refused.reason.startswith("its certificate is not valid")
    monkeypatch.setattr(certifi, "where", lambda: str(certificate))
    assert fetch_page(url, options).body == b"hello"


def test_a_server_that_does_not_encrypt_is_a_reason() -> None:
    with TrapSite().serving() as site:
        options = CrawlOptions(private_hosts=frozenset({"127.0.0.1"}), retries=0, timeout=5.0)
        fetched = fetch_page(site.url.replace("http:", "https:"), options)
        assert fetched.reason == "no encrypted connection (TLS)"


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_hosts_can_be_typed() -> None:
    options = CrawlOptions(private_hosts=frozenset({"[::1]"}), retries=0, timeout=5.0)
    assert fetch_page("http://[::1]:1/", options).outcome != EXCLUDED


def test_httpcore_maps_no_error_that_is_not_handled() -> None:
    """What the client turns into reasons covers the errors that httpcore raises for what a server does."""
    handled = (httpcore.ConnectError, httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError)
    own_timeouts = (httpcore.TimeoutException,)  # no timeouts but ours are set
    ours = (httpcore.LocalProtocolError, httpcore.UnsupportedProtocol, httpcore.ProxyError)
    for name in httpcore.__all__:
        error = getattr(httpcore, name, None)
        if isinstance(error, type) and issubclass(error, Exception) and error.__subclasses__() == []:
            assert issubclass(error, (*handled, *own_timeouts, *ours, httpcore.ConnectionNotAvailable)), name
