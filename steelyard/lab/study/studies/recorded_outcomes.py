"""Outcomes for a fit from recorded answers: one source of each query, and the share of citations that it got."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.components import NAMES
from steelyard.errors import SteelyardError, UnsupportedLanguage
from steelyard.lab.outcome.query_shares import Query, QueryShares, compute_query_shares
from steelyard.lab.outcome.records.base import BASELINE, SourceRecord
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.outcome.score_agreement import explain_snippets
from steelyard.lab.study.study import Request
from steelyard.pipeline import score_text
from steelyard.scoring import editions


class CitedSource(NamedTuple):
    """One source of a query: its raw component values, and its share of citations; 1 is that of the average source."""

    query: Query
    values: tuple[float, ...]
    outcome: float


def read_cited_sources(request: Request, paths: Sequence[str]) -> tuple[dict[str, list[CitedSource]], dict[str, str]]:
    """Return one source for each query of every file of records, and why other files have none.

    Sources of one query compete for the same citations, so a single one is drawn of each; answers in several orders or
    of several engines are averaged for it. An edited page is never among them.
    """
    found: dict[str, list[CitedSource]] = {}
    undefined: dict[str, str] = {}
    for path in paths:
        name = Path(path).name.split(".")[0]
        try:
            file = load_records(path)
            request.inputs.update(file.inputs)
            found[name] = _draw_sources(file, request.as_of, request.seed)
        except SteelyardError as error:
            undefined[name] = str(error).replace(path, Path(path).name).removeprefix("undefined: ")
    return found, undefined


def _draw_sources(file: RecordFile, as_of: date, seed: int) -> list[CitedSource]:
    answers, _ = compute_query_shares([o for o in file.outcomes if o.arm == BASELINE], file.mode)
    if (reason := explain_snippets(answers)) is not None:
        raise SteelyardError(reason["undefined"])
    by_query: dict[Query, list[QueryShares]] = {}
    for answer in answers:
        by_query.setdefault(answer.key, []).append(answer)
    drawn = (_draw_source(query, of_query, as_of, seed) for query, of_query in by_query.items())
    return [source for source in drawn if source is not None]


def _draw_source(query: Query, answers: Sequence[QueryShares], as_of: date, seed: int) -> CitedSource | None:
    """Return one source of a query at random, whatever it says; None where it cannot be scored."""
    first = answers[0]
    at = random.Random(f"{seed}|{query[0]}|{query[1]}").choice(first.first_shown)
    values = _read_values(first.sources[at], as_of)
    if values is None:
        return None
    shares = [a.mean[at] for a in answers if a.sources == first.sources]
    return CitedSource(query, values, len(first.first_shown) * sum(shares) / len(shares))


def _read_values(source: SourceRecord, as_of: date) -> tuple[float, ...] | None:
    text = " ".join(source.text.split())
    if not text:
        return None
    try:
        page = score_text(text, as_of=as_of, title="", edition=editions.load(editions.PAPER), evidence=False)
    except UnsupportedLanguage:
        return None
    return tuple(page.readings[name].value for name in NAMES)


def join_files(found: Mapping[str, Sequence[CitedSource]]) -> list[CitedSource]:
    """Return the sources of all files, one of each query: the first file that has the query gives it."""
    by_query: dict[Query, CitedSource] = {}
    for of_file in found.values():
        for source in of_file:
            by_query.setdefault(source.query, source)
    return list(by_query.values())


def as_arrays(sources: Sequence[CitedSource]) -> tuple[Any, tuple[float, ...]]:
    """Return component values as rows, and the outcomes."""
    return np.array([s.values for s in sources]), tuple(s.outcome for s in sources)
