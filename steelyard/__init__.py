"""Steelyard: a deterministic, offline, hard-to-inflate content score of web pages.

The score is a quality filter. It does not predict which page an engine cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

# The room `steelyard.score` and the function of that name share an address. A first import of the room would
# put the module there; loading it (it is empty) before the function is defined leaves the address to the function.
import steelyard.score as _room  # noqa: F401 - loaded for the reason above

__version__ = "0.1.0"

if TYPE_CHECKING:
    from steelyard.score.domains import DomainRow
    from steelyard.score.page import PageScore


def score(
    text: str,
    *,
    title: str | None = None,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str = "shipped",
) -> PageScore:
    """The score of one page given as text or Markdown.

    `language` is "auto", "en" or "fr"; `as_of` a date or an ISO string (default: STEELYARD_AS_OF, else today in
    UTC); `weights` a named weighting or the path of a file. Raises UnsupportedLanguage for a page in another
    language unless one is asked for.
    """
    from steelyard.base.clock import resolve_as_of
    from steelyard.score import weighting
    from steelyard.score.page import score_page

    return score_page(
        text, title=title, language=language, as_of=resolve_as_of(as_of), weights=weighting.load(str(weights))
    )


def score_many(
    texts: Iterable[str],
    *,
    evidence: bool = False,
    language: str = "auto",
    as_of: date | str | None = None,
    weights: str = "shipped",
) -> list[PageScore]:
    """The scores of many pages, in order; without evidence spans unless asked for."""
    from steelyard.base.clock import resolve_as_of
    from steelyard.score import weighting
    from steelyard.score.page import score_page

    when, chosen = resolve_as_of(as_of), weighting.load(str(weights))
    return [score_page(t, language=language, as_of=when, weights=chosen, evidence=evidence) for t in texts]


def rank_domains(records: Iterable[Mapping[str, Any]]) -> list[DomainRow]:
    """Domains by their shrunk mean score; records hold `domain` and `score`."""
    from steelyard.score import domains

    return domains.rank_domains(records)


__all__ = ["__version__", "rank_domains", "score", "score_many"]
