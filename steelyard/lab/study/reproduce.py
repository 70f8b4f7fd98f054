"""One command, the whole study: stages in order, each kept under the hash of all it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.study.material import Material, material
from steelyard.lab.study.stages import Chapter, Desk, Stage, stages
from steelyard.support.artifacts import envelope, rounded, to_json, write_artifact

AS_OF = date(2026, 7, 1)  # ages are counted to one day, or two runs would differ
SCHEMA = "steelyard.reproduce/1"


@dataclass(frozen=True, slots=True)
class Made:
    """A stage's artifact, and whether it was there already."""

    chapter: Chapter
    artifact: dict[str, Any]
    kept: bool

    @property
    def undefined(self) -> str | None:
        """Why there is no result, where there is none."""
        reason = self.artifact["result"].get("undefined") if len(self.artifact["result"]) == 1 else None
        return reason if isinstance(reason, str) else None


def code_digest(root: Path | None = None) -> str:
    """Of every source file of the package: other code may give other figures."""
    total = hashlib.sha256()
    root = root or Path(str(resources.files("steelyard")))
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml") and p.is_file()):
        total.update(path.relative_to(root).as_posix().encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def reproduce(
    corpus: str,
    out: Path,
    *,
    as_of: date = AS_OF,
    embedder: str | None = None,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = True,
) -> Iterator[Made]:
    """Every stage's artifact, one after the other; what is there under the same key is taken as it is."""
    given = material(corpus)
    if embedder:
        resolve.embedder(embedder)  # a model that cannot be had is told now, and not as a stage that is undefined
    code = code_digest()
    how: dict[str, Any] = {"corpus": given.name, "sizes": given.sizes, "as_of": str(as_of), "embedder": embedder}
    work = out / "work" / _key("work", given, code, how)[:16]
    work.mkdir(parents=True, exist_ok=True)
    (out / "artifacts").mkdir(parents=True, exist_ok=True)
    desk = Desk(given, work, as_of, jobs, quiet, embedder=embedder)
    for stage in stages(given):
        path = out / "artifacts" / f"{stage.name}.json"
        key = _key(stage.name, given, code, how)
        there = None if force else _there(path, key)
        if there is not None:
            yield Made(stage.chapter, there, kept=True)
            continue
        artifact = rounded(
            envelope(
                SCHEMA,
                inputs=given.inputs,
                parameters={"stage": stage.name, **how, "key": key},
                result=_result(stage, desk),
            )
        )
        artifact["parameters"]["seal"] = seal(artifact["result"])
        write_artifact(path, artifact)
        yield Made(stage.chapter, json.loads(path.read_text("utf-8")), kept=False)


def _result(stage: Stage, desk: Desk) -> Any:
    """What cannot be computed from this material is said, and the study goes on."""
    try:
        return stage.make(desk)
    except SteelyardError as error:
        reason = str(error).removeprefix("undefined: ")
        for path in desk.material.records:  # where they lie on this machine is nobody's business
            reason = reason.replace(str(path), path.name)
        return {"undefined": reason}


def seal(result: Any) -> str:
    """The hash of a result: one that was changed by hand is no longer what the stage computed."""
    text = to_json(result, indent=None, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _there(path: Path, key: str) -> dict[str, Any] | None:
    try:
        artifact = json.loads(path.read_text("utf-8"))
        whole = isinstance(artifact["result"], dict) and isinstance(artifact["inputs"], dict)
        kept = artifact["parameters"]["key"] == key and artifact["parameters"]["seal"] == seal(artifact["result"])
        return artifact if whole and kept else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _key(name: str, given: Material, code: str, how: Mapping[str, Any]) -> str:
    parts = [name, __version__, code, how, given.inputs]
    return hashlib.sha256(to_json(parts, indent=None).encode()).hexdigest()
