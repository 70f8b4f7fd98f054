"""The stages of the whole study: what each needs, what it computes, and how it is told."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.gaming import run as gaming
from steelyard.lab.gaming.displacement import displacement
from steelyard.lab.gaming.snapshot import synthetic
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome import study as outcomes
from steelyard.lab.outcome.ceiling import ceiling
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.experiment import Plan as Asking
from steelyard.lab.outcome.records import resolve
from steelyard.lab.outcome.records.resolve import Loaded
from steelyard.lab.protocol import capture, comparison, identifiability, matrix, pipeline, robustness
from steelyard.lab.protocol.capture import Capture, Plan
from steelyard.lab.protocol.own import own
from steelyard.lab.protocol.readings import halves_of, readings
from steelyard.lab.ranking import study as ranking
from steelyard.lab.ranking.load import load
from steelyard.lab.ranking.prepare import prepare
from steelyard.lab.ranking.signals.given import Given
from steelyard.lab.ranking.signals.resolve import embedder
from steelyard.lab.scorers.ours import Ours
from steelyard.lab.study import constants_data as constants
from steelyard.lab.study.material import Material
from steelyard.scoring import weighting

Result = Mapping[str, Any]
CLIMBED = 6  # pages the adaptive attacker climbs
CLIMBED_LARGE, LARGE = 40, 200  # of a corpus of so many pages or more


@dataclass(frozen=True)
class Desk:
    """What the stages share: the material, and captures and runs made once, in journals that survive a kill."""

    material: Material
    work: Path
    as_of: date
    jobs: int | None = None
    quiet: bool = True
    seed: int = 0
    embedder: str | None = None  # of the ranker, as `steelyard ranking study` names it
    _made: dict[str, Any] = field(default_factory=dict)

    def captured(self, language: str, *, view: str = "flattened", arm: str = "repeat") -> Capture:
        name = f"capture-{language}-{view}-{arm}"
        if name not in self._made:
            pages = self.material.english if language == "en" else self.material.french
            if not pages:
                raise SteelyardError(f"undefined: the corpus has no pages in {language!r}")
            scorer, plan = Ours(as_of=self.as_of), Plan(view, arm, self.seed)
            digest = self.material.inputs["english pages" if language == "en" else "french pages"]
            head = capture.header(pages, digest, self.material.name, scorer, plan)
            path = self.work / f"{name}.jsonl"
            self._made[name] = capture.capture(pages, scorer, head, plan, path=path, jobs=self.jobs, quiet=self.quiet)
        return self._made[name]  # type: ignore[no-any-return]

    @cached_property
    def run(self) -> Path:
        """The journal of the experiment with the embedded reference."""
        path = self.work / "embedded.jsonl"
        engine, plan = Extractive(), Asking(canary=True)
        asked = self.material.asked
        runs.run(asked, engine, plan, path, runs.header(asked, {}, engine, plan), quiet=self.quiet)
        return path

    @cached_property
    def records(self) -> list[Loaded]:
        return [resolve.load(path) for path in self.material.records]

    @property
    def processes(self) -> int:
        return self.jobs or os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Chapter:
    """One artifact in the report: its name, what kind of study it is (which says how it is told), its title."""

    name: str
    kind: str
    title: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A chapter, and how its artifact is made."""

    chapter: Chapter
    make: Callable[[Desk], Result]

    @property
    def name(self) -> str:
        return self.chapter.name


def _gates(desk: Desk) -> Result:
    return own(desk.captured("en"), weighting.load("shipped"), seed=desk.seed)


def _french_gates(desk: Desk) -> Result:
    return own(desk.captured("fr"), weighting.load("shipped"), seed=desk.seed)


def _compare(desk: Desk) -> Result:
    french = desk.captured("fr") if desk.material.french else None
    return comparison.compare(desk.captured("en"), french=french, seed=desk.seed)


def _identify(desk: Desk) -> Result:
    train, test = halves_of(desk.captured("en"))
    return identifiability.identify(train, test, readings(desk.captured("fr")) if desk.material.french else None)


def _robustness(desk: Desk) -> Result:
    train, test = halves_of(desk.captured("en"))
    return robustness.robustness(train, test, seed=desk.seed)


def _matrix(desk: Desk) -> Result:
    return matrix.study(desk.captured("en"), "test")


def _pipeline(desk: Desk) -> Result:
    captures = {"en": desk.captured("en")}
    if desk.material.french:
        captures["fr"] = desk.captured("fr")
    return {"captures": pipeline.pipeline(captures)}


