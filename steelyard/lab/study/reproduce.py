"""Compute every section of the whole study in order, each kept under the hash of all it depends on.

In the study's folder study.json lists its sections, and each artifact is sealed with the hash of its result.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.study.material import Material, load_material
from steelyard.lab.study.registry import STUDIES
from steelyard.lab.study.study import Request, Section, Study
from steelyard.support.artifacts import (
    make_envelope,
    make_output_folder,
    round_floats,
    to_json,
    to_unescaped_json,
    write_artifact,
    write_text,
)
from steelyard.support.regular_file import open_regular_file

STUDY_FILE = "study.json"
STUDY_SCHEMA = "steelyard.study/2"
ADVICE = "run `steelyard lab reproduce` again"
_PARTS = ("result", "inputs", "parameters")
_NAME = re.compile(r"[\w-]{1,200}")  # of a section: no way out of the folder


@dataclass(frozen=True, slots=True)
class Entry:
    """A section as study.json lists it; `study` names the registry's entry that presents it."""

    name: str
    study: str
    title: str
    about: str = ""
    view: str = ""


@dataclass(frozen=True, slots=True)
class Computed:
    """A section's artifact, whether it was there already, and its place among the sections of a run."""

    entry: Entry
    artifact: dict[str, Any]
    reused: bool
    place: str = ""  # such as 3/40

    @property
    def undefined(self) -> str | None:
        """Why there is no result, where there is none."""
        reason = self.artifact["result"].get("undefined") if len(self.artifact["result"]) == 1 else None
        return reason if isinstance(reason, str) else None


def seal(result: Any) -> str:
    """Return the hash of a result: one that was changed by hand is no longer what the study computed."""
    text = to_unescaped_json(result, indent=None, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write_study(out: Path, computed: Sequence[Computed], *, illustrated: bool) -> None:
    """Write study.json."""
    sections = [asdict(c.entry) for c in computed]
    write_text(
        out / STUDY_FILE, to_json({"schema": STUDY_SCHEMA, "illustrated": illustrated, "sections": sections}) + "\n"
    )


def read_study(folder: Path) -> tuple[list[Computed], bool]:
    """Read every section's artifact, and whether the report has pictures.

    Raises:
        InvalidFile: The folder holds no study, or an artifact was changed after it was computed.
    """
    listed = _read_json(folder / STUDY_FILE)
    try:
        entries = [Entry(**entry) for entry in listed["sections"]]
        illustrated = bool(listed["illustrated"])
    except (KeyError, TypeError) as error:
        raise InvalidFile(str(folder / STUDY_FILE), f"does not list sections ({error}); {ADVICE}") from error
    if not entries or not all(_NAME.fullmatch(str(e.name)) for e in entries):
        raise InvalidFile(str(folder / STUDY_FILE), f"lists no sections, or one with an invalid name; {ADVICE}")
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


AS_OF = date(2026, 7, 1)  # ages are counted to one day, or two runs would differ
SCHEMA = "steelyard.reproduce/2"


def hash_code(root: Path | None = None) -> str:
    """Return the digest of every source file of the package: other code may give other figures."""
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
    peers: bool = False,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = True,
    only: Collection[str] = (),
) -> Iterator[Computed]:
    """Yield every section's artifact, one after the other; one that is there under the same key is reused.

    Args:
        only: The names of studies, if not all of them are wanted.
    """
    material = load_material(corpus, as_of)
    if embedder:
        resolve.load_embedder(embedder)  # a model that cannot be loaded is reported now, not as an undefined section
    setting = {"corpus": material.name, "sizes": material.sizes, "as_of": str(as_of), "embedder": embedder}
    code = hash_code()
    work = out / "work" / _key("work", material, code, setting)[:16]
    for folder in (out, out / "work", work, out / "artifacts"):
        make_output_folder(folder)
    material = replace(material, work=work, embedder=embedder, peers=peers, jobs=jobs, quiet=quiet)
    studies = [study for study in STUDIES if not only or study.name in only]
    planned = [(study, section) for study in studies for section in study.list_sections(material)]
    for number, (study, section) in enumerate(planned, start=1):
        entry = Entry(section.name, study.name, section.title, section.about, section.view)
        key = _key(section.name, material, code, setting)
        reusable = None if force else _reusable(out, section.name, key)
        if reusable is None:
            _write(out, study, section, material, {"stage": section.name, **setting, "key": key})
        artifact, place = reusable or read_artifact(out, section.name), f"{number}/{len(planned)}"
        yield Computed(entry, artifact, reused=reusable is not None, place=place)


def _write(out: Path, study: Study, section: Section, material: Material, parameters: Mapping[str, Any]) -> None:
    artifact = round_floats(
        make_envelope(SCHEMA, inputs=material.inputs, parameters=parameters, result=_compute(study, section, material))
    )
    artifact["parameters"]["seal"] = seal(artifact["result"])
    write_artifact(out / "artifacts" / f"{section.name}.json", artifact)


def _compute(study: Study, section: Section, material: Material) -> Mapping[str, Any]:
    """Run the section's command; what cannot be computed from this material is undefined, and the study goes on."""
    try:
        arguments, options = section.call()
        request = Request(
            tuple(arguments), {**study.defaults(), **options}, material.as_of, material.jobs, quiet=material.quiet
        )
        return study.compute(request)
    except SteelyardError as error:
        reason = str(error).removeprefix("undefined: ")
        for path in material.records:  # where files lie on this machine is private
            reason = reason.replace(str(path), path.name)
        if material.folder is not None:
            reason = reason.replace(f"{material.folder}{os.sep}", "")
        return {"undefined": reason}


def _reusable(out: Path, name: str, key: str) -> dict[str, Any] | None:
    try:
        artifact = read_artifact(out, name)
    except InvalidFile:
        return None
    return artifact if artifact["parameters"].get("key") == key else None


def _key(name: str, material: Material, code: str, setting: Mapping[str, Any]) -> str:
    parts = [name, __version__, code, setting, material.inputs]
    return hashlib.sha256(to_unescaped_json(parts, indent=None).encode()).hexdigest()
