"""The address really connected to decides, whatever a name server says, and at every redirect."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import certifi
import httpcore
import pytest

from steelyard.site.crawl.fetch import fetch_page
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.crawl.visits import crawl
from steelyard.site.model import EXCLUDED, Link
from steelyard.support.http.client import Client
from steelyard.support.http.connection import GuardedBackend
from steelyard.support.http.guard import AddressGuard
from steelyard.support.http.messages import NO_NAME, PRIVATE, UNREACHABLE, FetchError, Request, Response
from tests.site.crawl.crawling import FileFrontier, describe
from tests.site.trap_site import PRIVATE_LINKS, TrapSite


class FakeNames:
    """A name server that changes its mind: it gives the next list of addresses with every question."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers, self.asked = list(answers), 0

    async def __call__(self, _host: str, _port: int) -> list[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def get(url: str, names: FakeNames) -> Response:
    async def ask() -> Response:
        client = Client(AddressGuard(), timeout=5.0, resolve=names)
        try:
            return await client.send(Request(url, 1000))
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

    monkeypatch.setattr("steelyard.support.http.connection.asyncio.open_connection", connect)
    return seen


def test_a_public_name_with_a_private_address_is_refused(connections: list[str]) -> None:
    for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00:ec2::254"):
        with pytest.raises(FetchError) as failed:
            get("http://public.example/", FakeNames([address]))
        assert failed.value.kind == PRIVATE, address
    assert connections == []
    with pytest.raises(FetchError, match="connection refused"):
        get("http://public.example/", FakeNames(["127.0.0.1", "8.8.8.8", "10.0.0.1", "1.1.1.1"]))
    assert connections == ["8.8.8.8", "1.1.1.1"], "only the public addresses of a name are tried"


def test_the_address_that_was_checked_is_the_one_connected_to(connections: list[str]) -> None:
    """A name that is public when it is checked and private a moment later leads nowhere."""
    names = FakeNames(["8.8.8.8"], ["127.0.0.1"])
    with pytest.raises(FetchError, match="connection refused"):
        get("http://rebinding.example/", names)
    assert connections == ["8.8.8.8"]
    assert names.asked == 1
    with pytest.raises(FetchError, match="private"):
        get("http://rebinding.example/", names)
    assert connections == ["8.8.8.8"]


def test_a_typed_host_that_is_public_cannot_become_private_later(connections: list[str]) -> None:
    async def ask_twice() -> list[str]:
        names = FakeNames(["8.8.8.8"], ["127.0.0.1"])
        client = Client(AddressGuard({"typed.example"}), timeout=5.0, resolve=names)
        kinds = []
        for _ in range(2):
            try:
                await client.send(Request("http://typed.example/", 1000))
            except FetchError as failure:
                kinds.append(failure.kind)
        await client.close()
        return kinds

    assert asyncio.run(ask_twice()) == [UNREACHABLE, PRIVATE]
    assert connections == ["8.8.8.8"]


def test_the_other_end_is_checked_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrapSite().serving() as site:
        connect = asyncio.open_connection

        async def divert(_address: str, _port: int) -> Any:
            return await connect("127.0.0.1", site.port)

        monkeypatch.setattr("steelyard.support.http.connection.asyncio.open_connection", divert)
        backend = GuardedBackend(AddressGuard(), FakeNames(["8.8.8.8"]))
        with pytest.raises(FetchError, match=r"public\.example is a private address"):
            asyncio.run(backend.connect_tcp("public.example", 80))
        assert site.log == []


def test_a_name_without_address_is_not_known() -> None:
    with pytest.raises(FetchError) as failed:
        asyncio.run(GuardedBackend(AddressGuard()).connect_tcp("no-such-host.invalid", 80))
    assert failed.value.kind == NO_NAME


def test_the_crawl_itself_uses_the_guarded_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", 80))])
    for url, name in (("http://127.0.0.1:1/", "127.0.0.1:1"), ("http://public.example/", "public.example")):
        frontier = FileFrontier([Link(url)])
        crawl(frontier, CrawlOptions(), describe)
        reason = f"{name} is a private address, and only those that were typed are visited"
        assert [(visit.state, visit.reason) for visit in frontier.visits] == [(EXCLUDED, reason)]


def test_private_addresses_are_refused_in_every_spelling() -> None:
    for url in (*PRIVATE_LINKS, "http://localhost/", "http://127.0.0.1:1/"):
        fetched = fetch_page(url)
        assert fetched.outcome == EXCLUDED, url
        assert "private address" in fetched.reason


def test_encrypted_pages_need_encryption_and_a_certificate_that_is_trusted(
    encrypted_site: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = encrypted_site
    options = CrawlOptions(private_hosts=frozenset({"127.0.0.1"}), retries=0, timeout=5.0)
    with TrapSite().serving() as site:
        assert fetch_page(site.url.replace("http:", "https:"), options).reason == "no encrypted connection (TLS)"
    assert fetch_page(url, options).reason.startswith("its certificate is not valid")
    monkeypatch.setattr(certifi, "where", lambda: str(certificate))
    assert fetch_page(url, options).body == b"hello"


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6_hosts_can_be_typed() -> None:
    options = CrawlOptions(private_hosts=frozenset({"[::1]"}), retries=0, timeout=5.0)
    assert fetch_page("http://[::1]:1/", options).outcome != EXCLUDED


def test_httpcore_raises_no_error_that_is_not_handled() -> None:
    """What the client turns into reasons covers the errors that httpcore raises for what a server does."""
    handled = (httpcore.RemoteProtocolError, httpcore.LocalProtocolError, httpcore.UnsupportedProtocol)
    ours = (httpcore.ConnectError, httpcore.ReadError, httpcore.WriteError)  # raised by backends, and so by ours
    never = (httpcore.TimeoutException, httpcore.ProxyError, httpcore.ConnectionNotAvailable)
    for name in httpcore.__all__:
        error = getattr(httpcore, name, None)
        if isinstance(error, type) and issubclass(error, Exception) and error.__subclasses__() == []:
            assert issubclass(error, (*handled, *ours, *never)), name
