"""How the ranker of `steelyard predict` orders the pages of two versions for a query."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.inputs.page_ref import PageRef
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.predict import RankedPage, rank_pages
from steelyard.pages.compare import QueryRank
from steelyard.pages.matching import Matches
from steelyard.pages.versions import Version
from steelyard.pipeline import PageError, read_page
from steelyard.settings import Settings
from steelyard.support.progress import show_progress


def rank_versions(
    old: Version, new: Version, matches: Matches, query: str, settings: Settings
) -> tuple[list[QueryRank], list[PageError]]:
    """Return the ranks of every page in each version, the first of the new version first, and the unreadable pages.

    All pages are read, also those that are the same in both: a page's rank depends on the others.
    """
    errors: list[PageError] = []
    same = set(matches.unchanged)
    after = _read(new.pages, new.load(list(new.pages)), settings.max_bytes, errors)
    others = [path for path in old.pages if path not in same]
    before = _read(others, old.load(others), settings.max_bytes, errors)
    before += [page for page in after if page.key in same]
    names = {source: path for path, source in matches.renamed.items()}
    old_ranks = {names.get(page.name, page.name): page for page in rank_pages(query, before)}
    new_ranks = {page.name: page for page in rank_pages(query, after)}
    ranks = [_make_rank(path, old_ranks.get(path), page) for path, page in new_ranks.items()]
    gone = [_make_rank(path, page, None) for path, page in old_ranks.items() if path not in new_ranks]
    return ranks + gone, errors


def rank_pair(old: PageRef, new: PageRef, query: str, settings: Settings) -> list[QueryRank]:
    """Return the ranks of two versions of a page when each is the other's only competitor.

    Raises:
        PageUnreadable: One of them cannot be read.
    """
    pages = [_make_candidate(side, ref, settings.max_bytes) for side, ref in (("old", old), ("new", new))]
    ranks = {page.name: page for page in rank_pages(query, pages)}
    return [_make_rank(new.source, ranks["old"], ranks["new"])]


def _make_candidate(key: str, ref: PageRef, max_bytes: int) -> Candidate:
    page = read_page(ref, max_bytes)
    return Candidate(key, page.text, page.title or "")


def _read(paths: Iterable[str], refs: Iterable[PageRef], max_bytes: int, errors: list[PageError]) -> list[Candidate]:
    """Return the pages that can be read; add the others to the errors."""
    readable = []
    paths = list(paths)
    for path, ref in zip(paths, show_progress(refs, total=len(paths)), strict=True):
        try:
            readable.append(_make_candidate(path, ref, max_bytes))
        except (PageUnreadable, MissingExtra) as error:
            errors.append(PageError.from_error(ref.source, error))
    return readable


def _make_rank(path: str, old: RankedPage | None, new: RankedPage | None) -> QueryRank:
    return QueryRank(
        path,
        old_place=old.place if old else None,
        new_place=new.place if new else None,
        old_score=old.score if old else None,
        new_score=new.score if new else None,
    )
