"""From a page to its result: the only path, used by the API, the command line and the laboratory.

What a page is (its text, title, language, dates, and whether it was HTML) is resolved here and nowhere else.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard import languages
from steelyard.advice.advise import find_improvements, suggest
from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.kinds import NOT_DECIDED, PageKind, find_kind, take_given
from steelyard.components import NAMES
from steelyard.components.links import parse_host
from steelyard.errors import MissingExtra, PageUnreadable, ReadingFailed, UnsupportedLanguage
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES, PageRef, check_length, load_text
from steelyard.languages.dates import load_date_words
from steelyard.native.core import Run, Task, choose_core, get_core
from steelyard.native.results import build_report, build_score
from steelyard.scoring import editions
from steelyard.scoring.editions import Edition
from steelyard.scoring.page import PageScore, score_document, transform
from steelyard.scoring.sections import Section, build_sections, find_parts, read_texts, select_parts
from steelyard.scoring.weighting import Weighting
from steelyard.settings import AUTO, Settings
from steelyard.support.pool import LostTask, ordered_map
from steelyard.text import html
from steelyard.text.characters import LETTERS
from steelyard.text.dates import UNDATED, PageDates
from steelyard.text.directives import StrippedText, strip_directives
from steelyard.text.document import Document
from steelyard.text.html import DEFAULT_LIMITS, HtmlLimits, HtmlReading
from steelyard.text.html.metadata import HtmlHead
from steelyard.text.source import Source
from steelyard.text.text_dates import read_text_dates

if TYPE_CHECKING:
    from steelyard.detectors.layered_filter import ManipulationReport

ORDER_SAMPLE = 2_000  # characters that the language of a numeric date is told from
# What the JSON has of a suggestion, in this order.
_SUGGESTION = (
    "rule", "component", "action", "gain", "line", "column", "span", "engine_effect", "quote", "message", "why",
    "counted", "certain", "help", "more",
)  # fmt: skip

READING = "reading"  # the reason of an error where the main text of a page was not found


@dataclass(frozen=True, slots=True)
class Page:
    """A page's text in Markdown, with what its record or its HTML says about it."""

    source: str
    text: str
    title: str | None = None
    dates: PageDates = UNDATED
    url: str | None = None  # its own address, where it is known
    types: tuple[str, ...] = ()  # of schema.org, in the structured data of its HTML
    extractor: str = ""  # the program that extracted the text from HTML, with its version; "" for text and Markdown
    stripped: StrippedText | None = None  # where it has directives, which are not part of its text
    reading: HtmlReading | None = None  # how well it was read, where it was HTML
    outline: tuple[tuple[str, bool], ...] = ()  # what a visitor sees of it, and whether it was read
    head: HtmlHead | None = None  # what programs are told of it, where it was HTML

    def open(self, *, repaired: bool = False) -> Source:
        """Return the text with the mapping to the page as it was written."""
        return Source(self.stripped or self.text, repaired=repaired)


