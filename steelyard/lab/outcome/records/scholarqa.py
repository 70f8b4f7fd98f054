"""Long answers with numbered sources: `id, query, engine, answer, sources[{key, text}]`.

A source's key is the number it is cited by, but not in the ScholarQA file: that lists the cited sources alone, with new
keys, so that source i is the i-th smallest number of the answer. A file in which every answer cites as many numbers as
it has sources, and not all of them are keys, is read in that way. (On ScholarQA, where the two readings differ, a
sentence that cites one source is most like that source in 61% of cases; with keys for numbers in 2%, and a tenth of
the numbers have no source.)

Answers are renumbered on reading: [i + 1] is source i, as everywhere else, whether the file counts from 0 or from 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from steelyard.lab.outcome import citations
from steelyard.lab.outcome.pawc import STRICT
from steelyard.lab.outcome.records.base import Candidate, Outcome
from steelyard.lab.outcome.records.rows import Row
from steelyard.support.wording import counted

NAME = "scholarqa"
MODE = STRICT
KEYS = ("id", "query", "engine", "answer", "sources")
SOURCE_KEYS = ("key", "text")

_NUMBER = re.compile(r"\d+")
# [3] and [3, 14]; four digits are a year.
# Rarer forms such as [^3] are renumbered too, but do not decide what the sources of an answer are.
_CITED = re.compile(r"\[(\d{1,3}(?:, ?\d{1,3})*)\]")


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """One outcome for every record; a query that an engine answers again is run 2, 3, …"""
    records = [(row, candidates(row), row.text("answer")) for row in rows]
    by_key = any(len(cited(answer)) != len(sources) for _, sources, answer in records) or all(
        {str(number) for number in cited(answer)} <= {s.key for s in sources} for _, sources, answer in records
    )
    found: list[Outcome] = []
    runs: Counter[tuple[str, str]] = Counter()
    absent = 0
    for row, sources, answer in records:
        numbers = [int(s.key) for s in sources] if by_key and _keys_are_numbers(row, sources) else cited(answer)
        absent += len(set(cited(answer)).difference(numbers))
        name, engine = row.name("id"), row.text("engine")
        runs[name, engine] += 1
        found.append(
            Outcome(
                NAME,
                name,
                row.text("query"),
                engine,
                sources,
                tuple(range(len(sources))),
                answer=renumbered(answer, numbers),
                run=str(runs[name, engine]),
            )
        )
    notes = []
    if not by_key:
        notes.append("every answer cites as many numbers as it has sources: read as the cited sources, in that order")
    if absent:
        notes.append(
            f"{counted(absent, 'number cited is', 'numbers cited are')} no source's key: out of range in every mode"
        )
    return found, notes


def candidates(row: Row) -> tuple[Candidate, ...]:
    """The sources of a record, whose keys are all different."""
    found = tuple(
        Candidate(
            source.name("key"),
            source.text("text"),
            title=source.text("title", ""),
            url=source.text("url", ""),
            relevance=source.known("llm_relevance"),
        )
        for source in row.rows("sources")
    )
    if len({s.key for s in found}) < len(found):
        raise row.wrong("two of its `sources` have the same `key`")
    return found


def cited(answer: str) -> list[int]:
    """The numbers in an answer's citations, each once, the smallest first."""
    return sorted({int(number) for match in _CITED.finditer(answer) for number in _NUMBER.findall(match[1])})


def renumbered(answer: str, numbers: Sequence[int]) -> str:
    """The answer with [i + 1] for the i-th of these numbers, and a number out of range for all others."""
    names = dict.fromkeys(citations.numbers(answer), len(numbers) + 1)
    names.update({number: place for place, number in enumerate(numbers, start=1)})
    return citations.renumbered(answer, names)


def _keys_are_numbers(row: Row, sources: Iterable[Candidate]) -> bool:
    for source in sources:
        if not (source.key.isascii() and source.key.isdecimal()) or len(source.key) > 4:
            raise row.wrong(f"the key {source.key!r} is no number; a source's key is the number it is cited by")
    return True
