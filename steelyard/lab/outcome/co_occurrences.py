"""Which sources occur together in which runs, and by how much one of two was the more visible."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import SteelyardError
from steelyard.lab.outcome.query_shares import QueryShares, compute_query_shares, group_pairs
from steelyard.lab.outcome.records import qwen
from steelyard.lab.outcome.records.base import BASELINE, GIVEN, Outcome, SourceRecord
from steelyard.lab.outcome.records.load import RECOMMENDED, RecordFile
from steelyard.lab.outcome.records.rows import make_distinct

REPEATS, ORDERS, INSTRUCTIONS, ENGINES = KINDS = ("repeats", "orders", "instructions", "engines")
MIN_CUT_WORDS = 50  # words of a text that is taken for the beginning of another one

SourcePair = tuple[str, str]  # two identities in order
Margins = Mapping[SourcePair, float]  # by how much the first is the more visible one, in one run
Runs = Mapping[str, Margins]  # by the run's name
Group = tuple[str, tuple[str, ...], str]  # what is compared: collection, engines, instructions
Identify = Callable[[SourceRecord], str]

_NUMBERED = re.compile(r"(?:(.*)[-_ #])?[0-9]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """One run of an engine on a query of a collection; `repeat` is its name among those of the same instructions."""

    collection: str
    query: str
    engine: str
    instructions: str
    repeat: str
    shares: QueryShares

    def margins(self, identify: Identify, orders: Iterable[str] = ()) -> Margins:
        """Return the margins averaged over these orders, or over all."""
        names = [identify(s) for s in self.shares.sources]
        by_order = self.shares.by_order
        return average_margins(compute_margins(names, by_order[order]) for order in orders or by_order)


def collect_answers(files: Sequence[RecordFile], mode: str) -> tuple[list[EngineAnswer], list[dict[str, Any]]]:
    """Return every answer that cites something, in the order of the files, and a description of each file."""
    if not files:
        raise SteelyardError("no file has answers with competing sources; rewrites alone cannot be compared")
    answers: list[EngineAnswer] = []
    described: list[dict[str, Any]] = []
    collections: dict[str, str] = {}
    first: dict[tuple[str, str], str] = {}  # the file that has an engine's run first
    for name, file in zip(make_distinct(next(iter(file.inputs)) for file in files), files, strict=True):
        if sum(list(file.inputs.values()) == list(other.inputs.values()) for other in files) > 1:
            raise SteelyardError(f"{name}: given twice, so that its answers would repeat themselves; name it once")
        outcomes = [o for o in file.outcomes if o.arm == BASELINE]
        reading = GIVEN if all(o.answer is None for o in outcomes) else file.mode if mode == RECOMMENDED else mode
        kept, excluded = compute_query_shares(outcomes, reading)
        for outcome in outcomes:
            collections.setdefault(normalize_query(outcome.query), _name_collection(outcome))
        for v in kept:
            query = normalize_query(v.query)
            repeat = v.run if first.setdefault((v.engine, v.run), name) == name else f"{v.run} in {name}"
            answers.append(EngineAnswer(collections[query], query, v.engine, name_instructions(v.run), repeat, v))
        described.append(
            {
                "name": name,
                "mode": reading,
                "answers": len(kept),
                "left_out": excluded,
                "edited": len(file.outcomes) - len(outcomes),
                "notes": list(file.notes),
            }
        )
    return answers, described


def normalize_query(query: str) -> str:
    """Return the query without differences of case and spaces."""
    return " ".join(query.casefold().split())


def name_instructions(run: str) -> str:
    """Return a run's name without its number: `sample-1` and `sample-2` have the instructions `sample`, `1` has ``."""
    numbered = _NUMBERED.fullmatch(run)
    return (numbered[1] or "") if numbered else run


def _name_collection(outcome: Outcome) -> str:
    """Return where a query and its sources come from: one format holds the queries of two others."""
    return outcome.tags[0] if outcome.dataset == qwen.NAME and outcome.tags else outcome.dataset


def identify_source(source: SourceRecord) -> str:
    """Return the address of a source, or the SHA-256 of its words if it has none."""
    return source.url or hashlib.sha256(_join_words(source).encode("utf-8", "surrogatepass")).hexdigest()


def _join_words(source: SourceRecord) -> str:
    return " ".join(source.text.split())


