"""The ceiling: how often one fixed order of two sources can be right, if their visibility changes from run to run.

If x is more visible than x' in a share p of the runs, whatever orders the two once for all is right in at most
max(p, 1 - p) of them. There are two ceilings, which are never merged:

- `query_ceiling`, the paper's: the runs are distinct queries of one engine in which the pair occurs. It limits scores
  that do not see the query.
- `engine_ceiling`: the runs are answers to one query, by `repeats` under the same instructions, `orders` of the
  sources, `instructions`, or `engines`. It limits every score that does not see the run, even one that sees the query.

Ties, runs in which both are equally visible, are counted and left out of p. For the pairs that two runs or more order:

- `upper`, the plug-in: in these very runs no order of these pairs is right more often. For further runs of the kind it
  is biased up.
- `lower`: every run predicted by the majority of the others, a tie among those one half. Biased down. With two runs it
  is how often they agree, and with three it has the same expectation.
- `bound`: two runs agree with the probability A = (1 + E(2p - 1)²)/2, and E|2p - 1| is at most the root of E(2p - 1)²,
  so the ceiling is at most (1 + √(2A - 1))/2, however few the runs. This holds for runs that are independent draws:
  runs that oppose each other, as reversed orders do, agree less often than coins, and have no such bound.
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
from steelyard.lab.outcome import co_occurrences as co
from steelyard.lab.outcome.query_shares import group_pairs
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.load import RecordFile
from steelyard.lab.outcome.score_agreement import MIN_SOURCE_WORDS, WEIGHTINGS, weigh_content
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval, resample_means
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from steelyard.support.artifacts import mark_undefined
from steelyard.support.quantile import quantile

MISSING = {  # answers that cite nothing are left out before
    co.REPEATS: "no query has two citing answers of one engine under the same instructions",
    co.ORDERS: "no query has citing answers in two orders of its sources",
    co.INSTRUCTIONS: "no query has citing answers of one engine under two instructions, in the same order",
    co.ENGINES: "no query has citing answers of two engines",
}
UPPER, BOUND, LOWER = FIGURES = ("upper", "bound", "lower")
AGREEMENT = "agreement"
OPPOSED = "the runs agree less often than coins: they are no independent draws"
CHANCE = 0.5
MIN_PAIRS = 10  # for a figure, and clusters of them for an interval
TIE = 1e-9  # shares are sums of rounded numbers

ScoreContent = Callable[[SourceRecord], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair in several runs: in how many each source is the more visible one, and in how many neither is.

    Pairs of one `cluster` depend on each other.
    """

    pair: co.SourcePair
    cluster: str
    first: int
    second: int
    ties: int = 0

    @classmethod
    def from_margins(cls, pair: co.SourcePair, cluster: str, margins: Sequence[float]) -> ComparedPair:
        first, second = sum(m > TIE for m in margins), sum(m < -TIE for m in margins)
        return cls(pair, cluster, first, second, len(margins) - first - second)

    @property
    def runs(self) -> int:
        """The runs that order the pair."""
        return self.first + self.second

    @property
    def upper(self) -> float:
        return max(self.first, self.second) / self.runs

    @property
    def lower(self) -> float:
        """The share of runs that the majority of the others predicts."""
        right = self.first * _majority(self.first - 1, self.second)
        right += self.second * _majority(self.second - 1, self.first)
        return right / self.runs

    @property
    def agreement(self) -> float:
        """The share of pairs of runs that order the pair alike."""
        return sum(n * (n - 1) for n in (self.first, self.second)) / (self.runs * (self.runs - 1))

    def concordance(self, margin: float) -> float:
        """Return the share of runs that order the pair as a score with this margin does; a tie is half right."""
        return (self.first if margin > 0 else self.second) / self.runs if margin else CHANCE


def _majority(ayes: int, noes: int) -> float:
    return CHANCE if ayes == noes else float(ayes > noes)


def bound_ceiling(agreement: float) -> float:
    """Return the highest ceiling of draws that agree so often."""
    return (1 + math.sqrt(max(0.0, 2 * agreement - 1))) / 2


