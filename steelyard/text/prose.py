"""Running text: the sentences of a page, told from its headings, menus, captions, tags, lists of links and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from steelyard.text.characters import is_lower, is_upper
from steelyard.text.line_ends import CLOSING, ENDS
from steelyard.text.lines import Span

MIN_WORDS = 6  # of a sentence
FUNCTION_WORDS = 10  # percent of its tokens, at least
SMALL = 55  # percent of its words that begin with a small letter, of those that begin with a letter
SMALL_OF_NOUNS = 45  # the same in a language in which nouns begin with a capital
TAIL = 8  # characters in which the mark is looked for


class Prose(NamedTuple):
    """How much running text a page has: its words, their share of all words, and the distinct content words."""

    words: int
    share: float
    content_words: int


def is_running(text: str, span: Span, tokens: Sequence[bool], *, capitalises_nouns: bool) -> bool:
    """Return whether a stretch between the ends of sentences is a sentence of running text.

    Args:
        text: The reading text.
        span: The stretch.
        tokens: For each of its tokens whether it is a function word.
        capitalises_nouns: Whether nouns begin with a capital in the language.
    """
    start, end = span
    after = text[end : end + 3]  # French has a space before some marks; dots behind a space stand for what is left out
    is_spaced = after[:1] == " " and after[1:2] != "…" and after[2:3] != "."
    if not text[max(start, end - TAIL) : end + 1 + is_spaced].rstrip(CLOSING).endswith(ENDS):
        return False
    words = text[start:end].split()
    if len(words) < MIN_WORDS or 100 * sum(tokens) < max(1, FUNCTION_WORDS * len(tokens)):
        return False
    small = sum(is_lower(word[0]) for word in words)
    capitals = sum(is_upper(word[0]) for word in words)
    return 100 * small >= (SMALL_OF_NOUNS if capitalises_nouns else SMALL) * (small + capitals)
