"""Where in a page something may be added, how much of it, and how it is put there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.lab.edits.attacks.base import Job

PATIENCE = 60  # units that are too long before the last one is cut to what is left
_TAG = re.compile(r"<!--|-->|<[^<>]{1,200}>")
_END = re.compile(r"[.!?…][\"”’')»*_]{0,3}(?=[ \t]+[\"“«(\[*_]{0,3}[^\W_a-z]|[ \t]*$)", re.MULTILINE)
_GAP = re.compile(r"(?<=[^\W_])[,;:]?(?= [^\W_])")
_NO_PROSE = re.compile(r"[#|<>]|\[[^\]]{1,80}\]:|[-=*_~`][-=*_~` ]+$")
_BULLET = re.compile(r"[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+")
_MARKUP = frozenset("<>[]{}|`*_")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def prose(text: str) -> Iterator[tuple[int, int]]:
    """The lines in which sentences stand: no front matter, heading, table, code, tag or rule."""
    position = 0
    fence = "---" if text.startswith("---\n") else ""
    for number, line in enumerate(text.splitlines(keepends=True)):
        start, position = position, position + len(line)
        if number == 0 and fence:
            continue
        found = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence or (found and found[1] == fence) else fence
        elif found:
            fence = found[1]
        elif line.strip() and not line.startswith(("\t", "    ")) and not _NO_PROSE.match(line.strip()):
            yield start + _bullet(line), start + len(line.rstrip())


def _bullet(line: str) -> int:
    """How long the mark of a list item is; the number of an item is no sentence."""
    found = _BULLET.match(line)
    return found.end() if found else 0


def sentence_ends(text: str) -> list[int]:
    """Offsets just after a sentence; the end of the text where no other is found."""
    ends = [m.end() for a, b in prose(text) for m in _END.finditer(text, a, b)]
    return ends or [len(text.rstrip())]


def word_gaps(text: str) -> list[int]:
    """Offsets between two words of one sentence; between any two words where the page has no sentences."""
    gaps = [m.end() for a, b in prose(text) for m in _GAP.finditer(text, a, b)]
    return gaps or [m.end() for m in re.finditer(r"\S(?=\s)", text)] or [len(text)]


def sentences(text: str, *, least: int = 5, most: int = 40) -> list[str]:
    """The sentences of the prose, without markup, of a length in words that can be moved elsewhere."""
    found = []
    for start, stop in prose(text):
        at = start
        for end in (*(m.end() for m in _END.finditer(text, start, stop)), stop):
            sentence = " ".join(text[at:end].split())
            whole = sentence.endswith((".", "!", "?")) and not _MARKUP & set(sentence)
            if whole and least <= len(sentence.split()) <= most:
                found.append(sentence)
            at = end
    return found


def inserted(text: str, pieces: Iterable[tuple[int, str]]) -> str:
    """The text with each piece after a space at its offset; what stood there follows."""
    parts = []
    at = 0
    for offset, piece in sorted(pieces, key=lambda p: p[0]):
        parts += [text[at:offset], " ", piece]
        at = offset
    return "".join((*parts, text[at:]))


def spread(job: Job, pieces: Sequence[str], places: Sequence[int]) -> str:
    """The pieces in their order at places drawn without order; several at one place only when there are too few."""
    each, rest = divmod(len(pieces), len(places))
    chosen = Counter(dict.fromkeys(places, each)) + Counter(job.rng.sample(list(places), rest))
    return inserted(job.target.text, zip(sorted(chosen.elements()), pieces, strict=True))


def appended(job: Job, blocks: Sequence[str]) -> str:
    """The page and the blocks after it, parted as the page parts its paragraphs."""
    return job.target.separator.join((job.target.text, *blocks))


def fitted(job: Job, units: Iterable[str]) -> list[str]:
    """Units as they come, those left out that would be too much, until the share is reached."""
    taken: list[str] = []
    refused: list[str] = []
    total = 0
    for unit in units:
        size = len(unit.split())
        if total + size > job.most:
            refused.append(unit)
            if len(refused) >= PATIENCE:
                break
            continue
        taken.append(unit)
        total += size
        if total >= job.aim:
            break
    if total < job.least:
        cuts = (cut(unit, job.aim - total) for unit in refused)
        taken += [piece for piece in cuts if total + len(piece.split()) == job.aim][:1]
    return taken


def cut(unit: str, size: int) -> str:
    """The first words of a unit, without its tags and with a full stop."""
    *words, last = _TAG.sub(" ", unit).split()[:size] or [""]
    return " ".join((*words, f"{last.rstrip('.,;:!?') or last}."))


def paragraphs(units: Sequence[str], size: int) -> list[str]:
    """So many sentences to a paragraph."""
    return [" ".join(units[at : at + size]) for at in range(0, len(units), size)]


def capital(text: str) -> str:
    """The text with a capital first, unless that letter would come back as another (ſ, ı, ß)."""
    first = text[:1]
    return (first.upper() if first.upper().lower() == first else first) + text[1:]


def cycled(job: Job, items: Sequence[str]) -> Iterator[str]:
    """The items for ever, each time round in another order, none again before all were used."""
    while True:
        yield from job.rng.sample(items, len(items))


def listed(units: Sequence[str], separator: str, *, mark: str = ",", size: int = 12) -> list[str]:
    """The units with the mark between them, in lines of so many where the page has lines."""
    each = len(units) if separator == " " else size
    return [f"{mark} ".join(units[at : at + each]) for at in range(0, len(units), each)]
