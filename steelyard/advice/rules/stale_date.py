"""stale_date: a deadline that has passed, or words about the present on an old page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, is_quoted, sentence_at
from steelyard.advice.phrases import find_phrases, has_phrase
from steelyard.advice.rule import Example, Rule
from steelyard.scoring.freshness import parse_date

AFTER = 60  # characters after the words in which the date stands
PASSED = timedelta(days=30)
LONG_AGO = timedelta(days=15 * 365)  # what was then is history
OLD = timedelta(days=3 * 365)
AGEING = ("how-to", "reference", "product")


class StaleDate(Rule):
    topic = "stale"
    about = "deadlines that have passed, and “currently” on an old page"
    not_for = ("news", "opinion", "legal")
    what = "The page announces a day that has passed, or speaks of the present and is over three years old."
    why = "A reader who acts on it comes too late, or is told what no longer holds."
    how = "A date after “register by”, “offer ends” and the like; “currently” where the page's date is old."
    certain_when = "the day is over for a month; “currently” only on kinds of page that age, and not of anybody."
    action = "say what holds now, or that it is over"
    invents = "what holds now"
    bad = (
        Example(
            "The spring course is open to all members. Register by 3 March 2021 at the harbour office.", "Register"
        ),
    )
    good = (
        Example("The harbour was built in stages. Work went on through 3 March 1921.", note="history"),
        Example("Register by 3 March 2099 at the harbour office.", note="a day to come"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        as_of, language = context.score.as_of, doc.language
        for phrase in islice(find_phrases(doc).get("deadline", ()), MAX_FINDINGS):
            written = doc.text[phrase.end : phrase.end + AFTER]
            day = parse_date(written, language)
            sentence = sentence_at(doc, phrase.start)
            if (
                day is None
                or sentence is None
                or is_quoted(doc, phrase.start)
                or not as_of - LONG_AGO < day < as_of - PASSED
            ):
                continue
            yield self.point(doc, sentence.span, f"{day:%B %Y} is over")
        dates = context.dates
        latest = None if dates is None else dates.updated or dates.published
        if latest is None or latest + OLD > as_of or not context.is_certainly(*AGEING):
            return
        for phrase in islice(find_phrases(doc).get("now", ()), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if sentence is None or is_quoted(doc, phrase.start):
                continue
            if not (has_phrase(doc, "reader", sentence.span) or has_phrase(doc, "whoever", sentence.span)):
                words = doc.text[phrase.start : phrase.end]
                yield self.point(doc, sentence.span, f"“{words}” on a page of {latest:%B %Y}")
