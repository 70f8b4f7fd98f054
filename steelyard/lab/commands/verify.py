"""`steelyard lab verify`: a study against its own artifacts, and scores against a release."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.errors import SteelyardError
from steelyard.lab.commands.studies import require_laboratory
from steelyard.support.artifacts import write_artifact
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.output import emit, warn

CHANGELOG = "CHANGELOG.md"
STUDIES = (".", "docs/study")  # where a study is looked for in the given folder


@click.command("verify")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option(
    "--against", type=click.Path(path_type=Path), metavar="RELEASE",
    help="Instead: score a release's frozen pages again. Its file, or a folder of releases.",
)  # fmt: skip
@click.option(
    "--freeze", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Instead: write such a file for this version.",
)  # fmt: skip
def command(folder: Path, against: Path | None, freeze: Path | None) -> int:
    """Check a folder that `steelyard lab reproduce` wrote, or a clone of the project, whose study is in docs/study.

    Every artifact must have the hash of the result that was computed, and the report must say what the artifacts say,
    letter for letter. Exits with 1 when something differs.
    """
    from steelyard.lab.corpus.loading import demo_folder
    from steelyard.lab.study import drift

    if against and freeze:
        raise click.UsageError("--against and --freeze exclude each other")
    if freeze:
        check_output(str(freeze), list_files([str(demo_folder())]))
        release = drift.freeze_scores(drift.demo_pages())
        write_artifact(freeze, release)
        pages = format_count(len(release["pages"]), "page")
        emit(f"{pages} of version {release['version']} in {make_visible(str(freeze))}\n")
        return 0
    if against:
        return _compare(folder, against)
    require_laboratory()
    from steelyard.lab.study.report import verify
    from steelyard.lab.study.reproduce import STUDY_FILE, read_study

    place = next((folder / sub for sub in STUDIES if (folder / sub / STUDY_FILE).is_file()), None)
    if place is None:
        raise SteelyardError(f"{folder}: no study here ({STUDY_FILE} is missing); name the folder of a study")
    problems = list(verify(place))
    if problems:
        emit("".join(f"{make_visible(problem)}\n" for problem in problems))
        return 1
    sections = len(read_study(place)[0])
    emit(f"{format_count(sections, 'section')}: artifacts sealed, report printed again from them and equal\n")
    return 0


def _compare(folder: Path, path: Path) -> int:
    """Compare today's scores with a release; a change must be named with its size in the changelog."""
    from steelyard.lab.study import drift

    moved = drift.compare(drift.read_release(path), drift.demo_pages())
    emit("".join(f"{make_visible(line)}\n" for line in moved.lines()))
    if moved.changed_pages:
        names = ", ".join(map(make_visible, moved.changed_pages))
        warn(f"steelyard: pages that were changed since: {names}; restore them, or write a release with --freeze")
        return 1
    changelog = folder / CHANGELOG
    declared = drift.declared_numbers(changelog.read_text("utf-8")) if changelog.is_file() else ""
    if moved.summary() and moved.summary() not in declared:
        warn(f"steelyard: {CHANGELOG} does not name this change under Numbers in Unreleased: {moved.summary()}")
        return 1
    return 0