def _gaming(desk: Desk) -> Result:
    pages = desk.material.english
    others = {"french": desk.material.french} if desk.material.french else None
    climbed = CLIMBED_LARGE if len(pages) >= LARGE else CLIMBED
    return gaming.study(
        pages, as_of=desk.as_of, others=others, climbed=climbed, seed=desk.seed, jobs=desk.processes, quiet=desk.quiet
    )


def _displacement(desk: Desk) -> Result:
    return displacement(synthetic())


def _embedded(desk: Desk) -> Result:
    return outcomes.study([resolve.load(desk.run)], as_of=desk.as_of, seed=desk.seed)


def _anchors(desk: Desk) -> Result:
    return outcomes.anchored(
        [resolve.load(desk.run)], "strict", dated=desk.as_of, halves=halves_of(desk.captured("en")), seed=desk.seed
    )


def _recorded(path: Path) -> Callable[[Desk], Result]:
    return lambda desk: outcomes.study([resolve.load(path)], as_of=desk.as_of, seed=desk.seed)


def _ceiling(desk: Desk) -> Result:
    loaded = [each for each in desk.records if each.outcomes] or [resolve.load(desk.run)]
    return ceiling(loaded, "strict", seed=desk.seed)


def _ranking(paths: tuple[Path, ...] | None) -> Callable[[Desk], Result]:
    def make(desk: Desk) -> Result:
        groups = load([str(p) for p in (paths or (desk.run,))])
        given = all(c.relevance is not None for g in groups.groups for c in g.candidates)
        prepared = prepare(
            groups,
            as_of=desk.as_of,
            embedder=embedder(desk.embedder) if desk.embedder else None,
            cross_encoder=Given() if given else None,
            quiet=desk.quiet,
        )
        return ranking.study(prepared, seed=desk.seed, quiet=desk.quiet)

    return make


def stages(material: Material) -> tuple[Stage, ...]:
    """All stages that the material has something for, in the order of the report."""
    names = record_names(material.records)
    return (
        _stage("constants", "constants", "What is fixed, and why", lambda desk: constants.constants()),
        _stage("matrix", "matrix", "Components: distribution, correlation, response to edits", _matrix),
        _stage("gates", "gates", "The shipped score through the gates", _gates),
        _stage("gates-french", "gates", "The shipped score through the gates, French", _french_gates),
        _stage("compare", "compare", "Families and baselines compared", _compare),
        _stage("identify", "identify", "Which weights the anchors identify", _identify),
        _stage("robustness", "robustness", "Other splits, other halves", _robustness),
        _stage("pipeline", "pipeline", "The full pipeline, with freshness and caps", _pipeline),
        _stage("gaming", "gaming", "Attacks, detectors, the adaptive attacker", _gaming),
        _stage("displacement", "displacement", "From points to positions", _displacement, _SYNTHETIC),
        _stage("embedded", "outcome", "An experiment with the embedded reference", _embedded, _EMBEDDED),
        _stage("anchors", "anchors", "Anchors by the embedded reference", _anchors, _EMBEDDED),
        *(_stage(f"records-{names[p]}", "outcome", f"Recorded answers: {p.name}", _recorded(p)) for p in names),
        _stage("ceiling", "ceiling", "The ceiling of a score that does not see the query", _ceiling),
        *(_stage(f"ranking-{names[p]}", "ranking", f"The ranker: {p.name}", _ranking((p,))) for p in names),
        *(
            []
            if names
            else [_stage("ranking", "ranking", "The ranker, on the embedded run", _ranking(None), _EMBEDDED)]
        ),
    )


def _stage(name: str, kind: str, title: str, make: Callable[[Desk], Result], about: str = "") -> Stage:
    return Stage(Chapter(name, kind, title, about), make)


def record_names(paths: Sequence[Path]) -> dict[Path, str]:
    """What the stages of each file of records are called: its name up to the first dot, in full where two are alike."""
    short = Counter(p.name.split(".")[0] for p in paths)
    return {
        p: (stem if short[stem := p.name.split(".")[0]] == 1 else p.name.replace(".", "-")).replace("_", "-")
        for p in paths
    }


_SYNTHETIC = "The leaderboard is synthetic: these positions follow from its assumptions."
_EMBEDDED = (
    "The engine is an embedded reference that matches words, asked the demo's questions over the demo's pages whatever "
    "the corpus. These figures show that the machinery works and say nothing about answer engines."
)
