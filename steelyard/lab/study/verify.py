"""Check a study's folder: sealed artifacts, and a report that says what they say."""

from __future__ import annotations

from collections.abc import Iterator
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
    for path in (images / f"{name}.png" for name in names):
        if not path.is_file():
            yield f"{path} is missing; {folder.ADVICE}"
    yield from _compare(place / REPORT, text)
    if (place / PAGE).is_file():
        svgs = {name: path.read_bytes() for name in names if (path := images / f"{name}.svg").is_file()}
        yield from _compare(place / PAGE, report.render_html(made, svgs))


def _compare(path: Path, expected: str) -> Iterator[str]:
    try:
        actual = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{path}: cannot be read ({error}); {folder.ADVICE}"
        return
    pairs = zip_longest(actual.splitlines(), expected.splitlines(), fillvalue="")
    for line, (old, new) in enumerate(pairs, start=1):
        if old != new:
            same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            around = slice(max(0, same - 30), same + 40)
            is_, should = old[around].strip(), new[around].strip()
            yield f"{path}:{line}: says {is_!r}, but its artifacts say {should!r}; {folder.ADVICE}"
            return
