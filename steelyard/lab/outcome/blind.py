"""The ceiling by design: how far one order of five sources can get over eight questions about them.

Every set of sources is asked the same number of questions, each in every rotation, again under another prompt, and
again under the same prompt with words drawn. A score that does not see the question orders the sources once. What it
can reach is estimated in two ways:

- `crossed`: the sources ordered by their mean share over the other questions of the set, judged on the one left out.
  It can be reached by somebody who knows these answers, and is biased down: seven questions are not all.
- `limit`: what the mean over ever more questions would reach, the root of the mean correlation between two questions.
  It is C^max where questions of a set are draws of one kind, and it is undefined where they do not correlate.

`repeat` is how well another answer to the same question orders the sources. The root of that is what the mean over
ever more answers would reach: no score knows more, also one that sees the question. `noise` is another answer under the
other prompt. Intervals resample the queries that the sets come from, since several sets come from one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.calls import CallShares
from steelyard.lab.outcome.query_shares import MIN_QUERIES, group_pairs
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval
from steelyard.support.artifacts import mark_undefined

TIE = 1e-9
CROSSED, REPEAT, NOISE = "crossed", "repeat", "noise"
LIMIT, NOISE_LIMIT = "limit", "noise_limit"
Shares = tuple[float, ...]  # of a set's sources, in its own order
UNRELATED = "two questions about the same sources do not order them alike, so no order serves both"


def average_rotations(calls: Sequence[CallShares], kind: str) -> dict[str, dict[str, Shares]]:
    """Return by set and question every source's share over all rotations; a question that lacks one is left out."""
    found: dict[str, dict[str, Shares]] = {}
    for query, of_query in group_pairs((c.query, c) for c in calls).items():
        shares = [(c.place, values) for c in of_query if (values := getattr(c, kind))]
        n = max((len(values) for _, values in shares), default=0)
        if n and {place for place, _ in shares} == set(range(n)):
            # Source i stands i places after the first one.
            by_source = [mean([values[(i + place) % n] for place, values in shares]) for i in range(n)]
            found.setdefault(query.rpartition(".")[0], {})[query] = tuple(by_source)
    return found


def measure_blind(
    asked: Mapping[str, Mapping[str, Shares]],
    others: Mapping[str, Mapping[str, Mapping[str, Shares]]],
    scores: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """Return every figure as a mean over sets, with its interval over resampled queries.

    Args:
        asked: The shares to be ordered, by set and question.
        others: Other answers to the same questions, by what they are: `REPEAT`, `NOISE`.
        scores: By weighting and set, the content score of every source.
        draws: Resamples.
        seed: Of the resampling.
    """
    sets = [name for name, questions in asked.items() if len(questions) > 1]
    of_query = list(group_pairs((name.rpartition(".")[0] or name, i) for i, name in enumerate(sets)).values())
    drawn_queries = (
        draw_resamples(len(of_query), draws, random.Random(f"{seed}|blind")) if len(of_query) >= MIN_QUERIES else []
    )
    resamples = [[i for q in drawn for i in of_query[q]] for drawn in drawn_queries]

    def average(judge: Callable[[Sequence[float], Sequence[float]], float | None], order: Any) -> dict[str, Any]:
        values = []
        for name in sets:
            judged = [judge(guess, real) for guess, real in order(name) if guess is not None]
            known = [v for v in judged if v is not None]
            values.append(mean(known) if known else None)

        def of(indices: Sequence[int]) -> float:
            kept = [v for i in indices if (v := values[i]) is not None]
            return mean(kept) if kept else 0.0

        return {
            "sets": sum(v is not None for v in values),
            "value": of(range(len(sets))),
            "interval": list(percentile_interval([of(drawn) for drawn in resamples])) if resamples else None,
        }

    def crossed(name: str) -> list[tuple[Shares, Shares]]:
        questions = asked[name]
        return [
            (tuple(mean(column) for column in zip(*(s for q, s in questions.items() if q != left), strict=True)), real)
            for left, real in questions.items()
        ]

    orders: dict[str, Any] = {
        CROSSED: crossed,
        **{
            other: lambda name, by_set=by_set: [(by_set.get(name, {}).get(q), real) for q, real in asked[name].items()]
            for other, by_set in others.items()
        },
        **{
            weighting: lambda name, by_set=by_set: [(by_set.get(name), real) for real in asked[name].values()]
            for weighting, by_set in scores.items()
        },
    }
    between = average(spearman, lambda name: combinations(asked[name].values(), 2))
    figures = {
        name: {"spearman": average(spearman, order), "pairs": average(order_pairs, order)}
        for name, order in orders.items()
    }
    return {
        "sets": len(sets),
        "queries": len(of_query),
        "questions": sum(len(asked[name]) for name in sets),
        "order": list(orders),
        "figures": figures,
        "between": between,
        LIMIT: take_root(between),
        **({NOISE_LIMIT: take_root(figures[REPEAT]["spearman"])} if REPEAT in figures else {}),
    }


def order_pairs(guess: Sequence[float], real: Sequence[float]) -> float | None:
    """Return the share of pairs with different shares that a guess orders rightly; an equal guess is half right."""
    right = [
        0.5 if abs(guess[a] - guess[b]) <= TIE else float((guess[a] > guess[b]) == (real[a] > real[b]))
        for a, b in combinations(range(len(real)), 2)
        if abs(real[a] - real[b]) > TIE
    ]
    return mean(right) if right else None


def take_root(between: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limit of the mean over ever more questions."""
    interval = between["interval"]
    if between["value"] <= 0:
        return mark_undefined(UNRELATED)
    ends = None if interval is None else [math.sqrt(max(0.0, end)) for end in interval]
    return {"value": math.sqrt(between["value"]), "interval": ends}
