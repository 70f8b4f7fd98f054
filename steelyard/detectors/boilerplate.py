"""boilerplate: a run of sentences made of what sites print around any content, whatever the page is about."""

from __future__ import annotations

from collections import Counter

from steelyard.detectors.base import Detector, Measurement, PageWords, find_best_run
from steelyard.text.characters import is_alpha

NEAR = 2  # words: furniture this close to "we", "our" or "your" speaks for the site, and counts twice
_OFFSETS = tuple(range(-NEAR, NEAR + 1))
USUAL = 0.25  # marks per word that an ordinary sentence may have
MAX_PER_SENTENCE = 4.0  # that one sentence can add: one long menu is not a padded page
STEEPNESS = 5  # how fast a sentence stops counting the more words it shares with the rest of the page


class Boilerplate(Detector):
    """The marks of page furniture beyond the usual, in the run of sentences that has most of them.

    A mark is a furniture word or a word of the site's own voice, one more for the two close to each other, and one more
    for furniture next to furniture ("privacy policy", "contact us"). Ordinary sentences in between count against a run,
    and sentences about the topic of the page count little. The exponent takes the root, because marks are counts, whose
    spread grows with their size.
    """

    lowest_threshold = 12.5
    exponent = 0.5

    def measure(self, page: PageWords) -> Measurement:
        best, first, last = find_best_run(_value(page, *sentence) for sentence in page.sentences)
        span = (page.span(page.sentences[first][0], page.sentences[last - 1][1] - 1),) if best else ()
        return Measurement(best, {"sentences": last - first}, span)


def _value(page: PageWords, first: int, last: int) -> float:
    """Return the marks beyond the usual, fewer for a sentence about the page's topic; below 0 for an ordinary one."""
    beyond = _count_marks(page, first, last) - USUAL * (last - first)
    return min(beyond, MAX_PER_SENTENCE) * _unrelated_share(page, first, last) ** STEEPNESS if beyond > 0 else beyond


def _count_marks(page: PageWords, first: int, last: int) -> float:
    """Count furniture and the site's voice, with what is close to them."""
    furniture, voice, words = page.lists["furniture"], page.lists["voice"], page.words[first:last]
    polite = page.lists.get("polite", frozenset())  # words that address the reader only with a capital: Sie, Ihre
    voices = {at for at, word in enumerate(words) if word in voice}
    voices |= {at for at, word in enumerate(page.originals[first:last]) if at and word in polite}
    places = {at for at, word in enumerate(words) if word in furniture}
    marks = float(len(voices) + len(places))
    for at in places:
        marks += any(at + step in voices for step in _OFFSETS) + (at - 1 in places) + 0.5 * (at - 2 in places)
    return marks


def _unrelated_share(page: PageWords, first: int, last: int) -> float:
    """Return the share of a sentence's other content words that occur nowhere else on the page, counting one extra."""
    furniture = page.lists["furniture"]
    words = page.words[first:last]
    own = Counter(words)
    content = [
        word
        for word, is_function_word in zip(words, page.is_function_word[first:last], strict=True)
        if not is_function_word and word not in furniture and is_alpha(word[0])
    ]
    related = sum(page.counts[word] > own[word] for word in content)
    return 1 - related / (len(content) + 1)
