"""`outcome stats` and `outcome anchors`: records in, one result for each data set out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

from steelyard.errors import SteelyardError
from steelyard.lab.outcome import pawc
from steelyard.lab.outcome.anchors import anchors, vector
from steelyard.lab.outcome.arms import ARMS, CANARY, CONTROL
from steelyard.lab.outcome.canary import canary
from steelyard.lab.outcome.effects import changes, effects
from steelyard.lab.outcome.observed import observed
from steelyard.lab.outcome.orders import fits
from steelyard.lab.outcome.recalibration import recalibrated
from steelyard.lab.outcome.records.base import BASELINE, GIVEN, Outcome
from steelyard.lab.outcome.records.resolve import Loaded
from steelyard.lab.outcome.rewrites import rewrites
from steelyard.lab.outcome.visibility import Visibility, visibility
from steelyard.lab.protocol.readings import Readings
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.stats.summary import quantile
from steelyard.support.artifacts import undefined
from steelyard.support.wording import counted

T = TypeVar("T")
RECOMMENDED = "recommended"
FEW = 120  # untouched answers up to which every share is in the artifact
NO_ANCHORS = "it needs an effect of every lever, and one that is not 0"
COMPLETE = 0.9  # of its queries with every arm in every order answered: from there an engine's effects are pooled


def study(
    loaded: Sequence[Loaded],
    *,
    mode: str = RECOMMENDED,
    tag: str | None = None,
    as_of: date,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """Everything that can be said of each data set; several files of one data set are one."""
    sets: dict[str, list[Loaded]] = {}
    for each in loaded:
        sets.setdefault(each.dataset, []).append(each)
    sections = {}
    for name, files in sets.items():
        rows, again = _once([r for f in files for r in f.rewrites], lambda r: (r.query_id, r.method))
        if rows and tag is None:
            notes = [*_notes(files), *again]
            sections[name] = {"rewrites": rewrites(rows, draws=draws, seed=seed), "notes": notes}
            continue
        outcomes, again = _outcomes(files, tag)
        if not outcomes:
            raise SteelyardError(
                f"{name}: no answers, so that nothing can be said of them"
                if tag is None
                else f"{name}: no outcome has the tag {tag!r}; there are: {', '.join(_tags(files)) or 'none'}"
            )
        planned = _planned(files) if tag is None else {}
        found = _section(outcomes, _mode(mode, files), planned, as_of=as_of, draws=draws, seed=seed)
        sections[name] = {**found, "notes": [*_notes(files), *again]}
    return {"order": list(sets), "tag": tag, "sets": sections}


def _section(
    outcomes: Sequence[Outcome], mode: str, planned: Mapping[str, int], *, as_of: date, draws: int, seed: int
) -> dict[str, Any]:
    seen = visibility(outcomes, mode)
    arms = list(dict.fromkeys(o.arm for o in outcomes if o.arm not in (BASELINE, CANARY, CONTROL)))
    controlled = any(o.arm == CONTROL for o in outcomes)
    coverage = covered(outcomes, planned)
    whole = [v for v in seen.kept if coverage.get(v.group, {}).get("kept", True)]
    found: dict[str, Any] = {
        "mode": mode,
        "answers": len(outcomes),
        "queries": len({o.query_id for o in outcomes}),
        "allocated": allocated(outcomes),
        "shares": shares(outcomes),
        "excluded": dict(seen.excluded),
        "kept": len(seen.kept),
        "coverage": coverage,
        "observed": observed(seen, as_of=as_of, draws=draws, seed=seed),
        "canary": canary(outcomes),
        "effects": None,
        "length": None,
    }
    if arms:
        against = CONTROL if controlled else BASELINE
        found["effects"] = effects(whole, levers=arms, against=against, draws=draws, seed=seed)
        found["length"] = changes(whole, draws=draws, seed=seed) if controlled else None
    return found


def covered(outcomes: Sequence[Outcome], planned: Mapping[str, int] | None = None) -> dict[str, Any]:
    """For every engine and run with edits the share of its queries with every arm in every order answered.

    `planned` are the queries an engine was to be asked: of an interrupted run most may have no answer at all.
    """
    groups: dict[str, dict[str, set[tuple[str, str]]]] = {}
    sources = {o.query_id: len(o.shown) for o in outcomes}
    for o in outcomes:
        groups.setdefault(_group(o), {}).setdefault(o.query_id, set()).add((o.arm, o.order))
    found = {}
    for group, queries in groups.items():
        wanted = set().union(*queries.values())
        if len({arm for arm, _ in wanted}) < 2:
            continue  # nothing was edited, so there is nothing to pair
        whole = sum(seen == {w for w in wanted if fits(w[1], sources[query])} for query, seen in queries.items())
        asked = max(len(queries), (planned or {}).get(group, 0))
        share = whole / asked
        found[group] = {"queries": asked, "complete": whole, "share": share, "kept": share >= COMPLETE}
    return found


def allocated(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """In every mode how many answers allocate, how many by the fallback, and citations out of range."""
    answers = [(o.answer, len(o.shown)) for o in outcomes if o.answer is not None]
    found = {}
    strict = [pawc.visibility(text, n, pawc.STRICT) for text, n in answers]
    for mode in pawc.MODES if answers else ():
        seen = [pawc.visibility(text, n, mode) for text, n in answers]
        apart = [
            max(abs(a - b) for a, b in zip(v.adjusted, s.adjusted, strict=True))
            for v, s in zip(seen, strict, strict=True)
            if v.adjusted is not None and s.adjusted is not None
        ]
        found[mode] = {
            "answers": len(answers),
            "from_strict": {"median": quantile(apart, 0.5), "largest": max(apart)} if apart else None,
            "allocate": sum(v.adjusted is not None for v in seen),
            "fallback": sum(v.fallback for v in seen),
            "uncited": sum(v.uncited for v in seen),
            "out_of_range": sum(v.out_of_range for v in seen),
        }
    return found


def shares(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """The untouched answers' shares in every mode, for sets small enough to be read."""
    untouched = [o for o in outcomes if o.arm == BASELINE and o.answer is not None]
    if not 0 < len(untouched) <= FEW:
        return None
    return {f"{_group(o)}|{o.query_id}|{o.order}": {mode: o.shares(mode) for mode in pawc.MODES} for o in untouched}


