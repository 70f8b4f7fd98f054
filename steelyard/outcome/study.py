"""`outcome stats` and `outcome anchors`: records in, one result for each data set out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from steelyard.base.errors import SteelyardError
from steelyard.outcome import pawc
from steelyard.outcome.anchors import anchors, vector
from steelyard.outcome.arms import ARMS, CANARY, CONTROL
from steelyard.outcome.canary import canary
from steelyard.outcome.effects import changes, effects
from steelyard.outcome.observed import observed
from steelyard.outcome.recalibration import recalibrated
from steelyard.outcome.records.base import BASELINE, Outcome
from steelyard.outcome.records.resolve import Loaded
from steelyard.outcome.rewrites import rewrites
from steelyard.outcome.visibility import Visibility, visibility
from steelyard.protocol.readings import Readings
from steelyard.protocol.variants import LEVERS

RECOMMENDED = "recommended"
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
        if any(f.rewrites for f in files):
            rows = [r for f in files for r in f.rewrites]
            sections[name] = {"rewrites": rewrites(rows, draws=draws, seed=seed), "notes": _notes(files)}
            continue
        outcomes = [o for f in files for o in f.outcomes if tag is None or tag in o.tags]
        if not outcomes:
            raise SteelyardError(
                f"{name}: no outcome has the tag {tag!r}; there are: {', '.join(_tags(files)) or 'none'}"
            )
        sections[name] = _section(outcomes, _mode(mode, files), files, as_of=as_of, draws=draws, seed=seed)
    return {"order": list(sets), "tag": tag, "sets": sections}


def _section(
    outcomes: Sequence[Outcome], mode: str, files: Sequence[Loaded], *, as_of: date, draws: int, seed: int
) -> dict[str, Any]:
    seen = visibility(outcomes, mode)
    arms = list(dict.fromkeys(o.arm for o in outcomes if o.arm not in (BASELINE, CANARY, CONTROL)))
    controlled = any(o.arm == CONTROL for o in outcomes)
    coverage = covered(outcomes)
    whole = [v for v in seen.kept if coverage.get(v.group, {}).get("kept", True)]
    found: dict[str, Any] = {
        "mode": mode,
        "notes": _notes(files),
        "answers": len(outcomes),
        "queries": len({o.query_id for o in outcomes}),
        "allocated": allocated(outcomes),
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


def covered(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """For every engine and run with edits the share of its queries with every arm in every order answered."""
    groups: dict[str, dict[str, set[tuple[str, str]]]] = {}
    for o in outcomes:
        group = f"{o.engine}, {o.run}" if o.run else o.engine
        groups.setdefault(group, {}).setdefault(o.query_id, set()).add((o.arm, o.order))
    found = {}
    for group, queries in groups.items():
        wanted = set().union(*queries.values())
        if len({arm for arm, _ in wanted}) < 2:
            continue  # nothing was edited, so there is nothing to pair
        whole = sum(seen == wanted for seen in queries.values())
        share = whole / len(queries)
        found[group] = {"queries": len(queries), "complete": whole, "share": share, "kept": share >= COMPLETE}
    return found


def allocated(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """In every mode how many answers allocate, how many by the fallback, and citations out of range."""
    answers = [(o.answer, len(o.shown)) for o in outcomes if o.answer is not None]
    found = {}
    for mode in pawc.MODES if answers else ():
        seen = [pawc.visibility(text, n, mode) for text, n in answers]
        found[mode] = {
            "answers": len(answers),
            "allocate": sum(v.adjusted is not None for v in seen),
            "fallback": sum(v.fallback for v in seen),
            "uncited": sum(v.uncited for v in seen),
            "out_of_range": sum(v.out_of_range for v in seen),
        }
    return found


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
    outcomes = [o for f in files for o in f.outcomes]
    missing = sorted(set(ARMS) - {o.arm for o in outcomes})
    if missing:
        raise SteelyardError(f"undefined: no answers for {', '.join(missing)}; anchors need a whole `outcome run`")
    coverage = covered(outcomes)
    seen: Visibility = visibility(outcomes, mode)
    kept = [v for v in seen.kept if coverage.get(v.group, {}).get("kept", True)]
    found = effects(kept, levers=LEVERS, draws=draws, seed=seed)
    modern = anchors(found, kept, dated, judged=not any(f.embedded for f in files))
    points = vector(modern)
    again = recalibrated(points, *halves) if halves is not None and points is not None else None
    return {
        "mode": mode,
        "notes": _notes(files),
        "coverage": coverage,
        "excluded": dict(seen.excluded),
        "anchors": modern,
        "recalibration": again,
    }


def _mode(asked: str, files: Sequence[Loaded]) -> str:
    modes = {f.mode for f in files}
    if asked != RECOMMENDED:
        return asked
    return modes.pop() if len(modes) == 1 else "strict"


def _notes(files: Sequence[Loaded]) -> list[str]:
    return list(dict.fromkeys(note for f in files for note in f.notes))


def _tags(files: Sequence[Loaded]) -> list[str]:
    return sorted({tag for f in files for o in f.outcomes for tag in o.tags})
