"""Sites on loopback for one test: an empty one, and one full of traps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.site.trap_site import TrapSite


@pytest.fixture
def site() -> Iterator[TrapSite]:
    with TrapSite(traps=False).serving() as served:
        yield served


@pytest.fixture
def trap_site() -> Iterator[TrapSite]:
    with TrapSite().serving() as served:
        yield served
