"""Where in a page something may be added, how much of it, and how it is inserted."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from steelyard.lab.edits.attacks.base import Attack, Job

MIN_SENTENCE, MAX_SENTENCE = 5, 40  # words of a sentence that can be moved elsewhere
PATIENCE = 60  # units that are too long before the last one is cut to what is left
_TAG = re.compile(r"<!--|-->|<[^<>]{1,200}>")
_END = re.compile(r"[.!?…][\"”’')»*_]{0,3}(?=[ \t]+[\"“«(\[*_]{0,3}[^\W_a-z]|[ \t]*$)", re.MULTILINE)
_GAP = re.compile(r"(?<=[^\W_])[,;:]?(?= [^\W_])")
_NO_PROSE = re.compile(r"[#|<>]|\[[^\]]{1,80}\]:|[-=*_~`][-=*_~` ]+$")
_BULLET = re.compile(r"[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+")
_MARKUP = frozenset("<>[]{}|`*_")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def find_prose(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines with sentences: no front matter, heading, table, code, tag or rule."""
    position = 0
    fence = "---" if text.startswith("---\n") else ""
    for number, line in enumerate(text.splitlines(keepends=True)):
        start, position = position, position + len(line)
        if number == 0 and fence:
            continue
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence or (mark and mark[1] == fence) else fence
        elif mark:
            fence = mark[1]
        elif line.strip() and not line.startswith(("\t", "    ")) and not _NO_PROSE.match(line.strip()):
            bullet = _BULLET.match(line)  # the number of a list item is no sentence
            yield start + (bullet.end() if bullet else 0), start + len(line.rstrip())


def find_sentence_ends(text: str) -> list[int]:
    """Return the offsets just after each sentence; the end of the text when there is no other."""
    ends = [m.end() for a, b in find_prose(text) for m in _END.finditer(text, a, b)]
    return ends or [len(text.rstrip())]


def find_word_gaps(text: str) -> list[int]:
    """Return the offsets between two words of a sentence; between any two words when the page has no sentences."""
    gaps = [m.end() for a, b in find_prose(text) for m in _GAP.finditer(text, a, b)]
    return gaps or [m.end() for m in re.finditer(r"\S(?=\s)", text)] or [len(text)]


def find_sentences(text: str) -> list[str]:
    """Return the sentences of the prose that have no markup and a length in words that can be moved elsewhere."""
    sentences = []
    for start, stop in find_prose(text):
        at = start
        for end in (*(m.end() for m in _END.finditer(text, start, stop)), stop):
            sentence = " ".join(text[at:end].split())
            is_whole = sentence.endswith((".", "!", "?")) and not _MARKUP & set(sentence)
            if is_whole and MIN_SENTENCE <= len(sentence.split()) <= MAX_SENTENCE:
                sentences.append(sentence)
            at = end
    return sentences


def insert_pieces(text: str, pieces: Iterable[tuple[int, str]]) -> str:
    """Insert each piece at its offset, after a space."""
    parts = []
    at = 0
    for offset, piece in sorted(pieces, key=lambda p: p[0]):
        parts += [text[at:offset], " ", piece]
        at = offset
    return "".join((*parts, text[at:]))


def spread_pieces(job: Job, pieces: Sequence[str], places: Sequence[int]) -> str:
    """Insert the pieces in their order at places drawn at random; two share a place only when there are too few."""
    each, rest = divmod(len(pieces), len(places))
    chosen = Counter(dict.fromkeys(places, each)) + Counter(job.rng.sample(list(places), rest))
    return insert_pieces(job.target.text, zip(sorted(chosen.elements()), pieces, strict=True))


def append_blocks(job: Job, blocks: Sequence[str]) -> str:
    """Append the blocks, separated as the page separates its paragraphs."""
    return job.target.separator.join((job.target.text, *blocks))


def append_list(job: Job, units: Iterable[str], mark: str) -> str:
    """Append as many units as the share asks for, in lines of a dozen if the page has lines."""
    chosen = select_units(job, units)
    return append_blocks(job, join_units(chosen, len(chosen) if job.target.separator == " " else 12, f"{mark} "))


def append_rows(job: Job, rows: Iterable[str]) -> str:
    """Append as many rows as the share asks for, each on a line of its own if the page has lines."""
    return append_blocks(job, [("\n" if "\n" in job.target.separator else " ").join(select_units(job, rows))])


def select_units(job: Job, units: Iterable[str]) -> list[str]:
    """Take units as they come, leaving out those that would be too much, until the share is reached."""
    chosen: list[str] = []
    refused: list[str] = []
    total = 0
    for unit in units:
        size = len(unit.split())
        if total + size > job.max_words:
            refused.append(unit)
            if len(refused) >= PATIENCE:
                break
            continue
        chosen.append(unit)
        total += size
        if total >= job.wanted_words:
            break
    if total < job.min_words:
        cuts = (cut_unit(unit, job.wanted_words - total) for unit in refused)
        chosen += [piece for piece in cuts if total + len(piece.split()) == job.wanted_words][:1]
    return chosen


def cut_unit(unit: str, size: int) -> str:
    """Return the first words of a unit, without its tags and with a full stop."""
    *words, last = _TAG.sub(" ", unit).split()[:size] or [""]
    return " ".join((*words, f"{last.rstrip('.,;:!?') or last}."))


def join_units(units: Sequence[str], size: int, separator: str = " ") -> list[str]:
    """Join the units in groups of `size`."""
    return [separator.join(units[at : at + size]) for at in range(0, len(units), size)]


class InsertingAttack(Attack):
    """An attack that puts as many units as the share asks for between the page's sentences."""

    @abstractmethod
    def write_units(self, job: Job) -> Iterator[str]:
        """Yield sentences, links or elements for ever."""

    def rewrite(self, job: Job) -> str:
        pieces = select_units(job, self.write_units(job))
        return spread_pieces(job, pieces, find_sentence_ends(job.target.text))


class AppendingAttack(Attack):
    """An attack that appends as many units as the share asks for, in paragraphs."""

    units_per_paragraph: ClassVar[int] = 1

    @abstractmethod
    def write_units(self, job: Job) -> Iterator[str]:
        """Yield sentences or blocks for ever."""

    def rewrite(self, job: Job) -> str:
        units = select_units(job, self.write_units(job))
        return append_blocks(job, join_units(units, self.units_per_paragraph))