@cache
def score_content(source: SourceRecord) -> Mapping[str, float]:
    """Return a source's content score by weighting, with the record's title; empty in an unsupported language."""
    try:
        paper, any_day = editions.load(editions.PAPER), date(2000, 1, 1)  # content does not depend on the date
        page = score_text(source.text, as_of=any_day, title=source.title, edition=paper, evidence=False)
    except UnsupportedLanguage:
        return {}
    return weigh_content(page)


def measure_ceiling(
    files: Sequence[RecordFile], mode: str, *, seed: int = 0, draws: int = 1000, score: ScoreContent = score_content
) -> dict[str, Any]:
    """Return both ceilings of the unedited answers in some files, and what the content score reaches."""
    answers, described = co.collect_answers(files, mode)
    comparison = _Comparison(seed, draws, score, co.choose_shortest_texts(answers))
    engines_asked = group_pairs((co.normalize_query(o.query), o.engine) for file in files for o in file.outcomes)
    return {
        "mode": mode,
        "records": described,
        "seed": seed,
        "draws": draws,
        "fewest": MIN_PAIRS,
        "chance": CHANCE,
        "weightings": list(WEIGHTINGS),
        "query_ceiling": comparison.measure_queries(answers),
        "engine_ceiling": comparison.measure_runs(co.compare_runs(answers, engines_asked)),
    }


