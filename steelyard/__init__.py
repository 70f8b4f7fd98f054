"""Steelyard: a deterministic, offline, hard-to-inflate content score of web pages.

The score is a quality filter. It does not predict which page an engine cites.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.errors import (
    CannotWrite,
    ExtractionFailed,
    Interrupted,
    InvalidDate,
    InvalidRecords,
    InvalidSelector,
    InvalidWeights,
    MissingExtra,
    NotAText,
    PageUnreadable,
    ReadingFailed,
    SelectedNothing,
    SteelyardError,
    UnknownName,
    UnsupportedLanguage,
)

__version__ = "0.1.0"

if TYPE_CHECKING:
    from steelyard.advice.finding import Finding, Suggestion
    from steelyard.advice.kinds import PageKind
    from steelyard.components.base import Evidence, Reading
    from steelyard.detectors.layered_filter import FlaggedSpan, ManipulationReport, Signal
    from steelyard.lab.protocol.falsify import Falsified
    from steelyard.pipeline import PageError, PageResult
    from steelyard.scorer import Scorer
    from steelyard.scoring.domains import DomainRow
    from steelyard.scoring.freshness import Freshness
    from steelyard.scoring.page import PageScore, Scoring
    from steelyard.scoring.sections import Section
    from steelyard.scoring.unvalidated import Unvalidated
    from steelyard.text.dates import PageDates
    from steelyard.text.html.reading import HtmlReading

# Types by the module that defines them, imported when they are first asked for: `import steelyard` stays fast.
_TYPES = {
    "advice.finding": ("Finding", "Suggestion"),
    "advice.kinds": ("PageKind",),
    "components.base": ("Evidence", "Reading"),
    "detectors.layered_filter": ("FlaggedSpan", "ManipulationReport", "Signal"),
    "lab.protocol.falsify": ("Falsified",),
    "pipeline": ("PageError", "PageResult"),
    "scorer": ("Scorer",),
    "scoring.domains": ("DomainRow",),
    "scoring.freshness": ("Freshness",),
    "scoring.page": ("PageScore", "Scoring"),
    "scoring.sections": ("Section",),
    "scoring.unvalidated": ("Unvalidated",),
    "text.dates": ("PageDates",),
    "text.html.confidence": ("HtmlReading",),
}


def __getattr__(name: str) -> Any:
    for module, names in _TYPES.items():
        if name in names:
            return getattr(importlib.import_module(f"steelyard.{module}"), name)
    raise AttributeError(f"module 'steelyard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def score(
    text: str,
    *,
    title: str | None = None,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str | None = None,
    edition: str | None = None,
) -> PageScore:
    """Score one page given as text, Markdown or HTML.

    Args:
        text: The page itself, not the name of a file; `score_file` reads files.
        title: The page's title. Default: its front matter's, its HTML's, or its first heading.
        language: A language code, or "auto" to detect it.
        as_of: The date that ages are counted to, as a date or YYYY-MM-DD. Default: STEELYARD_AS_OF, else today in UTC.
        weights: "shipped", "prior", "equal", or the path of a .toml or .json file. Default: the edition's own.
        edition: "paper" or "2026": the patterns, caps, dates and weights that a score depends on. Default: "paper".

    Returns:
        The score with everything needed to recompute it by hand.

    Raises:
        NotAText: `text` is the name of an existing file.
        UnsupportedLanguage: The page is in a language that is not supported, and none was requested.
        ExtractionFailed: The text is HTML over the limits of the extractor.
        ReadingFailed: The text is HTML, and its main text was not found.
        MissingExtra: The text is HTML, and the extra `html` is not installed.

    Example:
        >>> page = score("# Tides\\n\\nHigh water comes twice a day.", as_of="2026-07-01")
        >>> page.words, page.title, page.scoring.edition
        (7, 'Tides', 'paper')
    """
    from steelyard.scorer import Scorer

    return Scorer(language=language, as_of=as_of, weights=weights, edition=edition).score(text, title=title)


def score_many(
    texts: Iterable[str],
    *,
    evidence: bool = False,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str | None = None,
    edition: str | None = None,
    threads: int = 1,
) -> list[PageScore]:
    """Score many texts, in their order.

    Args:
        texts: Pages as text, Markdown or HTML.
        evidence: Whether to locate the evidence spans; without them it is faster.
        language: As for `score`.
        as_of: As for `score`.
        weights: As for `score`.
        edition: As for `score`.
        threads: How many threads the native core uses, where it is installed; the Python code uses one.

    Returns:
        One PageScore per text.

    Raises:
        UnsupportedLanguage: A page is in a language that is not supported, and none was requested.

    Example:
        >>> [page.guard for page in score_many(["", "Too short."], as_of="2026-07-01")]
        ['near-empty', 'near-empty']
    """
    from steelyard.scorer import Scorer

    scorer = Scorer(language=language, as_of=as_of, weights=weights, edition=edition)
    return scorer.score_many(texts, evidence=evidence, threads=threads)


def score_file(
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str | None = None,
    edition: str | None = None,
    detect: bool = False,
    kind: str = "auto",
) -> PageResult:
    """Score one file: text, Markdown or HTML.

    Args:
        path: The file.
        title: As for `score`.
        language: As for `score`.
        as_of: As for `score`.
        weights: As for `score`.
        edition: As for `score`.
        detect: Whether to look for manipulation too.
        kind: The kind of the page, or "auto" to decide; it moves no point.

    Returns:
        The score with the suggested changes, and the detectors' report when requested; the same numbers as
        `steelyard score`.

    Raises:
        PageUnreadable: The file cannot be read, is no text, or is in a language that is not supported.
        MissingExtra: The file is HTML, and the extra `html` is not installed.

    Example:
        >>> result = score_file("examples/site/index.md", as_of="2026-07-01")
        >>> result.to_row()["language"], result.score == result.page.score
        ('en', True)
    """
    from steelyard.scorer import Scorer

    scorer = Scorer(language=language, as_of=as_of, weights=weights, edition=edition, detect=detect, kind=kind)
    return scorer.score_file(path, title=title)


def score_files(
    paths: Iterable[str | os.PathLike[str]],
    *,
    jobs: int = 1,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str | None = None,
    edition: str | None = None,
    detect: bool = False,
    kind: str = "auto",
) -> Iterator[PageResult | PageError]:
    """Score many files, in their order.

    Args:
        paths: The files.
        jobs: How many processes to use.
        language: As for `score`.
        as_of: As for `score`.
        weights: As for `score`.
        edition: As for `score`.
        detect: Whether to look for manipulation too.
        kind: The kind of the page, or "auto" to decide; it moves no point.

    Yields:
        A PageResult per file, or a PageError for one that could not be scored.

    Example:
        >>> [type(r).__name__ for r in score_files(["examples/site/index.md", "missing.md"], as_of="2026-07-01")]
        ['PageResult', 'PageError']
    """
    from steelyard.scorer import Scorer

    scorer = Scorer(language=language, as_of=as_of, weights=weights, edition=edition, detect=detect, kind=kind)
    return scorer.score_files(paths, jobs=jobs)


def score_html(
    html: str,
    url: str | None = None,
    *,
    title: str | None = None,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str | None = None,
    edition: str | None = None,
    detect: bool = False,
    kind: str = "auto",
) -> PageResult:
    """Score one HTML page that is already in memory.

    Args:
        html: The page's HTML.
        url: Its address, which names the page in the result; nothing is fetched.
        title: As for `score`.
        language: As for `score`.
        as_of: As for `score`.
        weights: As for `score`.
        edition: As for `score`.
        detect: Whether to look for manipulation too.
        kind: The kind of the page, or "auto" to decide; it moves no point.

    Returns:
        The result of the extracted main text; `result.text` holds that text.

    Raises:
        ExtractionFailed: The HTML is over the limits of the extractor.
        MissingExtra: The extra `html` is not installed.

    Example:
        >>> from pathlib import Path
        >>> html = Path("examples/html/hard-water-at-home.html").read_text("utf-8")
        >>> score_html(html, url="https://example.org/water", as_of="2026-07-01").extracted
        True
    """
    from steelyard.scorer import Scorer

    scorer = Scorer(language=language, as_of=as_of, weights=weights, edition=edition, detect=detect, kind=kind)
    return scorer.score_html(html, url, title=title)


def detect(text: str, *, title: str | None = None, language: str = "auto") -> ManipulationReport:
    """Look for manipulation in a page: which detector flags it, how far over its threshold, and where.

    The decision is separate from the score: neither enters the other.

    Args:
        text: The page as text, Markdown or HTML.
        title: As for `score`.
        language: As for `score`.

    Returns:
        The report; its `evades` lists what the detectors are known to miss.

    Raises:
        NotAText: `text` is the name of an existing file.
        UnsupportedLanguage: The page is in a language that is not supported, and none was requested.

    Example:
        >>> detect("The ferry leaves at noon and returns in the evening.").flagged
        False
    """
    from steelyard.scorer import Scorer

    return Scorer(language=language, as_of=date.min).detect(text, title=title)  # detectors know no dates


def rank_domains(records: Iterable[Mapping[str, Any]]) -> list[DomainRow]:
    """Rank domains by their mean score, shrunk towards a prior so that one page cannot lift a domain far.

    Args:
        records: One mapping per page, with `domain` and `score`.

    Returns:
        One row per domain, best first, with `rank, domain, n, mean, shrunk` and an interval.

    Raises:
        InvalidRecords: A record has no domain, or a score that is not a number from 0 to 100.

    Example:
        >>> [row.domain for row in rank_domains([{"domain": "a.org", "score": 40}, {"domain": "b.org", "score": 61.2}])]
        ['b.org', 'a.org']
    """
    from steelyard.scoring import domains

    return domains.rank_domains(records)


def falsify(
    scorer: Callable[..., Any] | str,
    corpus: str = "demo",
    *,
    language: str = "en",
    scale: tuple[float, float] = (0.0, 100.0),
    view: str = "flattened",
    arm: str = "repeat",
    seed: int = 0,
    timeout: float = 10.0,
    isolate: bool = False,
    draws: int = 1000,
    as_of: date | str | None = None,
    jobs: int = 1,
) -> Falsified:
    """Put a scorer through the five gates. Needs the extra `lab`.

    Args:
        scorer: A function from a text to a number, or what `steelyard falsify` takes.
        corpus: "demo", a corpus file, a folder, or a JSONL file.
        language: The language of the pages to use.
        scale: The scorer's lowest and highest score.
        view: "flattened" as in the paper, or "structured" with line breaks and titles.
        arm: "repeat" for one block k times, or "fresh" for k different blocks.
        seed: The seed of the edits and the resampling.
        timeout: Seconds for one page.
        isolate: Whether to run `module:function` in a child process that may crash or hang.
        draws: Bootstrap draws behind the intervals; with 0 there are none, and the figures alone decide.
        as_of: As for `score`.
        jobs: How many processes to use.

    Returns:
        The gates with their figures; `survives` is True only when all five pass on all pages, no call failed and
        every page scored the same twice.

    Raises:
        UnknownName: A language, view or arm that does not exist.
        SteelyardError: The scorer or the corpus cannot be used; the message says why.

    Example:
        >>> found = falsify(lambda text: len(text.split()), "demo", scale=(0, 10_000), draws=100)
        >>> found.survives, found.gates["length-bias"].status
        (False, 'fail')
    """
    from pathlib import Path

    from steelyard.lab.corpus import VIEWS, loading
    from steelyard.lab.edits.base import ARMS
    from steelyard.lab.edits.phrasebook import LANGUAGES
    from steelyard.lab.protocol import capture
    from steelyard.lab.protocol import falsify as protocol
    from steelyard.lab.scorers.base import Range
    from steelyard.lab.scorers.function import CallableScorer
    from steelyard.lab.scorers.resolve import resolve
    from steelyard.support.clock import resolve_as_of

    for kind, value, known in (("view", view, VIEWS), ("arm", arm, ARMS), ("language", language, LANGUAGES)):
        if value not in known:
            raise UnknownName(kind, value, known)
    own = Range(*scale)
    if callable(scorer):
        chosen: Any = CallableScorer(scorer, own, timeout)
    elif not isinstance(scorer, str):
        raise TypeError(f"a scorer is a function or a string, not {type(scorer).__name__}")
    else:
        when = resolve_as_of(as_of)
        chosen = resolve(
            scorer, range=own, timeout=timeout, isolate=isolate, folder=Path.cwd(), as_of=when, language=language
        )
    pages = loading.load_corpus(corpus)
    return protocol.falsify(
        pages.pages_in(language),
        chosen,
        corpus=pages.name,
        digest=pages.digest,
        plan=capture.CapturePlan(view, arm, seed),
        draws=draws,
        jobs=jobs,
    )


__all__ = [
    "CannotWrite", "DomainRow", "Evidence", "ExtractionFailed", "Falsified", "Finding", "FlaggedSpan", "Freshness",
    "HtmlReading", "Interrupted", "InvalidDate", "InvalidRecords", "InvalidSelector", "InvalidWeights",
    "ManipulationReport", "MissingExtra", "NotAText", "PageDates", "PageError", "PageKind", "PageResult", "PageScore",
    "PageUnreadable", "Reading", "ReadingFailed", "Scorer", "Scoring", "Section", "SelectedNothing", "Signal",
    "SteelyardError", "Suggestion", "UnknownName", "UnsupportedLanguage", "Unvalidated", "__version__", "detect",
    "falsify", "rank_domains", "score", "score_file", "score_files", "score_html", "score_many",
]  # fmt: skip
