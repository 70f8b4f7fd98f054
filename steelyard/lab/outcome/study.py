"""The analysis of outcome records: files in, one result for each data set out."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, TypeVar

from steelyard.errors import SteelyardError
from steelyard.lab.outcome import score_agreement as agreement
from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.effects import AVERAGED, POOLED, measure_effects, measure_filler, measure_rewrites
from steelyard.lab.outcome.experiment import CANARY, call_name, count_canaries, has_order
from steelyard.lab.outcome.pawc import MODES, STRICT, measure_shares
from steelyard.lab.outcome.position_effect import measure_position
from steelyard.lab.outcome.query_shares import Bootstrap, QueryShares, compute_query_shares, group_pairs
from steelyard.lab.outcome.records.base import BASELINE, GIVEN, Outcome
from steelyard.lab.outcome.records.load import RECOMMENDED, RecordFile
from steelyard.lab.outcome.score_dispersion import draw_training_queries, measure_dispersion
from steelyard.lab.outcome.soft_shares import ForcedCitations, soften
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

T = TypeVar("T")
MAX_LISTED = 120  # untouched answers up to which every share is in the artifact
COMPLETE = 0.9  # share of its queries with every arm in every order answered, from which an engine's effects are pooled


def analyse_records(
    files: Sequence[RecordFile],
    *,
    mode: str = RECOMMENDED,
    tag: str | None = None,
    forced: Mapping[str, ForcedCitations] | None = None,
    as_of: date,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Return everything that can be said of each data set; several files of one data set are one.

    Args:
        files: Loaded records.
        mode: How citations are read; RECOMMENDED is what fits the file.
        tag: Only queries with this tag.
        forced: Probabilities of forced citations by call, for soft shares in addition to the written ones; None for
            those in the journals themselves.
        as_of: For freshness.
        draws: Resamples of the bootstrap.
        seed: Of the resampling.
    """
    recorded = {call: citations for f in files for call, citations in f.forced.items()}
    analysis = _Analysis(recorded if forced is None else forced, as_of, draws, seed)
    sets = group_pairs((file.dataset, file) for file in files)
    sections = {}
    for name, of_set in sets.items():
        rows, repeated = _drop_repeats([r for f in of_set for r in f.rewrites], lambda r: (r.query_id, r.method))
        if rows and tag is None:
            section = {"rewrites": measure_rewrites(rows, draws=draws, seed=seed)}
        else:
            outcomes, repeated = collect_outcomes(of_set, tag)
            if not outcomes:
                tags = sorted({t for f in of_set for o in f.outcomes for t in o.tags})
                raise SteelyardError(
                    f"{name}: there are no answers to analyse"
                    if tag is None
                    else f"{name}: no outcome has the tag {tag!r}; there are: {', '.join(tags) or 'none'}"
                )
            planned = count_planned_queries(of_set) if tag is None else {}
            section = analysis.analyse(outcomes, _choose_mode(mode, of_set), planned)
        sections[name] = {**section, "notes": [*list_notes(of_set), *repeated]}
    return {"order": list(sets), "tag": tag, "sets": sections}


