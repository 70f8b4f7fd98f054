"""citation_f1: a claim that rests on a study, a count or on experts, and does not name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard import languages
from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.gains import gain_of_addition
from steelyard.advice.passages import (
    MAX_FINDINGS,
    QUOTATION_MARK,
    Sentence,
    find_links,
    find_sentences,
    holds_link,
    is_quoted,
    locate_page,
    sentence_at,
)
from steelyard.advice.phrases import Phrase, count_phrases, find_phrases, find_words, has_phrase, phrases_in
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import is_one_of
from steelyard.components import BY_NAME
from steelyard.text.document import Document, once_per_page
from steelyard.text.lines import Span

REFERENCES = 3  # notes such as [4], from which a page has its own way of naming sources
_NOTE = re.compile(r"\[[0-9]{1,3}[\],-]|\([A-Z][^()]{2,80}[0-9]{4}[a-z]?\)|[a-z][.,][0-9]{1,3} |[¹²³⁴-⁹]|et al\.")
RESEARCH = 5  # times that a study is named, from which the page is about one and knows others
FOLLOWING = 3  # sentences in which the experts may be named
NEAR = 60  # characters after the words for a study, in which its maker stands


class CitationF1(Rule):
    topic = "source"
    about = BY_NAME["citation_f1"].label
    component = "citation_f1"
    not_for = ("legal", "listing")
    what = "A claim rests on studies, experts or a count that the page does not name."
    why = "Told where, a reader can check it."
    how = (
        "“Studies show”, “experts say”, “it is estimated”, or a percentage of people, where the sentence and its "
        "neighbours hold no name, link or note."
    )
    certain_when = (
        "the sentence refers to somebody else's finding, as “it is said” does not, on a page that is about no study; "
        "that of experts, where nobody with a name speaks below."
    )
    action = "name the source of this claim, or leave it out"
    invents = "a source, a study or a link"
    anywhere = "name who says so"
    counted = "a named study, body or publication, or a link to another site"
    bad = (
        Example("A cold room helps. Studies show that sailors sleep better below deck.", "Studies"),
        Example("Fishing is dangerous. About 38% of people in the trade are hurt once.", "About 38%"),
    )
    good = (
        Example("Studies show that sailors sleep well, according to the Weir Institute.", note="named"),
        Example("Studies show that [sailors sleep well](https://sea.example/sleep).", note="linked"),
        Example("Studies show that sailors sleep well [4].", note="a note"),
        Example("The evidence shows that sailors sleep well.", note="evidence named before"),
        Example(
            "Experts say that the port will close. Ships sink. Cranes rust. Crews go. Inns close. “So be it,” said Jo.",
            note="one of them speaks below",
        ),
        Example("The paint is 80% done, and I found that it dries fast.", note="nobody else's finding"),
        Example("We asked our crews. 38% of people answered.", note="the page's own count"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        if len(_find_notes(doc)) >= REFERENCES:
            return
        gain = gain_of_addition(context.score, "citation")
        seen: set[int] = set()
        for phrase in islice(sorted(_find_claims(doc), key=lambda p: p.start), MAX_FINDINGS):
            sentence = sentence_at(doc, phrase.start)
            if sentence is None or sentence.number in seen or _is_sourced(doc, sentence, phrase):
                continue
            seen.add(sentence.number)
            words = doc.text[phrase.start : phrase.end]
            certain = phrase.kind != "hearsay" and count_phrases(doc, "study") < RESEARCH and not _is_known(doc, phrase)
            certain = certain and not (has_phrase(doc, "experts", phrase[1:3]) and _names_someone_after(doc, sentence))
            yield self.point(doc, sentence.span, f"“{words}” without a source", gain=gain, certain=certain)
        if not seen and context.is_certainly("news") and not _names_source(doc):
            yield self.make(locate_page(doc), "the report does not say where it is from", gain=gain, certain=False)


def _find_claims(doc: Document) -> Iterator[Phrase]:
    """Yield the words that refer to a finding, in no order."""
    phrases = find_phrases(doc)
    # The page may name a single study anywhere.
    is_named = bool(find_links(doc) or doc.find("citation") or _holds_institution(doc, (0, len(doc.text))))
    kinds = ("unnamed_source", "hearsay") if is_named else ("unnamed_source", "hearsay", "unnamed_study")
    for phrase in (phrase for kind in kinds for phrase in phrases.get(kind, ())):
        if not is_quoted(doc, phrase.start):
            yield phrase
    is_counted = bool(phrases.get("own_study") or phrases.get("study"))
    for phrase in () if is_counted else phrases.get("counted_group", ()):
        start = _find_share(doc, phrase)
        if start is not None and not is_quoted(doc, phrase.start):
            yield phrase._replace(start=start)


def _names_source(doc: Document) -> bool:
    """Return whether anybody is quoted, reported or cited on the page."""
    phrases = find_phrases(doc)
    if QUOTATION_MARK.search(doc.text) or find_links(doc) or doc.find("citation"):
        return True
    return bool(phrases.get("reporting") or phrases.get("said") or _holds_institution(doc, (0, len(doc.text))))


def _find_share(doc: Document, phrase: Phrase) -> int | None:
    """Return where the percentage before a group begins; None without one."""
    words, at = find_words(doc), phrase.word - 1
    if at >= 0 and doc.text[words[at].end : phrase.start].strip() == "%":
        return words[at].start if words[at].text.isdigit() else None
    percent = phrases_in(doc, "percent", (max(0, phrase.start - 16), phrase.start))
    if (
        percent
        and percent[-1].end == phrase.start - 1
        and percent[-1].word
        and _is_number(doc, words[percent[-1].word - 1].text)
    ):
        return words[percent[-1].word - 1].start
    return None


def _is_number(doc: Document, word: str) -> bool:
    return word.isdigit() or is_one_of(doc, (word,), "numbers")


@once_per_page
def _find_notes(doc: Document) -> list[int]:
    return [match.start() for match in _NOTE.finditer(doc.text)]


def _is_sourced(doc: Document, sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a source may stand in the sentence or beside it in its paragraph."""
    if phrase.kind == "counted_group" and (_holds_name(doc, sentence) or has_phrase(doc, "reporting", sentence.span)):
        return True
    makers = phrases_in(doc, "maker", (phrase.end, min(sentence.span[1], phrase.end + NEAR)))
    if any(doc.text[m.end + 1 : m.end + 2].isupper() for m in makers):
        return True
    around = find_sentences(doc)[max(0, sentence.number - 1) : sentence.number + 2]
    if any(_holds_source(doc, s) for s in around if s.paragraph == sentence.paragraph):
        return True
    # A report often says first what experts think, and then who they are.
    following = find_sentences(doc)[sentence.number + 1 : sentence.number + 1 + FOLLOWING]
    return any(has_phrase(doc, "reporting", s.span) or has_phrase(doc, "said", s.span) for s in following)


