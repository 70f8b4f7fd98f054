"""./run in a checkout of its own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.checkout import Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    with contextlib.closing(Checkout(tmp_path)) as made:
        yield made
