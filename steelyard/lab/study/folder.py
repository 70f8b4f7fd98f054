"""A study's folder: study.json lists its sections, and each artifact is sealed with the hash of its result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidFile
from steelyard.support.artifacts import to_json, to_unescaped_json, write_text
from steelyard.support.regular_file import open_regular_file

NAME = "study.json"
SCHEMA = "steelyard.study/2"
ADVICE = "run `steelyard reproduce` again"
_PARTS = ("result", "inputs", "parameters")
_NAME = re.compile(r"[\w-]{1,200}")  # of a section: no way out of the folder


@dataclass(frozen=True, slots=True)
class Entry:
    """A section as study.json lists it; `study` names the registry's entry that presents it."""

    name: str
    study: str
    title: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Computed:
    """A section's artifact, and whether it was there already."""

    entry: Entry
    artifact: dict[str, Any]
    reused: bool

    @property
    def undefined(self) -> str | None:
        """Why there is no result, where there is none."""
        reason = self.artifact["result"].get("undefined") if len(self.artifact["result"]) == 1 else None
        return reason if isinstance(reason, str) else None


def seal(result: Any) -> str:
    """Return the hash of a result: one that was changed by hand is no longer what the study computed."""
    text = to_unescaped_json(result, indent=None, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write(out: Path, computed: Sequence[Computed], *, illustrated: bool) -> None:
    """Write study.json."""
    sections = [asdict(c.entry) for c in computed]
    write_text(out / NAME, to_json({"schema": SCHEMA, "illustrated": illustrated, "sections": sections}) + "\n")


def read(folder: Path) -> tuple[list[Computed], bool]:
    """Read every section's artifact, and whether the report has pictures.

    Raises:
        InvalidFile: The folder holds no study, or an artifact was changed after it was computed.
    """
    listed = _read_json(folder / NAME)
    try:
        entries = [Entry(**entry) for entry in listed["sections"]]
        illustrated = bool(listed["illustrated"])
    except (KeyError, TypeError) as error:
        raise InvalidFile(str(folder / NAME), f"does not list sections ({error}); {ADVICE}") from error
    if not entries or not all(_NAME.fullmatch(str(e.name)) for e in entries):
        raise InvalidFile(str(folder / NAME), f"lists no sections, or one with an invalid name; {ADVICE}")
    return [Computed(e, read_artifact(folder, e.name), reused=True) for e in entries], illustrated


def read_artifact(folder: Path, name: str) -> dict[str, Any]:
    """Read the artifact of one section, and check its seal."""
    path = folder / "artifacts" / f"{name}.json"
    value = _read_json(path)
    if not isinstance(value, dict) or not all(isinstance(value.get(part), dict) for part in _PARTS):
        raise InvalidFile(str(path), f"is not the artifact of a study; {ADVICE}")
    if value["parameters"].get("seal") != seal(value["result"]):
        raise InvalidFile(str(path), f"its result was changed after it was computed (the seal differs); {ADVICE}")
    return value


def _read_json(path: Path) -> Any:
    try:
        with open_regular_file(path) as file:
            return json.loads(file.read().decode("utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InvalidFile(str(path), f"cannot be read ({error.strerror}); {ADVICE}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidFile(str(path), f"is not valid JSON ({error}); {ADVICE}") from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
