"""`steelyard check`: scores, thresholds and findings for continuous integration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import languages
from steelyard.advice.rule import LEVELS
from steelyard.check.formats import FORMATS
from steelyard.check.result import CheckRun
from steelyard.errors import CannotWrite, InvalidFile, PageUnreadable, SteelyardError, UnknownName
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.scoring import editions
from steelyard.support.artifacts import require_writable, write_text
from steelyard.support.clock import resolve_as_of
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress
from steelyard.support.regular_file import require_regular_file
from steelyard.terminal.inputs import check_output, list_files, refuse_input, refuse_repeated
from steelyard.terminal.options import (
    Known,
    format_option,
    kind_option,
    output_option,
    selector_option,
    uncertain_option,
)  # fmt: skip
from steelyard.terminal.output import apply_styles, emit, warn

if TYPE_CHECKING:
    from steelyard.check.history import History
    from steelyard.check.run import Checker

SUMMARY = "GITHUB_STEP_SUMMARY"  # a file that GitHub shows below a job


@click.command("check")
@click.argument("paths", nargs=-1)
@format_option(*FORMATS)
@click.option(
    "--report", "reports", multiple=True, metavar="FORMAT:FILE", help="Write a further report to a file; repeatable."
)
@click.option(
    "--level", type=Known("level", LEVELS), default="warning", show_default=True, help="Show findings from here on."
)
@click.option(
    "--since", metavar="REVISION", help="Check only files that git reports as changed since it left this branch."
)
@click.option("--config", metavar="FILE", help="Use this configuration. [default: found upward from each page]")
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="A page below N fails.")
@click.option(
    "--max-drop", type=click.FloatRange(0, 100), metavar="N", help="A page that loses more than N points fails."
)
@click.option("--edition", type=Known("edition", editions.NAMES), help="The edition of the score.")
@click.option("--weights", metavar="NAME|FILE", help="The weighting. [default: the edition's own]")
@click.option(
    "--language", type=Known("language", ("auto", *languages.CODES)), help="Score the pages in this language."
)
@kind_option("the configuration's, else auto")
@click.option("--site", metavar="ADDRESS", help="The site's own address.")
@selector_option
@click.option("--as-of", type=resolve_as_of, metavar="DATE", help="Measure ages up to this date (YYYY-MM-DD).")
@click.option("--detect/--no-detect", default=None, help="Also look for manipulation.")
@uncertain_option
@click.option(
    "--baseline", metavar="FILE", help="The baseline. [default: steelyard-baseline.json beside the configuration]"
)
@click.option("--no-baseline", is_flag=True, help="Do not compare with a baseline.")
@click.option("--write-baseline", is_flag=True, help="Record the pages as they are; later only what is worse fails.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@click.option("--cache-dir", metavar="DIR", help="Keep what was measured here. [default: the user's folder of caches]")
@click.option("--no-cache", is_flag=True, help="Measure every page again.")
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Number of processes. [default: 1; all cores for many new pages]"
)
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=DEFAULT_MAX_BYTES,
    show_default=True,
    help="Refuse pages larger than this.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@output_option
def command(  # noqa: PLR0917 - click passes them by name
    paths: tuple[str, ...], form: str, reports: tuple[str, ...], level: str, since: str | None, config: str | None,
    as_of: date | None, no_baseline: bool, write_baseline: bool, exit_zero: bool, cache_dir: str | None, no_cache: bool,
    jobs: int | None, max_bytes: int, quiet: bool, output: str | None, **options: Any,
) -> int:  # fmt: skip
    """Check pages: score, thresholds, and findings on their lines.

    PATHS are files and directories; without any, the working directory. Settings come from `steelyard.toml`, or from
    `[tool.steelyard]` in `pyproject.toml`, found upward from each page (docs/check.md).

    \b
    Exit codes:
      0  all pages pass
      1  a page fails
      2  a page could not be read, or the configuration is wrong
    """
    from steelyard.check.cache import Cache, open_cache
    from steelyard.check.run import Checker

    further = [_parse_report(report) for report in reports]
    checker = Checker(
        options={name: value for name, value in options.items() if value is not None},
        config=config,
        as_of=as_of,
        since=since,
        use_baseline=not (no_baseline or write_baseline),
        cache=Cache(None) if no_cache else open_cache(cache_dir),
        jobs=jobs,
        max_bytes=max_bytes,
    )
    targets = paths or (".",)
    baseline = checker.locate_baseline(targets[0]) if write_baseline or not no_baseline else None
    summary = os.environ.get(SUMMARY) if form == "github" and not write_baseline else None
    _check_outputs(
        [file for file in (output, *(file for _, file in further)) if file],
        summary,
        baseline,
        partial(_list_inputs, checker, targets, config, options["weights"]),
        writes_baseline=write_baseline,
    )
    run, history = checker.run(targets, partial(show_progress, quiet=quiet))
    for name, file in further:
        write_text(file, _render(run, name, level, file))
    if write_baseline and baseline is not None:
        return _write_baseline(baseline, history, run)
    emit(_render(run, form, level, output), output)
    if summary:
        _write_summary(run, level, summary)
    if not FORMATS[form].has_errors:
        _warn_of(run)
    return 0 if exit_zero else run.exit_code


def _list_inputs(checker: Checker, targets: Sequence[str], *named: str | None) -> Iterator[str]:
    """Yield the files that are read: those of options, the pages that are checked, and those of their settings."""
    yield from filter(None, named)
    main = checker.find_configuration(targets[0])
    yield from main.list_files()
    roots = {main.root}
    for target in targets:
        for path in list_files([target]):
            config = checker.find_configuration(path)
            if config.root not in roots:
                roots.add(config.root)
                yield from config.list_files()
            if config.covers(path, is_named=path == target):
                yield path
                yield str(config.root / (config.for_page(path)["weights"] or ""))


def _check_outputs(
    reports: Sequence[str],
    summary: str | None,
    baseline: Path | None,
    list_inputs: Callable[[], Iterator[str]],
    *,
    writes_baseline: bool,
) -> None:
    """Refuse, before any page is read, outputs that are inputs, that are one file, or that cannot be written.

    The baseline may also be an input; the summary of a job only grows.

    Raises:
        SteelyardError: One of them cannot be used.
    """
    baselines = [str(baseline)] if baseline is not None else []
    refuse_repeated([*reports, *([summary] if summary else []), *(baselines if writes_baseline else [])])
    for file in reports:
        check_output(file, chain(list_inputs(), baselines))
    if writes_baseline and baseline is not None:
        _check_baseline(baseline, list_inputs())


def _check_baseline(path: Path, inputs: Iterable[str]) -> None:
    """Refuse to write a baseline over anything but an older one.

    Raises:
        SteelyardError: The file is an input, something else than a baseline, or cannot be written.
    """
    from steelyard.check.baseline import load_baseline

    refuse_input(str(path), inputs)
    try:
        load_baseline(path)
    except (InvalidFile, PageUnreadable) as error:
        advice = "delete it first, or give another name with --baseline"
        raise SteelyardError(f"{path}: this is not a baseline, and would be overwritten; {advice}") from error
    try:
        require_writable(path)
    except CannotWrite as error:
        reason = getattr(error.__cause__, "strerror", None) or error
        raise SteelyardError(f"{path}: cannot write here ({reason}); give another name with --baseline") from error


def _parse_report(text: str) -> tuple[str, str]:
    name, colon, file = text.partition(":")
    if not colon or not file:
        raise click.BadParameter(f"{text!r} is not FORMAT:FILE, such as sarif:findings.sarif", param_hint="--report")
    if name not in FORMATS:
        raise UnknownName("format", name, tuple(FORMATS))
    return name, file


def _render(run: CheckRun, form: str, level: str, output: str | None) -> str:
    written = FORMATS[form].render(run, level)
    return written if isinstance(written, str) else apply_styles(written, output)


def _write_summary(run: CheckRun, level: str, file: str) -> None:
    """Append the findings to the summary of the job; only to a file, since opening a pipe waits for its reader."""
    try:
        if os.path.exists(file):
            require_regular_file(file, f"the summary is not written; let {SUMMARY} name a file")
        with open(file, "a", encoding="utf-8", errors="backslashreplace") as summary:
            summary.write(_render(run, "markdown", level, file))
    except PageUnreadable as error:
        warn(f"steelyard: {make_visible(str(error))}")
    except OSError as error:
        raise CannotWrite(file, str(error.strerror)) from error


def _write_baseline(path: Path, history: History, run: CheckRun) -> int:
    _warn_of(run)
    if run.errors:
        raise SteelyardError("no baseline was written, since pages could not be read; repair or exclude them")
    baseline = history.make_baseline(run.as_of)
    baseline.save(path)
    findings = sum(len(page.reported) for page in run.pages)
    count = f"{format_count(len(run.pages), 'page')}, {format_count(findings, 'finding')}"
    warn(f"steelyard: {make_visible(str(path))}: {count} as of {baseline.as_of}; commit this file")
    return 0


def _warn_of(run: CheckRun) -> None:
    for error in run.errors:
        warn(f"steelyard: {make_visible(error.message)}")
