"""Answers to be compared: who met whom in which run, and by how much one was the more visible."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import SteelyardError
from steelyard.lab.outcome.records import qwen
from steelyard.lab.outcome.records.base import BASELINE, GIVEN, Candidate, Outcome
from steelyard.lab.outcome.records.resolve import Loaded
from steelyard.lab.outcome.records.rows import distinct
from steelyard.lab.outcome.visibility import Visible, visibility

RECOMMENDED = "recommended"  # stands for the mode that fits a file
REPEATS, ORDERS, INSTRUCTIONS, ENGINES = KINDS = ("repeats", "orders", "instructions", "engines")
SHORTEST_CUT = 50  # words of a text that is taken for the beginning of another one

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Pair = tuple[str, str]  # two identities in order
Margins = Mapping[Pair, float]  # by how much the first is the more visible one, in one run
Runs = Mapping[str, Margins]  # by the run's name
Group = tuple[str, tuple[str, ...], str]  # what is compared: collection, engines, instructions
Names = Callable[[Candidate], str]

_NUMBERED = re.compile(r"(?:(.*)[-_ #])?[0-9]+", re.DOTALL)


class Unusable(SteelyardError):
    """Records in which no two sources can be compared."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One run of an engine on a query of a collection; `repeat` is its name among those of the same instructions."""

    collection: str
    query: str
    engine: str
    instructions: str
    repeat: str
    visible: Visible

    def margins(self, names: Names, orders: Iterable[str] = ()) -> Margins:
        """Averaged over these orders, or over all."""
        of_sources = [names(s) for s in self.visible.sources]
        by_order = self.visible.by_order
        return averaged(margins(of_sources, by_order[order]) for order in orders or by_order)


def taken(loaded: Sequence[Loaded], mode: str) -> tuple[list[Answer], list[dict[str, Any]]]:
    """Every answer that cites something, in the order of the files, and an account of each file."""
    answers: list[Answer] = []
    records: list[dict[str, Any]] = []
    collections: dict[str, str] = {}
    first: dict[tuple[str, str], str] = {}  # the file that has an engine's run first
    for name, of_file in zip(distinct(next(iter(each.inputs)) for each in loaded), loaded, strict=True):
        if not of_file.outcomes:
            raise Unusable(f"{name}: rewrites of one page without its competitors: no two sources meet; leave it out")
        if sum(of_file.digest == other.digest for other in loaded) > 1:
            raise Unusable(f"{name}: given twice: its answers would be repeats of themselves; name it once")
        outcomes = [o for o in of_file.outcomes if o.arm == BASELINE]
        reading = GIVEN if all(o.answer is None for o in outcomes) else of_file.mode if mode == RECOMMENDED else mode
        found = visibility(outcomes, reading)
        for outcome in outcomes:
            collections.setdefault(asked_as(outcome.query), _collection(outcome))
        for v in found.kept:
            query = asked_as(v.query)
            repeat = v.run if first.setdefault((v.engine, v.run), name) == name else f"{v.run} in {name}"
            answers.append(Answer(collections[query], query, v.engine, instructions(v.run), repeat, v))
        records.append(
            {
                "name": name,
                "mode": reading,
                "answers": len(found.kept),
                "left_out": dict(found.excluded),
                "edited": len(of_file.outcomes) - len(outcomes),
                "notes": list(of_file.notes),
            }
        )
    return answers, records


def asked_as(query: str) -> str:
    """A query as it is told from others: case and spaces make no difference."""
    return " ".join(query.casefold().split())


def instructions(run: str) -> str:
    """A run's name without its number: `sample-1` and `sample-2` have those of `sample`, `1` and `2` the nameless."""
    numbered = _NUMBERED.fullmatch(run)
    return (numbered[1] or "") if numbered else run


def _collection(outcome: Outcome) -> str:
    """Where a query and its sources come from: one format holds the queries of two others."""
    return outcome.tags[0] if outcome.dataset == qwen.NAME and outcome.tags else outcome.dataset


def identity(source: Candidate) -> str:
    """Its address, or without one the SHA-256 of its text."""
    return source.url or hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()


