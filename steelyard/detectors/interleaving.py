"""interleaving: keywords of the page where they part words that belong together."""

from __future__ import annotations

from collections import Counter
from itertools import compress, pairwise

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

PIECE = 400  # words: in a longer text any two words stand side by side somewhere
FEWEST_WORDS = 60
FREQUENT = 4  # times in a piece from which a content word is one of its keywords
SHORTEST = 3
LONGEST = 2  # keywords in a row that can part two words
GRANTED = 1  # chance puts a keyword between two such words now and then


class Interleaving(Detector):
    """Places per 100 words, in the worst piece of the page, at which a keyword parts two words of one habit.

    "Waits at *mattress* the edge": "at the" stands elsewhere on the page, and a keyword in between adds nothing to the
    sentence it is in. Each such group of words counts once, and none that holds two content words which the page has
    side by side more than once: "shipping *container* house" beside "shipping house" is a name and its short form.
    """

    about = "places per 100 words at which a keyword parts two words that stand side by side elsewhere on the page"
    least = 0.8
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        if len(page) < FEWEST_WORDS:
            return Measured(0.0)
        pieces = max(1, round(len(page) / PIECE))
        edges = [len(page) * at // pieces for at in range(pieces + 1)]
        worst, parted, size = 0.0, [], 0
        for first, last in pairwise(edges):
            found = _parted(page, first, last)
            rate = 100 * max(0, len(found) - GRANTED) / (last - first)
            if rate > worst:
                worst, parted, size = rate, found, last - first
        spans = tuple(page.span(first, last) for first, last in parted[:PLACES])
        return Measured(worst, {"parted": len(parted), "of": size}, spans)


def _parted(page: Examined, first: int, last: int) -> list[tuple[int, int]]:
    """Ranges of keywords between two words that belong together, the first of each group."""
    words, function, joined = page.words, page.function, page.joined
    places = _keywords(page, first, last)
    if not places:
        return []
    beside = Counter(compress(pairwise(words[first:last]), joined[first:last]))
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for at in places:
        for end in range(at + 1, at + LONGEST + 1):
            if at == first or end >= last or end - 1 not in places or not (joined[at - 1] and joined[end - 1]):
                break
            before, after = words[at - 1], words[end]
            lone = end == at + 1 or not (at - 1 in places or end in places)
            if (
                lone
                and beside[before, after]
                and (function[at - 1] or beside[before, words[at]] < 2)
                and (function[end] or beside[words[end - 1], after] < 2)
            ):
                found.setdefault((before, *words[at:end], after), (at, end - 1))
                break
    return list(found.values())


def _keywords(page: Examined, first: int, last: int) -> dict[int, str]:
    """Where in a piece its frequent content words stand."""
    held = page.words[first:last]
    frequent = {w for w, n in Counter(held).items() if n >= FREQUENT and len(w) >= SHORTEST and w[0].isalpha()}
    return {at: w for at, w in enumerate(held, first) if w in frequent and not page.function[at]}
