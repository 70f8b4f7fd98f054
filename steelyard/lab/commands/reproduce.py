"""`steelyard lab reproduce`: the whole study by one command."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import click

from steelyard.lab.commands.studies import require_folder, require_laboratory, study_options
from steelyard.lab.study.study import Option
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import list_files, refuse_input
from steelyard.terminal.output import emit, warn

OPTIONS = (
    Option("--corpus", "Pages and records to study.", default="demo", metavar="demo|DIR|FILE"),
    Option("--out", "Folder for everything.", default="steelyard-study", metavar="DIR"),
    Option("--embedder", "For the ranker: wordllama, st:MODEL or onnx:FOLDER. [default: none]", metavar="SPEC"),
    Option("--as-of", "Date that ages are counted to. [default: 2026-07-01]", date, metavar="DATE"),
    Option("--jobs", "Processes. [default: all cores]", int, minimum=1),
    Option("--peers", "Test other scorers too; makes their environments on first use.", bool, False),
    Option("--force", "Compute every section again.", bool, False),
    Option("--no-plots", "No pictures.", bool, False),
    Option("--quiet", "No progress.", bool, False),
)


@click.command("reproduce")
@study_options(OPTIONS)
def command(corpus: str, out: str, as_of: date | None, no_plots: bool, quiet: bool, **options: Any) -> int:
    """Run the whole offline study: every artifact, every table and figure, and one report next to the paper's figures.

    A DIR holds web_en.jsonl, and may hold web_fr.jsonl and outcomes/. Sections are kept under the hash of all they
    depend on: an interrupted run continues, and an unchanged one takes seconds.
    """
    require_laboratory()
    require_folder(out)
    from steelyard.lab.study import report
    from steelyard.lab.study.reproduce import AS_OF, reproduce, write_study

    folder, illustrated = Path(out), not no_plots
    for written in _list_outputs(folder):
        refuse_input(str(written), _list_inputs(corpus))
    computed = []
    started = time.monotonic()
    for section in reproduce(corpus, folder, as_of=as_of or AS_OF, quiet=quiet, **options):
        computed.append(section)
        if not quiet:
            state = "reused" if section.reused else f"{time.monotonic() - started:,.0f} s"
            undefined = f"  undefined: {make_visible(section.undefined)}" if section.undefined else ""
            warn(f"{section.place:>7}  {section.entry.name:<28} {state}{undefined}")
        started = time.monotonic()
    write_study(folder, computed, illustrated=illustrated)
    paths = report.write(folder, report.make_report(computed, illustrated=illustrated))
    missing = sum(c.undefined is not None for c in computed)
    reused = sum(c.reused for c in computed)
    emit(
        f"{format_count(len(computed), 'section')}, {reused} of them reused, {missing} undefined\n"
        + "".join(f"wrote {make_visible(str(path))}\n" for path in paths)
    )
    return 0


def _list_outputs(folder: Path) -> Iterator[Path]:
    """Yield the files that the study replaces."""
    from steelyard.lab.study import report
    from steelyard.lab.study.reproduce import STUDY_FILE

    yield from (folder / name for name in (STUDY_FILE, report.REPORT, report.PAGE))
    yield from (folder / "artifacts").glob("*.json")
    yield from (folder / "images").glob("*")
    yield from (folder / report.APPENDIX).glob("*")


def _list_inputs(corpus: str) -> Iterator[str]:
    """Yield the files of the corpus: a folder in the documented form, or pages."""
    from steelyard.lab.study import material

    place = Path(corpus)
    if not (place / material.ENGLISH).is_file():
        yield from list_files([corpus])
        return
    for pattern in ("web_*.jsonl", material.MORE_RECORDS, f"{material.RECORDS}/*", f"{material.MARKS}/*"):
        yield from map(str, place.glob(pattern))
