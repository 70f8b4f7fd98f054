"""The ceiling: how often one fixed order of two sources can be right, where their visibility changes from run to run.

If x is more visible than x' in a share p of the runs, whatever orders the two once for all is right in at most
max(p, 1 - p) of them. Two ceilings, never merged:

- `query_ceiling`, the paper's: the runs are distinct queries of one engine in which the pair meets. It binds scores
  that do not see the query.
- `engine_ceiling`: the runs are answers to one query, by `repeats` under the same instructions, `orders` of the
  sources, `instructions`, or `engines`. It binds every score that does not see the run, also one that sees the query.

Ties, runs in which both are equally visible, are counted and left out of p. Of the pairs that two runs or more order:

- `upper`, the plug-in: in these very runs no order of these pairs is right more often. For further runs of the kind it
  is biased up.
- `lower`: every run predicted by the majority of the others, a tie among those one half. Biased down. Of two runs it is
  how often they agree, and of three it expects the same.
- `bound`: two runs agree with the probability A = (1 + E(2p - 1)²)/2, and E|2p - 1| is at most the root of E(2p - 1)²,
  so the ceiling is at most (1 + √(2A - 1))/2, however few the runs. For runs that are independent draws: those that
  oppose each other, as reversed orders do, agree less often than coins, and there is no such bound.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar

from steelyard.base.artifacts import undefined
from steelyard.base.errors import SteelyardError, UnsupportedLanguage
from steelyard.maths.numbers import mean
from steelyard.outcome.records import qwen
from steelyard.outcome.records.base import BASELINE, GIVEN, Candidate, Outcome
from steelyard.outcome.records.resolve import Loaded
from steelyard.outcome.records.rows import distinct
from steelyard.outcome.visibility import Visible, visibility
from steelyard.score import weighting
from steelyard.score.page import contributions, score_page
from steelyard.stats.bootstrap import interval, means, resamples
from steelyard.stats.summary import quantile

RECOMMENDED = "recommended"  # stands for the mode that fits a file
REPEATS, ORDERS, INSTRUCTIONS, ENGINES = KINDS = ("repeats", "orders", "instructions", "engines")
WITHOUT = {  # answers that cite nothing are not there
    REPEATS: "no query has two citing answers of one engine under the same instructions",
    ORDERS: "no query has citing answers in two orders of its sources",
    INSTRUCTIONS: "no query has citing answers of one engine under two instructions, in the same order",
    ENGINES: "no query has citing answers of two engines",
}
UPPER, BOUND, LOWER = FIGURES = ("upper", "bound", "lower")
AGREEMENT = "agreement"
OPPOSED = "the runs agree less often than coins: they are no independent draws"
CHANCE = 0.5
FEWEST = 10  # pairs for a figure, and clusters of them for an interval
LEAST_WORDS = 150  # of the median source, for the score
SHORTEST_CUT = 50  # words of a text that is taken for the beginning of another one
TIE = 1e-9  # shares are sums of rounded numbers

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Pair = tuple[str, str]  # two identities in order
Margins = Mapping[Pair, float]  # by how much the first is the more visible one, in one run
Runs = Mapping[str, Margins]  # by the run's name
Group = tuple[str, tuple[str, ...], str]  # what is compared: collection, engines, instructions
Names = Callable[[Candidate], str]
Contents = Callable[[Candidate], Mapping[str, float]]

_NUMBERED = re.compile(r"(?:(.*)[-_ #])?[0-9]+", re.DOTALL)


class Unusable(SteelyardError):
    """Records in which no two sources can be compared."""


@dataclass(frozen=True, slots=True)
class Met:
    """A pair that meets in several runs: in how many each source is the more visible one, and in how many neither.

    Pairs of one `cluster` depend on each other.
    """

    pair: Pair
    cluster: str
    first: int
    second: int
    ties: int = 0

    @classmethod
    def of(cls, pair: Pair, cluster: str, margins: Sequence[float]) -> Met:
        first, second = sum(m > TIE for m in margins), sum(m < -TIE for m in margins)
        return cls(pair, cluster, first, second, len(margins) - first - second)

    @property
    def runs(self) -> int:
        """Those that order the pair."""
        return self.first + self.second

    @property
    def upper(self) -> float:
        return max(self.first, self.second) / self.runs

    @property
    def lower(self) -> float:
        """Every run predicted by the majority of the others."""
        told = self.first * _told(self.first - 1, self.second) + self.second * _told(self.second - 1, self.first)
        return told / self.runs

    @property
    def agreement(self) -> float:
        """The share of pairs of runs that order the pair alike."""
        return sum(n * (n - 1) for n in (self.first, self.second)) / (self.runs * (self.runs - 1))

    def concordance(self, margin: float) -> float:
        """The share of runs that order the pair as a score with this margin does; equal scores are half right."""
        return (self.first if margin > 0 else self.second) / self.runs if margin else CHANCE


def _told(ayes: int, noes: int) -> float:
    return CHANCE if ayes == noes else float(ayes > noes)


def bound(agreement: float) -> float:
    """The highest ceiling of draws that agree so often."""
    return (1 + math.sqrt(max(0.0, 2 * agreement - 1))) / 2


@cache
def contents(source: Candidate) -> Mapping[str, float]:
    """The content score of a source by weighting, with the record's title; nothing in a language we cannot read."""
    try:
        # Content looks at no date.
        page = score_page(source.text, as_of=date(2000, 1, 1), title=source.title, evidence=False)
    except UnsupportedLanguage:
        return {}
    values = {name: reading.value for name, reading in page.readings.items()}
    return {
        name: min(100.0, math.fsum(contributions(values, weighting.load(name).weights).values()))
        for name in weighting.NAMED
    }


