"""freshness: a page that does not say when it was written, and whose words need that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding, Gain
from steelyard.advice.passages import MAX_FINDINGS, find_paragraphs, is_quoted, locate_page, sentence_at
from steelyard.advice.phrases import Phrase, find_phrases, find_words, has_phrase, phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import load_words
from steelyard.scoring.freshness import NEUTRAL, TERMS
from steelyard.scoring.page import FRESHNESS_SHARE, PageScore, final_score
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

EDGE = 300  # characters at the beginning and the end of a page, where its date would be
TIMELESS = ("how-to", "reference", "question-answer")  # kinds of page whose “next week” is any week, or the asker's
AGEING = ("article", "news", "opinion", "question-answer")  # kinds of page that tell what holds now
STORIES = ("article", "news")  # kinds of page that are written on a day
LONG = 250  # words of a story, which is no notice
PRICES = 2
NEAR = 4  # words of a date before its year: “26 de enero del 2021”
_YEAR = re.compile(r"(?:19|20)[0-9]{2}", re.ASCII)
_ANY_YEAR = re.compile(r"(?<![0-9])(?<![0-9][.,])[0-9]{3,4}(?![0-9%]|[.,][0-9])", re.ASCII)  # 552 and 1776, too
_DAY = re.compile(r"[0-3]?[0-9](?:st|nd|rd|th|er)?", re.ASCII)
_IN_FIGURES = re.compile(r"\b[0-3]?[0-9]([./-])[01]?[0-9]\1(?:19|20)[0-9]{2}\b", re.ASCII)
_YEAR_IN_ADDRESS = re.compile(r"/(?:19|20)[0-9]{2}[/-]")
_PRICE = re.compile(r"[$€£] ?[0-9]|[0-9] ?[€£]")


class Freshness(Rule):
    topic = "date"
    about = "the page's date"
    level = "note"  # a page may have good reasons for no date
    component = "freshness"
    not_for = ("listing",)
    what = "The page counts time from a day that it does not name, or names a day without its year."
    why = "Later readers cannot tell when that was, nor whether it holds."
    how = "“Last week”, “currently”, “a new study”, “4 May” or prices on a page without a date."
    certain_when = (
        "it is a story, or says in its own words what is recent; a day of a month where the page has no year at all."
    )
    action = "say when the page was published or last reviewed"
    invents = "a date"
    counted = "a date after a word such as published or updated"
    bad = (
        Example(
            "The council closed the bridge on 4 May. Jo Lee counts the buses.",
            "4 May",
            kind="news",
        ),
        Example("The council closed the bridge last week. Buses turn at the mill until it is mended.", "The council"),
    )
    good = (
        Example("Published on 4 May 2024.\n\nThe bridge closed last week.", note="it has a date"),
        Example("On 4 May 552 the bridge closed. Jo Lee counts boats.", note="any year", kind="news"),
        Example("He wrote: “The bridge closed last week.”", note="a quotation"),
        Example("The bridge closed in March 1987, and last week nobody knew why.", note="a year is near"),
        Example("On 15 March the council met. The bridge closes this week.", note="a day is near"),
        Example("Taste it again next week, when the beans are older.", note="any week", kind="how-to"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        page, doc = context.score, context.doc
        if is_dated(context) or not find_paragraphs(doc):
            return
        gain = _gain_of_a_date(page)
        is_news = context.is_certainly("news")
        day = next(_find_days(doc, EDGE if context.kind_name == "news" else len(doc.text)), None)
        certain = context.kind_name not in TIMELESS and day is None
        found = False
        for phrase in islice(_find_undated(doc, is_news=is_news), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if (
                sentence is not None
                and not _YEAR.search(sentence.text)
                and (is_news or not has_phrase(doc, "reader", sentence.span))
            ):
                found = True
                words = doc.text[phrase.start : phrase.end]
                why = f"“{words}” is counted from a day that is not named"
                sure = certain and not _is_known(doc, phrase)
                yield self.point(doc, sentence.span, why, gain=gain, certain=sure)
        is_story = context.kind_name in STORIES and doc.n_words >= LONG
        certain = is_news or is_story or (context.kind_name in AGEING and _speaks_of_now(doc))
        if day is not None and certain and not _ANY_YEAR.search(doc.text):
            words = doc.text[slice(*day)]
            yield self.point(doc, day, f"“{words}” has no year, nor has the page", gain=gain)
        elif not found:
            certain = certain and day is None
            yield self.make(locate_page(doc), "the page has no date", gain=gain, certain=certain)


def is_dated(context: Context) -> bool:
    """Return whether the page says anywhere when it was written, or may say so."""
    dates = context.dates
    if context.score.fresh.is_dated or (dates is not None and (dates.published or dates.updated)):
        return True
    if context.url is not None and _YEAR_IN_ADDRESS.search(context.url):
        return True
    text = context.doc.text
    if _YEAR.search(text[:EDGE]) or _YEAR.search(text[-EDGE:]) or _IN_FIGURES.search(text):
        return True
    return _holds_date(context.doc)


@once_per_page
def _holds_date(doc: Document) -> bool:
    """Return whether a day stands anywhere, with its month and its year: a month and a year may be history."""
    words, months = find_words(doc), doc.language.months
    years = [at for at, word in enumerate(words) if _YEAR.fullmatch(word.text)]
    near = ([word.text for word in words[max(0, at - NEAR) : at + NEAR + 1]] for at in years)
    return any(any(w in months for w in beside) and any(_DAY.fullmatch(w) for w in beside) for beside in near)


def _find_undated(doc: Document, *, is_news: bool) -> Iterator[Phrase]:
    """Yield the phrases that are counted from the page's day, and are nobody's quoted words."""
    words = find_words(doc)
    phrases = find_phrases(doc)
    for phrase in (*phrases.get("undated", ()), *(phrases.get("weekday", ()) if is_news else ())):
        before = words[phrase.word - 1] if phrase.word else None
        always = before is not None and phrases_in(doc, "always", (before.start, before.end))
        always = always or (before is not None and phrases_in(doc, "stretch", (before.start, phrase.end)))
        if not always and not is_quoted(doc, phrase.start) and not _names_day(doc, phrase):
            yield phrase


def _names_day(doc: Document, phrase: Phrase) -> bool:
    """Return whether the day of the month follows: “on Monday, 15 March”."""
    after = [word.text for word in islice(find_words(doc), phrase.word, phrase.word + 7) if word.start >= phrase.end][
        :2
    ]
    return any(word.isdecimal() or word in doc.language.months for word in after)


def _is_known(doc: Document, phrase: Phrase) -> bool:
    """Return whether the page names a year from which a year may be counted, or a day of a month."""
    last = doc.lowered[phrase.start : phrase.end].split()
    if not load_words(doc.language.code)["years"].isdisjoint(last):
        return _YEAR.search(doc.text) is not None
    return any(True for _ in _find_days(doc, len(doc.text)))


def _find_days(doc: Document, end: int) -> Iterator[Span]:
    """Yield the days of a month, if without a year, that are named before an offset."""
    words = [word for word in find_words(doc) if word.start < end]
    months = (at for at, word in enumerate(words) if word.text in doc.language.months)
    for at in months:
        for day in words[max(0, at - 1) : at + 2]:
            if day.text.isdecimal():
                yield min(day.start, words[at].start), max(day.end, words[at].end)


def _speaks_of_now(doc: Document) -> bool:
    """Return whether the page says, in its own words, what held on the day when it was written."""
    phrases = find_phrases(doc)
    now = (p for kind in ("now", "recent") for p in phrases.get(kind, ()))
    if any(not is_quoted(doc, phrase.start) for phrase in now):
        return True
    return sum(1 for _ in islice(_PRICE.finditer(doc.text), PRICES)) == PRICES


def _gain_of_a_date(page: PageScore) -> Gain | None:
    if page.fresh.terms["date"] != NEUTRAL:
        return None
    added = dict(TERMS)["date"] * 50
    gain = final_score(page.content, page.freshness + added, page.cap) - page.score
    most = FRESHNESS_SHARE * added
    return Gain(min(most, gain), most)
