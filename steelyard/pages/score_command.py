"""`steelyard score`: pages in, scores out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import click

from steelyard.errors import Interrupted
from steelyard.inputs.find import RECORD_SUFFIXES, STDIN, count_lines, find_pages
from steelyard.native.core import INSTALL, VARIABLE, choose_core
from steelyard.pages.score_output import WRITERS, Output, PageWriter
from steelyard.pipeline import PageError, PageResult, analyse_all
from steelyard.settings import Settings
from steelyard.site.fetching import make_fetch
from steelyard.support.artifacts import ReplacedFile
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress
from steelyard.terminal.browser import view_report
from steelyard.terminal.inputs import list_files, refuse_input
from steelyard.terminal.options import (
    build_configured_settings,
    format_option,
    kind_option,
    output_option,
    scoring_options,
)
from steelyard.terminal.output import emit, warn, warn_once

MANY_PAGES = 200  # from which starting processes pays
MANY_BYTES = 600_000  # the same for record files, whose pages are not counted beforehand
MAX_NAMES = 5  # of flagged pages shown

Results = Iterator[PageResult | PageError]


@click.command("score")
@click.argument("targets", nargs=-1, required=True)
@format_option(*WRITERS)
@scoring_options
@kind_option()
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="Exit 1 when a page scores below N.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip paths or names that match; repeatable.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes. [default: 1; all cores from 200 pages]")
@click.option("--with-text", is_flag=True, help="Add the scored text to the JSON (for HTML: the extracted text).")
@click.option(
    "--detect/--no-detect", default=None, help="Exit 1 when a detector flags a page, or do not look for manipulation."
)
@click.option("--show-text", is_flag=True, help="Show what was read of one HTML page, and what was left out.")
@click.option("--quiet", is_flag=True, help="Print only the summary and errors, without progress or a list of pages.")
@click.option("--no-evidence", is_flag=True, help="Leave the evidence out of JSON and JSONL, which makes them short.")
@click.option("--view", is_flag=True, help="Open the HTML report in the browser, and print where it is.")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    targets: tuple[str, ...], form: str, min_score: float | None, exclude: tuple[str, ...], jobs: int | None,
    with_text: bool, show_text: bool, detect: bool | None, no_evidence: bool, quiet: bool, view: bool,
    output: str | None, **options: Any,
) -> int:  # fmt: skip
    """Score pages, and show where the points come from.

    TARGETS are files, directories, globs, JSONL files with a `text` key, addresses of web pages, or - for standard
    input. Only addresses are fetched, each by itself; `steelyard audit` visits a whole site.

    \b
    Exit codes:
      0  all pages were scored
      1  a page scores below --min-score, or --detect flags it
      2  a page could not be read
    """
    if show_text and form != "human":
        raise click.UsageError("--show-text is for the terminal; the HTML report has it, and JSON has --with-text")
    if view and form not in ("human", "html"):
        raise click.UsageError(f"--view is for the HTML report; leave out --view or --format {form}")
    make_writer = WRITERS["html" if view else form]
    keep_text = with_text or show_text or make_writer.needs_text
    settings = build_configured_settings(targets[0], {**options, "detect": detect is not False}, keep_text=keep_text)
    content = {"with_text": with_text, "with_evidence": not no_evidence}
    findings = Findings(min_score, refuses_flagged=bool(detect))
    errors = 0
    messages: list[str] = []  # which follow the results
    with view_report(output) if view else nullcontext(output) as path, _open_output(path, targets, exclude) as out:
        writer = make_writer(Output(emit if out is None else out.write, settings, content, quiet, path, show_text))
        interrupted = False
        try:
            for result in _score_targets(targets, settings, exclude, jobs, quiet, writer=make_writer):
                if isinstance(result, PageError):
                    errors += 1
                    writer.fail(result)
                    if not writer.holds_errors:
                        messages.append(result.message)
                else:
                    findings.add(result)
                    writer.add(result)
        except KeyboardInterrupt:
            if path is not None:  # a file holds all pages or is not there
                raise
            interrupted = True
        writer.finish()
    for message in messages:
        warn(f"steelyard: {make_visible(message)}")
    if interrupted:
        raise Interrupted(findings.pages)
    for line in findings.describe():
        warn(f"steelyard: {line}")
    return 2 if errors else 1 if findings.failed else 0


@contextmanager
def _open_output(output: str | None, targets: Sequence[str], exclude: Sequence[str]) -> Iterator[ReplacedFile | None]:
    """Open the output before any page is scored; it takes its place when all of it is written.

    Raises:
        SteelyardError: The output is one of the pages, or cannot be written.
    """
    if output is None:
        yield None
        return
    refuse_input(output, list_files(targets, exclude))
    out = ReplacedFile(output)
    try:
        yield out
        out.keep()
    finally:
        out.discard()


@dataclass(slots=True)
class Findings:
    """The pages that fail, below the threshold or flagged: counts, and the few names that are shown."""

    min_score: float | None
    refuses_flagged: bool
    pages: int = 0
    below: int = 0
    flagged: int = 0
    lowest: tuple[float, str] | None = None
    names: list[str] = field(default_factory=list)

    def add(self, result: PageResult) -> None:
        """Count a page."""
        self.pages += 1
        if self.min_score is not None and result.score < self.min_score:
            self.below += 1
            self.lowest = min(self.lowest or (result.score, result.source), (result.score, result.source))
        if result.flagged and self.refuses_flagged:
            self.flagged += 1
            if len(self.names) < MAX_NAMES:
                self.names.append(make_visible(result.source))

    @property
    def failed(self) -> bool:
        """Whether there are any."""
        return bool(self.below or self.flagged)

    def describe(self) -> Iterator[str]:
        """Yield one line for each kind."""
        total = format_count(self.pages, "page")
        if self.lowest is not None:
            lowest = make_visible(self.lowest[1])
            yield f"{self.below} of {total} below {self.min_score:g}, the lowest is {lowest}"
        if self.flagged:
            names = ", ".join(self.names) + (", …" if self.flagged > MAX_NAMES else "")
            yield f"{self.flagged} of {total} flagged by a detector, please check: {names}"


def _score_targets(
    targets: Sequence[str], settings: Settings, exclude: Sequence[str], jobs: int | None, quiet: bool,
    *, writer: type[PageWriter],
) -> Results:  # fmt: skip
    """Yield the results in the order of the targets, whatever the number of processes."""
    fetch = make_fetch(settings.max_bytes)
    refs = find_pages(targets, exclude=exclude, max_bytes=settings.max_bytes, fetch=fetch)
    records = [t for t in targets if t.lower().endswith(RECORD_SUFFIXES) and os.path.isfile(t)]
    pages: int | None = None
    if records or STDIN in targets:
        many = sum(map(os.path.getsize, records)) >= MANY_BYTES
        others = [t for t in targets if t not in records]
        if not many and not any(map(os.path.isdir, others)):
            pages = len(others) + sum(map(count_lines, records))
    else:
        first = list(islice(refs, MANY_PAGES if jobs is None else 2))
        pages, many = len(first), len(first) == MANY_PAGES
        refs = chain(first, refs)
    settings = replace(settings, core=choose_core(), sections=writer.shows_sections(pages))
    if many and not quiet and settings.core == "python" and not os.environ.get(VARIABLE):
        warn_once("native-core", f"there is a native core: the same numbers, several times faster ({INSTALL})")
    if jobs is None:
        jobs = os.cpu_count() or 1 if many else 1
    total = None
    if STDIN not in targets and sys.stderr.isatty() and not quiet:
        total = _count_pages(targets, exclude, records)
    yield from show_progress(analyse_all(refs, settings, jobs=jobs), total=total, quiet=quiet)


def _count_pages(targets: Sequence[str], exclude: Sequence[str], records: Sequence[str]) -> int:
    """Count the pages for the time that is left; reading the lines of records is cheap compared with scoring them."""
    others = [t for t in targets if t not in records]
    return sum(map(count_lines, records)) + sum(1 for _ in find_pages(others, exclude=exclude))