@dataclass(frozen=True, slots=True)
class _Analysis:
    """What the analysis of every data set of answers needs."""

    forced: Mapping[str, ForcedCitations]
    as_of: date
    draws: int
    seed: int

    def analyse(self, outcomes: Sequence[Outcome], mode: str, planned: Mapping[str, int]) -> dict[str, Any]:
        kept, excluded = compute_query_shares(outcomes, mode)
        levers = list(dict.fromkeys(o.arm for o in outcomes if o.arm not in (BASELINE, CANARY, CONTROL)))
        controlled = any(o.arm == CONTROL for o in outcomes)
        coverage = measure_coverage(outcomes, planned)
        complete = select_complete(kept, coverage)
        effects = untouched = length = None
        if levers:
            measure = partial(measure_effects, levers=levers, draws=self.draws, seed=self.seed)
            effects = measure(complete, against=CONTROL if controlled else BASELINE)
            if controlled:
                untouched = measure(complete, against=BASELINE)[POOLED]
                length = measure_filler(complete, draws=self.draws, seed=self.seed)
        return {
            "mode": mode,
            "answers": len(outcomes),
            "queries": len({o.query_id for o in outcomes}),
            "allocated": compare_modes(outcomes),
            "shares": list_shares(outcomes),
            "excluded": excluded,
            "kept": len(kept),
            "coverage": coverage,
            "observed": analyse_baseline(kept, mode, as_of=self.as_of, draws=self.draws, seed=self.seed),
            "canary": count_canaries(outcomes),
            "effects": effects,
            "over_untouched": untouched and {lever: untouched[lever][AVERAGED] for lever in untouched},
            "length": length,
            "soft": self._analyse_soft_shares(outcomes, coverage, levers) if self.forced else None,
        }

    def _analyse_soft_shares(
        self, outcomes: Sequence[Outcome], coverage: Mapping[str, Any], levers: Sequence[str]
    ) -> dict[str, Any]:
        """Return the effects and the position effect of soft shares."""
        known = [citations for o in outcomes if (citations := self.forced.get(call_name(o.query_id, o.arm, o.order)))]
        softened = soften(outcomes, self.forced)
        kept, excluded = compute_query_shares(softened, GIVEN)
        complete = select_complete(kept, coverage)
        untouched = [v for v in kept if v.arm == BASELINE]
        return {
            "answers": len(softened),
            "unmatched": len(outcomes) - len(softened),
            "forced": sum(len(citations.probabilities) for citations in known),
            "own": sum(citations.own for citations in known),
            "excluded": excluded,
            "effects": measure_effects(complete, levers=levers, draws=self.draws, seed=self.seed)[POOLED],
            "length": measure_filler(complete, draws=self.draws, seed=self.seed),
            "position": measure_position(untouched, Bootstrap(self.draws, random.Random(f"{self.seed}|soft"))),
        }


def select_complete(kept: Sequence[QueryShares], coverage: Mapping[str, Any]) -> list[QueryShares]:
    return [v for v in kept if coverage.get(v.group, {}).get("kept", True)]


def measure_coverage(outcomes: Sequence[Outcome], planned: Mapping[str, int]) -> dict[str, Any]:
    """Return for every engine and run with edits the share of its queries with every arm in every order answered.

    `planned` are the queries an engine was to be asked: in an interrupted run most may have no answer at all.
    """
    groups: dict[str, dict[str, set[tuple[str, str]]]] = {}
    sources = {o.query_id: len(o.shown) for o in outcomes}
    for o in outcomes:
        groups.setdefault(o.group, {}).setdefault(o.query_id, set()).add((o.arm, o.order))
    by_group = {}
    for group, queries in groups.items():
        wanted = set().union(*queries.values())
        if len({arm for arm, _ in wanted}) < 2:
            continue  # nothing was edited, so there is nothing to pair
        complete = sum(
            answered == {w for w in wanted if has_order(w[1], sources[query])} for query, answered in queries.items()
        )
        asked = max(len(queries), planned.get(group, 0))
        share = complete / asked
        by_group[group] = {"queries": asked, "complete": complete, "share": share, "kept": share >= COMPLETE}
    return by_group