@dataclass(frozen=True, slots=True)
class PageResult:
    """A page's score, the places to improve, and the detectors' report when it was requested.

    `text` is what the evidence points into, kept on request; for HTML that is the extracted Markdown. `reading` says
    how well HTML was read, and `outline` what a visitor sees of it and whether it was read, kept with the text.
    """

    source: str
    page: PageScore
    findings: tuple[Finding, ...]
    extracted: bool
    kind: PageKind = NOT_DECIDED
    sections: tuple[Section, ...] | None = None  # of a page with headings; None where the settings do not ask for them
    text: str | None = None
    url: str | None = None
    manipulation: ManipulationReport | None = None
    dates: PageDates = UNDATED
    reading: HtmlReading | None = None
    outline: tuple[tuple[str, bool], ...] = ()

    @property
    def score(self) -> float:
        """The score, from 0 to 100."""
        return self.page.score

    @property
    def suggestions(self) -> tuple[Finding, ...]:
        """The best finding of each rule, in the order in which an editor would act."""
        return tuple(suggest(self.findings))

    @property
    def flagged(self) -> list[str]:
        """The detectors that flag the page; empty when detection was not requested."""
        return [name for name, s in self.manipulation.signals.items() if s.flagged] if self.manipulation else []

    def to_dict(self, *, with_text: bool = False, with_evidence: bool = True) -> dict[str, Any]:
        """Return the page as one entry of `pages` in `steelyard score --format json`.

        Args:
            with_text: Whether to add the text that was scored.
            with_evidence: Whether to list the evidence, which is most of an entry.
        """
        page = self.page
        entry: dict[str, Any] = {
            "source": self.source,
            "hash": page.scoring.hash,
            "edition": page.scoring.edition,
            "language": page.language,
            "detected_language": page.detected,
            **{key: getattr(page, key) for key in ("title", "words", "score", "content", "freshness")},
            "dates": self.dates.to_dict(),
            "reference": asdict(page.placement) if page.placement else None,
            "rating": page.rating,
            "meaning": page.meaning,
            "freshness_terms": dict(page.fresh.terms),
            "freshness_evidence": [asdict(e) for e in page.fresh.evidence],
            "held": page.held or None,
            **{key: getattr(page, key) for key in ("cap", "guard", "guard_reason")},
            "kind": {"name": self.kind.name, "certain": self.kind.certain, "because": list(self.kind.because)},
            "unvalidated": page.unvalidated._asdict(),
            "reading": asdict(self.reading) if self.reading else None,
            "offsets": "extracted" if self.extracted else "source",
            "components": {
                name: {
                    "value": reading.value,
                    "transformed": transform(reading.value),
                    "weight": page.weights[name],
                    "points": page.contributions[name],
                    "degenerate": reading.degenerate,
                    "parts": {k: list(v) if isinstance(v, tuple) else v for k, v in reading.parts.items()},
                    "evidence": [asdict(e) for e in reading.evidence],
                }
                for name, reading in page.readings.items()
            },
            "moves": [{key: getattr(s, key) for key in _SUGGESTION} for s in self.suggestions],
        }
        if page.prose is not None:
            entry["prose"] = page.prose._asdict()
        if self.sections is not None:
            entry["sections"] = [section.to_dict() for section in self.sections]
        if not with_evidence:
            del entry["freshness_evidence"], entry["kind"]["because"]
            for component in entry["components"].values():
                del component["evidence"]
        if self.url is not None:
            entry["url"] = self.url
        if with_text:
            entry["text"] = self.text
        if self.manipulation is not None:
            entry["manipulation"] = self.manipulation.to_dict()
            if not with_evidence:
                del entry["manipulation"]["evidence"]
        return entry

    def to_row(self) -> dict[str, Any]:
        """Return the page as one flat row for a table or a DataFrame: scalars only, one column per component."""
        row: dict[str, Any] = {"source": self.source, "url": self.url}
        for name, value in self.page.to_row().items():
            row[name] = value
            if name == "percentile":
                row |= {"kind": self.kind.name, "kind_certain": self.kind.certain}
                row["flagged"] = ", ".join(self.flagged)
                row["reading"] = self.reading.confidence if self.reading else None
                row["read_share"] = self.reading.read_share if self.reading else None
                row["reading_reason"] = self.reading.reason if self.reading else None
        dates = self.dates.to_dict()
        return row | {"published": dates["published"], "updated": dates["updated"], "dates_from": dates["from"]}


@dataclass(frozen=True, slots=True)
class PageError:
    """A page that could not be read or scored, and why. `reason` is "reading" where its main text was not found."""

    source: str
    error: str
    reason: str | None = None
    outline: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def from_error(cls, source: str, error: Exception, *, keep_text: bool = False) -> PageError:
        """Return the error of a page, with its reason where that has a name, and with what a visitor sees if wanted."""
        if not isinstance(error, ReadingFailed):
            return cls(source, str(error))
        return cls(source, str(error), READING, error.outline if keep_text else ())

    @property
    def message(self) -> str:
        """The error with the name of its page, once."""
        return self.error if self.source in self.error else f"{self.source}: {self.error}"

    def to_dict(self) -> dict[str, str]:
        """Return the error as one entry of `errors` in the JSON."""
        reason = {} if self.reason is None else {"reason": self.reason}
        return {"source": self.source, "error": self.error, **reason}


