"""keyword_density: a few content words carry too much of the page, as when keywords are strewn between its words."""

from __future__ import annotations

from itertools import islice

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

TOP = 5
SHORTEST = 3
FEWEST_WORDS = 60  # in less text a word that is used thrice is a tenth of it


class KeywordDensity(Detector):
    """The share of all words that the five most frequent content words make up."""

    about = "the share of all words that the five most frequent content words make up"
    least = 0.12
    power = 2.0

    def measure(self, page: Examined) -> Measured:
        if len(page) < FEWEST_WORDS:
            return Measured(0.0)
        functions = page.functions
        ranked = (p for p in page.counts.most_common() if len(p[0]) >= SHORTEST and p[0][0].isalpha())
        top = list(islice((p for p in ranked if p[0] not in functions), TOP))
        share = sum(n for _, n in top) / len(page)
        wanted = {w for w, n in top if n > 2}
        places = [page.spans[i] for i, w in enumerate(page.words) if w in wanted][:PLACES]
        return Measured(share, dict(top), tuple(places))
