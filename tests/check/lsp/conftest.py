"""A language server for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.check.lsp.client import CAPABILITIES, CONFIGURATION, Client


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """One server for all tests that leave it as it was."""
    with Client(CAPABILITIES) as client:
        client.initialize()
        yield client
        assert client.shut_down() == 0


@pytest.fixture
def client(shared: Client, tmp_path: Path) -> Iterator[Client]:
    (tmp_path / ".git").mkdir()  # the configuration ends here
    (tmp_path / "steelyard.toml").write_text(CONFIGURATION)
    yield shared
    shared.close_all()
