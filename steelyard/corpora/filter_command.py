"""`steelyard filter`: a corpus in, the rows worth keeping out."""

from __future__ import annotations

import os
from datetime import date
from typing import Any

import click

from steelyard.corpora.columns import AddedColumns
from steelyard.corpora.corpus_files import check_outputs, choose_format, find_files, format_of, require_packages
from steelyard.corpora.html_report import render_report
from steelyard.corpora.plan import MAX_ROW, MAX_TEXT, Plan, Thresholds
from steelyard.corpora.run import BATCH_SIZE, Outcome, filter_corpus
from steelyard.corpora.summary import render_lines, summarise
from steelyard.support.artifacts import to_json, write_text
from steelyard.support.clock import VARIABLE
from steelyard.support.escape import make_visible
from steelyard.support.progress import ShareProgress
from steelyard.terminal.inputs import refuse_input
from steelyard.terminal.options import build_settings, edition_options, format_option
from steelyard.terminal.output import emit

MANY_BYTES = 2_000_000  # of input, from which starting processes pays


@click.command("filter")
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    metavar="OUT",
    help="File to write; its suffix decides the kind.",
)
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="Keep rows with at least this score.")
@click.option(
    "--min-percentile",
    type=click.FloatRange(0, 100),
    metavar="N",
    help="Keep rows whose content is at least at this percentile of the reference pages.",
)
@click.option("--drop-flagged", is_flag=True, help="Reject rows that a detector flags as manipulated.")
@click.option("--text", default="text", show_default=True, metavar="COLUMN", help="Column or key with the text.")
@click.option("--url", metavar="COLUMN", help="Column or key with the page's own address.")
@edition_options
@click.option("--components", is_flag=True, help="Add a column for each of the eleven components.")
@click.option("--evidence", is_flag=True, help="Add a column with the spans that were counted.")
@click.option(
    "--rejects", type=click.Path(), metavar="FILE", help="List rejected and unscored rows with their reasons (JSONL)."
)
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=MAX_ROW,
    show_default=True,
    help="Reject JSONL lines and Parquet rows longer than this.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes. [default: all cores for large inputs]")
@click.option(
    "--batch-size",
    type=click.IntRange(1, 100_000),
    default=BATCH_SIZE,
    show_default=True,
    help="Most rows scored at a time.",
)
@click.option(
    "--report", type=click.Path(), metavar="FILE.html", help="Also write the summary as HTML, with histograms."
)
@format_option("human", "json")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(  # noqa: PLR0917 - click passes them by name
    inputs: tuple[str, ...], output: str, jobs: int | None, batch_size: int, report: str | None, form: str,
    quiet: bool, as_of: date | None, **options: Any,
) -> int:  # fmt: skip
    """Score the rows of a corpus, add their scores as columns, and keep those that meet all thresholds.

    IN are Parquet and JSONL files (JSONL also packed with gzip or zstd), or directories of these. A run that was
    killed is continued by the same command. A row that cannot be scored is kept without scores, or rejected if
    there is a threshold.

    \b
    Exit codes:
      0  the output is written
      2  it is not; the message says why
    """
    plan = _make_plan(inputs, output, report, as_of, options)
    if jobs is None:
        jobs = os.cpu_count() or 1 if sum(file.size for file in plan.files) >= MANY_BYTES else 1

    def write_report(outcome: Outcome) -> None:
        if report is not None:
            write_text(report, render_report(summarise(plan, outcome)))

    progress = ShareProgress("rows", quiet=quiet)
    try:
        outcome = filter_corpus(
            plan, jobs=jobs, batch_size=batch_size, as_of_given=bool(as_of or os.environ.get(VARIABLE)),
            report_progress=progress.update, finish=write_report,
        )  # fmt: skip
    finally:
        progress.clear()
    summary = summarise(plan, outcome)
    emit(to_json(summary) + "\n" if form == "json" else "".join(make_visible(s) + "\n" for s in render_lines(summary)))
    return 0


def _make_plan(
    inputs: tuple[str, ...], output: str, report: str | None, as_of: date | None, options: dict[str, Any]
) -> Plan:
    files = find_files(inputs)
    fmt = choose_format(output, files)
    rejects = options["rejects"]
    for used in (fmt, *(file.format for file in files), format_of(rejects) if rejects else None):
        if used is not None:
            require_packages(used)
    check_outputs(inputs, files, output, rejects, report)
    for path in filter(None, (output, rejects, report)):
        refuse_input(path, ())  # a weighting that is read
    settings = build_settings({**options, "as_of": as_of}, max_bytes=MAX_TEXT)
    thresholds = Thresholds(options["min_score"], options["min_percentile"], options["drop_flagged"])
    added = AddedColumns(options["components"], options["evidence"])
    same_names = {key: options[key] for key in ("text", "url", "rejects", "max_bytes")}
    return Plan(tuple(files), output, fmt, settings, thresholds=thresholds, added=added, **same_names)
