"""From a file of outcome records to outcomes: the format is told by the content, not by the name."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.records import b2b, geo_bench, google_ai, questions, qwen, scholarqa
from steelyard.lab.outcome.records.b2b import Rewrite
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.rows import RecordsInvalid, Row, distinct, read
from steelyard.support import journal
from steelyard.support.artifacts import sha256_of
from steelyard.support.wording import counted

# The first whose keys are all in the first record is the format: those with the most telling keys first.
FORMATS: tuple[ModuleType, ...] = (geo_bench, qwen, b2b, scholarqa, google_ai)
Beside = str | Path | Iterable[str | Path] | None
_WHAT = {
    "embedded reference": "an embedded reference that matches words: its figures say nothing about answer engines",
}
_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz")


@dataclass(frozen=True)
class Loaded:
    """What a file holds. `mode` is the reading of citations that fits it, `given` where it reports shares itself.

    `inputs` maps every file that was read to its SHA-256; `notes` are for the reader of a figure made from it.
    `rewrites` take the place of outcomes in a file without the competitors' texts.
    """

    dataset: str
    outcomes: tuple[Outcome, ...]
    mode: str
    inputs: Mapping[str, str]
    notes: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    embedded: bool = False  # answered by the embedded reference, which is no answer engine
    planned: int = 0  # queries that a run of our own was to ask and could edit

    @property
    def digest(self) -> str:
        """The SHA-256 of the file; of several, that of their digests in order."""
        digests = list(self.inputs.values())
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode("ascii")).hexdigest()


def load(spec: str | Path, *, beside: Beside = None) -> Loaded:
    """Outcomes from a file. Where it names sources without their texts, those are looked for in the files (or the
    folders) `beside`, by default in its own folder and the one above."""
    path = str(spec)
    if journal.begins(path):
        return _own_run(path)
    rows = read(path)
    first = next(rows)
    kind = format_of(first)
    every: Iterable[Row] = itertools.chain([first], rows)
    files = [path]
    outcomes: list[Outcome] = []
    rewrites: list[Rewrite] = []
    if kind is b2b:
        rewrites, notes = b2b.read(every)
    elif kind is qwen:
        every = list(every)
        texts, used = _texts(path, beside, {qwen.named(row) for row in every})
        files += used
        outcomes, notes = qwen.read(every, texts)
    else:
        outcomes, notes = kind.read(every)
    names = distinct(os.path.basename(file) for file in files)
    inputs = dict(zip(names, map(sha256_of, files), strict=True))
    return Loaded(kind.NAME, tuple(outcomes), kind.MODE, inputs, tuple(notes), tuple(rewrites))


def _own_run(path: str) -> Loaded:
    """The journal of an experiment of our own."""
    from steelyard.lab.outcome.replay import replay  # which reads questions through this room
    from steelyard.lab.outcome.run import KIND

    found = replay(path)
    counts = found.counts
    notes = [
        f"engine: {counts['engine']}, {_WHAT.get(counts['engine_kind'], counts['engine_kind'])}",
        f"{counted(counts['calls'], 'call')}: {counts['answered']:,} answered, "
        f"{sum(counts['failed'].values()):,} failed, {counts['lost_in_flight']:,} lost in flight; "
        f"{counted(counts['skipped'], 'query', 'queries')} could not be edited",
    ]
    inputs = {os.path.basename(path): sha256_of(path)}
    embedded = counts["engine_kind"] in _WHAT
    return Loaded(
        KIND,
        found.outcomes,
        "strict",
        inputs,
        tuple(notes),
        embedded=embedded,
        planned=counts["queries"] - counts["skipped"],
    )


def format_of(row: Row) -> ModuleType:
    """The format of a file by its first record."""
    lacking = {kind: _lacking(row, kind) for kind in FORMATS}
    # The first of those that fit, or the one of which most is there.
    nearest = min(FORMATS, key=lambda kind: len(lacking[kind]) / len(kind.KEYS + kind.SOURCE_KEYS))
    if missing := lacking[nearest]:
        names = ", ".join(kind.NAME for kind in FORMATS)
        lacks = ", ".join(f"`{key}`" for key in missing)
        raise row.wrong(
            f"no record of outcomes (known: {names}): as {nearest.NAME} it lacks {lacks}; "
            "questions without answers are for an engine to be run on"
        )
    return nearest


def _lacking(row: Row, kind: ModuleType) -> list[str]:
    missing = [key for key in kind.KEYS if key not in row.value]
    listed = row.value.get("sources")
    source = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    return missing + [f"sources[].{key}" for key in kind.SOURCE_KEYS if key not in source]


def _texts(path: str, beside: Beside, wanted: set[qwen.Name]) -> tuple[dict[qwen.Name, qwen.Texts], list[str]]:
    """The texts of these queries in the files beside, and the files they are from."""
    found: dict[qwen.Name, qwen.Texts] = {}
    used: list[str] = []
    for file, named in _files(path, beside):
        texts = {name: of_query for name, of_query in _texts_of(file, named) if name in wanted}
        for name, of_query in texts.items():
            if found.setdefault(name, of_query) != of_query:
                raise RecordsInvalid(str(file), f"other sources for query {name[1]!r} than in {', '.join(used)}")
        if texts:
            used.append(str(file))
    return found, used


def _files(path: str, beside: Beside) -> Iterator[tuple[Path, bool]]:
    """The files that may hold texts, each once and without `path`; with them, whether they were named."""
    if beside is None:
        own = Path(path).resolve().parent
        beside = (own, own.parent)
    elif isinstance(beside, str | Path):
        beside = (beside,)
    seen = {Path(path).resolve()}
    for place in map(Path, beside):
        is_folder = place.is_dir()
        for file in _inside(place) if is_folder else [place]:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file, not is_folder


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.name.endswith(_SUFFIXES))
    except OSError:
        return []  # what is missing is said by name when it is needed


def _texts_of(file: Path, named: bool) -> Iterator[tuple[qwen.Name, qwen.Texts]]:
    """The sources of every query, if this is a file of one of the two kinds that have them."""
    rows = read(file)
    try:
        first = next(rows)
    except SteelyardError:
        if named:
            raise
        return  # another kind of file that happens to be there
    every = itertools.chain([first], rows)
    if "passages" in first.value:
        for row in every:
            asked = questions.question(row)
            yield ("msmarco", asked.query_id), qwen.Texts(asked.query, {s.key: s for s in asked.sources})
    elif not _lacking(first, scholarqa):
        for row in every:
            sources = {s.key: s for s in scholarqa.candidates(row)}
            yield ("scholarqa", row.name("id")), qwen.Texts(row.text("query"), sources)
