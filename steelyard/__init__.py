"""Steelyard: a deterministic, offline, hard-to-inflate content score of web pages.

The score is a quality filter. It does not predict which page an engine cites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

# The room `steelyard.score` and the function of that name share an address. A first import of the room would
# put the module there; loading it (it is empty) before the function is defined leaves the address to the function.
# The same holds for `steelyard.detect`.
import steelyard.detect as _detectors  # noqa: F401
import steelyard.score as _room  # noqa: F401 - loaded for the reason above

__version__ = "0.1.0"

if TYPE_CHECKING:
    from steelyard.detect.layers import ManipulationReport
    from steelyard.protocol.falsify import Falsified
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
    """The five gates on a scorer: a function that takes a text and returns a number, or what `steelyard falsify` takes.

    `corpus` is "demo", a corpus file, a folder or a JSONL file; `scale` the scorer's lowest and highest score. The
    result's `survives` is True only when all five `gates` pass on all pages, no call failed and every page scored
    the same twice. Needs the extra `lab`. With `jobs` over 1 the calling script needs a `__main__` guard.
    """
    from pathlib import Path

    from steelyard.base.clock import resolve_as_of
    from steelyard.base.errors import UnknownName
    from steelyard.edits.base import ARMS
    from steelyard.protocol import capture
    from steelyard.protocol import falsify as protocol
    from steelyard.scorers.base import Range
    from steelyard.scorers.given import Given
    from steelyard.scorers.resolve import checked, resolve
    from steelyard.sources import candidates
    from steelyard.sources.corpus import VIEWS
    from steelyard.text.language import SUPPORTED

    for kind, value, known in (("view", view, VIEWS), ("arm", arm, ARMS), ("language", language, SUPPORTED)):
        if value not in known:
            raise UnknownName(kind, value, known)
    own = checked(Range(*scale))
    if callable(scorer):
        chosen: Any = Given(scorer, own, timeout)
    elif not isinstance(scorer, str):
        raise TypeError(f"a scorer is a function or a string, not {type(scorer).__name__}")
    else:
        chosen = resolve(
            scorer, range=own, timeout=timeout, isolate=isolate, folder=Path.cwd(), as_of=resolve_as_of(as_of)
        )
    pages = candidates.load(corpus)
    return protocol.falsify(
        pages.of(language),
        chosen,
        corpus=pages.name,
        digest=pages.digest,
        plan=capture.Plan(view, arm, seed),
        draws=draws,
        jobs=jobs,
    )


def detect(text: str, *, title: str | None = None, language: str = "auto") -> ManipulationReport:
    """Whether a page looks manipulated: by which detector, how far over its threshold, and where.

    A decision at a stated false-positive rate, apart from the score: neither enters the other. `evades` lists what
    the detectors are known not to see.
    """
    from steelyard.detect.layers import examine
    from steelyard.packs import pack
    from steelyard.score.page import chosen_language
    from steelyard.text.document import Document, Source

    source = Source(text)
    used, _ = chosen_language(source, language)
    return examine(Document(source, pack.load(used), title))


def rank_domains(records: Iterable[Mapping[str, Any]]) -> list[DomainRow]:
    """Domains by their shrunk mean score; records hold `domain` and `score`."""
    from steelyard.score import domains

    return domains.rank_domains(records)


__all__ = ["__version__", "detect", "falsify", "rank_domains", "score", "score_many"]
