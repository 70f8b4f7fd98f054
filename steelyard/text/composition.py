"""Accents written as two characters, composed into one, with the way back to the offsets of the text as it was."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from steelyard.text.characters import LETTER

_CLUSTER = re.compile(rf"{LETTER}[\u0300-\u036f]{{1,8}}")


@dataclass(frozen=True, slots=True)
class Composed:
    """A text and where its offsets were before: `starts` and `originals` are the beginnings of unshifted stretches."""

    text: str
    starts: tuple[int, ...] = (0,)
    originals: tuple[int, ...] = (0,)

    @property
    def is_moved(self) -> bool:
        """Whether any offset differs from that of the original."""
        return len(self.starts) > 1

    def original(self, offset: int) -> int:
        """Return the offset in the original text of an offset in the composed one."""
        run = bisect_right(self.starts, offset) - 1
        return self.originals[run] + offset - self.starts[run]


def compose(text: str) -> Composed:
    """Compose every letter with the accents that follow it, where there is one character for them."""
    if unicodedata.is_normalized("NFC", text):
        return Composed(text)
    pieces: list[str] = []
    starts, originals = [0], [0]
    length = at = 0
    for cluster in _CLUSTER.finditer(text):
        whole = unicodedata.normalize("NFC", cluster[0])
        if len(whole) == len(cluster[0]):
            continue
        pieces += [text[at : cluster.start()], whole]
        length += cluster.start() - at + len(whole)
        at = cluster.end()
        starts.append(length)
        originals.append(at)
    return Composed("".join([*pieces, text[at:]]), tuple(starts), tuple(originals))
