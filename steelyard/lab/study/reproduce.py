"""Compute every section of the whole study in order, each kept under the hash of all it depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.study.folder import Computed, Entry, read_artifact, seal
from steelyard.lab.study.material import Material, load_material
from steelyard.lab.study.sections import STUDIES
from steelyard.lab.study.study import Request, Section, Study
from steelyard.support.artifacts import (
    make_envelope,
    make_output_folder,
    round_floats,
    to_unescaped_json,
    write_artifact,
)

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
) -> Iterator[Computed]:
    """Yield every section's artifact, one after the other; one that is there under the same key is reused."""
    material = load_material(corpus, as_of)
    if embedder:
        resolve.load_embedder(embedder)  # a model that cannot be loaded is reported now, not as an undefined section
    setting = {"corpus": material.name, "sizes": material.sizes, "as_of": str(as_of), "embedder": embedder}
    code = hash_code()
    work = out / "work" / _key("work", material, code, setting)[:16]
    for folder in (out, out / "work", work, out / "artifacts"):
        make_output_folder(folder)
    material = replace(material, work=work, embedder=embedder, peers=peers, jobs=jobs, quiet=quiet)
    for study in STUDIES:
        for section in study.list_sections(material):
            entry = Entry(section.name, study.name, section.title, section.about)
            key = _key(section.name, material, code, setting)
            kept = None if force else _reusable(out, section.name, key)
            if kept is None:
                _write(out, study, section, material, {"stage": section.name, **setting, "key": key})
            yield Computed(entry, kept or read_artifact(out, section.name), reused=kept is not None)


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
