"""What levers do beside their own controls, beside filler and beside the page as it was, over queries and templates.

A lever is asked in several templates, each with a control of its own: the same topic words, sentences and length
without what the lever is named after. An interval resamples queries and templates, because other queries and other
wordings could have been asked; it is wide where a handful of templates disagree.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.arms import CONTROL, CONTROLS, SHORT, SHORT_FILLER, read_pairing
from steelyard.lab.outcome.calls import KINDS, SOFT, WILLING, WRITTEN, CallShares
from steelyard.lab.outcome.query_shares import MIN_QUERIES, group_pairs
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.support.quantile import quantile

OWN_CONTROL = "its own control"
AGAINST = (OWN_CONTROL, CONTROL, BASELINE)
ALPHA = 0.05
WHOLE = 0.999  # of the shares: one source gets everything

Table = Mapping[tuple[str, str], Mapping[int, CallShares]]  # by query and arm, and by the target's place
Differences = dict[str, list[float | None]]  # by query, one for each template


def measure_levers(calls: Sequence[CallShares], *, draws: int, seed: int) -> dict[str, Any]:
    """Return every comparison of every lever in a set of calls, and how the answers divide what they give."""
    table = tabulate(calls)
    arms = dict.fromkeys(c.arm for c in calls)
    pairings = [(arm, p) for arm in arms if (p := read_pairing(arm)) is not None]
    levers = {
        lever: [(name, _find_control(name, p, arms)) for name, p in of_lever if not p.inert]
        for lever, of_lever in group_pairs((p.lever, (arm, p)) for arm, p in pairings).items()
    }

    def compare(lever: str, against: str, kind: str, place: int | None = None) -> dict[str, Any]:
        filler = SHORT_FILLER if lever.endswith(SHORT) and SHORT_FILLER in arms else CONTROL
        other = {CONTROL: filler, BASELINE: BASELINE}
        compared = [(name, other.get(against, control)) for name, control in levers[lever]]
        differences = pair_templates(table, compared, kind, place)
        return summarize(differences, len(levers), draws=draws, rng=random.Random(f"{seed}|{lever}|{against}|{kind}"))

    return {
        "order": list(levers),
        "templates": {lever: len(levers[lever]) for lever in levers},
        "queries": len({c.query for c in calls}),
        "calls": len(calls),
        "outcomes": describe_outcomes([c for c in calls if c.arm == BASELINE]),
        "levers": {
            lever: {against: {kind: compare(lever, against, kind) for kind in KINDS} for against in AGAINST}
            for lever in levers
        },
        "places": {
            lever: [compare(lever, OWN_CONTROL, SOFT, place) for place in sorted({c.place for c in calls})]
            for lever in levers
        },
        "controls": {
            arm: {
                kind: summarize(
                    pair_templates(table, [(arm, BASELINE)], kind), 1, draws=draws, rng=random.Random(f"{seed}|{arm}")
                )
                for kind in (WRITTEN, SOFT)
            }
            for arm in arms
            if arm in CONTROLS
        },
    }


def _find_control(name: str, pairing: Any, arms: Iterable[str]) -> str:
    """Return the control of a template, or the lever's first where it has one for all."""
    own = name.replace("_lever_", "_control_")
    return own if own in arms else f"{pairing.lever}_control_1"


def tabulate(calls: Iterable[CallShares]) -> Table:
    by_arm = group_pairs(((c.query, c.arm), c) for c in calls)
    return {key: {c.place: c for c in of_arm} for key, of_arm in by_arm.items()}


def pair_templates(table: Table, arms: Sequence[tuple[str, str]], kind: str, place: int | None = None) -> Differences:
    """Return by query the target's share under each arm less that under what it is compared with, over all places.

    Only places in which both answers have such shares enter; a template without any has None.
    """
    found: Differences = {}
    for query in dict.fromkeys(query for query, _ in table):
        row = []
        for arm, against in arms:
            edited, other = table.get((query, arm), {}), table.get((query, against), {})
            differences = [
                a - b
                for at, call in edited.items()
                if at in other and (place is None or at == place)
                if (a := call.share(kind)) is not None and (b := other[at].share(kind)) is not None
            ]
            row.append(mean(differences) if differences else None)
        if any(d is not None for d in row):
            found[query] = row
    return found


def summarize(differences: Differences, tested: int, *, draws: int, rng: random.Random) -> dict[str, Any]:
    """Return the mean over queries, its intervals over queries and templates, and each template's mean.

    `corrected` is the interval at the level of `tested` levers together (Bonferroni).
    """
    rows = list(differences.values())
    if len(rows) < MIN_QUERIES:
        return {"n": len(rows)}
    templates = range(len(rows[0]))
    table = np.array(rows, float)  # None is NaN
    resampled = [
        average(table, rng.choices(range(len(rows)), k=len(rows)), rng.choices(templates, k=len(templates)))
        for _ in range(draws)
    ]
    values = [v for v in resampled if v is not None]
    return {
        "n": len(rows),
        "mean": average(table, range(len(rows)), templates),
        "interval": _interval(values, ALPHA),
        "corrected": _interval(values, ALPHA / tested),
        "templates": [_mean_of([row[t] for row in rows]) for t in templates],
    }


def average(table: Any, queries: Sequence[int], templates: Sequence[int]) -> float | None:
    """Return the mean over queries of the mean over templates, of what is known."""
    drawn = table[np.ix_(list(queries), list(templates))]
    known = ~np.isnan(drawn)
    counted = known.sum(axis=1)
    sums = np.where(known, drawn, 0.0).sum(axis=1)[counted > 0]
    return float((sums / counted[counted > 0]).mean()) if len(sums) else None


def _mean_of(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return mean(known) if known else None


def _interval(values: Sequence[float], alpha: float) -> list[float]:
    return [quantile(values, alpha / 2), quantile(values, 1 - alpha / 2)]


def share(part: int, of: int) -> float | None:
    return part / of if of else None


def describe_outcomes(calls: Sequence[CallShares]) -> dict[str, Any]:
    """Return how answers to the untouched page divide what they give, and where their citations come from."""
    given = [c for c in calls if c.written]
    forced, own, ties = (sum(c.counts[i] or 0 for c in calls) for i in (0, 1, 3))
    willing = None if any(c.counts[WILLING] is None for c in calls) else sum(c.counts[WILLING] or 0 for c in calls)
    return {
        "answers": len(calls),
        "nothing": len(calls) - len(given),
        "whole": share(sum(max(c.written) >= WHOLE for c in given), len(given)),
        "two": share(sum(sum(s > 0 for s in c.written) == 2 for c in given), len(given)),
        "more": share(sum(sum(s > 0 for s in c.written) > 2 for c in given), len(given)),
        "target_nothing": share(sum(c.written[c.place] == 0 for c in given), len(given)),
        "citations": share(forced + own, len(calls)),
        "forced": share(forced, forced + own),
        "willing": None if willing is None else share(willing, forced),
        "ties": share(ties, forced),
        "by_place": [mean(column) for column in zip(*(c.written for c in given), strict=True)] if given else [],
    }
