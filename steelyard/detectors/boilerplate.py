"""boilerplate: a run of sentences made of what sites print around any content, whatever the page is about."""

from __future__ import annotations

from collections import Counter

from steelyard.detectors.base import Detector, Measured
from steelyard.detectors.inspected import Examined

NEAR = 2  # words: furniture this close to "we", "our" or "your" speaks for the site, and counts twice
_BESIDE = tuple(range(-NEAR, NEAR + 1))
USUAL = 0.25  # marks a word that a sentence may hold
MOST = 4.0  # that one sentence can add: one long menu is not a padded page
STEEPNESS = 5  # of how fast a sentence stops counting as it takes up words of the rest of the page


class Boilerplate(Detector):
    """The marks of page furniture beyond the usual, in the run of sentences that holds most of them.

    A mark is a furniture word or a word of the site's own voice, one more for the two beside each other, and one more
    for furniture beside furniture ("privacy policy", "contact us"). Ordinary sentences in between count against a run,
    and sentences that speak of what the rest of the page speaks of count little. On the common scale their root counts:
    marks are counts, whose spread grows with their size.
    """

    about = "marks of page furniture in the strongest run of sentences that stand apart from the page"
    least = 2.25
    power = 0.5

    def measure(self, page: Examined) -> Measured:
        best, start, run, length = 0.0, 0, 0.0, 0
        span: tuple[int, int] | None = None
        for at, (first, last) in enumerate(page.sentences):
            if run <= 0:
                run, start = 0.0, at
            run += _value(page, first, last)
            if run > best:
                best, length, span = run, at - start + 1, (page.sentences[start][0], last - 1)
        return Measured(best, {"sentences": length}, (page.span(*span),) if span else ())


def _value(page: Examined, first: int, last: int) -> float:
    """Marks beyond the usual, less those that belong to the page; below 0 for a sentence that holds fewer."""
    beyond = _marks(page, first, last) - USUAL * (last - first)
    return min(beyond, MOST) * _apart(page, first, last) ** STEEPNESS if beyond > 0 else beyond


def _marks(page: Examined, first: int, last: int) -> float:
    """Furniture and the site's voice, with what stands beside them."""
    furniture, voice, held = page.lists["furniture"], page.lists["voice"], page.words[first:last]
    spoken = {at for at, word in enumerate(held) if word in voice}
    places = {at for at, word in enumerate(held) if word in furniture}
    marks = float(len(spoken) + len(places))
    for at in places:
        marks += any(at + step in spoken for step in _BESIDE) + (at - 1 in places) + 0.5 * (at - 2 in places)
    return marks


def _apart(page: Examined, first: int, last: int) -> float:
    """The share of a sentence's other content words that the page uses nowhere else; one is always granted."""
    furniture = page.lists["furniture"]
    held = page.words[first:last]
    own = Counter(held)
    content = [
        word
        for word, function in zip(held, page.function[first:last], strict=True)
        if not function and word not in furniture and word[0].isalpha()
    ]
    tied = sum(page.counts[word] > own[word] for word in content)
    return 1 - tied / (len(content) + 1)
