"""docs/claims.toml: for every number that a sentence prints, the place where it can be read again."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra, SteelyardError, nearest
from steelyard.lab.study.numbers import Number, numbers

CLAIMS = "docs/claims.toml"
ARTIFACT, CODE, PAPER, FIXED = "artifact", "code", "paper", "fixed"
KINDS = (ARTIFACT, CODE, PAPER, FIXED)  # the first two are read again, the others taken at their word
_HOW: Mapping[str, type[Any] | tuple[type[Any], ...]] = {
    "digits": int,
    "tolerance": (int, float),
    "scale": (int, float),
    "format": str,
}
_APPLIED: Mapping[str, Callable[[Any], Any]] = {
    "len": len,
    "sum": sum,
    "min": min,
    "max": max,
    "numbers": lambda text: [number.value for number in numbers(text)],  # of a formula; |0 is the first
}


class ClaimsInvalid(SteelyardError):
    """The claims file breaks its own form."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


class NothingThere(SteelyardError):
    """An address that leads nowhere."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where one number is read again, and how it is printed."""

    kind: str
    where: str
    digits: int | None = None  # decimals it is rounded to; as many as are printed, if not given
    tolerance: float | None = None  # how far the printed number may be off, for "about"
    scale: float = 1.0
    format: str | None = None  # a Python format; then the printed characters count

    def printed(self, value: float, number: Number) -> str | None:
        """What should stand in the number's place; None when it says the same."""
        said = value * self.scale
        if self.format is not None:
            text = format(said, self.format).replace("-", "−")
            return None if text == number.text.replace("-", "−") else text
        if self.tolerance is not None:
            return None if abs(said - number.value) <= self.tolerance else f"{said:.6g} (± {self.tolerance:g})"
        digits = number.decimals if self.digits is None else self.digits
        right = round(said, digits)
        same = abs(right - number.value) <= 1e-9 * max(1.0, abs(right))
        return None if same else f"{right:.{max(0, digits)}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a sentence with the addresses of its numbers, in their order."""

    place: str
    text: str
    addresses: tuple[Address, ...]

    def spans(self, prose: str) -> list[tuple[int, int]]:
        """Where the text stands, however the lines are broken."""
        pattern = r"\s+".join(map(re.escape, self.text.split()))
        return [found.span() for found in re.finditer(pattern, prose)]


@dataclass
class Shelf:
    """The artifacts of a project, JSON or TOML, each read once; in JSON, NaN and infinities are refused."""

    root: Path
    _read: dict[str, Any] = field(default_factory=dict)

    def artifact(self, name: str) -> Any:
        if name not in self._read:
            form = Path(name).suffix[1:].upper()
            try:
                text = (self.root / name).read_text("utf-8")
                self._read[name] = tomllib.loads(text) if form == "TOML" else json.loads(text, parse_constant=_refused)
            except OSError as error:
                raise NothingThere(f"{name} cannot be read ({error.strerror}); make it again with its tool") from error
            except ValueError as error:
                raise NothingThere(f"{name} is not valid {form} ({error}); make it again with its tool") from error
        return self._read[name]

    def value(self, address: Address) -> float:
        """The number at an address that can be read again; of the code, as it is in the package that runs."""
        where, *applied = address.where.split("|")
        if address.kind == ARTIFACT:
            name, _, pointer = where.partition("#")
            found = _walked(self.artifact(name), pointer.removeprefix("/"), address.where)
        else:
            module, _, path = where.partition(":")
            found = _walked(_module(module), path, address.where)
        for step in applied:
            listed = list(found.values()) if isinstance(found, Mapping) else found
            try:
                found = listed[int(step)] if step.isdecimal() else _APPLIED[step](listed)
            except (TypeError, ValueError, IndexError) as error:
                raise NothingThere(f"{address.where}: nothing there that |{step} could count ({error})") from error
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise NothingThere(f"{address.where} is {str(found)[:40]!r}, not a number; correct the address")
        return float(found)


