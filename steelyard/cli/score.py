"""`steelyard score`: pages in, scores out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import click

from steelyard.cli.options import format_option, output_option, scoring_options
from steelyard.cli.output import apply_styles, close_quietly, emit, warn
from steelyard.cli.settings import build_settings
from steelyard.errors import Interrupted, OutputClosed, SteelyardError
from steelyard.inputs.find import RECORD_SUFFIXES, STDIN, count_lines, find_pages
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageError, PageResult, Settings, analyse_all, scoring_record
from steelyard.report import listing, terminal
from steelyard.report.json_document import build_document
from steelyard.support.artifacts import ReplacedFile, to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress

FORMATS = ("human", "json", "jsonl", "csv", "markdown", "html")
MANY_PAGES = 200  # from which starting processes pays
MANY_BYTES = 600_000  # the same for record files, whose pages are not counted beforehand
MOST_NAMES = 5  # of flagged pages shown

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
@click.option("--no-evidence", is_flag=True, help="Leave the evidence out of JSON and JSONL, which makes them short.")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    targets: tuple[str, ...], form: str, min_score: float | None, exclude: tuple[str, ...], jobs: int | None,
    with_text: bool, no_evidence: bool, quiet: bool, output: str | None, **options: Any,
) -> int:  # fmt: skip
    """Score pages, and show where the points come from.

    TARGETS are files, directories, globs, JSONL files with a `text` key, or - for standard input. Nothing is fetched:
    save a page of the web in a file first, and give its address with --url.

    \b
    Exit codes:
      0  all pages were scored
      1  a page scores below --min-score, or --detect flags it
      2  a page could not be read
    """
    settings = build_settings(options, keep_text=with_text or form == "html")
    content = {"with_text": with_text, "with_evidence": not no_evidence}
    pages: list[PageResult] = []
    errors: list[PageError] = []
    findings = Findings(min_score)
    with _open_output(output, targets, exclude) as out:
        results = _score_targets(targets, settings, exclude, jobs, quiet)
        if form == "jsonl":
            results = _stream(results, out, settings, content)
        interrupted = False
        try:
            for result in results:
                if isinstance(result, PageError):
                    errors.append(result)
                    continue
                findings.add(result)
                if form != "jsonl":  # whose pages are written already
                    pages.append(result)
        except KeyboardInterrupt:
            interrupted = True
        if form != "jsonl":
            text = _render(form, pages, errors, settings, content, quiet=quiet, output=output)
            emit(text) if out is None else out.write(text)
    if form not in ("json", "jsonl"):
        for error in errors:
            warn(f"steelyard: {make_visible(error.message)}")
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
    _refuse_input(output, targets, exclude)
    out = ReplacedFile(output)
    try:
        yield out
        out.keep()
    finally:
        out.discard()


def _refuse_input(output: str, targets: Sequence[str], exclude: Sequence[str]) -> None:
    if not os.path.isfile(output):
        return
    own = os.path.realpath(output)
    records = [t for t in targets if t.lower().endswith(RECORD_SUFFIXES)]
    others = [t for t in targets if t != STDIN and t not in records]
    inputs = (*records, *(ref.path for ref in find_pages(others, exclude=exclude) if ref.path))
    if any(os.path.realpath(path) == own for path in inputs):
        reason = (
            "this is also one of the pages, and would be overwritten; write elsewhere or leave it out with --exclude"
        )
        raise SteelyardError(f"{output}: {reason}")


def _render(
    form: str,
    pages: Sequence[PageResult],
    errors: Sequence[PageError],
    settings: Settings,
    content: dict[str, bool],
    *,
    quiet: bool,
    output: str | None,
) -> str:
    detect = settings.detect
    if form == "json":
        return to_json(build_document(pages, errors, settings, **content)) + "\n"
    if form == "csv":
        return listing.make_spreadsheet(pages, errors, detect=detect).to_csv()
    if form == "markdown":
        return listing.render_markdown(pages, errors, scoring_record(settings), detect=detect)
    if form == "html":
        from steelyard.report.html import render_report  # loaded only when requested

        return render_report(pages, errors, settings.as_of)
    columns = _measure_terminal() if output is None else None
    if len(pages) == 1 and not errors and not quiet:
        return apply_styles(terminal.render_page(pages[0], columns), output)
    lines = listing.render_listing(pages, errors, detect=detect, quiet=quiet, columns=columns)
    return apply_styles(lines, output)


def _measure_terminal() -> int | None:
    """Return the width of the terminal; None where standard output is none, since a pipe cuts nothing."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


@dataclass(slots=True)
class Findings:
    """The pages below the threshold and those that are flagged: counts, and the few names that are shown."""

    min_score: float | None
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
        if result.flagged:
            self.flagged += 1
            if len(self.names) < MOST_NAMES:
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
            names = ", ".join(self.names) + (", …" if self.flagged > MOST_NAMES else "")
            yield f"{self.flagged} of {total} flagged by a detector, please check: {names}"


def _score_targets(
    targets: Sequence[str], settings: Settings, exclude: Sequence[str], jobs: int | None, quiet: bool
) -> Results:
    """Yield the results in the order of the targets, whatever the number of processes."""
    refs: Iterable[PageRef] = find_pages(targets, exclude=exclude, max_bytes=settings.max_bytes)
    total = None
    records = [t for t in targets if t.lower().endswith(RECORD_SUFFIXES) and os.path.isfile(t)]
    if not records and STDIN not in targets:
        refs = list(refs)
        total = len(refs)
    if jobs is None:
        many = sum(map(os.path.getsize, records)) >= MANY_BYTES if total is None else total >= MANY_PAGES
        jobs = os.cpu_count() or 1 if many else 1
    if records and STDIN not in targets and sys.stderr.isatty() and not quiet:
        total = _count_pages(targets, exclude, records)
    yield from show_progress(analyse_all(refs, settings, jobs=jobs), total=total, quiet=quiet)


def _count_pages(targets: Sequence[str], exclude: Sequence[str], records: Sequence[str]) -> int:
    """Count the pages for the time that is left; reading the lines of records costs little beside scoring them."""
    others = [t for t in targets if t not in records]
    return sum(map(count_lines, records)) + sum(1 for _ in find_pages(others, exclude=exclude))


def _stream(results: Results, out: ReplacedFile | None, settings: Settings, content: dict[str, bool]) -> Results:
    """Write each result as a line of JSON as soon as it is there."""
    scoring = scoring_record(settings)
    try:
        for result in results:
            entry = result.to_dict(**content) if isinstance(result, PageResult) else result.to_dict()
            line = to_json({**entry, "scoring": scoring}, indent=None) + "\n"
            if out is None:
                sys.stdout.write(line)
                sys.stdout.flush()
            else:
                out.write(line)
            yield result
    except BrokenPipeError as error:
        close_quietly()
        raise OutputClosed from error
