"""Load a file of outcome records; its format is recognised by its content, not by its name."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.outcome.engines.base import EMBEDDED
from steelyard.lab.outcome.pawc import STRICT
from steelyard.lab.outcome.recorded_run import read_run
from steelyard.lab.outcome.records import b2b, geo_bench, google_ai, qwen, scholarqa
from steelyard.lab.outcome.records.b2b import Rewrite
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.questions import parse_question
from steelyard.lab.outcome.records.rows import Row, make_distinct, read_rows
from steelyard.lab.outcome.run import KIND
from steelyard.lab.outcome.soft_shares import ForcedCitations
from steelyard.support import journal
from steelyard.support.artifacts import hash_file
from steelyard.support.formatting import format_count

# The first format whose keys are all in the first record is taken: those with the most telling keys come first.
FORMATS: tuple[ModuleType, ...] = (geo_bench, qwen, b2b, scholarqa, google_ai)
RECOMMENDED = "recommended"  # the mode that fits a file
_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz")


@dataclass(frozen=True)
class RecordFile:
    """What a file holds. `mode` is the reading of citations that fits it, `given` if it reports shares itself.

    `inputs` maps every file that was read to its SHA-256; `notes` are for the reader of a figure made from it.
    A file without the competitors' texts has `rewrites` and no outcomes.
    """

    dataset: str
    outcomes: tuple[Outcome, ...]
    mode: str
    inputs: Mapping[str, str]
    notes: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    embedded: bool = False  # answered by the embedded reference, which is not an answer engine
    planned: int = 0  # queries that a run of our own was to ask and could edit
    forced: Mapping[str, ForcedCitations] = field(default_factory=dict)  # by call, where a run of our own has them


def load_records(path: str | Path) -> RecordFile:
    """Load the outcomes of a file, or of the journal of a run.

    Texts of sources that the file only names are looked for in the files of its own folder and the one above.
    """
    path = str(path)
    if journal.is_journal(path):
        return _load_run(path)
    rows = read_rows(path)
    first = next(rows)
    kind = find_format(first)
    every: Iterable[Row] = itertools.chain([first], rows)
    files = [path]
    outcomes: list[Outcome] = []
    rewrites: list[Rewrite] = []
    if kind is b2b:
        rewrites, notes = b2b.read(every)
    elif kind is qwen:
        every = list(every)
        texts, used = _find_texts(path, {qwen.read_query_name(row) for row in every})
        files += used
        outcomes, notes = qwen.read(every, texts)
    else:
        outcomes, notes = kind.read(every)
    names = make_distinct(os.path.basename(file) for file in files)
    inputs = dict(zip(names, map(hash_file, files), strict=True))
    return RecordFile(kind.NAME, tuple(outcomes), kind.MODE, inputs, tuple(notes), tuple(rewrites))


def is_record_file(path: str | Path) -> bool:
    """Return whether a file begins like records that can be loaded."""
    if journal.is_journal(path):
        return True
    try:
        find_format(next(read_rows(path)))
    except SteelyardError:
        return False
    return True


def _load_run(path: str) -> RecordFile:
    """Load the journal of an experiment of our own."""
    run = read_run(path)
    counts, embedded = run.counts, run.counts["engine_kind"] == EMBEDDED
    says_nothing = " that matches words: its figures say nothing about answer engines" if embedded else ""
    article = "an " if embedded else ""
    notes = (
        f"engine: {counts['engine']}, {article}{counts['engine_kind']}{says_nothing}",
        f"{format_count(counts['calls'], 'call')}: {counts['answered']:,} answered, "
        f"{sum(counts['failed'].values()):,} failed, {counts['lost_in_flight']:,} lost in flight; "
        f"{format_count(counts['skipped'], 'query', 'queries')} could not be edited",
    )
    inputs, planned = {os.path.basename(path): hash_file(path)}, counts["queries"] - counts["skipped"]
    return RecordFile(KIND, run.outcomes, STRICT, inputs, notes, embedded=embedded, planned=planned, forced=run.forced)


def find_format(row: Row) -> ModuleType:
    """Return the format of a file by its first record."""
    missing = {kind: _missing_keys(row, kind) for kind in FORMATS}
    # The first of those that fit, or the one of which most is there.
    nearest = min(FORMATS, key=lambda kind: len(missing[kind]) / len(kind.KEYS + kind.SOURCE_KEYS))
    if missing[nearest]:
        names = ", ".join(kind.NAME for kind in FORMATS)
        keys = ", ".join(f"`{key}`" for key in missing[nearest])
        raise row.error(
            f"not a record of outcomes (known: {names}): as {nearest.NAME} it lacks {keys}; "
            "if these are questions without answers, run an engine on them first"
        )
    return nearest


def _missing_keys(row: Row, kind: ModuleType) -> list[str]:
    listed = row.value.get("sources")
    source = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    missing = [key for key in kind.KEYS if key not in row.value]
    return missing + [f"sources[].{key}" for key in kind.SOURCE_KEYS if key not in source]


def _find_texts(path: str, wanted: set[qwen.QueryName]) -> tuple[dict[qwen.QueryName, qwen.QueryTexts], list[str]]:
    """Return the texts of these queries, and the files they are from."""
    texts: dict[qwen.QueryName, qwen.QueryTexts] = {}
    used: list[str] = []
    for file in _list_neighbours(path):
        of_file = {name: of_query for name, of_query in _read_texts(file) if name in wanted}
        for name, of_query in of_file.items():
            if texts.setdefault(name, of_query) != of_query:
                raise InvalidFile(file, f"other sources for query {name[1]!r} than in {', '.join(used)}")
        if of_file:
            used.append(str(file))
    return texts, used


def _list_neighbours(path: str) -> list[Path]:
    """Return the other record files in the folder of `path` and the one above, each once."""
    own = Path(path).resolve()
    files: dict[Path, Path] = {}
    for folder in (own.parent, own.parent.parent):
        with suppress(OSError):  # a missing text is reported by name when it is needed
            for file in sorted(folder.iterdir()):
                if file.name.endswith(_SUFFIXES) and file.resolve() != own:
                    files.setdefault(file.resolve(), file)
    return list(files.values())


def _read_texts(file: Path) -> Iterator[tuple[qwen.QueryName, qwen.QueryTexts]]:
    """Yield the sources of every query, if this is a file of one of the two kinds that have them."""
    rows = read_rows(file)
    try:
        first = next(rows)
    except SteelyardError:
        return  # another kind of file that happens to be there
    for row in itertools.chain([first], rows):
        if "passages" in first.value:
            question = parse_question(row)
            yield ("msmarco", question.query_id), qwen.QueryTexts(question.query, {s.key: s for s in question.sources})
        elif not _missing_keys(first, scholarqa):
            sources = {s.key: s for s in scholarqa.read_sources(row)}
            yield ("scholarqa", row.name("id")), qwen.QueryTexts(row.text("query"), sources)
        else:
            return
