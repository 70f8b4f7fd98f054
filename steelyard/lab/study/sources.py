"""What studies read: captures, pages, records and groups of candidates, entered into the request's inputs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.inputs.find import is_corpus
from steelyard.lab.corpus import Corpus, CorpusPage, loading
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.outcome.records.rows import make_distinct
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import Capture, CapturePlan
from steelyard.lab.protocol.variants import VARIANTS, Variant
from steelyard.lab.ranking.load import load as load_groups
from steelyard.lab.ranking.models import import_lightgbm
from steelyard.lab.ranking.prepare import PreparedData, prepare
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.study import Request
from steelyard.scoring import editions
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.journal import is_journal


def open_capture(
    request: Request,
    source: str | None = None,
    *,
    language: str | None = None,
    prefix: str = "",
    variants: Sequence[Variant] = VARIANTS,
) -> Capture:
    """Open the capture that a user named: a capture file, or pages that are captured now with the shipped scorer.

    `source` names another one than the request's first argument; `prefix` tells its inputs from those of the first.
    """
    spec, options = source or request.arguments[0], request.options
    if is_journal(spec):
        captured = _load_capture(spec, os.stat(spec).st_mtime_ns)
        _check_as_requested(spec, captured, request, language)
        if missing := {variant.name for variant in variants} - {*captured.header.parameters["variants"]}:
            raise SteelyardError(f"{spec}: captured without {min(missing)}; give the pages instead of the capture")
    else:
        pages, corpus = open_pages(request, spec, language=language, prefix=prefix)
        scorer = OwnScorer.of_edition(options["edition"], request.as_of)
        plan = CapturePlan(options["view"], options["arm"], request.seed, tuple(variants))
        head = capture.build_header(pages, corpus.digest, corpus.name, scorer, plan)
        captured = capture.capture(pages, scorer, head, plan, jobs=request.jobs, quiet=request.quiet)
    request.inputs.update({f"{prefix}{name}": digest for name, digest in captured.header.inputs.items()})
    if source is None:
        request.parameters.update(captured.header.parameters)
    return captured


@lru_cache(maxsize=4)
def _load_capture(path: str, modified: int) -> Capture:
    """Load a capture once: `reproduce` opens it for several sections."""
    return capture.load(path)


def _check_as_requested(spec: str, captured: Capture, request: Request, language: str | None) -> None:
    """Refuse an option that asks for another capture: one is used as it was made."""
    recorded = {"edition": editions.PAPER, **captured.header.parameters}
    asked = {key: request.options[key] for key in ("edition", "language", "view", "arm") if key in request.explicit}
    if language:
        asked["language"] = language
    for key, value in asked.items():
        if recorded[key] != value:
            raise SteelyardError(f"{spec}: captured with --{key} {recorded[key]}, not {value}; capture the pages again")


def open_french(request: Request) -> Capture | None:
    """Open the French capture: the one named with --french, or the French pages of the demo; None without any."""
    source = request.options["french"]
    if source is None and request.arguments[0] != loading.DEMO:
        return None
    return open_capture(request, source or loading.DEMO, language="fr", prefix="french: ")


def open_pages(
    request: Request, spec: str, *, language: str | None = None, prefix: str = ""
) -> tuple[Sequence[CorpusPage], Corpus]:
    """Load the pages of one language; `prefix` tells the input from those of other pages.

    Raises:
        SteelyardError: The corpus has no page in that language, or the edition does not read it.
    """
    corpus = loading.load_corpus(spec)
    if not request.quiet and not is_corpus(spec):
        for reason, number in corpus.dropped.items():
            request.warn(f"steelyard: {number} left out: {make_visible(reason)}")
    language = language or request.options["language"]
    if "edition" in request.options:
        require_language(language, request.options["edition"])
    pages = corpus.pages_in(language)
    if not pages:
        there = ", ".join(sorted({p.language for p in corpus.pages}))
        raise SteelyardError(f"{corpus.name}: no page in {language!r} (there are: {there}); choose with --language")
    request.inputs[f"{prefix}{corpus.name}"] = corpus.digest
    return pages, corpus


def require_language(language: str, edition: str) -> None:
    """Refuse a language that an edition does not read, before any page is scored.

    Raises:
        SteelyardError: The edition does not have the language; the message names one that does.
    """
    known, other = editions.load(edition).languages, editions.find_other(language)
    if language not in known:
        advice = f"choose --edition {other}" if other else f"choose one of them with --language ({', '.join(known)})"
        raise SteelyardError(f"the edition {edition} reads {', '.join(known)} and not {language!r}; {advice}")


def open_records(request: Request) -> list[RecordFile]:
    """Load every file of outcome records that the request names."""
    files = [load_records(path) for path in request.arguments]
    named = list(dict.fromkeys(item for file in files for item in file.inputs.items()))
    request.inputs.update(zip(make_distinct(name for name, _ in named), (digest for _, digest in named), strict=True))
    return files


def open_groups(request: Request) -> PreparedData:
    """Load the request's data and compute its features; models are checked before anything is read."""
    import_lightgbm()
    options, language = request.options, request.options["language"]
    embedder = resolve.load_embedder(options["embedder"]) if options["embedder"] else None
    encoder = options["cross_encoder"]
    cross = resolve.load_cross_encoder(encoder) if encoder and encoder != "auto" else None
    judged = options["judged"] or ()  # a file that a user names, or those that a study has
    groups = load_groups(request.arguments, (judged,) if isinstance(judged, str) else judged)
    if encoder == "auto" and all(c.relevance is not None for g in groups.groups for c in g.candidates):
        cross = resolve.load_cross_encoder("given")
    request.inputs.update(groups.inputs)
    request.parameters.update(seed=request.seed, as_of=request.as_of.isoformat(), language=language)
    request.parameters.update(embedder=_identity(embedder), cross_encoder=_identity(cross))
    as_of, quiet = request.as_of, request.quiet
    return prepare(groups, as_of=as_of, embedder=embedder, cross_encoder=cross, language=language, quiet=quiet)


def _identity(model: Any | None) -> dict[str, str] | None:
    """Name a model by its name and hash: the path it was loaded from is private."""
    return None if model is None else {"name": model.name, "identity": model.identity}


def require(number: int, least: int, noun: str, where: str = "") -> None:
    """Refuse a study of too little material.

    Raises:
        SteelyardError: There are fewer than `least`.
    """
    if number < least:
        raise SteelyardError(f"undefined: {format_count(number, noun)}{where}; this study needs {least} or more")
