"""interleaving: keywords placed between words that belong together."""

from __future__ import annotations

from collections import Counter
from itertools import compress, pairwise

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords
from steelyard.text.characters import is_alpha

PIECE = 400  # words: in a longer text any two words are neighbours somewhere
MIN_WORDS = 60
FREQUENT = 4  # occurrences in a piece that make a content word one of its keywords
MIN_LETTERS = 3
MAX_KEYWORDS = 2  # keywords in a row that can separate two words
GRANTED = 1  # now and then a keyword comes between two such words by chance


class Interleaving(Detector):
    """Places per 100 words, in the worst piece of the page, at which a keyword separates two usual neighbours.

    "Waits at *mattress* the edge": "at the" occurs elsewhere on the page, and the keyword in between adds nothing to
    its sentence. Each such group of words counts once, unless the keyword and a content word next to it are neighbours
    more than once: "shipping *container* house" and "shipping house" are a name and its short form.
    """

    lowest_threshold = 1.0
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        if len(page) < MIN_WORDS:
            return Measurement(0.0)
        pieces = max(1, round(len(page) / PIECE))
        edges = [len(page) * at // pieces for at in range(pieces + 1)]
        worst, separated, size = 0.0, [], 0
        for first, last in pairwise(edges):
            places = _find_separations(page, first, last)
            rate = 100 * max(0, len(places) - GRANTED) / (last - first)
            if rate > worst:
                worst, separated, size = rate, places, last - first
        spans = tuple(page.span(first, last) for first, last in separated[:MAX_PLACES])
        return Measurement(worst, {"parted": len(separated), "of": size}, spans)


def _find_separations(page: PageWords, first: int, last: int) -> list[tuple[int, int]]:
    """Return the ranges of keywords between two words that belong together, the first range of each group."""
    words, is_function_word, is_joined = page.words, page.is_function_word, page.is_joined
    places = _find_keywords(page, first, last)
    if not places:
        return []
    neighbours = Counter(compress(pairwise(words[first:last]), is_joined[first:last]))
    separations: dict[tuple[str, ...], tuple[int, int]] = {}
    for at in sorted(places):
        for end in range(at + 1, at + MAX_KEYWORDS + 1):
            if at == first or end >= last or end - 1 not in places or not (is_joined[at - 1] and is_joined[end - 1]):
                break
            before, after = words[at - 1], words[end]
            alone = end == at + 1 or not (at - 1 in places or end in places)
            if (
                alone
                and neighbours[before, after]
                and (is_function_word[at - 1] or neighbours[before, words[at]] < 2)
                and (is_function_word[end] or neighbours[words[end - 1], after] < 2)
            ):
                separations.setdefault((before, *words[at:end], after), (at, end - 1))
                break
    return list(separations.values())


def _find_keywords(page: PageWords, first: int, last: int) -> set[int]:
    """Return the numbers of the words in a piece that are frequent content words of it."""
    words = page.words[first:last]
    frequent = {w for w, n in Counter(words).items() if n >= FREQUENT and len(w) >= MIN_LETTERS and is_alpha(w[0])}
    return {at for at, w in enumerate(words, first) if w in frequent and not page.is_function_word[at]}