def identify_sources(sources: Iterable[SourceRecord]) -> dict[SourceRecord, str]:
    """Identify the sources of one query, whose text may be shown whole to one engine and cut to another."""
    every = list(dict.fromkeys(sources))
    cuts = sorted((s for s in every if not s.url and len(s.text.split()) >= MIN_CUT_WORDS), key=lambda s: len(s.text))
    return {
        s: identify_source(s if s.url else next((c for c in cuts if _join_words(s).startswith(_join_words(c))), s))
        for s in every
    }


def choose_shortest_texts(answers: Iterable[EngineAnswer]) -> dict[str, SourceRecord]:
    """Return by identity the shortest text of each source that is not empty: what every engine saw."""
    texts = group_pairs((identify_source(s), s) for s in dict.fromkeys(s for a in answers for s in a.shares.sources))
    return {name: min(same, key=lambda s: len(s.text) if s.text.strip() else math.inf) for name, same in texts.items()}


def compute_margins(names: Sequence[str], shares: Sequence[float]) -> Margins:
    """Return the margin of every two sources in a list; one that is listed twice is left out."""
    listed = Counter(names)
    once = sorted((name, share) for name, share in zip(names, shares, strict=True) if listed[name] == 1)
    return {(a, b): x - y for (a, x), (b, y) in itertools.combinations(once, 2)}


def average_margins(several: Iterable[Margins]) -> Margins:
    """Return the mean of every pair over the runs that have it."""
    return {pair: mean(values) for pair, values in group_pairs(i for each in several for i in each.items()).items()}


def average_engine(answers: Iterable[EngineAnswer], identify: Identify) -> Margins:
    """Average an engine's answers to one query; instructions, the repeats of each and their orders count alike."""
    by_instructions = group_pairs((a.instructions, a.margins(identify)) for a in answers)
    return average_margins(average_margins(repeats) for repeats in by_instructions.values())


def compare_runs(
    answers: Sequence[EngineAnswer], engines_asked: Mapping[str, Sequence[str]]
) -> dict[str, dict[Group, dict[str, Runs]]]:
    """Return by kind, group and query two runs or more, each averaged over what is below it.

    Engines are compared on the queries that the same engines were asked (`engines_asked`).
    """
    by_kind: dict[str, dict[Group, dict[str, Runs]]] = {kind: defaultdict(dict) for kind in KINDS}
    designs = group_pairs((a.engine, frozenset(a.shares.by_order)) for a in answers)
    common = {engine: sorted(frozenset.intersection(*orders)) for engine, orders in designs.items()}
    for query, of_query in group_pairs((a.query, a) for a in answers).items():
        identify = identify_sources(s for a in of_query for s in a.shares.sources).__getitem__
        for kind, group, runs in _list_runs(of_query, identify, common, tuple(sorted(set(engines_asked[query])))):
            if len(runs) > 1:
                by_kind[kind][group][query] = runs
    return by_kind


def _list_runs(
    of_query: Sequence[EngineAnswer], identify: Identify, common: Mapping[str, Sequence[str]], engines: tuple[str, ...]
) -> Iterator[tuple[str, Group, Runs]]:
    collection = of_query[0].collection
    by_engine = group_pairs((a.engine, a) for a in of_query)
    yield ENGINES, (collection, engines, ""), {e: average_engine(own, identify) for e, own in by_engine.items()}
    for engine, of_engine in by_engine.items():
        by_instructions = group_pairs((a.instructions, a) for a in of_engine)
        if orders := common[engine]:  # so that an order is not taken for an effect of the instructions
            by_name = {
                name: average_margins(a.margins(identify, orders) for a in repeats)
                for name, repeats in by_instructions.items()
            }
            yield INSTRUCTIONS, (collection, (engine,), ""), by_name
        for name, repeats in by_instructions.items():
            by_repeat = group_pairs((a.repeat, a.margins(identify)) for a in repeats)
            by_order = group_pairs((o, a.margins(identify, [o])) for a in repeats for o in a.shares.by_order)
            for kind, runs in ((REPEATS, by_repeat), (ORDERS, by_order)):
                averaged = {run: average_margins(margins) for run, margins in runs.items()}
                yield kind, (collection, (engine,), name), averaged


def cluster_queries(linked: Iterable[Sequence[str]]) -> dict[str, str]:
    """Map each query to one that represents all that are linked with it, directly or through others."""
    parents: dict[str, str] = {}

    def find_root(query: str) -> str:
        while parents.setdefault(query, query) != query:
            parents[query] = query = parents[parents[query]]
        return query

    for queries in linked:
        for query in queries:
            parents[find_root(query)] = find_root(queries[0])
    return {query: find_root(query) for query in parents}