def compare_modes(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return for every mode how many answers allocate, how many by the fallback, and citations out of range."""
    answers = [(o.answer, len(o.shown)) for o in outcomes if o.answer is not None]
    by_mode = {}
    strict = [measure_shares(text, n, STRICT) for text, n in answers]
    for mode in MODES if answers else ():
        measured = [measure_shares(text, n, mode) for text, n in answers]
        apart = [
            max(abs(a - b) for a, b in zip(v.shares, s.shares, strict=True))
            for v, s in zip(measured, strict, strict=True)
            if v.shares is not None and s.shares is not None
        ]
        by_mode[mode] = {
            "answers": len(answers),
            "from_strict": {"median": quantile(apart, 0.5), "largest": max(apart)} if apart else None,
            "allocate": sum(v.shares is not None for v in measured),
            "fallback": sum(v.fallback for v in measured),
            "uncited": sum(not v.citations for v in measured),
            "out_of_range": sum(v.out_of_range for v in measured),
        }
    return by_mode


def list_shares(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Return the untouched answers' shares in every mode, for sets small enough to be read."""
    untouched = [o for o in outcomes if o.arm == BASELINE and o.answer is not None]
    if not 0 < len(untouched) <= MAX_LISTED:
        return None
    return {f"{o.group}|{o.query_id}|{o.order}": {mode: o.shares(mode) for mode in MODES} for o in untouched}


def _choose_mode(mode: str, files: Sequence[RecordFile]) -> str:
    modes = {f.mode for f in files}
    if modes == {GIVEN}:
        return GIVEN  # there is no answer that could be read in another way
    if mode != RECOMMENDED:
        return mode
    return modes.pop() if len(modes) == 1 else STRICT


def collect_outcomes(files: Sequence[RecordFile], tag: str | None = None) -> tuple[list[Outcome], list[str]]:
    outcomes = [o for f in files for o in f.outcomes if tag is None or tag in o.tags]
    return _drop_repeats(outcomes, lambda o: (o.engine, o.run, o.query_id, o.arm, o.order))


def _drop_repeats(every: Sequence[T], key: Callable[[T], Hashable]) -> tuple[list[T], list[str]]:
    """Return the first answer to each question, and a note if there were more: one file twice would count twice."""
    by_question = group_pairs((key(each), each) for each in every)
    repeats = len(every) - len(by_question)
    count = format_count(repeats, "answer repeats", "answers repeat")
    notes = [f"{count} a question: the first is taken"] if repeats else []
    return [answers[0] for answers in by_question.values()], notes


def count_planned_queries(files: Sequence[RecordFile]) -> dict[str, int]:
    """Return the number of queries of each engine's runs, as far as the files say."""
    planned = group_pairs((o.engine, f.planned) for f in files for o in f.outcomes)
    return {engine: max(of_engine) for engine, of_engine in planned.items()}


def list_notes(files: Sequence[RecordFile]) -> list[str]:
    return list(dict.fromkeys(note for f in files for note in f.notes))


def analyse_baseline(
    records: Sequence[QueryShares], mode: str, *, as_of: date, draws: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """Return the four blocks for every group and pooled; edited answers do not enter.

    Blocks of content are undefined if sources are snippets, and pooled over the other groups, which are named. Only
    answers asked in several orders enter an average over orders.
    """
    kept = [v for v in records if v.arm == BASELINE]
    groups = group_pairs((v.group, v) for v in kept)
    scorable = [group for group, of_group in groups.items() if agreement.explain_snippets(of_group) is None]
    long = [v for v in kept if v.group in scorable]
    known = agreement.score_sources(long, as_of)
    train = draw_training_queries(v.key for v in kept)

    def bootstrap(block: str) -> Bootstrap:
        """Return a block's own resamples, the same for every group: equal records have equal intervals."""
        return Bootstrap(draws, random.Random(f"{seed}|{block}"))

    def make_blocks(records: Sequence[QueryShares], long: Sequence[QueryShares]) -> dict[str, Any]:
        position = measure_position(records, bootstrap("position"))
        blocks: dict[str, Any] = {"queries": len({v.key for v in records}), "position": position}
        if (undefined := agreement.explain_snippets(long)) is not None:
            return {**blocks, "agreement": undefined, "freshness": undefined, "dispersion": undefined}
        sample = agreement.build_sample(long, known)
        return {
            **blocks,
            "agreement": agreement.measure_agreement(sample, bootstrap("agreement")),
            "freshness": agreement.measure_freshness(sample, bootstrap("freshness")),
            "dispersion": measure_dispersion(sample, train, bootstrap("dispersion")),
        }

    return {
        "mode": mode,
        "as_of": as_of.isoformat(),
        "draws": draws,
        "seed": seed,
        "order": list(groups),
        "groups": {group: make_blocks(of_group, of_group) for group, of_group in groups.items()},
        "pooled": {"content_of": scorable, **make_blocks(kept, long or kept)},
    }
