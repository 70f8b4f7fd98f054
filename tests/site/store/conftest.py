"""The same tests on both databases, and pages to put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import cli
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import analyse
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.site.store import Audit, Store, open_store
from tests.site.store.postgresql_server import Server

DAY = date(2026, 7, 1)
BOTH = ("sqlite", pytest.param("postgresql", marks=pytest.mark.full))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new store, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "sites.sqlite")
    server: Server = request.getfixturevalue("postgresql")
    return server.make_database()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def begin(store: Store) -> Callable[..., Audit]:
    """`begin("a.org", as_of=…)`: an audit of a site, with what a test does not care about filled in."""

    def call(site: str = "a.org", of: Store = store, settings: dict[str, Any] | None = None, **others: Any) -> Audit:
        known = {"as_of": DAY, "edition": "paper", "scoring": {"weights": "shipped"}, "keep_texts": False}
        return of.begin_audit(site, f"https://{site}/", settings or {"max_pages": 10}, **{**known, **others})

    return call


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """`call("history", "a.org")`: a command in this process, and what it printed; an error is raised."""
    monkeypatch.setenv("STEELYARD_AS_OF", "2026-07-01")

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert cli.main([*arguments], prog_name="steelyard", standalone_mode=False) in {None, 0, 1}  # 1: findings
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="session")
def score() -> Callable[..., dict[str, Any]]:
    """`score(text, url=…, as_of=…)`: a page's result as an audit has it."""

    def call(text: str, url: str = "https://a.org/", as_of: date = DAY, edition: str = "paper") -> dict[str, Any]:
        chosen = editions.load(edition)
        settings = Settings.resolve(as_of=as_of, edition=chosen, keep_text=True, detect=True)
        return analyse(PageRef(url, text=text, url=url), settings).to_dict(with_text=True, with_evidence=False)

    return call
