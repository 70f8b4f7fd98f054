"""`steelyard compare`: what a change did to the score of a page, or of all pages of a site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from steelyard.inputs.page_ref import PageRef
from steelyard.lab.commands.predict import SCOPE
from steelyard.native.core import choose_core
from steelyard.pages.compare import QueryView, SiteComparison
from steelyard.pages.compare_listing import render_markdown, render_pair, render_terminal, render_view
from steelyard.pages.compare_versions import compare_versions
from steelyard.pages.matching import match_pages
from steelyard.pages.page_change import PageChange
from steelyard.pages.reading import describe_doubt
from steelyard.pages.versions import Version, open_versions
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count, format_signed
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import build_configured_settings, format_option, output_option, scoring_options
from steelyard.terminal.output import apply_styles, emit, warn

MAX_NAMES = 20  # of pages with too large a drop


@dataclass(frozen=True, slots=True)
class Pair:
    """Two scored pages, their settings, and their ranks for a query."""

    old: PageResult
    new: PageResult
    scoring: dict[str, str]
    view: QueryView | None


def _render_pair(pair: Pair) -> str:
    lines = render_pair(pair.old, pair.new)
    if pair.view:
        lines += ["", *(line for line, _ in render_view(pair.view))]
    return "\n".join(lines) + "\n"


def _render_pair_json(pair: Pair) -> str:
    view = {"query": pair.view.to_dict()} if pair.view else {}
    return (
        to_json({"scoring": pair.scoring, **PageChange.from_results(pair.old, pair.new).to_document(), **view}) + "\n"
    )


def _render_pair_markdown(pair: Pair) -> str:
    page = replace(PageChange.from_results(pair.old, pair.new), old_source=None)
    return render_markdown(SiteComparison(pair.old.source, pair.new.source, pair.scoring, [page], 0, (), pair.view))


PAIR_FORMATS: Mapping[str, Callable[[Pair], str]] = {
    "human": _render_pair,
    "json": _render_pair_json,
    "markdown": _render_pair_markdown,
}
SITE_FORMATS: Mapping[str, Callable[[SiteComparison, str | None], str]] = {
    "human": lambda comparison, output: apply_styles(render_terminal(comparison), output),
    "json": lambda comparison, output: to_json(comparison.to_dict()) + "\n",
    "markdown": lambda comparison, output: render_markdown(comparison),
}


@click.command("compare")
@click.argument("old")
@click.argument("new")
@format_option(*PAIR_FORMATS)
@scoring_options
@click.option(
    "--max-drop", type=click.FloatRange(min=0), metavar="N", help="Exit 1 when a score drops by more than N points."
)
@click.option("--query", metavar="TEXT", help="Also rank the pages of each version for this query.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes. [default: 1; all cores from 200 pages]")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    old: str, new: str, form: str, max_drop: float | None, query: str | None, jobs: int | None, output: str | None,
    **options: Any,
) -> int:  # fmt: skip
    """Compare two versions of a page, or of all pages in a directory.

    OLD and NEW are two files or two directories. Either may be of a git revision: main:docs, HEAD~1:docs/page.md.

    Two files: the points per component, and the evidence gained and lost. Two directories: the score of every page
    that differs, the largest loss first. Renamed pages are recognised.

    \b
    Exit codes:
      0  compared
      1  a page drops by more than --max-drop
      2  a page could not be read
    """
    settings = replace(build_configured_settings(new, options, keep_text=True), sections=False)
    check_output(output, list_files([old, new]))
    match open_versions(old, new, settings.max_bytes):
        case (PageRef() as before, PageRef() as after):
            settings = replace(settings, core=choose_core())
            results = analyse(before, settings), analyse(after, settings)
            for result in results:
                if doubt := describe_doubt(result.reading):
                    warn(f"steelyard: {make_visible(result.source)}: {doubt}")
            view = _rank_pair(before, after, settings, query) if query is not None else None
            emit(PAIR_FORMATS[form](Pair(*results, settings.to_dict(), view)), output)
            return 1 if max_drop is not None and results[0].score - results[1].score > max_drop else 0
        case (Version() as before, Version() as after):
            matches = match_pages(before, after)
            comparison = compare_versions(before, after, matches, replace(settings, keep_text=False), jobs=jobs)
            if query is not None:
                from steelyard.lab.ranking.query_view import rank_versions

                ranks, errors = rank_versions(before, after, matches, query, settings)
                comparison = comparison.add_view(QueryView(query, SCOPE, ranks), errors)
            return _report(comparison, form, max_drop, output)
    raise TypeError("neither two pages nor two directories")


def _rank_pair(old: PageRef, new: PageRef, settings: Settings, query: str) -> QueryView:
    from steelyard.lab.ranking.query_view import rank_pair

    ranks = rank_pair(old, new, query, settings)
    return QueryView(query, f"{SCOPE} The two versions are ranked against each other.", ranks)


def _report(comparison: SiteComparison, form: str, max_drop: float | None, output: str | None) -> int:
    emit(SITE_FORMATS[form](comparison, output), output)
    if form != "json":
        for error in comparison.errors:
            warn(f"steelyard: {make_visible(error.message)}")
    drops = comparison.find_drops(max_drop) if max_drop is not None else []
    if drops:
        noun = "point" if max_drop == 1 else "points"
        warn(f"steelyard: {format_count(len(drops), 'page')} dropped by more than {max_drop:g} {noun}:")
    for page in drops[:MAX_NAMES]:
        warn(f"  {make_visible(page.name)} {format_signed(page.change)}")
    if len(drops) > MAX_NAMES:
        warn(f"  and {len(drops) - MAX_NAMES:,} more")
    return 2 if comparison.errors else 1 if drops else 0
