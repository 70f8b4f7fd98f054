"""The report's ledger: it is printed again from its artifacts, and every number in it has the address it came from."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from steelyard.lab.study import manifest
from steelyard.lab.study import report as study
from steelyard.lab.study.numbers import numbers
from steelyard.lab.study.reproduce import Made
from steelyard.lab.study.traced import Printed, noting, traced
from steelyard.lab.study.verify import Problem, first_difference
from steelyard.support.artifacts import write_text

REPORT, ADDRESSES = "report.md", "addresses.csv"
READ, DERIVED, WORDS = "read", "derived", "words"
COUNTED = {
    READ: "in the report, each at its own address in an artifact",
    DERIVED: "in the report, computed from numbers at such addresses",
    WORDS: "in the report's own words: titles, formulae, figures of the paper; printed again with the rest",
}
_SIGNS = "(−|"  # an address that begins so is a computation


@dataclass
class Ledger:
    """What a study's report prints, and what is wrong with it."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def write(out: Path, made: Sequence[Made], *, illustrated: bool) -> Path:
    """addresses.csv: every number of report.md that was read in an artifact, with its line and its address."""
    path = out / ADDRESSES
    write_text(path, _table(*addressed(made, illustrated=illustrated)))
    return path


def addressed(made: Sequence[Made], *, illustrated: bool) -> tuple[str, list[Printed]]:
    """The text of report.md, and where each number that was read in an artifact was read."""
    with noting() as read:
        marked = [replace(m, artifact=_traced(m)) for m in made]
        return read(study.markdown(study.report_of(marked, illustrated=illustrated)))


def _traced(made: Made) -> dict[str, Any]:
    """A stage's artifact with the numbers of its result and its parameters traced."""
    name = f"artifacts/{made.chapter.name}.json"
    parts = {part: traced(made.artifact[part], f"{name}#/{part}") for part in ("result", "parameters")}
    return {**made.artifact, **parts}


def check(folder: Path, place: str = "") -> Ledger:
    """A study's report against its artifacts; `place` is the folder as problems name it."""
    found, where = Ledger(), f"{place}/" if place else ""
    try:
        made, illustrated = manifest.read(folder)
        texts = {name: (folder / name).read_text("utf-8") for name in (REPORT, ADDRESSES)}
    except manifest.NoStudy as error:
        found.problems.append(Problem(place or str(folder), None, str(error)))
        return found
    except (OSError, UnicodeDecodeError) as error:
        found.problems.append(Problem(place or str(folder), None, f"{REPORT} or {ADDRESSES} cannot be read: {error}"))
        return found
    try:
        text, printed = addressed(made, illustrated=illustrated)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        lacks = f"this version cannot print its artifacts ({type(error).__name__}: {error})"
        found.problems.append(Problem(place or str(folder), None, f"{lacks}; run `steelyard reproduce` again"))
        return found
    for name, should in ((REPORT, text), (ADDRESSES, _table(text, printed))):
        wrong = first_difference(texts[name].splitlines(), should.splitlines())
        if wrong is not None:
            line, is_, right = wrong
            message = f"prints {is_!r}, but its artifacts say {right!r}; `steelyard reproduce` writes it anew"
            found.problems.append(Problem(f"{where}{name}", line + 1, message))
            return found
    found.problems += _pictured(folder, where, study.report_of(made, illustrated=illustrated))
    found.counts.update(_kinds(text, printed))
    return found


def _pictured(folder: Path, where: str, report: study.Report) -> Iterator[Problem]:
    """Pictures that are not there, and a report.html that says something else; a committed study goes without one."""
    names = [name for section in report.sections for name, _ in section.pictures()] if report.illustrated else []
    for name in names:
        if not (folder / "images" / f"{name}.png").is_file():
            yield Problem(f"{where}images/{name}.png", None, "is not there; `steelyard reproduce` draws it anew")
    page = folder / "report.html"
    if page.is_file():
        drawn = {name: folder / "images" / f"{name}.svg" for name in names}
        svgs = {name: path.read_bytes() for name, path in drawn.items() if path.is_file()}
        wrong = first_difference(page.read_text("utf-8", "replace").splitlines(), study.html(report, svgs).splitlines())
        if wrong is not None:
            message = f"says {wrong[1]!r}, but its artifacts {wrong[2]!r}; `steelyard reproduce` writes it anew"
            yield Problem(f"{where}{page.name}", wrong[0] + 1, message)


def _kinds(text: str, printed: Sequence[Printed]) -> Counter[str]:
    """How many of a report's numbers are read, derived, or its own words."""
    starts = [p.start for p in printed]
    counts: Counter[str] = Counter()
    for number in numbers(text.replace("\\", " ")):
        at = bisect_right(starts, number.end - 1) - 1
        inside = at >= 0 and number.end <= printed[at].end
        counts[(DERIVED if printed[at].where.startswith(tuple(_SIGNS)) else READ) if inside else WORDS] += 1
    return counts


def _table(text: str, printed: Sequence[Printed]) -> str:
    breaks = [at for at, character in enumerate(text) if character == "\n"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("line", "number", "address"))
    for p in printed:
        shown = p.text.replace("\\", "")
        writer.writerow((bisect_right(breaks, p.start) + 1, shown, p.where))
    return out.getvalue()
