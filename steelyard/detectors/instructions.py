"""instructions: sentences that tell a language model what to do with the page."""

from __future__ import annotations

from steelyard.detectors.base import MOST_PLACES, Detector, Measurement, PageWords

USUAL = 0.03  # per sentence: twice what ordinary pages have
CLEAR = 3  # kinds in one sentence from which it is reported
BEFORE, AFTER = 3, 1  # words around a word for the page in which to look for "this" or "above"
_MARKS = frozenset(",:;([")


class Instructions(Detector):
    """Sentences that mention a machine, its work or this page, or give a command: the squares of the kinds beyond one.

    Any one of the four is ordinary. Two in one sentence are rare, and three are hardly ever found unless a page
    addresses a machine. No fixed phrase is searched. What ordinary pages have is subtracted, so that it does not add
    up on long ones.
    """

    lowest_threshold = 4.0
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        machine, task = page.lists["machine"], page.lists["task"]
        total, spans = 0, []
        for first, last in page.sentences:
            words = page.words[first:last]
            kinds = (not machine.isdisjoint(words)) + (not task.isdisjoint(words)) + _mentions_page(page, words)
            if kinds == 0:
                continue
            kinds += _gives_command(page, first, last)
            total += (kinds - 1) ** 2
            if kinds >= CLEAR:
                spans.append(page.span(first, last - 1))
        statistic = max(0.0, total - USUAL * len(page.sentences))
        return Measurement(statistic, {"telling": len(spans)}, tuple(spans[:MOST_PLACES]))


def _mentions_page(page: PageWords, words: list[str]) -> bool:
    """Tell whether a sentence refers to the page it is on."""
    itself, pointing = page.lists["itself"], page.lists["pointing"]
    if itself.isdisjoint(words):
        return False
    return any(
        word in itself and not pointing.isdisjoint(words[max(0, at - BEFORE) : at + AFTER + 1])
        for at, word in enumerate(words)
    )


def _gives_command(page: PageWords, first: int, last: int) -> bool:
    """Tell whether a sentence gives a command: an order at its start, after a mark or an urging word, or a "must"."""
    words = page.words[first:last]
    if not page.lists["commanding"].isdisjoint(words):
        return True
    order, urging = page.lists["order"], page.lists["urging"]
    if order.isdisjoint(words):
        return False
    for at, word in enumerate(words):
        if word in order:
            gap = page.doc.text[page.spans[first + at - 1][1] : page.spans[first + at][0]] if at else ":"
            if words[at - 1] in urging or not _MARKS.isdisjoint(gap):
                return True
    return False
