"""Long answers with numbered sources: `id, query, engine, answer, sources[{key, text}]`.

A source's key is the number it is cited by, but not in the ScholarQA file: that lists only the cited sources, with new
keys, so that source i is the i-th smallest number of the answer. A file is read in that way if every answer cites as
many numbers as it has sources, and not all of them are keys. (On ScholarQA, where the two readings differ, a
sentence that cites one source is most like that source in 61% of cases; with keys for numbers in 2%, and a tenth of
the numbers have no source.)

Answers are renumbered on reading: [i + 1] is source i, as everywhere else, whether the file counts from 0 or from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from steelyard.lab.outcome.citations import renumber_markers
from steelyard.lab.outcome.pawc import STRICT
from steelyard.lab.outcome.records.base import Outcome, SourceRecord, number_runs, read_source
from steelyard.lab.outcome.records.rows import Row
from steelyard.support.formatting import format_count

NAME = "scholarqa"
MODE = STRICT
KEYS = ("id", "query", "engine", "answer", "sources")
SOURCE_KEYS = ("key", "text")

_NUMBER = re.compile(r"\d+")
# [3] and [3, 14]; four digits are a year.
# Rarer forms such as [^3] are renumbered too, but do not decide what the sources of an answer are.
_CITED = re.compile(r"\[(\d{1,3}(?:, ?\d{1,3})*)\]")


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """Read one outcome for every record."""
    records = [(row, read_sources(row), row.text("answer")) for row in rows]
    by_key = any(len(find_cited(answer)) != len(sources) for _, sources, answer in records) or all(
        {str(number) for number in find_cited(answer)} <= {s.key for s in sources} for _, sources, answer in records
    )
    outcomes: list[Outcome] = []
    absent = 0
    for row, sources, answer in records:
        cited = find_cited(answer)
        numbers = [_parse_key(row, s.key) for s in sources] if by_key else cited
        absent += len(set(cited).difference(numbers))
        name, engine, places = row.name("id"), row.text("engine"), tuple(range(len(sources)))
        renumbered = renumber_markers(answer, {number: place for place, number in enumerate(numbers, start=1)})
        outcomes.append(Outcome(NAME, name, row.text("query"), engine, sources, places, renumbered))
    notes = []
    if not by_key:
        notes.append("every answer cites as many numbers as it has sources: read as the cited sources, in that order")
    if absent:
        count = format_count(absent, "number cited is", "numbers cited are")
        notes.append(f"{count} no source's key: out of range in every mode")
    return list(number_runs(outcomes)), notes


def read_sources(row: Row) -> tuple[SourceRecord, ...]:
    """Read the sources of a record, whose keys must all be different and whose texts must not be blank."""
    sources = tuple(read_source(source, source.name("key"), default_text=None) for source in row.rows("sources"))
    if len({s.key for s in sources}) < len(sources):
        raise row.error("two of its `sources` have the same `key`")
    return sources


def find_cited(answer: str) -> list[int]:
    """Return the numbers in an answer's citations, each once, ascending."""
    return sorted({int(number) for match in _CITED.finditer(answer) for number in _NUMBER.findall(match[1])})


def _parse_key(row: Row, key: str) -> int:
    if not (key.isascii() and key.isdecimal()) or len(key) > 4:
        raise row.error(f"the key {key!r} is not a number; a source's key is the number it is cited by")
    return int(key)
