"""unexplained_abbreviation: an abbreviation that the page uses again and again and never explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import find_paragraphs, sentence_at
from steelyard.advice.phrases import find_words
from steelyard.advice.rule import Example, Rule
from steelyard.advice.words import load_words
from steelyard.text.document import Document

USES = 4
MAX_FOUND = 3  # of a page: more, and its readers know the subject
LOUD = 0.05  # share of words in capitals, from which capitals mark no abbreviation
_SHORT = re.compile(r"(?<![\w.&/+-])[A-Z]{2,5}s?(?![\w&/+-]|\.[A-Z])")
_NUMBERED = re.compile(r"(?<![\w.&/+-])([A-Z]{2,5}) ?[0-9]{2}")  # the names of models and standards
_ROMAN = re.compile(r"[IVXLCDM]+")


class UnexplainedAbbreviation(Rule):
    topic = "abbreviation"
    about = "abbreviations that are never explained"
    level = "note"
    not_for = ("opinion", "listing", "question-answer")
    what = "An abbreviation is used several times, and the page never says what it stands for."
    why = "A reader who does not know it understands none of these sentences."
    how = "Two to five capitals, four times or more, never beside their words, and not among the ones everybody knows."
    certain_when = "never: the page does not tell what its readers know, nor a name from an abbreviation."
    action = "write it out where it is used first"
    invents = "what the letters stand for"
    bad = (
        Example(
            "The PQT checks all boats of the harbour. Ask the PQT for a date. Bring the papers the PQT wants. "
            "The PQT is never late.",
            "The PQT checks",
        ),
    )
    good = (
        Example("The Port Quality Team (PQT) checks boats. Ask the PQT for a date. The PQT wants to see papers."),
        Example(
            "The RZX 30 is a boat. The RZX sails well. Ask the crew of an RZX. The RZX 31 is larger.", note="a model"
        ),
        Example("The BBC showed it. The BBC will show it again. The BBC always does.", note="everybody knows it"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        found = [m for span in find_paragraphs(doc) for m in _SHORT.finditer(doc.text, *span)]
        words = find_words(doc)
        if not found or len(found) > LOUD * len(words) + 2 * USES:
            return
        counts = Counter(m[0].removesuffix("s") for m in found)
        known = load_words(doc.language.code)["known"]
        named = {*(doc.title or "").split(), *_NUMBERED.findall(doc.text)}
        common = doc.language.stop | {word.text for word in words if doc.text[word.start].islower()}
        unknown = [
            name
            for name, uses in counts.items()
            if uses >= USES
            and name not in known
            and name.lower() not in common
            and not _ROMAN.fullmatch(name)
            and name not in named
        ]
        initials = _join_initials(doc) if unknown else ""
        unexplained = [n for n in unknown if not _is_spelt_out(n.lower(), initials) and f"({n}" not in doc.text]
        unexplained = [n for n in unexplained if f"{n} (" not in doc.text and f"{n}: " not in doc.text]
        if len(unexplained) > MAX_FOUND:
            return
        for name in unexplained:
            first = next(m for m in found if m[0].removesuffix("s") == name)
            sentence = sentence_at(doc, first.start())
            if sentence is not None:
                why = f"“{name}” is used {counts[name]} times and never written out"
                yield self.point(doc, sentence.span, why, certain=False)


def _is_spelt_out(name: str, initials: str) -> bool:
    """Return whether words in a row have these initials; in any order if two: MU, of Missouri."""
    return name in initials or (len(name) == 2 and name[::-1] in initials)


def _join_initials(doc: Document) -> str:
    """Return the first letters of the page's words in a row, with and without the little words between them."""
    words, little = [word.text for word in find_words(doc)], doc.language.stop
    every = "".join(word[0] for word in words)
    return f"{every} {''.join(word[0] for word in words if word not in little)}"