def read_page(
    ref: PageRef,
    max_bytes: int = DEFAULT_MAX_BYTES,
    limits: HtmlLimits = DEFAULT_LIMITS,
    selector: str | None = None,
) -> Page:
    """Read a page: decode its bytes, and extract the main text from HTML, or what a CSS selector picks of it.

    Raises:
        PageUnreadable: The page does not exist, is not text, or is too long.
        ReadingFailed: It is HTML, and its main text was not found.
        SelectedNothing: It is HTML, and the selector fits nothing.
        MissingExtra: The page is HTML, and the extra that reads HTML is not installed.
    """
    text = load_text(ref, max_bytes)
    if not (ref.html or html.is_html(text, name=ref.path or "")):
        check_length(ref.source, len(text), limits.text)
        stripped = strip_directives(text)
        dates = read_text_dates(stripped.text, load_date_words(), ref.url, partial(_know_order, stripped.text))
        return Page(
            ref.source, stripped.text, ref.title, dates, ref.url, stripped=stripped if stripped.text != text else None
        )
    extract = html.extract(text, limits, load_date_words(), ref.url, selector)
    check_length(ref.source, len(extract.markdown), limits.text)
    reading = extract.reading
    if reading.confidence == "failed":
        raise ReadingFailed(reading.reason or "", reading.read_share, extract.outline)
    title = ref.title if ref.title is not None else extract.title
    # What was picked decides about the text, and so belongs to what made it.
    extractor = html.version() if selector is None else f"{html.version()}, {selector}"
    return Page(
        ref.source, extract.markdown, title, extract.dates, ref.url or extract.url, extract.types, extractor,
        reading=reading, outline=extract.outline, head=extract.head,
    )  # fmt: skip


def _know_order(text: str) -> bool | None:
    """Return whether the month comes first in 3/6/2019, by the page's language; None in English, which has both."""
    sample = text[:ORDER_SAMPLE].lower()
    language = languages.detect(sample, Counter(LETTERS.findall(sample)))
    return None if language == "en" else False


def open_document(page: Page, settings: Settings) -> tuple[Document, str]:
    """Return the page as a Document in its language, under its title, and the language that was detected.

    The title is the given one, else the page's own, else that of its front matter, else its first heading.

    Raises:
        UnsupportedLanguage: The page is in a language that the edition does not have.
    """
    edition = settings.edition
    source = page.open(repaired=edition.repairs)
    detected = languages.detect(source.structure.view.text, source.word_counts, edition.languages)
    used = detected if settings.language == AUTO else settings.language
    if used not in edition.languages:
        raise _refuse_language(used, edition)
    given = settings.title if settings.title is not None else page.title
    heading = given if given is not None else source.front_matter.get("title") or source.first_heading()
    return _open(source, page, edition, used, heading or None), detected


def find_page_kind(page: Page, settings: Settings) -> PageKind:
    """Return the kind of a page that has been read, without scoring it.

    Raises:
        UnsupportedLanguage: It is in a language that is not supported.
    """
    return _find_kind(open_document(page, settings)[0], page, settings)


def _find_kind(doc: Document, page: Page, settings: Settings) -> PageKind:
    if settings.kind != AUTO:
        return take_given(settings.kind)
    return find_kind(doc, url=settings.url or page.url, types=page.types)


def _open(source: Source, page: Page, edition: Edition, language: str, title: str | None) -> Document:
    site = parse_host(page.url) if page.url and edition.links == "other sites" else ""
    return Document(source, edition.load_language(language), title, site)


def _refuse_language(detected: str, edition: Edition) -> Exception:
    """Return the error of a page in a language that the edition does not have."""
    return UnsupportedLanguage(detected, edition.languages, editions.find_other(detected))