def _is_known(doc: Document, phrase: Phrase) -> bool:
    """Return whether the word before says that the page has spoken of the finding: “the evidence shows”."""
    words = find_words(doc)
    return bool(phrase.word) and is_one_of(doc, (words[phrase.word - 1].text,), "pointing")


def _names_someone_after(doc: Document, sentence: Sentence) -> bool:
    """Return whether somebody with a name speaks after a sentence, who may be one of its experts."""
    following = find_sentences(doc)[sentence.number + 1 :]
    return any(
        _holds_name(doc, s) and (has_phrase(doc, "said", s.span) or has_phrase(doc, "reporting", s.span))
        for s in following
    )


def _holds_name(doc: Document, sentence: Sentence) -> bool:
    start, end = sentence.span
    if languages.capitalises_nouns(doc.language.code):
        return any(start <= m.start < end for m in doc.find("entity"))
    return sentence.holds_name


def _holds_source(doc: Document, sentence: Sentence) -> bool:
    start, end = sentence.span
    if holds_link(doc, (start, end + 2)) or _NOTE.search(doc.text, start, min(len(doc.text), end + 8)):
        return True
    return _holds_institution(doc, sentence.span) or any(start <= m.start < end for m in doc.find("citation"))


def _holds_institution(doc: Document, span: Span) -> bool:
    return any(doc.text[p.start].isupper() for p in phrases_in(doc, "institution", span))
