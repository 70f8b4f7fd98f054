"""The arguments that the steps for other engines share, resolved once so that all workers agree."""

from __future__ import annotations

from datetime import date

from steelyard import languages
from steelyard.errors import UnknownName, UnsupportedLanguage
from steelyard.pipeline import AUTO, Settings
from steelyard.scoring import editions, weighting
from steelyard.support.clock import resolve_as_of


def build_settings(
    language: str = AUTO, edition: str | None = None, weights: str | None = None, as_of: date | str | None = None
) -> Settings:
    """Return the settings that these arguments stand for; they mean the same as in `steelyard.score`.

    Raises:
        UnknownName: A language, an edition or a weighting that does not exist.
        UnsupportedLanguage: A language that the edition does not have.
        InvalidDate: `as_of` is no date.
    """
    used = editions.load(edition or editions.DEFAULT)
    # Noticed here, a wrong language is one error at the start instead of one per row.
    if language not in (AUTO, *used.languages):
        if language not in languages.CODES:
            raise UnknownName("language", language, (AUTO, *used.languages))
        raise UnsupportedLanguage(language, used.languages, editions.find_other(language))
    return Settings(resolve_as_of(as_of), weighting.load(weights or used.weights), used, language)
