"""`Scorer`: one set of settings, and everything that can be scored with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from steelyard.errors import NotAText
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageError, PageResult, analyse, analyse_all, detect_text, score_texts
from steelyard.settings import AUTO, Settings
from steelyard.support.pool import map_ahead

if TYPE_CHECKING:
    from steelyard.detectors.layered_filter import ManipulationReport
    from steelyard.scoring.page import PageScore

_BATCH = 512  # texts that the native core takes at a time


class Scorer:
    """Scores pages, all with the same settings, which are checked once.

    The functions of the module do the same with settings for one call.

    Args:
        language: A language code, or "auto" to detect it.
        as_of: The date that ages are counted to, as a date or YYYY-MM-DD. Default: STEELYARD_AS_OF, else today in UTC.
        weights: "shipped", "prior", "equal", or the path of a .toml or .json file. Default: the edition's own.
        edition: "paper" or "2026": the patterns, caps, dates and weights that a score depends on. Default: "paper".
        detect: Whether results also have the detectors' report; for `score_file`, `score_files` and `score_html`.
        kind: The kind of every page, or "auto" to decide for each; it moves no point.
        selector: A CSS selector that picks the main part of HTML pages. Default: the main text that is found.

    Raises:
        UnknownName: A language, an edition, a weighting or a kind of page that does not exist.
        UnsupportedLanguage: A language that the edition does not have.
        InvalidWeights: The file of the weighting is wrong.
        InvalidDate: `as_of`, or the variable, is no date.
        InvalidSelector: The selector cannot be used.

    Example:
        >>> scorer = Scorer(edition="2026", as_of="2026-07-01")
        >>> scorer.edition, scorer.score("# Tides\\n\\nHigh water comes twice a day.").words
        ('2026', 7)
    """

    def __init__(
        self,
        *,
        language: str = AUTO,
        as_of: date | str | None = None,
        weights: str | os.PathLike[str] | None = None,
        edition: str | None = None,
        detect: bool = False,
        kind: str = AUTO,
        selector: str | None = None,
    ) -> None:
        path = None if weights is None else os.fspath(weights)
        self._settings = Settings.resolve(
            language=language, as_of=as_of, weights=path, edition=edition, keep_text=True, detect=detect, kind=kind,
            selector=selector,
        )  # fmt: skip

    def __repr__(self) -> str:
        values = {**self._settings.to_dict(), "language": self.language}
        return f"Scorer({', '.join(f'{name}={value!r}' for name, value in values.items())})"

    @property
    def edition(self) -> str:
        """The name of the edition."""
        return self._settings.edition.name

    @property
    def weights(self) -> str:
        """The name of the weighting."""
        return self._settings.weights.name

    @property
    def as_of(self) -> date:
        """The date that ages are counted to."""
        return self._settings.as_of

    @property
    def language(self) -> str:
        """The language of the pages, or "auto"."""
        return self._settings.language

    def score(self, text: str, *, title: str | None = None) -> PageScore:
        """Score one page given as text; see `steelyard.score`."""
        _refuse_path(text)
        return score_texts([text], self._use(title), evidence=True)[0]

    def score_many(self, texts: Iterable[str], *, evidence: bool = False, threads: int = 1) -> list[PageScore]:
        """Score many texts, in their order; see `steelyard.score_many`."""
        rest = iter(texts)
        batches = iter(lambda: list(islice(rest, _BATCH)), [])
        score_batch = partial(score_texts, settings=self._settings, evidence=evidence, threads=threads)
        # While the core scores one batch, Python builds the results of another.
        scored = map_ahead(score_batch, batches) if threads > 1 else map(score_batch, batches)
        return list(chain.from_iterable(scored))

    def score_file(self, path: str | os.PathLike[str], *, title: str | None = None) -> PageResult:
        """Score one file; see `steelyard.score_file`."""
        return analyse(_refer(path), self._use(title))

    def score_files(
        self, paths: Iterable[str | os.PathLike[str]], *, jobs: int = 1
    ) -> Iterator[PageResult | PageError]:
        """Score many files, in their order; see `steelyard.score_files`."""
        return analyse_all(map(_refer, paths), self._settings, jobs=jobs)

    def score_html(self, html: str, url: str | None = None, *, title: str | None = None) -> PageResult:
        """Score one HTML page that is already in memory; see `steelyard.score_html`."""
        return analyse(PageRef(url or "html", text=html, url=url, html=True), self._use(title))

    def detect(self, text: str, *, title: str | None = None) -> ManipulationReport:
        """Look for manipulation in a page; see `steelyard.detect`."""
        _refuse_path(text)
        return detect_text(text, self._use(title))

    def _use(self, title: str | None) -> Settings:
        return replace(self._settings, title=title)


def _refer(path: str | os.PathLike[str]) -> PageRef:
    name = os.fspath(path)
    return PageRef(name, path=name)


def _refuse_path(text: Any) -> None:
    """Refuse the name of a file: who passes one expects the file to be scored."""
    if isinstance(text, str) and 0 < len(text) < 1_000 and "\n" not in text and "\0" not in text:
        try:
            if os.path.isfile(text):
                raise NotAText(text)
        except (OSError, ValueError):
            return
