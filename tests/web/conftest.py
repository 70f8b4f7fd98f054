"""A server in this process for the tests of the web app, its forms, and a store with three audits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from steelyard.web.app import build_app
from steelyard.web.options import ServeOptions

BASE = "http://127.0.0.1:8377"
TOKEN = "a token that nobody guesses 123"
PAGE = (
    "# The tides of the north\n\nThe sea rises twice a day, and in 2024 the gauge at Wick rose by 12%.\n\n"
    "“We measure every minute,” said Ada Kerr of the Harbour Office. According to the Tide Survey, that is rare.\n\n"
    + "The harbour master of a small town keeps a careful record of every ship and of its cargo. "
    * 6
)


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """A client of a server without a rate limit; one for all tests, since its processes take a second to start."""
    with TestClient(build_app(ServeOptions(rate=0)), base_url=BASE) as found:
        yield found


@pytest.fixture
def serve() -> Iterator[Callable[..., TestClient]]:
    """`serve(token=…)`: a client of a server with these options."""
    opened: list[TestClient] = []

    def start(app: Any = None, **options: Any) -> TestClient:
        client = TestClient(app or build_app(ServeOptions(**{"rate": 0, **options})), base_url=BASE)
        client.__enter__()
        opened.append(client)
        return client

    yield start
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def send() -> Callable[..., Any]:
    """`send(client, "/", {"text": …})`: a form sent as a browser sends it, with the token of the page it is on."""

    def post(client: TestClient, path: str, fields: dict[str, str], *, page: str = "/", **more: Any) -> Any:
        token = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get(page).text)
        assert token, f"no form on {page}"
        return client.post(path, data={"csrf": token[1], **fields}, **more)

    return post


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a store with two sites, one of them with three audits."""
    from tests.web.stored import fill_store

    path = str(tmp_path_factory.mktemp("store") / "sites.sqlite")
    fill_store(path)
    return path