def load(root: Path) -> tuple[Claim, ...]:
    """Every claim of the file, checked key by key."""
    try:
        listed = tomllib.loads((root / CLAIMS).read_text("utf-8"))
    except FileNotFoundError as error:
        raise ClaimsInvalid(str(root), f"no {CLAIMS} here; run this in a clone of the project, or name one") from error
    except ValueError as error:
        raise ClaimsInvalid(CLAIMS, f"is not valid TOML ({error})") from error
    if set(listed) - {"claim"}:
        raise ClaimsInvalid(CLAIMS, f"unknown table {sorted(set(listed) - {'claim'})[0]!r}; a claim is a [[claim]]")
    records = listed.get("claim", [])
    if not isinstance(records, list):
        raise ClaimsInvalid(CLAIMS, "is not valid: a claim is a [[claim]]")
    return tuple(_claim(record, number) for number, record in enumerate(records, start=1))


def _claim(record: Mapping[str, Any], number: int) -> Claim:
    where = f"{CLAIMS}: claim {number} ({str(record.get('text'))[:40]!r})"
    for key in ("place", "text"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise ClaimsInvalid(where, f"has no `{key}`")
    own = {key: value for key, value in record.items() if key not in ("place", "text", "numbers")}
    listed = record.get("numbers", [own])
    if "numbers" in record and own:
        raise ClaimsInvalid(where, f"has `numbers` and `{next(iter(own))}` beside them; put it into one of them")
    return Claim(record["place"], record["text"], tuple(_address(a, where) for a in listed))


def _address(record: Mapping[str, Any], where: str) -> Address:
    unknown = set(record) - {*KINDS, *_HOW}
    if unknown:
        name = sorted(unknown)[0]
        raise ClaimsInvalid(where, f"unknown key {name!r}{nearest(name, (*KINDS, *_HOW))}")
    kinds = [kind for kind in KINDS if kind in record]
    if len(kinds) != 1 or not str(record[kinds[0]]).strip():
        raise ClaimsInvalid(where, f"needs exactly one of {', '.join(KINDS)} for each number")
    how = {key: record[key] for key in _HOW if key in record}
    for key, value in how.items():
        if isinstance(value, bool) or not isinstance(value, _HOW[key]):
            raise ClaimsInvalid(where, f"`{key}` cannot be {value!r}")
    if len(set(how) - {"scale"}) > 1:
        raise ClaimsInvalid(where, "takes one of digits, tolerance and format")
    address = Address(kinds[0], str(record[kinds[0]]), **how)
    for step in address.where.split("|")[1:] if address.kind in (ARTIFACT, CODE) else ():
        if step not in _APPLIED and not step.isdecimal():
            raise ClaimsInvalid(where, f"unknown step |{step} (known: {', '.join(_APPLIED)})")
    return address


def _walked(value: Any, pointer: str, where: str) -> Any:
    """The value at a JSON pointer; of an object of ours, its attributes."""
    for part in pointer.split("/") if pointer else ():
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            known = {str(key): key for key in value}
            if name not in known:
                raise NothingThere(f"{where} does not exist: no {name!r}{nearest(name, known)}; correct the address")
            value = value[known[name]]
        elif isinstance(value, Sequence) and not isinstance(value, str) and name.isdecimal():
            if int(name) >= len(value):
                raise NothingThere(f"{where} does not exist: {len(value)} items, no number {name}; correct the address")
            value = value[int(name)]
        else:
            value = _attribute(value, name, where)
    return value


def _attribute(value: Any, name: str, where: str) -> Any:
    if isinstance(value, str | int | float | None) or not hasattr(value, name):
        raise NothingThere(f"{where} does not exist: no {name!r} there; correct the address")
    return getattr(value, name)


def _module(name: str) -> Any:
    if name.split(".", maxsplit=1)[0] != "steelyard":
        raise NothingThere(f"{name} is none of our modules; an address in the code begins with steelyard.")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] == "steelyard":
            raise NothingThere(f"{name} does not exist; correct the address") from error
        raise MissingExtra("lab", str(error.name)) from error


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number")
