"""The kind of a page: decided by cues in its words and structure, with "not certain" as an answer.

The kind decides which advice fits a page. It moves no point of a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from steelyard.advice.page_features import PageFeatures
from steelyard.text.document import Document

KINDS = (
    "news", "article", "opinion", "how-to", "reference", "product", "question-answer", "listing", "legal", "other",
)  # fmt: skip
MIN_WORDS = 40  # below which words and structure are too few to be certain
MIN_TOTAL = 2.6  # of a certain kind's cues
MIN_NEWS = 2.0  # the same of news, which has more of its own than other kinds
MIN_TOLD = 1.5  # the same of a kind that the page's structured data names
MAX_NEXT = 0.5  # of that total, what the next kind may have
BY_DATA_ONLY = "article"  # a kind without words of its own: only the page's structured data makes it certain
MAX_CUES = 4  # that are kept as reasons


class PageKind(NamedTuple):
    """A kind of page, whether that is certain, and the strongest cues for it."""

    name: str
    certain: bool
    because: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the kind in words: a likely one where it is not certain."""
        return self.name if self.certain else f"uncertain, perhaps {self.name}"


NOT_DECIDED = PageKind("other", certain=False)


def take_given(name: str) -> PageKind:
    """Return the kind that the user named."""
    return PageKind(name, certain=True, because=("given by the user",))


class Cue(NamedTuple):
    """What speaks for a kind of page, or against others.

    Attributes:
        about: The cue in words.
        amount: Which count of the page it looks at.
        full: The count from which it has its full weight; below, the weight grows in proportion.
        weights: By kind, positive for it, negative against it.
    """

    about: str
    amount: str
    full: float
    weights: Mapping[str, float]


# Counts of words are per 100 words. Weights are round numbers: none was fitted.
CUES = (
    Cue("a dateline", "dateline", 1, {"news": 3.0}),
    Cue(
        "words of reporting", "report", 1.2,
        {"news": 1.5, "article": 0.2, "reference": -1.0, "product": -0.8, "how-to": -0.7},
    ),
    Cue("days of the week", "when", 0.7, {"news": 1.4, "product": -0.2}),
    Cue("words of events", "event", 1.8, {"news": 1.3, "product": -0.4}),
    Cue("quotations", "quotations", 4, {"news": 0.6, "product": -0.5, "reference": -0.5}),
    Cue("lines of speech", "speech", 0.5, {"other": 2.4, "opinion": -1.4, "news": -0.6}),
    Cue(
        "first person singular", "i", 2.0,
        {"opinion": 1.3, "question-answer": 0.8, "other": 0.7, "news": -1.6, "reference": -1.5, "article": -0.8},
    ),
    Cue("words of judgement", "view", 2.2, {"opinion": 1.3, "news": -0.5, "reference": -0.6}),
    Cue("exclamation marks", "exclamations", 1.0, {"opinion": 0.5, "product": 0.3, "news": -0.6, "reference": -0.6}),
    Cue(
        "the reader is addressed", "you", 2.5,
        {"product": 0.6, "how-to": 0.6, "news": -1.2, "reference": -1.2, "opinion": -0.3},
    ),
    Cue("first person plural", "we", 2.5, {"product": 0.7, "reference": -0.8, "news": -0.3}),
    Cue("words of selling", "sell", 5.0, {"product": 2.4, "reference": -0.5, "news": -0.4}),
    Cue("prices", "prices", 2, {"product": 0.5}),
    Cue("sentences that begin with a command", "commands", 0.25, {"how-to": 2.2, "product": 0.3, "news": -0.7}),
    Cue("quantities and tools", "amount", 2.0, {"how-to": 1.4}),
    Cue("numbered steps", "numbered", 4, {"how-to": 0.7, "listing": 0.4, "news": -0.5}),
    Cue("code", "code", 2, {"how-to": 0.8, "article": 0.5, "reference": 0.3, "news": -1.0, "product": -0.5}),
    Cue("words of law", "law", 4.0, {"legal": 2.4, "news": -0.5}),
    Cue("words of definitions", "define", 2.5, {"reference": 1.6}),
    Cue("an opening that defines", "defined", 1, {"reference": 1.2, "article": 0.3}),
    Cue("numbered references", "references", 3, {"reference": 1.3, "article": 0.5, "news": -0.5}),
    Cue("years of a life", "lives", 1, {"reference": 0.5}),
    Cue("rows of a table", "rows", 6, {"reference": 0.6, "listing": 0.4, "opinion": -0.4, "news": -0.4}),
    Cue("words of explaining", "explain", 3.0, {"article": 1.5, "product": -0.6}),
    Cue("running text", "prose", 0.8, {"article": 0.5, "listing": -0.8, "other": -0.5}),
    Cue(
        "third person", "third_person", 1,
        {
            "news": 0.7, "article": 0.5, "reference": 0.7, "product": -0.5, "how-to": -0.7, "opinion": -0.7,
            "question-answer": -0.5,
        },
    ),
    Cue("words of a forum", "forum", 2.0, {"question-answer": 2.0, "opinion": -1.0, "news": -0.4}),
    Cue("times of day", "times", 4, {"question-answer": 0.7}),
    Cue("questions", "questions", 1.5, {"question-answer": 1.2, "news": -0.4}),
    Cue("headings that ask", "asking_headings", 4, {"question-answer": 2.2}),
    Cue("questions and answers by turns", "turns", 4, {"question-answer": 2.5}),
    Cue("short lines", "short_lines", 0.7, {"listing": 1.6, "other": 0.6, "article": -1.0, "opinion": -0.8}),
    Cue("links", "links", 6.0, {"listing": 1.2}),
    Cue("words of navigation", "list", 2.5, {"listing": 0.9}),
)  # fmt: skip
# Cues that a language gives for each kind: what is said, what stands in a heading, in the title, in the address.
GIVEN_WEIGHTS = {"phrases": 0.8, "headings": 1.5, "titles": 1.3, "address": 1.2, "type": 2.6}
GIVEN_FULL = {"phrases": 2, "headings": 2, "titles": 1, "address": 1, "type": 1}
GIVEN_ABOUT = {
    "phrases": "phrases", "headings": "headings", "titles": "the title", "address": "the address",
    "type": "the page's structured data",
}  # fmt: skip


