"""Weightings: named frozen files of ours, or a user's own, validated key by key."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard.components import NAMES
from steelyard.errors import InvalidWeights, UnknownName, nearest

NAMED = ("shipped", "prior", "equal")
DEFAULT = "shipped"
SUM_TOLERANCE = 0.005  # of 1: the printed figures are rounded to three decimals
LARGEST_FILE = 1_000_000


@dataclass(frozen=True, slots=True)
class Weighting:
    """Eleven weights that sum to one, their name, and the figures they were made from."""

    name: str
    weights: Mapping[str, float]
    printed: Mapping[str, float]
    about: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 over the printed figures in the paper's order."""
        return hashlib.sha256(json.dumps([[n, self.printed[n]] for n in NAMES]).encode()).hexdigest()


@cache
def _named(name: str) -> Weighting:
    data = resources.files("steelyard.scoring").joinpath("weights", f"{name}.toml").read_bytes()
    return parse(name, tomllib.loads(data.decode()), must_sum=False)


def load(name: str) -> Weighting:
    """One of the project's weightings, or the file at a path that ends in .toml or .json (read anew each time)."""
    if name in NAMED:
        return _named(name)
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        raise UnknownName("weighting", name, (*NAMED, "FILE.toml", "FILE.json"))
    return parse(path.name, _file(path), must_sum=True, where=name)


def _file(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidWeights(str(path), f"cannot be read ({error.strerror}); check the path") from error
    if len(data) > LARGEST_FILE:
        raise InvalidWeights(str(path), "is over 1 MB; a weighting is eleven numbers")
    try:
        text = data.decode("utf-8")
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidWeights(str(path), f"is not valid {path.suffix[1:].upper()} ({error})") from error


def parse(name: str, data: Any, *, must_sum: bool, where: str | None = None) -> Weighting:
    """Check names, signs, finiteness and sum; normalise once."""
    where = where or name
    table = data.get("weights", data) if isinstance(data, Mapping) else data
    if not isinstance(table, Mapping):
        raise InvalidWeights(where, "holds no table of weights; write one line per component, name = number")
    printed: dict[str, float] = {}
    for key, value in table.items():
        if key == "about" and table is data:
            continue
        if key not in NAMES:
            raise InvalidWeights(where, f"unknown component {key!r}{nearest(str(key), NAMES)}")
        printed[key] = _number(where, key, value)
    missing = [n for n in NAMES if n not in printed]
    if missing:
        raise InvalidWeights(where, f"no weight for {', '.join(missing)}; write 0 to leave a component out")
    total = math.fsum(printed[n] for n in NAMES)
    if total <= 0:
        raise InvalidWeights(where, "all weights are 0; at least one must be positive")
    if must_sum and abs(total - 1) > SUM_TOLERANCE:
        raise InvalidWeights(where, f"the weights sum to {total:.6g}, not 1; divide each by {total:.6g}")
    about = str(data.get("about", "")) if isinstance(data, Mapping) else ""
    return Weighting(name, {n: printed[n] / total for n in NAMES}, {n: printed[n] for n in NAMES}, about)


def _number(where: str, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidWeights(where, f"the weight of {key} is {value!r}, not a number")
    if isinstance(value, int) and not 0 <= value <= 1_000_000:
        raise InvalidWeights(where, f"the weight of {key} is out of all range")
    if not math.isfinite(value):
        raise InvalidWeights(where, f"the weight of {key} is {value!r}; weights are finite")
    if value < 0:
        raise InvalidWeights(where, f"the weight of {key} is {value!r}; weights are not negative")
    return float(value)
