"""Compare two directories, on disk or at revisions: match their pages, and score those that differ."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from steelyard.native.core import choose_core
from steelyard.pages.compare import SiteComparison
from steelyard.pages.matching import Matches
from steelyard.pages.page_change import PageChange, PageVersion
from steelyard.pages.versions import Version
from steelyard.pipeline import PageError, PageResult, analyse_all
from steelyard.settings import Settings
from steelyard.support.progress import show_progress

MANY_PAGES = 200  # from which starting processes pays

Scored = PageVersion | PageError


def compare_versions(
    old: Version, new: Version, matches: Matches, settings: Settings, *, jobs: int | None = None
) -> SiteComparison:
    """Compare the pages of two versions; a page with the same content in both is counted, and not scored."""
    olds = [*matches.changed, *matches.renamed.values(), *matches.removed]
    news = [*matches.changed, *matches.renamed, *matches.added]
    total = len(olds) + len(news)
    jobs = jobs or ((os.cpu_count() or 1) if total >= MANY_PAGES else 1)
    settings = replace(settings, core=choose_core())
    results = analyse_all(chain(old.load(olds), new.load(news)), settings, jobs=jobs)
    scored = map(_keep, show_progress(results, total=total))
    before = dict(zip(olds, scored, strict=False))  # the rest belongs to the new version
    after = dict(zip(news, scored, strict=True))
    pages: list[PageChange] = []
    errors = [*old.errors.values(), *new.errors.values()]
    for change in _pair(matches, before, after):
        pages.append(change) if isinstance(change, PageChange) else errors.append(change)
    return SiteComparison(old.name, new.name, settings.to_dict(), pages, len(matches.unchanged), errors)


def _keep(result: PageResult | PageError) -> Scored:
    return result if isinstance(result, PageError) else PageVersion.from_result(result)


def _pair(matches: Matches, before: dict[str, Scored], after: dict[str, Scored]) -> Iterator[PageChange | PageError]:
    """Yield the changes, and the pages that could not be scored in one version or the other."""
    changed = [(path, "changed", path, None) for path in matches.changed]
    renamed = [(path, "renamed", source, source) for path, source in matches.renamed.items()]
    added = [(path, "added", None, None) for path in matches.added]
    removed = [(path, "removed", path, None) for path in matches.removed]
    for path, status, source, old_path in (*changed, *renamed, *added, *removed):
        old = None if source is None else before[source]
        new = None if status == "removed" else after[path]
        failed = [version for version in (old, new) if isinstance(version, PageError)]
        yield from failed
        if not isinstance(old, PageError) and not isinstance(new, PageError):
            yield PageChange(path, status, old, new, old_path)
