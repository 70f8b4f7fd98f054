"""Falsify: the five gates on any scorer. Our own is judged the same way, with the figures that need its weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import SPLITS, TEST, CorpusPage
from steelyard.lab.edits.base import NothingToChange, Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.protocol.capture import (
    AGAIN,
    NO_EDIT,
    NOT_ASKED,
    Capture,
    CapturePlan,
    GaveUp,
    Row,
    Value,
    build_header,
    capture,
)
from steelyard.lab.protocol.component_values import require_component_values
from steelyard.lab.protocol.gates import DRAWS, Verdict, all_passed, count_passed, judge, record_verdicts
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.invariances import INVARIANCES
from steelyard.lab.protocol.lever_gains import (
    compute_ceilings,
    find_largest_gain,
    measure_changes,
    measure_combined,
    measure_curves,
    measure_exploratory,
    measure_gains,
    select_long_sources,
)
from steelyard.lab.protocol.repeatability import TOLERANCE, measure_invariances, measure_repeatability
from steelyard.lab.protocol.variants import BASE, INTERVENTIONS, NOT_COUNTED, VARIANTS, PageVariant
from steelyard.lab.scorers.base import CRASHED, POINTS, TIMED_OUT, Passage, Scorer
from steelyard.lab.scorers.own import OwnScorer, recompute_score
from steelyard.scoring.page import contributions, transform
from steelyard.scoring.weighting import Weighting

ALL = "all"
FORMS = {change.name: change.form for change in INVARIANCES}  # of the variants that say the same in another form
MAX_EXAMPLES = 3  # examples of each kind of failure in the report
FIGURES: Mapping[str, Value] = {POINTS: itemgetter(POINTS)}
OWN_FIGURES: Mapping[str, Value] = {name: itemgetter(name) for name in ("content", "score")}


@dataclass(frozen=True)
class Falsified:
    """The result for one scorer: verdicts on all sources and on each split, and everything that went wrong."""

    scorer: str
    capture: Capture
    verdicts: Mapping[str, tuple[Verdict, ...]]
    failures: Mapping[str, tuple[Row, ...]]
    unstable: tuple[tuple[str, float, float], ...]
    figures: Mapping[str, Value]  # those that the exploratory levers are measured in
    gave_up: str = ""
    draws: int = DRAWS
    seed: int = 0
    repeatability: Mapping[str, Any] | None = None

    @property
    def gates(self) -> dict[str, Verdict]:
        """The verdict of every gate on all sources."""
        return {v.gate: v for v in self.verdicts[ALL]}

    @property
    def survives(self) -> bool:
        """Whether all five gates pass on all sources and no call failed.

        Every page must have scored the same twice, too, unless its scores were repeated: then the noise is known, and
        the intervals over pages contain it.
        """
        return all_passed(self.verdicts[ALL]) and not self.failures and not (self.unstable and not self.repeatability)

    @property
    def unanswered(self) -> tuple[Row, ...]:
        """The failed calls of a scorer that crashed or timed out on every page, crashes first; empty if it answered."""
        answered = self.capture.values() or self.failures.keys() - {CRASHED, TIMED_OUT}
        return () if answered else (*self.failures.get(CRASHED, ()), *self.failures.get(TIMED_OUT, ()))

    def record(self) -> dict[str, Any]:
        """Return the result as it is written to artifacts."""
        responses = self.capture.responses()
        enough = len(responses) >= MIN_SOURCES
        long = select_long_sources(responses)
        points = [
            values[POINTS]
            for variants in self.capture.values().values()
            for name, values in variants.items()
            if name not in NOT_COUNTED | FORMS.keys()
        ]
        unstable = () if self.repeatability else self.unstable  # with its noise measured, it is judged by that
        return {
            "scorer": self.scorer,
            "survives": self.survives,
            "passed": count_passed(self.verdicts[ALL]),
            "sources": len(responses),
            "long_sources": len(long),
            "verdicts": {split: record_verdicts(verdicts) for split, verdicts in self.verdicts.items()},
            "curves": measure_curves(responses, draws=self.draws, seed=self.seed) if enough else {},
            "gains": measure_gains(long) if len(long) >= MIN_SOURCES else [],
            "failures": {
                kind: {
                    "calls": len(rows),
                    "examples": [f"{r['source']} ({r['variant']}): {r['detail']}" for r in rows[:MAX_EXAMPLES]],
                }
                for kind, rows in self.failures.items()
            },
            "not_deterministic": {
                "sources": len(unstable),
                "examples": [
                    f"{source}: {first!r}, then {second!r}" for source, first, second in unstable[:MAX_EXAMPLES]
                ],
            },
            "repeatability": self.repeatability,
            "invariances": measure_invariances(self.capture.values(), FORMS),
            "gave_up": self.gave_up,
            # A scale of 0 to 1 that is read as 0 to 100 shows here.
            "scale": {"lowest": min(points, default=None), "highest": max(points, default=None)},
            "exploratory": measure_exploratory(self.capture, self.figures, draws=self.draws, seed=self.seed),
        }


def falsify(
    pages: Sequence[CorpusPage],
    scorer: Scorer,
    *,
    corpus: str,
    digest: str,
    plan: CapturePlan | None = None,
    draws: int = DRAWS,
    repeat: int = 1,
    bounds: Mapping[str, float] | None = None,
    jobs: int | None = None,
    quiet: bool = True,
) -> Falsified:
    """Capture the scorer on every variant, and on the untouched page once more, and judge it.

    Args:
        pages: The sources.
        scorer: The scorer to judge.
        corpus: The name of the corpus.
        digest: Its hash.
        plan: How the variants are made; its own variants are not used.
        draws: Resamples of the intervals.
        repeat: How often a sample of the untouched pages is scored; from 2 on, a scorer that differs from itself is
            judged with its noise instead of being refused.
        bounds: Other bounds for some gates, by name.
        jobs: How many processes to use.
        quiet: Show no progress.
    """
    plan = replace(plan or CapturePlan(), variants=(*VARIANTS, AGAIN, *INVARIANCES))
    header = build_header(pages, digest, corpus, scorer, plan)
    gave_up = ""
    try:
        captured = capture(pages, scorer, header, plan, jobs=jobs, quiet=quiet)
    except GaveUp as error:
        captured, gave_up = Capture(header, tuple(error.rows)), str(error)
    figures = OWN_FIGURES if isinstance(scorer, OwnScorer) and scorer.component is None else FIGURES
    repeats = measure_repeatability(pages, scorer, plan, repeat, jobs=jobs, quiet=quiet) if repeat > 1 else None
    judged = judge_capture(captured, gave_up=gave_up, figures=figures, draws=draws, seed=plan.seed, bounds=bounds)
    return replace(judged, repeatability=repeats)


def list_passages(pages: Sequence[CorpusPage], plan: CapturePlan) -> Iterator[Passage]:
    """Yield every text that `falsify` asks a scorer about, pages in their order."""
    asked: tuple[PageVariant, ...] = (*VARIANTS, *INVARIANCES)
    for page in pages:
        target = Target(page.view(plan.view), page.language)
        for variant in asked:
            try:
                text = variant.apply(target, seed=plan.seed, arm=plan.arm)
            except (TooLittleText, NothingToChange):
                continue
            yield Passage(text, page.language, page.view_title(plan.view))


def judge_capture(
    capture: Capture,
    *,
    gave_up: str = "",
    figures: Mapping[str, Value] = FIGURES,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Mapping[str, float] | None = None,
) -> Falsified:
    """Judge a capture of any scorer."""
    failures: dict[str, list[Row]] = {}
    for row in capture.failures():
        if row["failed"] not in (NO_EDIT, NOT_ASKED) and row["variant"] not in NOT_COUNTED | FORMS.keys():
            failures.setdefault(row["failed"], []).append(row)
    verdicts = {
        split or ALL: judge(capture.responses(split=split), draws=draws, seed=seed, bounds=bounds)
        for split in (None, *SPLITS)
    }
    return Falsified(
        scorer=str(capture.header.parameters["name"]),
        capture=capture,
        verdicts=verdicts,
        failures={kind: tuple(rows) for kind, rows in failures.items()},
        unstable=tuple(_find_unstable(capture)),
        figures=figures,
        gave_up=gave_up,
        draws=draws,
        seed=seed,
    )


def _find_unstable(capture: Capture) -> list[tuple[str, float, float]]:
    """Return the sources whose untouched page scored differently the second time, with both scores."""
    unstable = []
    for source, variants in capture.values().items():
        if BASE.name in variants and AGAIN.name in variants:
            first, second = variants[BASE.name][POINTS], variants[AGAIN.name][POINTS]
            if abs(first - second) > TOLERANCE:
                unstable.append((source, first, second))
    return unstable


def judge_weighting(capture: Capture, weighting: Weighting, *, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """Judge `content` under a weighting, with the analytic ceilings and the combined gain.

    Raises:
        SteelyardError: The capture is of another scorer.
    """
    content = weigh(capture, weighting)
    everything, held_out = content.responses(), content.responses(split=TEST)
    long = select_long_sources(everything)
    order = [{"edit": e, "response": held_out.delta(e, 1)} for e in INTERVENTIONS] if len(held_out) else []
    enough = len(long) >= MIN_SOURCES
    figures: dict[str, Value] = {
        "content": itemgetter(POINTS),
        "score": partial(recompute_score, weights=weighting.weights),
    }
    result = judge_capture(content, figures=figures, draws=draws, seed=seed).record()
    gains = measure_gains(everything) if len(everything) >= MIN_SOURCES else []
    return {
        **result,
        "scorer": weighting.name,
        "weights": dict(weighting.weights),
        "ceilings": compute_ceilings(_base_means(capture, long.sources), weighting.weights) if enough else {},
        "combined": measure_combined(long) if enough else [],
        "order": sorted(order, key=lambda o: -o["response"]),
        "all_pages": {
            "gains": gains,
            "changes": measure_changes(everything, seed=seed) if gains else [],
            "ceilings": compute_ceilings(_base_means(capture, everything.sources), weighting.weights) if gains else {},
        },
        "largest_gain": {
            "all_pages": find_largest_gain(gains, everything, seed=seed) if gains else None,
            "long_pages": find_largest_gain(result["gains"], long, seed=seed) if result["gains"] else None,
        },
    }


def weigh(capture: Capture, weighting: Weighting) -> Capture:
    """Return a capture of our own scorer whose points are `content` under a weighting.

    Raises:
        SteelyardError: The capture is of another scorer.
    """
    require_component_values(capture)
    return Capture(capture.header, tuple(_set_points(row, weighting) for row in capture.rows))


def _set_points(row: dict[str, Any], weighting: Weighting) -> dict[str, Any]:
    if "values" not in row:
        return row
    points = min(100.0, math.fsum(contributions(row["values"], weighting.weights).values()))
    return {**row, "values": {**row["values"], POINTS: points}}


def _base_means(capture: Capture, sources: tuple[str, ...]) -> dict[str, float]:
    """Return mean g(f_i) over the untouched sources."""
    values = capture.values()
    return {name: mean([transform(values[s][BASE.name][name]) for s in sources]) for name in NAMES}
