"""instructions: sentences that tell a language model what to do with the page."""

from __future__ import annotations

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

USUAL = 0.03  # of a sentence: twice what ordinary pages hold
TELLING = 3  # kinds in a sentence from which it is shown as evidence
BEFORE, AFTER = 3, 1  # words around a word for the page in which it is pointed at: "this page", "the page above"
_MARKS = frozenset(",:;([")


class Instructions(Detector):
    """How many sentences speak of a machine, its work, this very page, and command: the square of the kinds beyond one.

    Any one of the four is ordinary, two of them in a sentence are rare, three are hardly ever found unless a page
    speaks to its machine reader. No phrase is looked for. What ordinary pages hold is subtracted, so that long ones do
    not add up.
    """

    about = "sentences by how many of four things they do: name a machine, its work, this page, and command"
    least = 4.0
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        machine, task = page.lists["machine"], page.lists["task"]
        total, spans = 0, []
        for first, last in page.sentences:
            held = page.words[first:last]
            kinds = (not machine.isdisjoint(held)) + (not task.isdisjoint(held)) + _points(page, held)
            if kinds == 0:
                continue
            kinds += _commands(page, first, last)
            total += (kinds - 1) ** 2
            if kinds >= TELLING:
                spans.append(page.span(first, last - 1))
        statistic = max(0.0, total - USUAL * len(page.sentences))
        return Measured(statistic, {"telling": len(spans)}, tuple(spans[:PLACES]))


def _points(page: Examined, held: list[str]) -> bool:
    """Whether a sentence points at the page that it stands on."""
    itself, pointing = page.lists["itself"], page.lists["pointing"]
    if itself.isdisjoint(held):
        return False
    return any(
        word in itself and not pointing.isdisjoint(held[max(0, at - BEFORE) : at + AFTER + 1])
        for at, word in enumerate(held)
    )


def _commands(page: Examined, first: int, last: int) -> bool:
    """Whether a sentence commands: an order at its start, after a mark or a word of urging, or a word that obliges."""
    held = page.words[first:last]
    if not page.lists["commanding"].isdisjoint(held):
        return True
    order, urging = page.lists["order"], page.lists["urging"]
    if order.isdisjoint(held):
        return False
    for at, word in enumerate(held):
        if word in order:
            gap = page.doc.text[page.spans[first + at - 1][1] : page.spans[first + at][0]] if at else ":"
            if held[at - 1] in urging or not _MARKS.isdisjoint(gap):
                return True
    return False
