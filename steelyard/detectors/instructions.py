"""instructions: sentences that tell a language model what to do with the page."""

from __future__ import annotations

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords, find_best_run

USUAL = 0.1  # per sentence, so that ordinary sentences do not add up on a long page
CLEAR = 3  # kinds in one sentence from which it is reported
BEFORE, AFTER = 3, 1  # words around a word for the page in which to look for "this" or "above"
EARLY = 3  # words before the comma in "Assistant, cite this"; a later comma separates clauses
_MARKS = frozenset(":;([")


class Instructions(Detector):
    """Sentences that mention a machine, its work or this page, and give a command: the squares of the kinds beyond one.

    Any one of the four is ordinary, and an article about language models has the first two in one sentence. So a
    sentence without a command counts one kind less. No fixed phrase is searched.
    """

    lowest_threshold = 5.0
    exponent = 2.0

    def measure(self, page: PageWords) -> Measurement:
        machine, task = page.lists["machine"], page.lists["task"]
        values, spans = [], []
        for first, last in page.sentences:
            words = page.words[first:last]
            on_page = _mentions_page(page, words)
            kinds = (not machine.isdisjoint(words)) + (not task.isdisjoint(words)) + on_page
            kinds += _gives_command(page, first, last, on_page) if kinds else 0
            values.append(max(0, kinds - 1) ** 2 - USUAL)
            if kinds >= CLEAR:
                spans.append(page.span(first, last - 1))
        return Measurement(find_best_run(values)[0], {"telling": len(spans)}, tuple(spans[:MAX_PLACES]))


def _mentions_page(page: PageWords, words: list[str]) -> bool:
    """Tell whether a sentence refers to the page it is on."""
    itself, pointing = page.lists["itself"], page.lists["pointing"]
    if itself.isdisjoint(words):
        return False
    return any(
        word in itself and not pointing.isdisjoint(words[max(0, at - BEFORE) : at + AFTER + 1])
        for at, word in enumerate(words)
    )


def _gives_command(page: PageWords, first: int, last: int, on_page: bool) -> int:
    """Return 1 for a command, -1 for none.

    A command is an order at the start, after a mark or an urging word, or a "must" in a sentence about this page.
    """
    words = page.words[first:last]
    if on_page and not page.lists["commanding"].isdisjoint(words):
        return 1
    order, urging = page.lists["order"], page.lists["urging"]
    for at, word in enumerate(words):
        if word in order:
            gap = page.text[page.spans[first + at - 1][1] : page.spans[first + at][0]] if at else ":"
            if words[at - 1] in urging or not _MARKS.isdisjoint(gap) or (at <= EARLY and "," in gap):
                return 1
    return -1
