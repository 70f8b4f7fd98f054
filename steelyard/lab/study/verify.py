"""Check a study's folder: sealed artifacts, and a report that says what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from steelyard.errors import SteelyardError
from steelyard.lab.study import folder, report
from steelyard.lab.study.report import PAGE, REPORT


def verify(place: Path) -> Iterator[str]:
    """Yield what is wrong with a folder that `steelyard reproduce` wrote; nothing when all is well.

    Every artifact must still have the hash of the result that was computed. report.md is printed again from the
    artifacts and compared letter for letter; so is report.html where it is kept, and every picture must be there.
    """
    try:
        computed, illustrated = folder.read(place)
    except SteelyardError as error:
        yield str(error)
        return
    try:
        made = report.make_report(computed, illustrated=illustrated)
        text = report.render_markdown(made)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"this version cannot present its artifacts ({type(error).__name__}: {error})"
        yield f"{place}: {reason}; {folder.ADVICE}"
        return
    names = [name for section in made.sections for name, _ in section.pictures()] if illustrated else []
    images = place / "images"
    yield from (
        f"{images / name}.png is missing; {folder.ADVICE}" for name in names if not _png(images, name).is_file()
    )
    yield from _compare(place / REPORT, text)
    if (place / PAGE).is_file():
        svgs = {name: path.read_bytes() for name in names if (path := images / f"{name}.svg").is_file()}
        yield from _compare(place / PAGE, report.render_html(made, svgs))


def _png(images: Path, name: str) -> Path:
    return images / f"{name}.png"


def _compare(path: Path, expected: str) -> Iterator[str]:
    try:
        actual = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{path}: cannot be read ({error}); {folder.ADVICE}"
        return
    difference = first_difference(actual.splitlines(), expected.splitlines())
    if difference is not None:
        line, is_, should = difference
        yield f"{path}:{line + 1}: says {is_!r}, but its artifacts say {should!r}; {folder.ADVICE}"


def first_difference(old: Sequence[str], new: Sequence[str]) -> tuple[int, str, str] | None:
    """Return (line, what is there, what should be) at the first difference, cut to the characters around it."""
    for line, (a, b) in enumerate(zip_longest(old, new, fillvalue="")):
        if a != b:
            same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            start = max(0, same - 30)
            return line, a[start : same + 40].strip(), b[start : same + 40].strip()
    return None