def anchored(
    files: Sequence[Loaded],
    mode: str,
    *,
    dated: date,
    halves: tuple[Readings, Readings] | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Any]:
    """The modern anchors of runs that hold every lever and the filler; with `halves` the weights they would give."""
    outcomes, again = _outcomes(files)
    missing = sorted(set(ARMS) - {o.arm for o in outcomes})
    if missing:
        raise SteelyardError(f"undefined: no answers for {', '.join(missing)}; anchors need a whole `outcome run`")
    coverage = covered(outcomes, _planned(files))
    seen: Visibility = visibility(outcomes, mode)
    kept = [v for v in seen.kept if coverage.get(v.group, {}).get("kept", True)]
    found = effects(kept, levers=LEVERS, draws=draws, seed=seed)
    modern = anchors(found, kept, dated, judged=not any(f.embedded for f in files))
    points = vector(modern)
    weights: dict[str, Any] | None = None
    if halves is not None:
        weights = recalibrated(points, *halves) if points and any(points) else undefined(NO_ANCHORS)
    return {
        "mode": mode,
        "notes": [*_notes(files), *again],
        "coverage": coverage,
        "excluded": dict(seen.excluded),
        "anchors": modern,
        "recalibration": weights,
    }


def _group(o: Outcome) -> str:
    """As `Visible.group`."""
    return f"{o.engine}, {o.run}" if o.run else o.engine


def _mode(asked: str, files: Sequence[Loaded]) -> str:
    modes = {f.mode for f in files}
    if modes == {GIVEN}:
        return GIVEN  # there is no answer that could be read in another way
    if asked != RECOMMENDED:
        return asked
    return modes.pop() if len(modes) == 1 else "strict"


def _outcomes(files: Sequence[Loaded], tag: str | None = None) -> tuple[list[Outcome], list[str]]:
    asked = [o for f in files for o in f.outcomes if tag is None or tag in o.tags]
    return _once(asked, lambda o: (o.engine, o.run, o.query_id, o.arm, o.order))


def _once(every: Sequence[T], key: Callable[[T], Hashable]) -> tuple[list[T], list[str]]:
    """The first answer to each question, and a note where there were more: one file twice would count for two."""
    found: dict[Hashable, T] = {}
    for each in every:
        found.setdefault(key(each), each)
    again = len(every) - len(found)
    return list(found.values()), [
        f"{counted(again, 'answer repeats', 'answers repeat')} a question: the first is taken"
    ] if again else []


def _planned(files: Sequence[Loaded]) -> dict[str, int]:
    """Engine → queries of its runs, as far as the files say."""
    found: dict[str, int] = {}
    for file in files:
        for engine in {o.engine for o in file.outcomes}:
            found[engine] = max(found.get(engine, 0), file.planned)
    return found


def _notes(files: Sequence[Loaded]) -> list[str]:
    return list(dict.fromkeys(note for f in files for note in f.notes))


def _tags(files: Sequence[Loaded]) -> list[str]:
    return sorted({tag for f in files for o in f.outcomes for tag in o.tags})