def score_text(
    text: str,
    *,
    as_of: date,
    title: str | None = None,
    language: str = AUTO,
    weights: Weighting | None = None,
    edition: Edition | None = None,
    evidence: bool = True,
) -> PageScore:
    """Score a text, Markdown or HTML. Without `evidence` no spans are located, which is faster."""
    settings = Settings.resolve(as_of=as_of, title=title, language=language, weights=weights, edition=edition)
    return score_texts([text], settings, evidence=evidence)[0]


def score_texts(texts: Sequence[str], settings: Settings, *, evidence: bool, threads: int = 1) -> list[PageScore]:
    """Score texts, Markdown or HTML, in their order.

    Raises:
        PageUnreadable: A text cannot be scored.
    """
    limits = replace(settings.limits, text=sys.maxsize)
    pages = [read_page(PageRef("text", text=text), sys.maxsize, limits, settings.selector) for text in texts]
    scores = []
    for measured in measure_pages(pages, settings, evidence=evidence, threads=threads):
        if isinstance(measured, Exception):
            raise measured
        scores.append(measured.score)
    return scores


@dataclass(frozen=True, slots=True)
class Measured:
    """A page's score, its document for what the score does not hold, and the detectors' report when requested."""

    score: PageScore
    document: Callable[[], Document]
    manipulation: ManipulationReport | None = None


def measure_pages(
    pages: Sequence[Page], settings: Settings, *, evidence: bool = True, threads: int = 1
) -> list[Measured | Exception]:
    """Score pages, and examine them when the settings say so: with the native core where it is used, else in Python.

    A page that cannot be scored has its error instead.
    """
    if settings.url:
        pages = [replace(page, url=settings.url) for page in pages]
    core = get_core(settings.edition, settings.core)
    if core is None:
        return [_try_to_measure(page, settings, evidence=evidence) for page in pages]
    tasks = [describe_task(page, settings) for page in pages]
    results = core.score(tasks, describe_run(settings), evidence=evidence, detect=settings.detect, threads=threads)
    return [_from_native(result, page, settings) for result, page in zip(results, pages, strict=True)]


def describe_run(settings: Settings) -> Run:
    """Return what all pages of a run share, as the native core takes it."""
    language = None if settings.language == AUTO else settings.language
    as_of = (settings.as_of.toordinal(), settings.as_of.year)
    return Run(language, as_of, [settings.weights.weights[name] for name in NAMES])


def describe_task(page: Page, settings: Settings) -> Task:
    """Return a page as the native core takes it."""
    title = settings.title if settings.title is not None else page.title
    return Task(page.text, title, page.url, [day.toordinal() for day in page.dates.known])


def _from_native(result: Any, page: Page, settings: Settings) -> Measured | Exception:
    """Return the native core's result of one page as the Python code has it."""
    if isinstance(result, tuple):
        return explain_failure(result, settings)
    written = page.open() if page.stripped else None  # the core knows no directives, and composes by itself
    score = build_score(result, settings.as_of, settings.weights, settings.edition, page.extractor, written=written)
    report = build_report(result, settings.edition, score.words, written) if settings.detect else None

    def open_document_again() -> Document:
        source = page.open(repaired=settings.edition.repairs)
        doc = _open(source, page, settings.edition, score.language, score.title)
        doc.preload_matches(result.matches())
        return doc

    return Measured(score, open_document_again, report)


def explain_failure(failure: tuple[str, str], settings: Settings) -> Exception:
    """Return the error of a page from the native core's reason and its subject."""
    reason, about = failure
    if reason == "unsupported":
        return _refuse_language(about, settings.edition)
    return RuntimeError(f"the native core failed: {about}")


def _try_to_measure(page: Page, settings: Settings, *, evidence: bool) -> Measured | Exception:
    try:
        doc, detected = open_document(page, settings)
        score = score_document(
            doc, detected, settings.as_of, settings.weights, page.dates.known,
            edition=settings.edition, extractor=page.extractor, evidence=evidence,
        )  # fmt: skip
        return Measured(score, lambda: doc, _examine(doc) if settings.detect else None)
    except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
        return error


