"""`steelyard verify`: printed numbers against what they were printed from, and scores against a release."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.output import emit, warn
from steelyard.cli.studies import needs_laboratory
from steelyard.errors import MissingExtra, SteelyardError
from steelyard.lab.study import drift
from steelyard.lab.study.claims import NothingThere
from steelyard.lab.study.verify import Printed, Problem, verify
from steelyard.support.artifacts import write_artifact
from steelyard.support.escape import visible
from steelyard.support.wording import counted

if TYPE_CHECKING:
    from steelyard.lab.study.ledger import Ledger

CHANGELOG = "CHANGELOG.md"
STUDY = "study.json"  # which a folder that `steelyard reproduce` wrote holds
STUDIES = ("docs/study",)  # committed studies, beside the marked documents
_MISSING = re.compile(r"^ModuleNotFoundError: No module named '(?P<name>[^']+)'$", re.MULTILINE)


@click.command("verify")
@click.argument("root", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--all-problems", is_flag=True, help="List every problem, not the first alone.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="RELEASE",
    help="Instead: score a release's frozen pages again. Its file, or a folder of releases.",
)
@click.option(
    "--freeze",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Instead: write such a file for this version.",
)
def command(root: Path, all_problems: bool, against: Path | None, freeze: Path | None) -> int:
    """No printed number is unaudited: every number in the marked documents of ROOT is read again.

    A ROOT that `steelyard reproduce` wrote is checked by its own artifacts.

    Tables and lines are printed anew from their artifacts, sentences looked up in docs/claims.toml. Exits with 1 at
    the first number that says something else, or that has no address.
    """
    if against and freeze:
        raise click.UsageError("--against and --freeze exclude each other")
    if freeze:
        release = drift.freeze(drift.pages())
        write_artifact(freeze, release)
        emit(
            f"{counted(len(release['pages']), 'page')} of version {release['version']} in {visible(str(freeze))}\n",
            None,
        )
        return 0
    if against:
        return _drifted(root, against)
    if (root / STUDY).is_file():
        needs_laboratory()
        return _study(root, all_problems)
    found = verify(root, lambda commands: printed(root, commands))
    from steelyard.lab.study import ledger  # after the tables: without the laboratory they have said so by now

    books = [(folder, ledger.check(root / folder, folder)) for folder in STUDIES if (root / folder).is_dir()]
    problems = [*found.problems, *(p for _, book in books for p in book.problems)]
    if problems:
        return _verdict(problems, all_problems)
    emit("".join(f"{line}\n" for line in found.lines()), None)
    for folder, book in books:
        emit("".join(f"{line}\n" for line in _told(folder, book)), None)
    return 0


def _study(folder: Path, everything: bool) -> int:
    """A folder that `steelyard reproduce` wrote, alone."""
    from steelyard.lab.study import ledger

    book = ledger.check(folder)
    if book.problems:
        return _verdict(book.problems, everything)
    emit("".join(f"{line}\n" for line in _told("", book)), None)
    return 0


def _told(folder: str, book: Ledger) -> list[str]:
    """How many numbers a study's report prints, by where they come from."""
    from steelyard.lab.study import ledger

    where = f"{folder}/{ledger.REPORT}" if folder else ledger.REPORT
    return [
        f"{sum(book.counts.values()):,} numbers in {where}, printed again from its artifacts",
        *(f"{book.counts[kind]:>8,}  {text}" for kind, text in ledger.COUNTED.items()),
    ]


def _verdict(problems: Sequence[Problem], everything: bool) -> int:
    shown = problems if everything else problems[:1]
    emit("".join(f"{visible(str(problem))}\n" for problem in shown), None)
    if len(problems) > len(shown):
        warn(f"steelyard: {len(problems) - len(shown)} more; --all-problems lists them")
    return 1


def _drifted(root: Path, path: Path) -> int:
    found = drift.against(drift.read(path), drift.pages())
    emit("".join(f"{visible(line)}\n" for line in found.lines()), None)
    if found.not_frozen:
        names = ", ".join(map(visible, found.not_frozen))
        warn(f"steelyard: not the pages that were frozen: {names}; put them back, or write a release with --freeze")
        return 1
    if not found.moves:
        return 0
    changelog = root / CHANGELOG
    said = drift.declared(changelog.read_text("utf-8")) if changelog.is_file() else ""
    if not said:
        warn(f"steelyard: {CHANGELOG} says nothing of it; write the size of the move under Numbers in Unreleased")
        return 1
    emit(f"declared in {CHANGELOG}: {visible(said)}\n", None)
    return 0


def printed(root: Path, commands: Sequence[str]) -> Printed:
    """What the project's own tools print, all in one process of its own: another clone has other tools."""
    if not (root / "tools" / "docs.py").is_file():
        raise SteelyardError(f"{root}: no tools/docs.py here, which prints the tables again; verify a whole clone")
    done = subprocess.run(
        [sys.executable, "-m", "tools.docs", "--print"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root.resolve())},
        input=json.dumps(list(commands)),
        capture_output=True,
        text=True,
        check=False,
    )
    missing = _MISSING.search(done.stderr)
    if missing:
        raise MissingExtra("lab", missing["name"])
    if done.returncode:
        raise SteelyardError(f"{root}: tools/docs.py ended with {done.stderr.strip()[-200:]}; run ./run docs --check")
    return {c: NothingThere(r["failed"]) if "failed" in r else r["printed"] for c, r in json.loads(done.stdout).items()}
