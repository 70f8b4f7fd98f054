"""`steelyard score`: pages in, scores out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from steelyard import __version__
from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import close_quietly, colours, emit, styled, warn
from steelyard.cli.settings import settings_of
from steelyard.errors import Interrupted, OutputClosed
from steelyard.inputs.find import RECORD_SUFFIXES, STDIN, find
from steelyard.inputs.page import PageRef
from steelyard.pipeline import PageError, PageResult, Settings, analyse_all, scoring_record
from steelyard.report import html, listing
from steelyard.report import terminal as page
from steelyard.report.scope import SCOPE
from steelyard.support.artifacts import to_json, write_text
from steelyard.support.escape import visible
from steelyard.support.progress import tracked
from steelyard.support.wording import counted

FORMATS = ("human", "json", "jsonl", "csv", "markdown", "html")
SCHEMA_VERSION = 1
WORTH_PROCESSES = 200  # pages from which processes pay for their start
WORTH_BYTES = 600_000  # the same for record files, whose pages are not counted before


@click.command("score")
@click.argument("targets", nargs=-1, required=True)
@format_option(*FORMATS)
@scoring_options
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="Exit 1 when a page scores below N.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out paths or names that match; repeatable.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes. [default: 1, all cores from 200 pages on]")
@click.option("--with-text", is_flag=True, help="Put the scored text into JSON (for HTML: what was extracted).")
@click.option("--detect", is_flag=True, help="Look for manipulation too; exit 1 when a page is flagged.")
@click.option("--quiet", is_flag=True, help="No progress, no list of pages: summary and errors only.")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    targets: tuple[str, ...], form: str, min_score: float | None, exclude: tuple[str, ...], jobs: int | None,
    with_text: bool, quiet: bool, output: str | None, **options: Any,
) -> int:  # fmt: skip
    """Score pages: files, directories, globs, JSONL with a `text` key, or - for standard input.

    \b
    Exit codes: 0 fine, 1 a page scores below --min-score or is flagged by --detect, 2 something could not be read.
    """
    settings = settings_of(options, keep_text=with_text or form == "html")
    pages: list[PageResult] = []
    errors: list[PageError] = []
    results = score_all(targets, settings, exclude=exclude, jobs=jobs, quiet=quiet)
    stopped = False
    try:
        if form == "jsonl":
            results = _streamed(results, output, settings, with_text)
        for result in results:
            if isinstance(result, PageResult):
                pages.append(result)
            else:
                errors.append(result)
    except KeyboardInterrupt:
        stopped = True
    if form != "jsonl":
        emit(rendered(form, pages, errors, settings, with_text=with_text, quiet=quiet, output=output), output)
    for error in errors if form in ("human", "csv", "markdown", "html") else ():
        warn(f"steelyard: {visible(error.message)}")
    if stopped:
        raise Interrupted(len(pages))
    below = [r for r in pages if min_score is not None and r.page.score < min_score]
    if below:
        worst = visible(listing.worst_first(below)[0].source)
        warn(f"steelyard: {len(below)} of {counted(len(pages), 'page')} below {min_score:g}: worst {worst}")
    flagged = [r for r in pages if r.flagged]
    if flagged:
        names = ", ".join(visible(r.source) for r in flagged[:5]) + (", …" if len(flagged) > 5 else "")
        warn(f"steelyard: {len(flagged)} of {counted(len(pages), 'page')} flagged by a detector, worth a look: {names}")
    return 2 if errors else 1 if below or flagged else 0


def score_all(
    targets: Sequence[str],
    settings: Settings,
    *,
    exclude: Sequence[str] = (),
    jobs: int | None = 1,
    quiet: bool = False,
) -> Iterator[PageResult | PageError]:
    """Results in the order of the targets, whatever the number of processes."""
    refs: Iterable[PageRef] = find(targets, exclude=exclude, max_bytes=settings.max_bytes)
    total = None
    if not any(t == STDIN or t.lower().endswith(RECORD_SUFFIXES) for t in targets):
        refs = list(refs)
        total = len(refs)
    if jobs is None:
        many = _record_bytes(targets) >= WORTH_BYTES if total is None else total >= WORTH_PROCESSES
        jobs = os.cpu_count() or 1 if many else 1
    yield from tracked(analyse_all(refs, settings, jobs=jobs), total=total, quiet=quiet)


def _record_bytes(targets: Sequence[str]) -> int:
    """The size of the record files among the targets, which stands for the number of their pages."""
    return sum(os.path.getsize(t) for t in targets if t.lower().endswith(RECORD_SUFFIXES) and os.path.isfile(t))


def rendered(
    form: str,
    pages: list[PageResult],
    errors: list[PageError],
    settings: Settings,
    *,
    with_text: bool,
    quiet: bool,
    output: str | None,
) -> str:
    """The whole result in one format."""
    if form == "json":
        return to_json(document(pages, errors, settings, with_text=with_text)) + "\n"
    if form == "csv":
        return listing.full_table(pages, errors, detect=settings.detect).to_csv()
    if form == "markdown":
        return listing.markdown(pages, errors, scoring_record(settings), detect=settings.detect)
    if form == "html":
        return html.report(pages, errors, settings.as_of)
    lines = _human(pages, errors, quiet, detect=settings.detect)
    return styled(lines, colour=colours(output))


def document(
    pages: list[PageResult], errors: list[PageError], settings: Settings, *, with_text: bool = False
) -> dict[str, Any]:
    """The JSON document; its schema is docs/schema/score.schema.json."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "steelyard", "version": __version__},
        "scoring": scoring_record(settings),
        "pages": [r.to_dict(with_text=with_text) for r in pages],
        "errors": [e.to_dict() for e in errors],
    }


def _human(pages: list[PageResult], errors: list[PageError], quiet: bool, *, detect: bool) -> list[tuple[str, str]]:
    if len(pages) == 1 and not errors and not quiet:
        return page.lines(pages[0])
    lines: list[tuple[str, str]] = []
    if pages and not quiet:
        head, *rows = listing.table(pages, detect=detect).to_terminal()
        lines = [(head, "dim"), *((row, "text") for row in rows), ("", "text")]
    if pages:
        how = pages[0].page
        lines.append((f"each score is {SCOPE}", "dim"))
        lines.append((f"as of {how.as_of}, weights {how.scoring.weights}", "dim"))
    return [*lines, (listing.summary(pages, errors), "head")]


def _streamed(
    results: Iterator[PageResult | PageError], output: str | None, settings: Settings, with_text: bool
) -> Iterator[PageResult | PageError]:
    """Each result as a line of JSON as soon as it is there; to a file at the end."""
    kept: list[str] = []
    how = scoring_record(settings)
    try:
        for result in results:
            entry = result.to_dict(with_text=with_text) if isinstance(result, PageResult) else result.to_dict()
            line = to_json({**entry, "scoring": how}, indent=None) + "\n"
            if output is None:
                sys.stdout.write(line)
                sys.stdout.flush()
            else:
                kept.append(line)
            yield result
    except BrokenPipeError as error:
        close_quietly()
        raise OutputClosed from error
    finally:
        if output is not None:
            write_text(output, "".join(kept))