def ceiling(
    loaded: Sequence[Loaded], mode: str, *, seed: int = 0, draws: int = 1000, contents: Contents = contents
) -> dict[str, Any]:
    """Both ceilings of the unedited answers in some files, and beside them what the content score reaches."""
    answers, records = taken(loaded, mode)
    study = _Study(seed, draws, contents, _sources(answers))
    asked = _grouped((asked_as(o.query), o.engine) for of_file in loaded for o in of_file.outcomes)
    return {
        "mode": mode,
        "records": records,
        "seed": seed,
        "draws": draws,
        "fewest": FEWEST,
        "chance": CHANCE,
        "weightings": list(weighting.NAMED),
        "query_ceiling": study.query_ceiling(answers),
        "engine_ceiling": study.engine_ceiling(compared(answers, asked)),
    }


# Answers


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


# Who is more visible than whom


def identity(source: Candidate) -> str:
    """Its address, or without one the SHA-256 of its text."""
    return source.url or hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()


def identities(sources: Iterable[Candidate]) -> dict[Candidate, str]:
    """The same within one query, where a text may be shown whole to one engine and cut to another."""
    every = list(dict.fromkeys(sources))
    cuts = sorted((s for s in every if not s.url and len(s.text.split()) >= SHORTEST_CUT), key=lambda s: len(s.text))
    return {s: identity(s if s.url else next((cut for cut in cuts if s.text.startswith(cut.text)), s)) for s in every}


def _sources(answers: Iterable[Answer]) -> dict[str, Candidate]:
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
    return {pair: mean(values) for pair, values in _grouped(i for each in several for i in each.items()).items()}


def _of_engine(answers: Iterable[Answer], names: Names) -> Margins:
    """An engine on one query: its instructions count alike, and so do the repeats of each and the orders of those."""
    by_instructions = _grouped((a.instructions, a.margins(names)) for a in answers)
    return averaged(averaged(repeats) for repeats in by_instructions.values())


