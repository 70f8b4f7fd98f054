"""What goes into a model and what comes out: texts that every tokenizer takes, and numbers that are numbers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from steelyard.lab.ranking.signals.errors import SignalUnusable

MOST_CHARACTERS = 100_000  # about 15,000 words; a model that averages all words would need a kilobyte for each


def readable(text: str) -> str:
    """The text as a tokenizer gets it: cut, and without halves of surrogate pairs, which no UTF-8 has."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def finite(name: str, numbers: Iterable[Any]) -> list[float]:
    """The numbers of a model's answer as floats."""
    found = [float(x) for x in numbers]
    if not found or not all(map(math.isfinite, found)):
        raise SignalUnusable(f"{name}: the model gave no finite numbers; is this the right kind of model?")
    return found


def identity_of(parts: Mapping[str, Any]) -> str:
    """The SHA-256 of what a result depends on beside the text."""
    text = json.dumps({**parts, "characters": MOST_CHARACTERS}, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