def identities(sources: Iterable[Candidate]) -> dict[Candidate, str]:
    """The same within one query, where a text may be shown whole to one engine and cut to another."""
    every = list(dict.fromkeys(sources))
    cuts = sorted((s for s in every if not s.url and len(s.text.split()) >= SHORTEST_CUT), key=lambda s: len(s.text))
    return {s: identity(s if s.url else next((cut for cut in cuts if s.text.startswith(cut.text)), s)) for s in every}


def sources_of(answers: Iterable[Answer]) -> dict[str, Candidate]:
    """By identity, the shortest text of each that is not empty: what every engine saw."""
    found: dict[str, Candidate] = {}
    for s in dict.fromkeys(s for a in answers for s in a.visible.sources):
        before = found.setdefault(identity(s), s)
        if s.text.strip() and (not before.text.strip() or len(s.text) < len(before.text)):
            found[identity(s)] = s
    return found


def margins(names: Sequence[str], shares: Sequence[float]) -> Margins:
    """Of every two sources in a list; one that is listed twice is left out."""
    listed = Counter(names)
    once = sorted((name, share) for name, share in zip(names, shares, strict=True) if listed[name] == 1)
    return {(a, b): x - y for (a, x), (b, y) in itertools.combinations(once, 2)}


def averaged(several: Iterable[Margins]) -> Margins:
    """The mean of every pair over the runs that have it."""
    return {pair: mean(values) for pair, values in grouped(i for each in several for i in each.items()).items()}


def of_engine_on(answers: Iterable[Answer], names: Names) -> Margins:
    """An engine on one query: its instructions count alike, and so do the repeats of each and the orders of those."""
    by_instructions = grouped((a.instructions, a.margins(names)) for a in answers)
    return averaged(averaged(repeats) for repeats in by_instructions.values())


def compared(answers: Sequence[Answer], asked: Mapping[str, Sequence[str]]) -> dict[str, dict[Group, dict[str, Runs]]]:
    """By kind, group and query: two runs or more, each averaged over what is below it.

    Engines are compared on the queries that the same engines were asked (`asked`).
    """
    found: dict[str, dict[Group, dict[str, Runs]]] = {kind: defaultdict(dict) for kind in KINDS}
    designs = grouped((a.engine, frozenset(a.visible.by_order)) for a in answers)
    common = {engine: sorted(frozenset.intersection(*orders)) for engine, orders in designs.items()}
    for query, of_query in grouped((a.query, a) for a in answers).items():
        names = identities(s for a in of_query for s in a.visible.sources).__getitem__
        for kind, group, runs in _runs(of_query, names, common, tuple(sorted(set(asked[query])))):
            if len(runs) > 1:
                found[kind][group][query] = runs
    return found


def _runs(
    of_query: Sequence[Answer], names: Names, common: Mapping[str, Sequence[str]], engines: tuple[str, ...]
) -> Iterator[tuple[str, Group, Runs]]:
    collection = of_query[0].collection
    by_engine = grouped((a.engine, a) for a in of_query)
    yield ENGINES, (collection, engines, ""), {e: of_engine_on(of, names) for e, of in by_engine.items()}
    for engine, of_engine in by_engine.items():
        by_instructions = grouped((a.instructions, a) for a in of_engine)
        if orders := common[engine]:  # so that no order is taken for an effect of the instructions
            told = {name: averaged(a.margins(names, orders) for a in of) for name, of in by_instructions.items()}
            yield INSTRUCTIONS, (collection, (engine,), ""), told
        for name, repeats in by_instructions.items():
            by_repeat = grouped((a.repeat, a.margins(names)) for a in repeats)
            by_order = grouped((o, a.margins(names, [o])) for a in repeats for o in a.visible.by_order)
            for kind, runs in ((REPEATS, by_repeat), (ORDERS, by_order)):
                yield kind, (collection, (engine,), name), {run: averaged(of) for run, of in runs.items()}


def clusters(linked: Iterable[Sequence[str]]) -> dict[str, str]:
    """Each query → one that stands for all that are linked with it, directly or over others."""
    above: dict[str, str] = {}

    def top(query: str) -> str:
        while above.setdefault(query, query) != query:
            above[query] = query = above[above[query]]
        return query

    for queries in linked:
        for query in queries:
            above[top(query)] = top(queries[0])
    return {query: top(query) for query in above}


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """By key, in the order of the first of each."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