def _examine(doc: Document) -> ManipulationReport:
    from steelyard.detectors.layered_filter import detect_manipulation  # loaded only when requested

    return detect_manipulation(doc)


def detect_text(text: str, settings: Settings) -> ManipulationReport:
    """Look for manipulation in a text, Markdown or HTML, without scoring it."""
    limits = replace(settings.limits, text=sys.maxsize)
    page = read_page(PageRef("text", text=text), sys.maxsize, limits, settings.selector)
    return _examine(open_document(page, settings)[0])


def analyse(ref: PageRef, settings: Settings) -> PageResult:
    """Read, score and examine one page.

    Raises:
        PageUnreadable: The page cannot be read, or is in a language that is not supported.
        MissingExtra: The page is HTML, and the extra that reads HTML is not installed.
    """
    return analyse_page(read_page(ref, settings.max_bytes, settings.limits, settings.selector), settings)


def analyse_page(page: Page, settings: Settings) -> PageResult:
    """Score and examine a page that has been read.

    Raises:
        UnsupportedLanguage: It is in a language that is not supported.
    """
    (measured,) = measure_pages([page], settings)
    if isinstance(measured, Exception):
        raise measured
    text, doc = page.stripped.written if page.stripped else page.text, measured.document()
    kind = _find_kind(doc, page, settings)
    sections = measure_sections(page, doc.source, measured.score, settings) if settings.sections else None
    context = Context(
        measured.score, doc, kind=kind, reading=page.reading, dates=page.dates, sections=sections or (),
        url=settings.url or page.url, extracted=bool(page.extractor), head=page.head,
    )  # fmt: skip
    is_doubtful = page.reading is not None and page.reading.confidence != "good"
    return PageResult(
        source=page.source,
        page=measured.score,
        findings=tuple(find_improvements(context, uncertain=settings.uncertain)),
        extracted=bool(page.extractor),
        kind=kind,
        sections=sections,
        text=text if settings.keep_text else None,
        url=settings.url or page.url,
        manipulation=None if is_doubtful else measured.manipulation,
        dates=page.dates,
        reading=page.reading,
        outline=page.outline if settings.keep_text else (),
    )


def measure_sections(page: Page, source: Source, score: PageScore, settings: Settings) -> tuple[Section, ...]:
    """Score the sections of a page, each as if it were a page of its own in the page's language."""
    parts = find_parts(source)
    chosen = select_parts(parts)
    texts = read_texts(source, [parts[number] for number in chosen])
    pages = [Page(page.source, text, url=page.url) for text in texts]
    alone = replace(settings, title=None, language=score.language, detect=False)
    scores: dict[int, PageScore] = {}
    for number, measured in zip(chosen, measure_pages(pages, alone, evidence=False), strict=True):
        if isinstance(measured, Exception):
            raise measured
        scores[number] = measured.score
    return build_sections(source, parts, score, scores)


def analyse_or_error(ref: PageRef, settings: Settings) -> PageResult | PageError:
    """Analyse one page; whatever goes wrong with it becomes a PageError."""
    try:
        return analyse(ref, settings)
    except (PageUnreadable, MissingExtra) as error:
        return PageError.from_error(ref.source, error, keep_text=settings.keep_text)
    except Exception as error:  # noqa: BLE001 - a bug on one page must not lose the others
        fault = f"{type(error).__name__}: {error}"
        return PageError(ref.source, f"{ref.source}: scoring failed ({fault}); this is a bug, please report the page")


def analyse_all(refs: Iterable[PageRef], settings: Settings, *, jobs: int = 1) -> Iterator[PageResult | PageError]:
    """Analyse pages in their order, on `jobs` processes; a page that fails becomes a PageError."""
    settings = replace(settings, core=settings.core or choose_core())
    for outcome in ordered_map(partial(analyse_or_error, settings=settings), refs, jobs):
        if isinstance(outcome, LostTask):
            source = outcome.task.source
            reason = f"the process scoring this page died ({outcome.reason}); score the page alone to see why"
            yield PageError(source, f"{source}: {reason}")
        else:
            yield outcome
