"""Weightings: the eleven weights of a named file of the project, or of a user's own file, checked key by key."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard.components import NAMES
from steelyard.errors import InvalidWeights, UnknownName, suggest_name
from steelyard.support.regular_file import open_regular_file
from steelyard.support.toml import TomlRefused, parse_toml

DEFAULT = "shipped"
_FOLDER = resources.files("steelyard.scoring").joinpath("weights")
_FOUND = sorted(
    (file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")), reverse=True
)
NAMED = (DEFAULT, *(name for name in _FOUND if name != DEFAULT))  # as users see them: words before years
SUM_TOLERANCE = 0.005  # of 1: the printed figures are rounded to three decimals
MAX_FILE_BYTES = 1_000_000  # bytes
FORM = "write one line per component, name = number"
MAX_WEIGHT = 1_000_000  # far above any that can be meant; refuses infinities and absurd integers


@dataclass(frozen=True, slots=True)
class Weighting:
    """Eleven weights that sum to one, their name, and the figures they were made from."""

    name: str
    weights: Mapping[str, float]
    printed: Mapping[str, float]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the printed figures in the paper's order."""
        return _hash(tuple(self.printed[n] for n in NAMES))


@cache  # once for all pages of a run
def _hash(figures: tuple[float, ...]) -> str:
    return hashlib.sha256(json.dumps([[n, f] for n, f in zip(NAMES, figures, strict=True)]).encode()).hexdigest()


@cache
def _load_named(name: str) -> Weighting:
    data = _FOLDER.joinpath(f"{name}.toml").read_bytes()
    return _parse(name, tomllib.loads(data.decode()), name)


def load(name: str) -> Weighting:
    """Load one of the project's weightings by name, or a file that ends in .toml or .json."""
    if name in NAMED:
        return _load_named(name)
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        raise UnknownName("weighting", name, (*NAMED, "FILE.toml", "FILE.json"))
    return _parse(path.name, _read_file(path), name, must_sum=True)


def _read_file(path: Path) -> Any:
    try:
        with open_regular_file(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidWeights(str(path), f"cannot be read ({error.strerror}); check the path") from error
    if len(data) > MAX_FILE_BYTES:
        raise InvalidWeights(str(path), "is over 1 MB; a weighting is eleven numbers")
    try:
        return json.loads(data.decode("utf-8")) if path.suffix == ".json" else parse_toml(data)
    except TomlRefused as error:
        raise InvalidWeights(str(path), str(error)) from error
    except (ValueError, RecursionError) as error:
        raise InvalidWeights(
            str(path), f"is not valid {path.suffix[1:].upper()}{_find_place(error)}; {FORM}"
        ) from error


def _find_place(error: Exception) -> str:
    """Return where a parser stopped; what else it says may quote the file, which a stranger's project can name."""
    place = re.search(r"\bline ([0-9]{1,9}),? column ([0-9]{1,9})", str(error))
    return f" at line {place[1]}, column {place[2]}" if place else ""


def _parse(name: str, data: Any, where: str, *, must_sum: bool = False) -> Weighting:
    """Check names, numbers and sum, and normalise the sum to 1."""
    table = data.get("weights", data) if isinstance(data, Mapping) else data
    if not isinstance(table, Mapping):
        raise InvalidWeights(where, f"has no table of weights; {FORM}")
    printed: dict[str, float] = {}
    for number, (key, value) in enumerate(table.items(), start=1):
        if key == "about" and table is data:
            continue
        if key not in NAMES:
            # A key that resembles no component is not quoted: the file may be anything.
            likely = suggest_name(str(key), NAMES)
            reason = f"unknown component {key!r}{likely}" if likely else f"key {number} is not a component; {FORM}"
            raise InvalidWeights(where, reason)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_WEIGHT:
            raise InvalidWeights(where, f"the weight of {key} is {repr(value)[:40]}; write a number from 0 to 1")
        printed[key] = float(value)
    if missing := [n for n in NAMES if n not in printed]:
        raise InvalidWeights(where, f"no weight for {', '.join(missing)}; write 0 to leave a component out")
    total = math.fsum(printed[n] for n in NAMES)
    if total <= 0:
        raise InvalidWeights(where, "all weights are 0; at least one must be positive")
    if must_sum and abs(total - 1) > SUM_TOLERANCE:
        raise InvalidWeights(where, f"the weights sum to {total:.6g}, not 1; divide each by {total:.6g}")
    return Weighting(name, {n: printed[n] / total for n in NAMES}, {n: printed[n] for n in NAMES})
