"""`steelyard reproduce`: the whole study by one command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from steelyard.cli.lab import require_folder, require_laboratory
from steelyard.cli.options import AsOf
from steelyard.cli.output import emit, warn
from steelyard.support.formatting import format_count


@click.command("reproduce")
@click.option(
    "--corpus", default="demo", show_default=True, metavar="demo|DIR|FILE", help="Pages and records to study."
)
@click.option(
    "--out", "folder", default="steelyard-study", show_default=True, metavar="DIR", help="Folder for everything."
)
@click.option("--embedder", metavar="SPEC", help="For the ranker: wordllama, st:MODEL or onnx:FOLDER. [default: none]")
@click.option("--as-of", type=AsOf(), metavar="DATE", help="Date that ages are counted to. [default: 2026-07-01]")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes. [default: all cores]")
@click.option("--peers", is_flag=True, help="Test other scorers too; makes their environments on first use.")
@click.option("--force", is_flag=True, help="Compute every section again.")
@click.option("--no-plots", is_flag=True, help="No pictures.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(corpus: str, folder: str, **options: Any) -> int:
    """Run the whole offline study: every artifact, every table and figure, and one report next to the paper's figures.

    A DIR holds web_en.jsonl, and may hold web_fr.jsonl and outcomes/. Sections are kept under the hash of all they
    depend on: an interrupted run continues, and an unchanged one takes seconds.
    """
    require_laboratory()
    require_folder(folder)
    from steelyard.lab.study import folder as study_folder
    from steelyard.lab.study import report
    from steelyard.lab.study.reproduce import AS_OF, reproduce

    out, quiet, illustrated = Path(folder), options["quiet"], not options["no_plots"]
    computed = []
    started = time.monotonic()
    sections = reproduce(
        corpus,
        out,
        as_of=options["as_of"] or AS_OF,
        embedder=options["embedder"],
        peers=options["peers"],
        force=options["force"],
        jobs=options["jobs"],
        quiet=quiet,
    )
    for section in sections:
        computed.append(section)
        if not quiet:
            state = "reused" if section.reused else f"{time.monotonic() - started:,.0f} s"
            undefined = f"  undefined: {section.undefined}" if section.undefined else ""
            warn(f"{section.entry.name:<28} {state}{undefined}")
        started = time.monotonic()
    study_folder.write(out, computed, illustrated=illustrated)
    paths = report.write(out, report.make_report(computed, illustrated=illustrated))
    missing = sum(c.undefined is not None for c in computed)
    reused = sum(c.reused for c in computed)
    emit(
        f"{format_count(len(computed), 'section')}, {reused} of them reused, {missing} undefined\n"
        + "".join(f"wrote {path}\n" for path in paths),
        None,
    )
    return 0