def compared(answers: Sequence[Answer], asked: Mapping[str, Sequence[str]]) -> dict[str, dict[Group, dict[str, Runs]]]:
    """By kind, group and query: two runs or more, each averaged over what is below it.

    Engines are compared on the queries that the same engines were asked (`asked`).
    """
    found: dict[str, dict[Group, dict[str, Runs]]] = {kind: defaultdict(dict) for kind in KINDS}
    designs = _grouped((a.engine, frozenset(a.visible.by_order)) for a in answers)
    common = {engine: sorted(frozenset.intersection(*orders)) for engine, orders in designs.items()}
    for query, of_query in _grouped((a.query, a) for a in answers).items():
        names = identities(s for a in of_query for s in a.visible.sources).__getitem__
        for kind, group, runs in _runs(of_query, names, common, tuple(sorted(set(asked[query])))):
            if len(runs) > 1:
                found[kind][group][query] = runs
    return found


def _runs(
    of_query: Sequence[Answer], names: Names, common: Mapping[str, Sequence[str]], engines: tuple[str, ...]
) -> Iterator[tuple[str, Group, Runs]]:
    collection = of_query[0].collection
    by_engine = _grouped((a.engine, a) for a in of_query)
    yield ENGINES, (collection, engines, ""), {e: _of_engine(of, names) for e, of in by_engine.items()}
    for engine, of_engine in by_engine.items():
        by_instructions = _grouped((a.instructions, a) for a in of_engine)
        if orders := common[engine]:  # so that no order is taken for an effect of the instructions
            told = {name: averaged(a.margins(names, orders) for a in of) for name, of in by_instructions.items()}
            yield INSTRUCTIONS, (collection, (engine,), ""), told
        for name, repeats in by_instructions.items():
            by_repeat = _grouped((a.repeat, a.margins(names)) for a in repeats)
            by_order = _grouped((o, a.margins(names, [o])) for a in repeats for o in a.visible.by_order)
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


# Figures


