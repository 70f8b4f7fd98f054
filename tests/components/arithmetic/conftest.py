"""The committed oracle values: the answers of reference libraries, and the versions that gave them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).resolve().parents[2] / "oracles"


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], Any]:
    """Return a reader of the files in tests/oracles, by name."""
    return lambda name: json.loads((FILES / f"{name}.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def prose(oracle: Callable[[str], Any]) -> list[list[str]]:
    """Return the tokens of the MTLD cases that are written texts, not made-up sequences."""
    texts = [case["tokens"].split() for case in oracle("mtld")["cases"]]
    return [tokens for tokens in texts if len(set(tokens)) > 30 or "running" in tokens]
