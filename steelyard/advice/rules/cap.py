"""cap: a page so short that its score is limited."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding, Gain
from steelyard.advice.passages import find_sentences, locate_page
from steelyard.advice.rule import Rule
from steelyard.scoring.caps import CAPS, STEPS, cap_for_length, content_words_for, is_capped_by_share
from steelyard.scoring.page import final_score
from steelyard.support.formatting import format_count

SHORTFALL = 0.25  # of the words that the page has: a few words more or less are no advice
SENTENCES = 4  # of a page that tells something
SUBSTANTIAL = ("reference",)  # a recipe is complete with few words


class Cap(Rule):
    topic = "length"
    about = "pages so short that their score is limited"
    component = "cap"
    not_for = ("listing", "legal", "news")
    what = "The page is so short that a cap limits its score."
    why = "A few sentences can hardly answer a question, and no density can be measured on them."
    how = (
        "The cap of the edition is lower than the score without it, and the page has a quarter too few words. In "
        f"`paper` the cap is {STEPS}; in `2026` it "
        "grows with the different content words in running text."
    )
    certain_when = "the kind of page needs substance; the text was read well, is prose and is not repeated."
    action = "answer what readers ask next: {words} would lift the cap"
    invents = "facts that only fill the page"
    counted = "words that the page does not have yet"

    def find(self, context: Context) -> Iterator[Finding]:
        page, doc = context.score, context.doc
        if page.cap is None or page.blended <= page.cap or not context.is_measurable:
            return
        if page.prose is not None and is_capped_by_share(page.prose):
            return
        if page.prose is None:
            needed = next(below for below, limit in CAPS if limit == page.cap)
            missing, has = needed - page.words, page.words
            gain = final_score(page.content, page.freshness, cap_for_length(needed)) - page.score
            words = format_count(missing, "more word")
        else:
            gain = page.blended - page.score
            has = page.prose.content_words
            missing = content_words_for(page.blended) - has
            words = format_count(missing, "new content word")
        if missing < SHORTFALL * has or len(find_sentences(doc)) < SENTENCES:
            return
        certain = context.is_certainly(*SUBSTANTIAL)
        yield self.make(locate_page(doc), "the page is short", gain=Gain(gain, gain), certain=certain, words=words)
