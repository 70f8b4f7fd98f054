"""`steelyard reproduce`: the whole study by one command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import AsOf
from steelyard.cli.output import emit, warn
from steelyard.cli.studies import needs_laboratory, ready
from steelyard.support.wording import counted


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
@click.option("--force", is_flag=True, help="Compute every stage anew.")
@click.option("--no-plots", is_flag=True, help="No pictures.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(corpus: str, folder: str, **options: Any) -> int:
    """The whole offline study: every artifact, every table and figure, and one report beside the paper's figures.

    A DIR holds web_en.jsonl, and may hold web_fr.jsonl and outcomes/. Stages are kept under the hash of all they depend
    on: an interrupted run goes on, and an unchanged one takes seconds.
    """
    needs_laboratory()
    ready(folder)
    from steelyard.lab.study import ledger, manifest
    from steelyard.lab.study import report as study
    from steelyard.lab.study.reproduce import AS_OF, reproduce

    out = Path(folder)
    quiet = options["quiet"]
    made = []
    started = time.monotonic()
    stages = reproduce(
        corpus,
        out,
        as_of=options["as_of"] or AS_OF,
        embedder=options["embedder"],
        force=options["force"],
        jobs=options["jobs"],
        quiet=quiet,
    )
    for stage in stages:
        made.append(stage)
        if not quiet:
            state = "kept" if stage.kept else f"{time.monotonic() - started:,.0f} s"
            warn(f"{stage.chapter.name:<28} {state}" + (f"  undefined: {stage.undefined}" if stage.undefined else ""))
        started = time.monotonic()
    illustrated = not options["no_plots"]
    manifest.write(out, made, illustrated=illustrated)
    paths = [
        *study.write(out, study.report_of(made, illustrated=illustrated)),
        ledger.write(out, made, illustrated=illustrated),
    ]
    undefined = sum(m.undefined is not None for m in made)
    emit(
        f"{counted(len(made), 'stage')}, {sum(m.kept for m in made)} of them kept, {undefined} undefined\n"
        + "".join(f"wrote {path}\n" for path in paths),
        None,
    )
    return 0
