"""Which patterns a page can match at all, by the words and characters that every match of a pattern needs.

Most patterns match on few pages. What each needs is read off its expression by `tools/triggers.py`: sets of words
of which a match has one each, and how far they can be apart. A pattern for which a page lacks some of it is not
searched, and not even compiled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from steelyard.text.characters import lower

LONGEST = 14  # characters of a trigger
_MOST_KNOWN = 50_000  # words
_LONGEST_KNOWN = 40  # characters
_CHUNK = 96  # characters, and those up to the end of a word
# The letters of the patterns' macro AL: what `<B>` and `<E>` take for the edge of a word is one here too.
_LETTER = "[A-Za-zÀ-ÖØ-öø-ÿŒœŠšŽž]"
LETTERS = re.compile(f"{_LETTER}+")
_CHUNKS = re.compile(f"(?s:.{{{_CHUNK}}}){_LETTER}*|(?s:.+)")


class Need(NamedTuple):
    """What each match of a pattern has: a trigger of each of some sets, within some characters."""

    sets: tuple[int, ...]
    reach: int


class Triggers:
    """The triggers of all patterns of a language.

    A trigger is a part of a word in small letters, `^` where the word begins and `$` where it ends; two whole words
    that follow each other, as in `^is$^a$`; or a character that is no letter.
    """

    def __init__(self, sets: Sequence[Sequence[str]], needs: Mapping[str, Sequence[Need]]) -> None:
        masks: dict[str, int] = {}
        for number, triggers in enumerate(sets):
            bit = 1 << number
            for trigger in triggers:
                masks[trigger] = masks.get(trigger, 0) | bit
        self._masks = masks
        self._known: dict[str, tuple[str, int]] = {}  # words
        self._needs = {
            family: [(sum(1 << number for number in need.sets), need.reach) for need in all_of_family]
            for family, all_of_family in needs.items()
        }

    def find_possible(self, family: str, found: Found) -> list[bool]:
        """Return for each pattern of a family whether a text can have a match of it."""
        return [found.has(mask, reach) for mask, reach in self._needs[family]]

    def look(self, text: str) -> Found:
        """Return which triggers a text has, and where."""
        known, masks = self._known, self._masks
        chunks = []
        last = ""
        for chunk in _CHUNKS.findall(text):
            mask = 0
            for word in LETTERS.findall(chunk):
                small, own = known.get(word) or self._read(word)
                mask |= own
                if last + small in masks:
                    mask |= masks[last + small]
                last = small
            for character in set(chunk):
                if character in masks:
                    mask |= masks[character]
            chunks.append(mask)
        return Found(chunks)

    def _read(self, word: str) -> tuple[str, int]:
        """Return a word with its marks, and the sets of which it has a trigger."""
        mask, marked = 0, f"^{lower(word)}$"
        for start in range(len(marked)):
            for end in range(start + 1, min(len(marked), start + LONGEST) + 1):
                mask |= self._masks.get(marked[start:end], 0)
        if len(word) <= _LONGEST_KNOWN:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[word] = marked, mask
        return marked, mask


class Found:
    """The triggers of a text by chunks."""

    def __init__(self, chunks: Sequence[int]) -> None:
        self._all = 0
        for chunk in chunks:
            self._all |= chunk
        self._windows = [chunks]  # by number of chunks less one: what so many that follow each other have together

    def has(self, mask: int, reach: int) -> bool:
        """Tell whether the text has a trigger of each set within some characters."""
        if mask & self._all != mask:
            return False
        for window in self._join((reach + _CHUNK - 2) // _CHUNK + 1):  # noqa: SIM110 - `any` takes twice as long
            if mask & window == mask:
                return True
        return False

    def _join(self, number: int) -> Sequence[int]:
        windows = self._windows
        number = max(1, min(number, len(windows[0])))
        while len(windows) < number:
            more = windows[0][len(windows) :]
            windows.append([a | b for a, b in zip(windows[-1], more, strict=False)])
        return windows[number - 1]
