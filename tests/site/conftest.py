"""Sites on loopback for one test: an empty one, and one full of traps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.site.trap_site import TrapSite


class Here:
    """Stands in for the processes that score what a crawl fetched; a command that is a process has real ones."""

    def ask(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def scored_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.site.audit.Children", Here)


@pytest.fixture
def site() -> Iterator[TrapSite]:
    with TrapSite(traps=False).serving() as served:
        yield served


@pytest.fixture
def trap_site() -> Iterator[TrapSite]:
    with TrapSite().serving() as served:
        yield served
