"""Answers of a small local model over five sources, whose texts are in the files that the queries came from.

`forced` answers have a citation after every sentence, once with the sources in order and once reversed; `runs` are
written freely, with the sources in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from steelyard.lab.corpus.corpus import cut
from steelyard.lab.outcome.pawc import STRICT
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Candidate, Outcome
from steelyard.lab.outcome.records.rows import Row

NAME = "qwen"
MODE = STRICT
KEYS = ("id", "query", "engine", "set", "source_keys", "words_per_source", "forced", "runs")
SOURCE_KEYS = ()
FORCED = "forced"

Name = tuple[str, str]  # of a query: the set it is from, and its id there


class Texts(NamedTuple):
    """A query and its sources by key, as another file has them."""

    query: str
    sources: Mapping[str, Candidate]


def named(row: Row) -> Name:
    return row.text("set"), row.name("id")


def read(rows: Iterable[Row], texts: Mapping[Name, Texts]) -> tuple[list[Outcome], list[str]]:
    """Two forced answers and every free run of each record."""
    found: dict[Name, list[Outcome]] = {}
    for row in rows:
        if (name := named(row)) in found:
            raise row.wrong(f"query {name[1]!r} of {name[0]!r} stands in an earlier row; keep one row for each query")
        found[name] = list(_outcomes(row, texts))
    return [outcome for outcomes in found.values() for outcome in outcomes], []


def _outcomes(row: Row, texts: Mapping[Name, Texts]) -> Iterator[Outcome]:
    sources = _sources(row, texts)
    forward = tuple(range(len(sources)))
    plain = Outcome(
        NAME, row.name("id"), row.text("query"), row.text("engine"), sources, forward, tags=(row.text("set"),)
    )
    forced = row.row("forced")
    for order, shown in ((FORWARD, forward), (REVERSED, forward[::-1])):
        answer = forced.row(order)
        yield replace(
            plain,
            shown=shown,
            order=order,
            run=FORCED,
            answer=answer.text("answer"),
            probabilities=_probabilities(answer, shown),
        )
    runs = row.row("runs")
    for name in runs.value:
        if name == FORCED:
            raise runs.wrong(f"a run is named {FORCED!r}, which is the name of the answers with a citation forced")
        yield replace(plain, run=name, answer=runs.text(name, ""))


def _sources(row: Row, texts: Mapping[Name, Texts]) -> tuple[Candidate, ...]:
    """The sources that were asked about, in the order of `source_keys`, as long as the engine saw them."""
    name = named(row)
    if name not in texts:
        raise row.wrong(
            f"the texts of query {name[1]!r} of {name[0]!r} are in none of the files beside it; "
            "put the file with the sources into the same folder or name it"
        )
    query, sources = texts[name]
    if query != row.text("query"):
        raise row.wrong(f"query {name[1]!r} is another one in the file with the sources; are they of one making?")
    keys, words = row.texts("source_keys"), row.whole("words_per_source")
    for key in keys:
        if key not in sources:
            raise row.wrong(f"source {key!r} is not among the {len(sources)} of query {name[1]!r}")
    if len(set(keys)) < len(keys) or not keys or words < 1:
        raise row.wrong("`source_keys` must be some different keys, and `words_per_source` above 0")
    relevance = (
        row.numbers("llm_relevance", len(keys)) if row.value.get("llm_relevance") is not None else (None,) * len(keys)
    )
    return tuple(
        replace(sources[key], text=cut(sources[key].text, words), relevance=judged)
        for key, judged in zip(keys, relevance, strict=True)
    )


def _probabilities(answer: Row, shown: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    """The probability of each source for every sentence, in the order of the sources."""
    if "cite_probs" not in answer.value:
        return ()
    found = []
    for number, given in enumerate(answer.entries("cite_probs")):
        name = f"cite_probs[{number}]"
        placed = [0.0] * len(shown)
        for place, share in enumerate(Row(answer.where, {name: given}).shares(name, len(shown))):
            placed[shown[place]] = share
        found.append(tuple(placed))
    return tuple(found)
