"""Answers of a small local model over five sources, whose texts are in the files that the queries came from.

`forced` answers have a citation after every sentence, once with the sources in order and once reversed; `runs` are
written freely, with the sources in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from steelyard.lab.corpus import cut
from steelyard.lab.outcome.pawc import STRICT
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Outcome, SourceRecord
from steelyard.lab.outcome.records.rows import Row

NAME = "qwen"
MODE = STRICT
KEYS = ("id", "query", "engine", "set", "source_keys", "words_per_source", "forced", "runs")
SOURCE_KEYS = ()
FORCED = "forced"

QueryName = tuple[str, str]  # the set a query is from, and its id there


class QueryTexts(NamedTuple):
    """A query and its sources by key, as another file has them."""

    query: str
    sources: Mapping[str, SourceRecord]


def read_query_name(row: Row) -> QueryName:
    return row.text("set"), row.name("id")


def read(rows: Iterable[Row], texts: Mapping[QueryName, QueryTexts]) -> tuple[list[Outcome], list[str]]:
    """Read two forced answers and every free run of each record."""
    by_query: dict[QueryName, list[Outcome]] = {}
    for row in rows:
        if (name := read_query_name(row)) in by_query:
            raise row.error(f"query {name[1]!r} of {name[0]!r} is in an earlier row; keep one row for each query")
        by_query[name] = list(_read_outcomes(row, texts))
    return [outcome for outcomes in by_query.values() for outcome in outcomes], []


def _read_outcomes(row: Row, texts: Mapping[QueryName, QueryTexts]) -> Iterator[Outcome]:
    sources = _find_sources(row, texts)
    forward = tuple(range(len(sources)))
    tag, query_id = read_query_name(row)
    plain = Outcome(NAME, query_id, row.text("query"), row.text("engine"), sources, forward, tags=(tag,))
    forced, runs = row.row("forced"), row.row("runs")
    for order, shown in ((FORWARD, forward), (REVERSED, forward[::-1])):
        yield replace(plain, shown=shown, order=order, run=FORCED, answer=forced.row(order).text("answer"))
    for name in runs.value:
        if name == FORCED:
            raise runs.error(f"a run is named {FORCED!r}, which is the name of the answers with a citation forced")
        yield replace(plain, run=name, answer=runs.text(name, ""))


def _find_sources(row: Row, texts: Mapping[QueryName, QueryTexts]) -> tuple[SourceRecord, ...]:
    """Return the sources in the order of `source_keys`, as long as the engine saw them."""
    name = read_query_name(row)
    if name not in texts:
        raise row.error(
            f"the texts of query {name[1]!r} of {name[0]!r} are not in any file next to it; "
            "put the file with the sources into the same folder"
        )
    query, sources = texts[name]
    if query != row.text("query"):
        raise row.error(f"query {name[1]!r} is different in the file with the sources; do the two belong together?")
    keys, words = row.texts("source_keys"), row.whole("words_per_source")
    for key in keys:
        if key not in sources:
            raise row.error(f"source {key!r} is not among the {len(sources)} of query {name[1]!r}")
    if len(set(keys)) < len(keys) or not keys or words < 1:
        raise row.error("`source_keys` must be one or more different keys, and `words_per_source` above 0")
    relevance = row.numbers("llm_relevance") if row.has("llm_relevance") else (None,) * len(keys)
    if len(relevance) != len(keys):
        raise row.error(f"`llm_relevance` has {len(relevance)} entries, and must have {len(keys)}")
    return tuple(
        replace(sources[key], text=cut(sources[key].text, words), relevance=judged)
        for key, judged in zip(keys, relevance, strict=True)
    )
