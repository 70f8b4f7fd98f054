"""wrong_language: a page that says that it is in another language than it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import locate_page
from steelyard.advice.rule import Rule

MIN_WORDS = 100  # of a text whose language is certain
_LANGUAGE = re.compile(r"[a-z]{2}(?=[-_]|$)", re.IGNORECASE)


class WrongLanguage(Rule):
    topic = "language"
    about = "the language in the page's head"
    what = "The `lang` of an HTML page names another language than the one its text is in."
    why = "Browsers offer to translate the page, voices read it with the wrong sounds, and searches leave it out."
    how = "`lang` of `html` beside the language of the text, which its words tell."
    certain_when = "the text has a hundred words."
    action = 'write `lang="{language}"`'

    def find(self, context: Context) -> Iterator[Finding]:
        said = context.head.language if context.head is not None else ""
        declared, language = _LANGUAGE.match(said), context.score.detected
        if declared is None or context.doc.n_words < MIN_WORDS or declared[0].lower() == language:
            return
        if language == context.doc.language.code:
            why = f"the page says that its language is “{said}”"
            yield self.make(locate_page(context.doc), why, language=language)
