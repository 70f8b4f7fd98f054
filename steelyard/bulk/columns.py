"""Score rows of texts as columns: the one place where bulk work calls the scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from steelyard.components import NAMES
from steelyard.errors import ExtractionFailed, MissingExtra, PageUnreadable, UnsupportedLanguage
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import Settings, read_page, score_and_detect

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


def score_rows(
    texts: Sequence[str | None],
    settings: Settings,
    *,
    urls: Sequence[str | None] | None = None,
    evidence: bool = False,
) -> Columns:
    """Score texts, Markdown or HTML. No row raises: what goes wrong with one is its error.

    Args:
        texts: The pages; anything but a string is an error of that row.
        settings: How all of them are scored.
        urls: The pages' own addresses, where they are known.
        evidence: Whether to locate evidence; without it scoring is faster.
    """
    columns = Columns(evidence=[] if evidence else None)
    for number, text in enumerate(texts):
        url = urls[number] if urls is not None else None
        error = explain_no_text(text)
        if error is None:
            error = _append_scored(columns, text or "", url, settings, evidence=evidence)
        if error is not None:
            _append_nulls(columns)
        columns.errors.append(error)
    return columns


def fail_rows(count: int, error: str, *, evidence: bool = False) -> Columns:
    """Return the columns of rows that all have the same error."""
    columns = Columns(evidence=[] if evidence else None)
    for _ in range(count):
        _append_nulls(columns)
        columns.errors.append(error)
    return columns


def explain_no_text(text: object) -> str | None:
    """Return why a value is no text, or None for a string."""
    if text is None:
        return "text is null"
    kind = type(text).__name__
    return None if isinstance(text, str) else f"text is not a string: it is {_JSON_TYPES.get(kind, kind)}"


def _append_scored(columns: Columns, text: str, url: str | None, settings: Settings, *, evidence: bool) -> str | None:
    """Append one row's values to all lists; if it cannot be scored, append nothing and return the error."""
    try:
        page = read_page(PageRef("the row", text=text, url=url or None), settings.max_bytes)
        score, manipulation = score_and_detect(page, settings, evidence=evidence)
    except UnsupportedLanguage as error:
        return f"language not supported: {error}"
    except ExtractionFailed as error:
        return f"HTML not readable: {error}"
    except PageUnreadable as error:
        return f"text too long: {error}" if len(text) > settings.max_bytes else f"text not readable: {error}"
    except MissingExtra as error:
        return f"HTML needs an extra: {error}"
    except Exception as error:  # noqa: BLE001 - a bug on one row must not lose the others
        return f"scoring failed: {type(error).__name__}: {error}; this is a bug, please report the row"
    columns.score.append(score.score)
    columns.content.append(score.content)
    columns.percentile.append(100 * score.placement.share if score.placement else None)
    columns.flagged.append(manipulation.flagged)
    columns.language.append(score.language)
    for name, reading in score.readings.items():
        columns.components[name].append(reading.value)
    if columns.evidence is not None:
        spans = [
            Span(name, e.start, e.end, e.line, e.pattern, e.family)
            for name, reading in score.readings.items()
            for e in reading.evidence
        ]
        columns.evidence.append(spans)
    return None


def _append_nulls(columns: Columns) -> None:
    for values in (columns.score, columns.content, columns.percentile, *columns.components.values()):
        values.append(None)
    columns.flagged.append(None)
    columns.language.append(None)
    if columns.evidence is not None:
        columns.evidence.append(None)
