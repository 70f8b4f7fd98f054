"""Score rows of texts as columns: the one place where bulk work calls the scorer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from steelyard.components import NAMES
from steelyard.detectors import NAMES as DETECTORS
from steelyard.detectors.layered_filter import load_thresholds
from steelyard.errors import ExtractionFailed, MissingExtra, PageUnreadable, UnsupportedLanguage
from steelyard.inputs.page_ref import PageRef
from steelyard.native.core import EditionCore, get_core
from steelyard.pipeline import Page, describe_run, describe_task, explain_failure, measure_pages, read_page
from steelyard.scoring.reference import place
from steelyard.settings import Settings

PREFIX = "steelyard_"  # of the names of added columns
SCORE, FLAGGED, EVIDENCE, ERROR = (PREFIX + name for name in ("score", "flagged", "evidence", "error"))
_VALUES = ("score", "content", "percentile", "flagged")
_JSON_TYPES = {"bool": "a boolean", "int": "a number", "float": "a number", "list": "a list", "dict": "an object"}


class Span(NamedTuple):
    """One piece of evidence in a row's text (for HTML: in the extracted text)."""

    component: str
    start: int
    end: int
    line: int
    pattern: str
    family: str


@dataclass(slots=True)
class Columns:
    """One entry per row in every list; None where a row could not be scored.

    `errors` says why: a fixed reason, and after `: ` perhaps the details. `evidence` is None unless requested.
    """

    score: list[float | None] = field(default_factory=list)
    content: list[float | None] = field(default_factory=list)
    percentile: list[float | None] = field(default_factory=list)
    flagged: list[bool | None] = field(default_factory=list)
    language: list[str | None] = field(default_factory=list)
    components: dict[str, list[float | None]] = field(default_factory=lambda: {name: [] for name in NAMES})
    evidence: list[list[Span] | None] | None = None
    errors: list[str | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AddedColumns:
    """The columns that scoring adds to rows, besides the four that it always adds."""

    components: bool = False
    evidence: bool = False
    errors: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in their order."""
        components = NAMES if self.components else ()
        names = [PREFIX + name for name in (*_VALUES, *components)]
        return (*names, *([EVIDENCE] if self.evidence else []), *([ERROR] if self.errors else []))

    def select(self, columns: Columns) -> dict[str, Sequence[Any]]:
        """Return them by name, each with one value per row; evidence is a list of mappings."""
        values: list[Sequence[Any]] = [getattr(columns, name) for name in _VALUES]
        if self.components:
            values += columns.components.values()
        if self.evidence:
            spans = columns.evidence or [None] * len(columns.errors)
            values.append([None if row is None else [span._asdict() for span in row] for row in spans])
        if self.errors:
            values.append(columns.errors)
        return dict(zip(self.names, values, strict=True))


def score_rows(
    texts: Sequence[str | None],
    settings: Settings,
    *,
    urls: Sequence[str | None] | None = None,
    evidence: bool = False,
    threads: int = 1,
) -> Columns:
    """Score texts, Markdown or HTML. No row raises: what goes wrong with one is its error.

    Args:
        texts: The pages; anything but a string is an error of that row.
        settings: How all of them are scored.
        urls: The pages' own addresses, where they are known.
        evidence: Whether to locate evidence; without it scoring is faster.
        threads: How many threads the native core uses; the Python code uses one.
    """
    addresses = urls if urls is not None else [None] * len(texts)
    pages_or_errors = [_read(text, url, settings) for text, url in zip(texts, addresses, strict=True)]
    pages = [page for page in pages_or_errors if isinstance(page, Page)]
    core = None if evidence else get_core(settings.edition, settings.core)
    rows = _score_natively(core, pages, settings, threads) if core else _score(pages, settings, evidence, threads)
    columns = Columns(evidence=[] if evidence else None)
    for page in pages_or_errors:
        row = next(rows) if isinstance(page, Page) else page
        _append(columns, row)
    return columns


class _Row(NamedTuple):
    """A row's entry in each list; without values that of a row that could not be scored."""

    score: float | None = None
    content: float | None = None
    flagged: bool | None = None
    language: str | None = None
    components: Sequence[float | None] = (None,) * len(NAMES)
    percentile: float | None = None
    evidence: list[Span] | None = None


def _read(text: object, url: str | None, settings: Settings) -> Page | str:
    """Return a row's page, or why it has none."""
    if (reason := explain_no_text(text)) is not None:
        return reason
    try:
        return read_page(PageRef("the row", text=str(text), url=url or None), settings.max_bytes, settings.limits)
    except Exception as error:  # noqa: BLE001 - a bug on one row must not lose the others
        return _explain(error, is_long=len(str(text)) > min(settings.max_bytes, settings.limits.text))


def _explain(error: Exception, *, is_long: bool = False) -> str:
    """Return a row's error: a fixed reason, and the details."""
    if isinstance(error, UnsupportedLanguage):
        return f"language not supported: {error}"
    if isinstance(error, ExtractionFailed):
        return f"HTML not readable: {error}"
    if isinstance(error, PageUnreadable):
        return f"text too long: {error}" if is_long else f"text not readable: {error}"
    if isinstance(error, MissingExtra):
        return f"HTML needs an extra: {error}"
    return f"scoring failed: {type(error).__name__}: {error}; this is a bug, please report the row"


def _score(pages: Sequence[Page], settings: Settings, evidence: bool, threads: int) -> Iterator[_Row | str]:
    """Yield a row per page, with its evidence where it is wanted."""
    examined = replace(settings, detect=True)
    for measured in measure_pages(pages, examined, evidence=evidence, threads=threads):
        if isinstance(measured, Exception):
            yield _explain(measured)
            continue
        score = measured.score
        spans = [
            Span(name, e.start, e.end, e.line, e.pattern, e.family)
            for name, reading in score.readings.items()
            for e in reading.evidence
        ]
        values = [reading.value for reading in score.readings.values()]
        flagged = measured.manipulation is not None and measured.manipulation.flagged
        percentile = 100 * score.placement.share if score.placement else None
        yield _Row(score.score, score.content, flagged, score.language, values, percentile, spans)


def _score_natively(core: EditionCore, pages: Sequence[Page], settings: Settings, threads: int) -> Iterator[_Row | str]:
    """Yield a row per page from the native core's columns."""
    edition = settings.edition
    limits = load_thresholds(edition.name)["thresholds"]
    tasks = [describe_task(page, settings) for page in pages]
    scores, contents, words, languages, flags, components, errors = core.columns(
        tasks, describe_run(settings), [limits[name] for name in DETECTORS], threads
    )
    for at, error in enumerate(errors):
        if error is not None:
            yield _explain(explain_failure(error, settings))
            continue
        placed = place(edition.name, languages[at], contents[at], words[at])
        percentile = 100 * placed.share if placed else None
        values = [column[at] for column in components]
        yield _Row(scores[at], contents[at], flags[at], languages[at], values, percentile)


def _append(columns: Columns, result: _Row | str) -> None:
    """Append a row, or the nulls of a row with this error."""
    row = _Row() if isinstance(result, str) else result
    columns.score.append(row.score)
    columns.content.append(row.content)
    columns.percentile.append(row.percentile)
    columns.flagged.append(row.flagged)
    columns.language.append(row.language)
    for values, value in zip(columns.components.values(), row.components, strict=True):
        values.append(value)
    if columns.evidence is not None:
        columns.evidence.append(row.evidence)
    columns.errors.append(result if isinstance(result, str) else None)


def fail_rows(count: int, error: str, *, evidence: bool = False) -> Columns:
    """Return the columns of rows that all have the same error."""
    columns = Columns(evidence=[] if evidence else None)
    for _ in range(count):
        _append(columns, error)
    return columns


def explain_no_text(text: object) -> str | None:
    """Return why a value is no text, or None for a string."""
    if text is None:
        return "text is null"
    kind = type(text).__name__
    return None if isinstance(text, str) else f"text is not a string: it is {_JSON_TYPES.get(kind, kind)}"
