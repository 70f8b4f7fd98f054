"""vague_link: a link whose words do not say where it leads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, find_links, sentence_at
from steelyard.advice.phrases import Phrase, find_phrases, phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document

AFTER = 60  # characters behind the words, in which what they lead to may be named


class VagueLink(Rule):
    topic = "link"
    about = "links that do not say where they lead"
    level = "note"
    not_for = ("listing",)
    what = "The words of a link are “click here” or the like, or such words stand where no link is left."
    why = "People who listen to a page hear its links alone, and all others look at them first."
    how = (
        "The whole text of a link is such a phrase; or a sentence ends with one on a page without any link, and no "
        "line after a colon names what it leads to."
    )
    certain_when = "always."
    action = "name what the link leads to"
    invents = "where a link leads"
    bad = (
        Example(
            "The yard opens at seven. For the prices of boats [click here](https://yard.example/prices).", "For the"
        ),
        Example("The yard opens at seven. For the prices of boats click here.", "For the prices"),
    )
    good = (
        Example("The yard opens at seven. See [the prices of boats](https://yard.example/prices)."),
        Example("For more, click on the link below:\n\nThe prices of boats", note="the next line names it"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        links = find_links(doc)
        vague = [span for span, _ in links if _is_vague(context, span)]
        if not links:
            vague = [(p.start, p.end) for p in find_phrases(doc).get("click", ()) if not _goes_on(doc, p)]
        for span in islice(vague, MAX_FINDINGS):
            sentence = sentence_at(doc, span[0])
            words = " ".join(doc.text[span[0] : span[1]].split())
            why = f"“{words}” does not say where it leads" if links else f"“{words}” leads nowhere"
            yield self.point(doc, sentence.span if sentence else span, why)


def _is_vague(context: Context, span: tuple[int, int]) -> bool:
    doc = context.doc
    start, end = doc.trim(span)
    return any(p.start <= start + 2 and p.end >= end - 2 for p in phrases_in(doc, "vague_link", (start, end)))


def _goes_on(doc: Document, phrase: Phrase) -> bool:
    """Return whether what follows says what the words are for: “click here to register”, or a list after a colon."""
    following = doc.text[phrase.end : phrase.end + AFTER].lstrip(" ")
    return following[:1].isalnum() or (following[:1] == ":" and any(map(str.isalnum, following)))
