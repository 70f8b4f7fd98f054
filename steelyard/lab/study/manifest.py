"""study.json: which artifacts a study consists of, in their order, so that its report can be printed again."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.study.reproduce import Made, seal
from steelyard.lab.study.stages import Chapter
from steelyard.support.artifacts import to_json, write_text

NAME = "study.json"
SCHEMA = "steelyard.study/1"
_PARTS = ("result", "inputs", "parameters")
_NAME = re.compile(r"[\w-]{1,200}")  # of a chapter: no way out of the folder


class NoStudy(SteelyardError):
    """A folder that `steelyard reproduce` did not write, or not to its end."""

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(f"{place}: {reason}; run `steelyard reproduce` again")


def write(out: Path, made: Sequence[Made], *, illustrated: bool) -> Path:
    chapters = [asdict(m.chapter) for m in made]
    path = out / NAME
    write_text(path, to_json({"schema": SCHEMA, "illustrated": illustrated, "chapters": chapters}) + "\n")
    return path


def read(folder: Path) -> tuple[list[Made], bool]:
    """Every chapter's artifact as it lies there, and whether the report has pictures."""
    listed = _json(folder / NAME)
    try:
        chapters = [Chapter(**c) for c in listed["chapters"]]
        illustrated = bool(listed["illustrated"])
    except (KeyError, TypeError) as error:
        raise NoStudy(folder / NAME, f"does not list chapters ({error})") from error
    if not chapters or not all(_NAME.fullmatch(str(c.name)) for c in chapters):
        raise NoStudy(folder / NAME, "lists no chapters, or one whose name is none")
    return [Made(c, _artifact(folder / "artifacts" / f"{c.name}.json"), kept=True) for c in chapters], illustrated


def _artifact(path: Path) -> dict[str, Any]:
    value = _json(path)
    if not isinstance(value, dict) or not all(isinstance(value.get(part), dict) for part in _PARTS):
        raise NoStudy(path, "is no artifact of a stage")
    if value["parameters"].get("seal") != seal(value["result"]):
        raise NoStudy(path, "its result is not the one that was computed: it no longer has the hash it was sealed with")
    return value


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"), parse_constant=_refused)
    except OSError as error:
        raise NoStudy(path, f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise NoStudy(path, f"is not valid JSON ({error})") from error


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number")
