"""`steelyard score`: pages in, scores out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import apply_styles, close_quietly, emit, warn
from steelyard.cli.settings import build_settings
from steelyard.errors import Interrupted, OutputClosed
from steelyard.inputs.find import RECORD_SUFFIXES, STDIN, find_pages
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageError, PageResult, Settings, analyse_all, scoring_record
from steelyard.report import html, listing, terminal
from steelyard.report.json_document import build_document
from steelyard.support.artifacts import to_json, write_text
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress

FORMATS = ("human", "json", "jsonl", "csv", "markdown", "html")
MANY_PAGES = 200  # from which starting processes pays
MANY_BYTES = 600_000  # the same for record files, whose pages are not counted beforehand

Results = Iterator[PageResult | PageError]


@click.command("score")
@click.argument("targets", nargs=-1, required=True)
@format_option(*FORMATS)
@scoring_options
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="Exit 1 when a page scores below N.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip paths or names that match; repeatable.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes. [default: 1; all cores from 200 pages]")
@click.option("--with-text", is_flag=True, help="Add the scored text to the JSON (for HTML: the extracted text).")
@click.option("--detect", is_flag=True, help="Also look for manipulation; exit 1 when a page is flagged.")
@click.option("--quiet", is_flag=True, help="Print only the summary and errors, without progress or a list of pages.")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    targets: tuple[str, ...], form: str, min_score: float | None, exclude: tuple[str, ...], jobs: int | None,
    with_text: bool, quiet: bool, output: str | None, **options: Any,
) -> int:  # fmt: skip
    """Score pages, and show where the points come from.

    TARGETS are files, directories, globs, JSONL files with a `text` key, or - for standard input.

    \b
    Exit codes:
      0  all pages were scored
      1  a page scores below --min-score, or --detect flags it
      2  a page could not be read
    """
    settings = build_settings(options, keep_text=with_text or form == "html")
    pages: list[PageResult] = []
    errors: list[PageError] = []
    results = _score_targets(targets, settings, exclude, jobs, quiet)
    if form == "jsonl":
        results = _stream(results, output, settings, with_text)
    interrupted = False
    try:
        for result in results:
            if isinstance(result, PageResult):
                pages.append(result)
            else:
                errors.append(result)
    except KeyboardInterrupt:
        interrupted = True
    if form != "jsonl":
        emit(_render(form, pages, errors, settings, with_text=with_text, quiet=quiet, output=output), output)
    if form not in ("json", "jsonl"):
        for error in errors:
            warn(f"steelyard: {make_visible(error.message)}")
    if interrupted:
        raise Interrupted(len(pages))
    failed = _warn_of_failures(pages, min_score)
    return 2 if errors else 1 if failed else 0


def _render(
    form: str,
    pages: Sequence[PageResult],
    errors: Sequence[PageError],
    settings: Settings,
    *,
    with_text: bool,
    quiet: bool,
    output: str | None,
) -> str:
    detect = settings.detect
    if form == "json":
        return to_json(build_document(pages, errors, settings, with_text=with_text)) + "\n"
    if form == "csv":
        return listing.make_spreadsheet(pages, errors, detect=detect).to_csv()
    if form == "markdown":
        return listing.render_markdown(pages, errors, scoring_record(settings), detect=detect)
    if form == "html":
        return html.render_report(pages, errors, settings.as_of)
    if len(pages) == 1 and not errors and not quiet:
        return apply_styles(terminal.render_page(pages[0]), output)
    return apply_styles(listing.render_listing(pages, errors, detect=detect, quiet=quiet), output)


def _warn_of_failures(pages: Sequence[PageResult], min_score: float | None) -> bool:
    """Name the pages below the threshold and those that are flagged; return whether there are any."""
    total = format_count(len(pages), "page")
    below = [r for r in pages if min_score is not None and r.page.score < min_score]
    if below:
        lowest = make_visible(listing.sort_by_score(below)[0].source)
        warn(f"steelyard: {len(below)} of {total} below {min_score:g}, the lowest is {lowest}")
    flagged = [r for r in pages if r.flagged]
    if flagged:
        names = ", ".join(make_visible(r.source) for r in flagged[:5]) + (", …" if len(flagged) > 5 else "")
        warn(f"steelyard: {len(flagged)} of {total} flagged by a detector, please check: {names}")
    return bool(below or flagged)


def _score_targets(
    targets: Sequence[str], settings: Settings, exclude: Sequence[str], jobs: int | None, quiet: bool
) -> Results:
    """Yield the results in the order of the targets, whatever the number of processes."""
    refs: Iterable[PageRef] = find_pages(targets, exclude=exclude, max_bytes=settings.max_bytes)
    total = None
    if not any(t == STDIN or t.lower().endswith(RECORD_SUFFIXES) for t in targets):
        refs = list(refs)
        total = len(refs)
    if jobs is None:
        files = (t for t in targets if t.lower().endswith(RECORD_SUFFIXES) and os.path.isfile(t))
        many = sum(map(os.path.getsize, files)) >= MANY_BYTES if total is None else total >= MANY_PAGES
        jobs = os.cpu_count() or 1 if many else 1
    yield from show_progress(analyse_all(refs, settings, jobs=jobs), total=total, quiet=quiet)


def _stream(results: Results, output: str | None, settings: Settings, with_text: bool) -> Results:
    """Write each result as a line of JSON as soon as it is there; a file is written at the end."""
    lines: list[str] = []
    scoring = scoring_record(settings)
    try:
        for result in results:
            entry = result.to_dict(with_text=with_text) if isinstance(result, PageResult) else result.to_dict()
            line = to_json({**entry, "scoring": scoring}, indent=None) + "\n"
            if output is None:
                sys.stdout.write(line)
                sys.stdout.flush()
            else:
                lines.append(line)
            yield result
    except BrokenPipeError as error:
        close_quietly()
        raise OutputClosed from error
    finally:
        if output is not None:
            write_text(output, "".join(lines))