@dataclass(frozen=True)
class _Study:
    """What every comparison needs."""

    seed: int
    draws: int
    contents: Contents
    sources: Mapping[str, Candidate]

    def query_ceiling(self, answers: Sequence[Answer]) -> Any:
        """One comparison for every engine; undefined if no pair meets twice."""
        found = [self._queries(engine, of) for engine, of in _grouped((a.engine, a) for a in answers).items()]
        if not any(comparison["met"] for comparison in found):
            return undefined("no two sources meet in two or more distinct queries of one engine")
        return found

    def _queries(self, engine: str, answers: Iterable[Answer]) -> dict[str, Any]:
        """All answers to a query are averaged, so that it counts once."""
        by_query = _grouped((a.query, a) for a in answers)
        runs = {query: _of_engine(of_query, identity) for query, of_query in by_query.items()}
        met_in = _grouped((pair, query) for query, margins in runs.items() for pair in margins)
        met_in = {pair: queries for pair, queries in met_in.items() if len(queries) > 1}
        cluster = clusters(met_in.values())
        found = [Met.of(pair, cluster[qs[0]], [runs[q][pair] for q in qs]) for pair, qs in met_in.items()]
        queries = {query for m in found if m.runs > 1 for query in met_in[m.pair]}
        return {
            "engines": [engine],
            "answered": len(runs),
            "queries": len(queries),
            **self._comparison(found, "queries"),
        }

    def engine_ceiling(self, found: Mapping[str, Mapping[Group, Mapping[str, Runs]]]) -> dict[str, Any]:
        if not any(found.values()):
            return undefined("no query has two answers that cite anything")
        kinds = {kind: [self._answers(*of) for of in groups.items()] for kind, groups in found.items()}
        return {"order": list(KINDS), **{kind: of or undefined(WITHOUT[kind]) for kind, of in kinds.items()}}

    def _answers(self, group: Group, by_query: Mapping[str, Runs]) -> dict[str, Any]:
        collection, engines, told = group
        found = []
        for query, runs in by_query.items():
            both = _grouped(item for margins in runs.values() for item in margins.items())
            found += [Met.of(pair, query, values) for pair, values in both.items() if len(values) > 1]
        return {
            "collection": collection,
            "engines": list(engines),
            "instructions": told,
            "compared": list(dict.fromkeys(run for runs in by_query.values() for run in runs)),
            "answered": len(by_query),
            "same_sources": sum(len(set(map(frozenset, runs.values()))) == 1 for runs in by_query.values()),
            "queries": len({m.cluster for m in found if m.runs > 1}),
            **self._comparison(found, "runs"),
        }

    def _comparison(self, found: Sequence[Met], unit: str) -> dict[str, Any]:
        """Counts and figures; `tally` has what the figures but for the intervals are made of."""
        used = [m for m in found if m.runs > 1]
        runs, ties = sum(m.runs + m.ties for m in found), sum(m.ties for m in found)
        tally = Counter((m.runs, max(m.first, m.second)) for m in used)
        none = f"no two sources meet in two {unit}"
        few = f"two {unit} or more order {len(used)} of the {len(found)} pairs that meet in them, {FEWEST} are needed"
        return {
            "met": len(found),
            "pairs": len(used),
            "clusters": len({m.cluster for m in used}),
            "pair_runs": runs,
            "ties": ties / runs if runs else None,
            "tally": [{"runs": n, "majority": most, "pairs": tally[n, most]} for n, most in sorted(tally)],
            "figures": self._figures(used) if len(used) >= FEWEST else undefined(few if found else none),
        }

    def _figures(self, used: Sequence[Met]) -> dict[str, Any]:
        sources = [self.sources[name] for name in sorted({name for m in used for name in m.pair})]
        words = quantile([len(s.text.split()) for s in sources], 0.5)
        columns = {name: [getattr(m, name) for m in used] for name in (UPPER, LOWER, AGREEMENT)}
        found = self._intervals([m.cluster for m in used], columns | self._concordances(used, words))
        agree = found.pop(AGREEMENT)
        ends = agree["interval"] and [bound(end) for end in agree["interval"]]
        opposed = max(agree["interval"] or [agree["value"]]) < CHANCE
        return {
            "order": list(FIGURES),
            UPPER: found.pop(UPPER),
            BOUND: undefined(OPPOSED) if opposed else {"value": bound(agree["value"]), "interval": ends},
            LOWER: found.pop(LOWER),
            AGREEMENT: agree,
            "content": found or undefined(f"snippets: the median source has {words:g} words of {LEAST_WORDS}"),
        }

    def _concordances(self, used: Sequence[Met], words: float) -> dict[str, list[float]]:
        """By weighting, of every pair; none of snippets. A source that cannot be scored is equal to every other."""
        if words < LEAST_WORDS:
            return {}
        found: dict[str, list[float]] = {name: [] for name in weighting.NAMED}
        for m in used:
            one, other = (self.contents(self.sources[name]) for name in m.pair)
            for name, values in found.items():
                values.append(m.concordance(one[name] - other[name] if one and other else 0.0))
        return found

    def _intervals(self, clusters: Sequence[str], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
        """The mean over pairs, and its interval over resamples of whole clusters; None of few."""
        rows = list(_grouped((cluster, i) for i, cluster in enumerate(clusters)).values())
        sizes = [float(len(row)) for row in rows]
        rng = random.Random(f"{self.seed}|ceiling")  # the same for all: equal records have equal intervals
        draws = resamples(len(rows), self.draws, rng) if len(rows) >= FEWEST else []
        (drawn,) = means([sizes], draws)
        found = {}
        for name, values in columns.items():
            (sums,) = means([[math.fsum(values[i] for i in row) for row in rows]], draws)
            each = [total / size for total, size in zip(sums, drawn, strict=True)]
            found[name] = {"value": mean(values), "interval": list(interval(each)) if each else None}
        return found


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """By key, in the order of the first of each."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
