"""The committed oracle values: what the reference libraries answered, and which versions of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).resolve().parents[1] / "oracles"


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], Any]:
    """The record of one file of tests/oracles."""
    return lambda name: json.loads((FILES / f"{name}.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def prose(oracle: Callable[[str], Any]) -> list[list[str]]:
    """The tokens of the written texts among the MTLD cases: the others are made-up sequences."""
    found = [case["tokens"].split() for case in oracle("mtld")["cases"]]
    return [tokens for tokens in found if len(set(tokens)) > 30 or "running" in tokens]
