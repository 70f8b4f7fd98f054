"""instructions: sentences that tell a language model what to do with the page."""

from __future__ import annotations

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

NEAR = 40  # words: an order this far from its addressee is another sentence's
FEWEST_ORDERS = 2


class Instructions(Detector):
    """Orders per sentence that names a model, an assistant or a prompt; the strongest sentence counts."""

    about = "orders in the sentence that most plainly addresses a language model"
    least = 2.0

    def measure(self, page: Examined) -> Measured:
        addressee, order = page.lists["addressee"], page.lists["order"]
        best = 0.0
        spans = []
        for first, last in page.sentences:
            held = page.words[first:last]
            named = sum(w in addressee for w in held)
            if not named:
                continue
            orders = len({w for w in held if w in order})
            if orders >= FEWEST_ORDERS:
                spans.append(page.span(first, last - 1))
                best = max(best, orders * min(1.0, NEAR / len(held)) + 0.5 * (named - 1))
        return Measured(best, {"sentences": len(spans)}, tuple(spans[:20]))
