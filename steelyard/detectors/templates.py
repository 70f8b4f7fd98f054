"""templates: sentences of the same pattern, with other names, numbers and keywords filled in."""

from __future__ import annotations

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords
from steelyard.text.characters import is_alpha

SHINGLE = 5  # words and gaps
MIN_SHARED_WORDS = 3  # of them that are words: two names and a number follow each other anywhere
FREQUENT = 4  # uses that make a content word a keyword, which a template leaves open
FAR = 10  # words and gaps between two uses: what is enumerated is built alike
MAX_GAP = 20  # words in a row left open; a longer list is several gaps
MIN_PAGE_WORDS = 300  # words and gaps that a share is taken of, on shorter pages too


class Templates(Detector):
    """The share of the page in sequences of five that occurred before with something else filled in.

    Names, numbers and the page's keywords are left open, as gaps. What is repeated word for word does not count here:
    honest pages repeat their conditions and instructions, and `duplication` sees copies.
    """

    lowest_threshold = 0.13

    def measure(self, page: PageWords) -> Measurement:
        words, filled, ends = _leave_open(page)
        first_use: dict[tuple[str, ...], int] = {}
        covered: list[list[int]] = []  # ranges of words and gaps, those that touch joined
        for at, shingle in enumerate(zip(*(words[i:] for i in range(SHINGLE)), strict=False)):
            if not 0 < shingle.count("") <= SHINGLE - MIN_SHARED_WORDS:
                continue
            first = first_use.setdefault(shingle, at)
            if at - first <= FAR or filled[at : at + SHINGLE] == filled[first : first + SHINGLE]:
                continue
            if covered and at <= covered[-1][1]:
                covered[-1][1] = at + SHINGLE
            else:
                covered.append([at, at + SHINGLE])
        total = sum(last - first for first, last in covered)
        spans = tuple(page.span(ends[first][0], ends[last - 1][1]) for first, last in covered[:MAX_PLACES])
        return Measurement(total / max(MIN_PAGE_WORDS, len(words)), {"repeated": total, "of": len(words)}, spans)


def _leave_open(page: PageWords) -> tuple[list[str], list[tuple[str, ...]], list[tuple[int, int]]]:
    """Return the words with an empty string for each gap, what fills each, and their first and last word numbers."""
    words: list[str] = []
    filled: list[tuple[str, ...]] = []
    ends: list[tuple[int, int]] = []
    for at, word in enumerate(page.words):
        is_open = _is_open(page, at)
        if is_open and words and words[-1] == "" and len(filled[-1]) < MAX_GAP:
            filled[-1] += (word,)
            ends[-1] = (ends[-1][0], at)
        else:
            words.append("" if is_open else word)
            filled.append((word,))
            ends.append((at, at))
    return words, filled, ends


def _is_open(page: PageWords, at: int) -> bool:
    """Tell whether a word is a name, a number or a keyword of the page."""
    if page.is_function_word[at]:
        return False
    original = page.originals[at]
    return not is_alpha(original[0]) or page.is_name[at] or page.counts[page.words[at]] >= FREQUENT
