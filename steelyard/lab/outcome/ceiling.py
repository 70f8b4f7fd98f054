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

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import UnsupportedLanguage
from steelyard.lab.outcome.meetings import (
    ENGINES,
    INSTRUCTIONS,
    KINDS,
    ORDERS,
    REPEATS,
    Answer,
    Group,
    Pair,
    Runs,
    asked_as,
    clusters,
    compared,
    grouped,
    identity,
    of_engine_on,
    sources_of,
    taken,
)
from steelyard.lab.outcome.records.base import Candidate
from steelyard.lab.outcome.records.resolve import Loaded
from steelyard.lab.stats.bootstrap import interval, means, resamples
from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import contributions
from steelyard.support.artifacts import undefined

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
TIE = 1e-9  # shares are sums of rounded numbers

Contents = Callable[[Candidate], Mapping[str, float]]


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
        page = score_text(source.text, as_of=date(2000, 1, 1), title=source.title, evidence=False)
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
    study = _Study(seed, draws, contents, sources_of(answers))
    asked = grouped((asked_as(o.query), o.engine) for of_file in loaded for o in of_file.outcomes)
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
        found = [self._queries(engine, of) for engine, of in grouped((a.engine, a) for a in answers).items()]
        if not any(comparison["met"] for comparison in found):
            return undefined("no two sources meet in two or more distinct queries of one engine")
        return found

    def _queries(self, engine: str, answers: Iterable[Answer]) -> dict[str, Any]:
        """All answers to a query are averaged, so that it counts once."""
        by_query = grouped((a.query, a) for a in answers)
        runs = {query: of_engine_on(of_query, identity) for query, of_query in by_query.items()}
        met_in = grouped((pair, query) for query, margins in runs.items() for pair in margins)
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
            both = grouped(item for margins in runs.values() for item in margins.items())
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
        rows = list(grouped((cluster, i) for i, cluster in enumerate(clusters)).values())
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
