"""How pages are scored: `Settings.resolve` is the only place where this is put together and checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from steelyard import languages
from steelyard.advice import kinds
from steelyard.errors import UnknownName, UnsupportedLanguage
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.scoring import editions, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.weighting import Weighting
from steelyard.support.clock import resolve_as_of
from steelyard.text.html import DEFAULT_LIMITS, HtmlLimits, check_selector

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """How pages are analysed, the same for all of them."""

    as_of: date
    weights: Weighting
    edition: Edition
    language: str = AUTO
    title: str | None = None
    url: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    keep_text: bool = False
    detect: bool = False
    limits: HtmlLimits = DEFAULT_LIMITS
    uncertain: bool = False
    sections: bool = True  # whether results have the sections of pages
    kind: str = AUTO  # of every page; decides which advice is given, and no score
    selector: str | None = None
    core: str = ""  # that measures all pages of the run, from `choose_core`; the numbers are the same with either

    @classmethod
    def resolve(
        cls,
        *,
        edition: Edition | str | None = None,
        weights: Weighting | str | None = None,
        as_of: date | str | None = None,
        language: str = AUTO,
        title: str | None = None,
        url: str | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        keep_text: bool = False,
        detect: bool = False,
        limits: HtmlLimits = DEFAULT_LIMITS,
        uncertain: bool = False,
        sections: bool = True,
        kind: str = AUTO,
        selector: str | None = None,
        core: str = "",
    ) -> Settings:
        """Return the settings that these values mean, the same wherever they come from.

        Args:
            edition: An edition or its name. Default: the paper's.
            weights: A weighting, its name, or the path of a file. Default: the edition's own.
            as_of: The date that ages are counted to. Default: STEELYARD_AS_OF, else today in UTC.
            language: A language of the edition, or "auto" to detect that of each page.
            title: The title of every page. Default: its own.
            url: The address of every page, used to tell internal from external links. Default: its own.
            max_bytes: The largest page that is read.
            keep_text: Whether results keep the text that was scored.
            detect: Whether to look for manipulation.
            limits: What is refused in a page.
            uncertain: Whether findings that the page's own words do not make certain are given too.
            sections: Whether results have the sections of pages, each scored by itself.
            kind: The kind of every page, or "auto" to decide for each.
            selector: A CSS selector that picks the main part of HTML pages. Default: the extractor finds it.
            core: The core that measures, where it has been chosen.

        Raises:
            UnknownName: An edition, a weighting, a language or a kind of page that does not exist.
            UnsupportedLanguage: A language that the edition does not have.
            InvalidWeights: The file of the weighting is wrong.
            InvalidDate: `as_of`, or the variable, is no date.
            InvalidSelector: The selector cannot be used.
        """
        chosen = edition if isinstance(edition, Edition) else editions.load(edition or editions.DEFAULT)
        _check_language(language, chosen)
        if kind not in (AUTO, *kinds.KINDS):
            raise UnknownName("kind of page", kind, (AUTO, *kinds.KINDS))
        if not isinstance(weights, Weighting):
            weights = weighting.load(str(weights or chosen.weights))
        return cls(
            resolve_as_of(as_of), weights, chosen, language, title, url, max_bytes, keep_text, detect, limits,
            uncertain, sections, kind, None if selector is None else check_selector(selector), core,
        )  # fmt: skip

    def to_dict(self) -> dict[str, str]:
        """Return what all pages of a run share; what depends on the language is in each page's `hash`."""
        selector = {} if self.selector is None else {"selector": self.selector}
        return {"edition": self.edition.name, "weights": self.weights.name, "as_of": self.as_of.isoformat(), **selector}


def _check_language(language: str, edition: Edition) -> None:
    """Refuse a language that no page could be scored in: one error at the start instead of one for each page."""
    if language in (AUTO, *edition.languages):
        return
    if language not in languages.CODES:
        raise UnknownName("language", language, (AUTO, *edition.languages))
    raise UnsupportedLanguage(language, edition.languages, editions.find_other(language), edition=edition.name)