@dataclass(frozen=True)
class _Comparison:
    """What every comparison needs."""

    seed: int
    draws: int
    score: ScoreContent
    sources: Mapping[str, SourceRecord]

    def measure_queries(self, answers: Sequence[co.EngineAnswer]) -> Any:
        """Return one comparison for every engine; undefined if no pair occurs twice."""
        comparisons = [self._compare_queries(*group) for group in group_pairs((a.engine, a) for a in answers).items()]
        if not any(comparison["met"] for comparison in comparisons):
            return mark_undefined("no two sources meet in two or more distinct queries of one engine")
        return comparisons

    def _compare_queries(self, engine: str, answers: Iterable[co.EngineAnswer]) -> dict[str, Any]:
        """Compare the queries of one engine; all answers to a query are averaged, so that it counts once."""
        by_query = group_pairs((a.query, a) for a in answers)
        runs = {query: co.average_engine(of_query, co.identify_source) for query, of_query in by_query.items()}
        queries_of = group_pairs((pair, query) for query, margins in runs.items() for pair in margins)
        queries_of = {pair: queries for pair, queries in queries_of.items() if len(queries) > 1}
        cluster = co.cluster_queries(queries_of.values())
        pairs = [
            ComparedPair.from_margins(pair, cluster[queries[0]], [runs[q][pair] for q in queries])
            for pair, queries in queries_of.items()
        ]
        queries = {query for p in pairs if p.runs > 1 for query in queries_of[p.pair]}
        figures = self._describe(pairs, "queries")
        return {"engines": [engine], "answered": len(runs), "queries": len(queries), **figures}

    def measure_runs(self, kinds: Mapping[str, Mapping[co.Group, Mapping[str, co.Runs]]]) -> dict[str, Any]:
        if not any(kinds.values()):
            return mark_undefined("no query has two answers that cite anything")
        by_kind = {kind: [self._compare_runs(*group) for group in groups.items()] for kind, groups in kinds.items()}
        return {
            "order": list(co.KINDS),
            **{kind: found or mark_undefined(MISSING[kind]) for kind, found in by_kind.items()},
        }

    def _compare_runs(self, group: co.Group, by_query: Mapping[str, co.Runs]) -> dict[str, Any]:
        collection, engines, instructions = group
        pairs = []
        for query, runs in by_query.items():
            margins = group_pairs(item for of_run in runs.values() for item in of_run.items())
            pairs += [ComparedPair.from_margins(pair, query, m) for pair, m in margins.items() if len(m) > 1]
        return {
            "collection": collection,
            "engines": list(engines),
            "instructions": instructions,
            "compared": list(dict.fromkeys(run for runs in by_query.values() for run in runs)),
            "answered": len(by_query),
            "same_sources": sum(len(set(map(frozenset, runs.values()))) == 1 for runs in by_query.values()),
            "queries": len({p.cluster for p in pairs if p.runs > 1}),
            **self._describe(pairs, "runs"),
        }

    def _describe(self, pairs: Sequence[ComparedPair], unit: str) -> dict[str, Any]:
        """Return counts and figures; `tally` has what all figures except the intervals are made of."""
        used = [p for p in pairs if p.runs > 1]
        runs, ties = sum(p.runs + p.ties for p in pairs), sum(p.ties for p in pairs)
        tally = Counter((p.runs, max(p.first, p.second)) for p in used)
        why = (
            f"two {unit} or more order {len(used)} of the {len(pairs)} pairs that meet in them, {MIN_PAIRS} are needed"
            if pairs
            else f"no two sources meet in two {unit}"
        )
        return {
            "met": len(pairs),
            "pairs": len(used),
            "clusters": len({p.cluster for p in used}),
            "pair_runs": runs,
            "ties": ties / runs if runs else None,
            "tally": [{"runs": n, "majority": most, "pairs": tally[n, most]} for n, most in sorted(tally)],
            "figures": self._measure_figures(used) if len(used) >= MIN_PAIRS else mark_undefined(why),
        }

    def _measure_figures(self, used: Sequence[ComparedPair]) -> dict[str, Any]:
        sources = [self.sources[name] for name in sorted({name for p in used for name in p.pair})]
        words = quantile([len(s.text.split()) for s in sources], 0.5)
        columns = {name: [getattr(p, name) for p in used] for name in (UPPER, LOWER, AGREEMENT)}
        if words >= MIN_SOURCE_WORDS:
            columns |= self._measure_concordance(used)
        measured = self._add_intervals([p.cluster for p in used], columns)
        agree = measured.pop(AGREEMENT)
        ends = agree["interval"] and [bound_ceiling(end) for end in agree["interval"]]
        opposed = max(agree["interval"] or [agree["value"]]) < CHANCE
        return {
            "order": list(FIGURES),
            UPPER: measured.pop(UPPER),
            BOUND: mark_undefined(OPPOSED) if opposed else {"value": bound_ceiling(agree["value"]), "interval": ends},
            LOWER: measured.pop(LOWER),
            AGREEMENT: agree,
            "content": measured
            or mark_undefined(f"snippets: the median source has {words:g} words of {MIN_SOURCE_WORDS}"),
        }

    def _measure_concordance(self, used: Sequence[ComparedPair]) -> dict[str, list[float]]:
        """Return every pair's concordance by weighting; a source that cannot be scored equals every other."""
        by_name: dict[str, list[float]] = {name: [] for name in WEIGHTINGS}
        for p in used:
            first_score, second_score = (self.score(self.sources[name]) for name in p.pair)
            for name, values in by_name.items():
                values.append(
                    p.concordance(first_score[name] - second_score[name] if first_score and second_score else 0.0)
                )
        return by_name

    def _add_intervals(self, clusters: Sequence[str], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
        """Return the mean over pairs, and its interval over resamples of whole clusters; None for few clusters."""
        rows = list(group_pairs((cluster, i) for i, cluster in enumerate(clusters)).values())
        sizes = [float(len(row)) for row in rows]
        rng = random.Random(f"{self.seed}|ceiling")  # the same for all: equal records have equal intervals
        draws = draw_resamples(len(rows), self.draws, rng) if len(rows) >= MIN_PAIRS else []
        (mean_sizes,) = resample_means([sizes], draws)
        figures = {}
        for name, values in columns.items():
            (sums,) = resample_means([[math.fsum(values[i] for i in row) for row in rows]], draws)
            drawn = [total / size for total, size in zip(sums, mean_sizes, strict=True)]
            figures[name] = {"value": mean(values), "interval": list(percentile_interval(drawn)) if drawn else None}
        return figures
