"""Where the words of an extracted text are in the HTML they were extracted from."""

from __future__ import annotations

import re
from bisect import bisect_right

from steelyard.text.tags import decode_references

_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|head)\b.*?(?:</\1|\Z)|<[a-zA-Z/!?][^>]*(?:>|\Z)|[^<\s]+|<",
    re.DOTALL | re.IGNORECASE,
)
_OTHER = re.compile(r"[\W_]+")


class HtmlWords:
    """The letters and digits of an HTML page with their positions; tags, blanks and punctuation do not count."""

    def __init__(self, source: str) -> None:
        words: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._offsets: list[int] = []
        length = 0
        for piece in _PIECE.finditer(source):
            text = piece[0]
            word = "" if text.startswith("<") else _OTHER.sub("", decode_references(text)).lower()
            if word:
                words.append(word)
                self._spans.append(piece.span())
                self._offsets.append(length)
                length += len(word)
        self._text = "".join(words)

    def find(self, words: str, number: int = 0) -> tuple[int, int] | None:
        """Return the span in the HTML of the occurrence of some words with this number from 0, or else of the last."""
        wanted = _OTHER.sub("", words).lower()
        first_letter = at = self._text.find(wanted) if wanted else -1
        for _ in range(number):
            at = self._text.find(wanted, at + 1)
            if at < 0:
                break
            first_letter = at
        if first_letter < 0:
            return None
        first = bisect_right(self._offsets, first_letter) - 1
        last = bisect_right(self._offsets, first_letter + len(wanted) - 1) - 1
        return self._spans[first][0], self._spans[last][1]
