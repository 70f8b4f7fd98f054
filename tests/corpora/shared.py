"""Small corpora, and the filter as a function, for the tests of bulk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.corpora.corpus_files import choose_format, find_files
from steelyard.corpora.plan import MAX_TEXT, Plan
from steelyard.corpora.run import Outcome, filter_corpus
from steelyard.settings import Settings

SETTINGS = Settings.resolve(as_of=date(2026, 7, 1), max_bytes=MAX_TEXT)
GOOD = (
    "# Tides\n\nThe harbour of Brest measured a tidal range of 7.2 metres in 2019, according to the French "
    "Hydrographic Office. A tide is the rise and fall of the sea, caused by the moon and the sun. "
)
SHORT = "The harbour master keeps a record."


def make_rows(count: int) -> list[dict[str, Any]]:
    """Rows that differ in text, some of them long."""
    return [{"id": n, "text": f"{GOOD * (n % 3 * 3 or 1)} Page {n} of the harbour."} for n in range(count)]


def write_jsonl(path: Path, rows: Iterable[dict[str, Any] | str]) -> Path:
    """Write rows; a string is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def make_plan(inputs: Sequence[Path | str], output: Path | str, **options: Any) -> Plan:
    files = find_files([str(path) for path in inputs])
    plan = Plan(tuple(files), str(output), choose_format(str(output), files), SETTINGS, rows_per_part=6)
    return replace(plan, **options)


def run_filter(inputs: Sequence[Path | str], output: Path | str, *, jobs: int = 1, **options: Any) -> Outcome:
    batch_size = options.pop("batch_size", 256)
    return filter_corpus(make_plan(inputs, output, **options), jobs=jobs, batch_size=batch_size)