def find_kind(doc: Document, *, url: str | None = None, types: tuple[str, ...] = ()) -> PageKind:
    """Return the kind of a page.

    Linear in the page's length up to a bound, the same for the same page, and without any effect on its score.

    Args:
        doc: The page.
        url: Its address.
        types: Its types in the structured data of its HTML.
    """
    features = PageFeatures(doc, url, types)
    totals, reasons = weigh_cues(features)
    best, second = sorted(KINDS, key=lambda kind: (-totals[kind], KINDS.index(kind)))[:2]
    is_told = "type" in features.given.get(best, ())
    least = MIN_TOLD if is_told else MIN_NEWS if best == "news" else MIN_TOTAL
    is_clear = totals[best] >= least and totals[second] <= MAX_NEXT * totals[best]
    certain = is_clear and (is_told or (features.n_words >= MIN_WORDS and best != BY_DATA_ONLY))
    strongest = sorted(reasons[best], key=lambda reason: (-reason[0], reason[1]))
    return PageKind(best, certain, tuple(about for _, about in strongest[:MAX_CUES]))


def weigh_cues(features: PageFeatures) -> tuple[dict[str, float], dict[str, list[tuple[float, str]]]]:
    """Return the sum of the cues for each kind, and the cues that speak for it with their weights."""
    totals = dict.fromkeys(KINDS, 0.0)
    reasons: dict[str, list[tuple[float, str]]] = {kind: [] for kind in KINDS}
    for cue in CUES:
        amount = features.amounts[cue.amount]
        if amount <= 0:
            continue
        share = min(1.0, amount / cue.full)
        for kind, weight in cue.weights.items():
            totals[kind] += weight * share
            if weight > 0:
                reasons[kind].append((weight * share, _describe(cue, features)))
    for kind, found in features.given.items():
        for source, names in found.items():
            points = GIVEN_WEIGHTS[source] * min(1.0, len(names) / GIVEN_FULL[source])
            totals[kind] += points
            reasons[kind].append((points, f"{GIVEN_ABOUT[source]} ({', '.join(names[:3])})"))
    return totals, reasons


def _describe(cue: Cue, features: PageFeatures) -> str:
    words = features.examples.get(cue.amount, ())
    return f"{cue.about} ({', '.join(words)})" if words else cue.about
