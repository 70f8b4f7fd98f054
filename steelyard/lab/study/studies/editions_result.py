"""What `lab protocol editions` computes: both editions in every language, on labels of people, and the rule."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.agreement.both_editions import compare_with_people
from steelyard.lab.agreement.labels import find_files
from steelyard.lab.corpus import SAME_TEXT, VIEWS, CorpusPage, loading
from steelyard.lab.editions.attackers import Gains, count_flagged, estimate_gains, measure_attackers
from steelyard.lab.editions.paired import compare_gains
from steelyard.lab.editions.readers import count_found, measure_agreement, read_grades
from steelyard.lab.editions.rule import CANDIDATE, REFERENCE, apply_rule, choose_default
from steelyard.lab.editions.speed import read_speed
from steelyard.lab.outcome.records.rows import make_distinct
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import CapturePlan
from steelyard.lab.protocol.falsify import ALL, falsify, judge_weighting, weigh
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Scorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.studies.falsify import open_scorer
from steelyard.lab.study.study import Request, Result
from steelyard.scoring import editions, weighting
from steelyard.support.artifacts import hash_file

GRADED = "en"  # the language of the grades
_KEPT = ("status", "statistic", "bound", "margin", "interval", "reason", "needed")  # of a verdict


def compute(request: Request) -> Result:
    """Measure every edition on the pages of each language, compare them, and apply the rule."""
    folder = _find_folder(request, "marks", "en.jsonl and grades_en.jsonl")
    pages, sources = open_languages(request)
    request.parameters.update(as_of=str(request.as_of), seed=request.seed, climbed=request.options["climbed"])
    languages: dict[str, Any] = {}
    gains: dict[str, dict[str, dict[str, Gains]]] = {}
    for code, of_language in pages.items():
        names = [name for name in editions.NAMES if code in editions.load(name).languages]
        marks = _find_marks(request, folder, code)
        measured = {name: _measure(request, name, code, of_language, marks) for name in names}
        languages[code] = {"pages": len(of_language), "editions": {name: e for name, (e, _) in measured.items()}}
        gains[code] = {name: of_edition for name, (_, of_edition) in measured.items()}
    both = {code: (g[CANDIDATE], g[REFERENCE]) for code, g in gains.items() if {CANDIDATE, REFERENCE} <= g.keys()}
    others = [open_scorer(name, request) for name in peers.SCORERS] if request.options["peers"] else []
    result: dict[str, Any] = {
        "sources": sources,
        "languages": languages,
        "compared": compare_gains(both),
        "agreement": _compare_with_people(request),
        "speed": _read_speed(request),
        "peers": [_falsify(request, scorer, pages[GRADED]) for scorer in others if GRADED in pages],
        "grades": _measure_grades(request, folder, pages.get(GRADED, ()), others),
    }
    rule = apply_rule(result)
    return {**result, "rule": [condition._asdict() for condition in rule], "default": choose_default(rule)}


def _find_folder(request: Request, option: str, holds: str) -> Path | None:
    """Return the folder that an option names, if it names one.

    Raises:
        SteelyardError: There is no such folder.
    """
    folder = Path(request.options[option]) if request.options[option] else None
    if folder is not None and not folder.is_dir():
        raise SteelyardError(f"{folder}: no such folder; --{option} names one with {holds}")
    return folder


def open_languages(request: Request) -> tuple[dict[str, list[CorpusPage]], list[dict[str, Any]]]:
    """Return the pages of all corpora by language, each text once, and what every corpus gave and left out."""
    pages: defaultdict[str, dict[str, CorpusPage]] = defaultdict(dict)  # by text
    sources = []
    for spec in request.arguments:
        corpus = loading.load_corpus(spec)
        request.inputs[corpus.name] = corpus.digest
        left_out, used = Counter(corpus.dropped), Counter[str]()
        for page in corpus.pages:
            if page.flattened in pages[page.language]:
                left_out[SAME_TEXT] += 1
            else:
                pages[page.language][page.flattened] = page
                used[page.language] += 1
        named = {"language": ", ".join(used), "name": corpus.name, "pages": used.total()}
        sources.append({**named, "left_out": dict(sorted(left_out.items()))})
    return {code: _name_apart(list(by_text.values())) for code, by_text in pages.items()}, sources


def _name_apart(pages: Sequence[CorpusPage]) -> list[CorpusPage]:
    """Return the pages with different ids: two corpora may use the same."""
    ids = make_distinct([page.id for page in pages])
    return [replace(page, id=id_) for page, id_ in zip(pages, ids, strict=True)]


def _compare_with_people(request: Request) -> dict[str, Any]:
    folder = _find_folder(request, "labels", "human/ and marks/")
    if folder is None:
        return {}
    request.inputs.update({f"labels: {path.name}": hash_file(path) for path in find_files(folder)})
    return compare_with_people(folder, as_of=request.as_of, seed=request.seed, quiet=request.quiet)


def _read_speed(request: Request) -> dict[str, Any]:
    """Return the committed speeds and the name of their file, or nothing."""
    if not request.options["bench"]:
        return {}
    path = Path(request.options["bench"])
    rates = read_speed(path, CANDIDATE)
    request.inputs[f"bench: {path.name}"] = hash_file(path)
    return {"file": path.name, "rates": rates}


def _find_marks(request: Request, folder: Path | None, name: str) -> Path | None:
    """Return a file of marks or grades, which becomes an input, or None where there is none."""
    path = folder / f"{name}.jsonl" if folder else None
    if path is None or not path.is_file():
        return None
    request.inputs[f"marks: {path.name}"] = hash_file(path)
    return path


def _measure(
    request: Request, name: str, code: str, pages: Sequence[CorpusPage], marks: Path | None
) -> tuple[dict[str, Any], dict[str, Gains]]:
    """Return everything about one edition in one language, and what attackers gain page by page."""
    edition, plan = editions.load(name), CapturePlan(seed=request.seed)
    marks_found = count_found(edition, code, pages, marks)
    scorer = OwnScorer.of_edition(name, request.as_of)
    header = capture.build_header(pages, "", code, scorer, plan)
    captured = capture.capture(pages, scorer, header, plan, jobs=request.jobs, quiet=request.quiet)
    weights = weighting.load(edition.weights)
    judged = judge_weighting(captured, weights, seed=request.seed)
    gains = measure_attackers(
        edition,
        pages,
        weigh(captured, weights),
        climbed=request.options["climbed"],
        as_of=request.as_of,
        seed=request.seed,
        jobs=request.jobs or os.cpu_count() or 1,
        quiet=request.quiet,
    )
    entry = {
        **_summarise(judged["verdicts"][ALL], judged["all_pages"]["gains"]),
        "curves": judged["curves"],
        "attackers": estimate_gains(gains, seed=request.seed),
        "marks": marks_found,
        "false_positives": count_flagged(edition, code, pages),
    }
    return entry, gains


def _summarise(verdicts: Mapping[str, Any], gains: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    levers = [row["mean"] for row in gains if row["edit"] in LEVERS]
    stuffing = {row["dose"]: row["mean"] for row in gains if row["edit"] == "keyword_stuffing"}
    return {
        "gates": {gate.name: {key: verdicts[gate.name][key] for key in _KEPT} for gate in GATES},
        "strongest": max(levers, default=None),
        "stuffing": stuffing.get(8),
    }


def _falsify(request: Request, scorer: Scorer, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    record = falsify(pages, scorer, corpus=GRADED, digest="", jobs=request.jobs, quiet=request.quiet).record()
    summary = _summarise(record["verdicts"][ALL], record["gains"])
    return {"scorer": scorer.name, "pages": record["sources"], **summary}


def _measure_grades(
    request: Request, folder: Path | None, pages: Sequence[CorpusPage], others: Sequence[Scorer]
) -> dict[str, Any]:
    path = _find_marks(request, folder, f"grades_{GRADED}") if pages else None
    if path is None:
        return {}
    grades = read_grades(path)
    own: dict[str, Scorer] = {n: OwnScorer.of_edition(n, request.as_of) for n in editions.NAMES}
    scorers = own | {s.name: s for s in others}
    return {
        view: {name: measure_agreement(s, pages, grades, view, seed=request.seed) for name, s in scorers.items()}
        for view in VIEWS
    }
