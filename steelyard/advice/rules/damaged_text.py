"""damaged_text: characters that were lost or changed on the way to the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, holds_code, sentence_at
from steelyard.advice.rule import Example, Rule
from steelyard.text.document import Document, once_per_page

WRITTEN = ("&lt;",)  # as the text of HTML is written, where the page shows “<”
MARKUP = ("&", "<", '"', "[")  # with which signs of HTML and of templates begin
SHOWN = 12  # characters on each side of the damage
# UTF-8 that was read as another encoding, characters that nobody could decode, references that were escaped twice, an
# apostrophe that became a question mark, and the marks of HTML and of templates.
_DAMAGE = re.compile(
    r"â€[œ™˜“”¦\u009d]|Ã[©¨¤¶¼±³ªÃŸ§\u00a0]|Â[ \u00a0«»°·]|\ufffd"
    r"|&(?:amp|nbsp|quot|apos|[lg]t|[lr]dquo|[lr]squo|[mn]dash|hellip|#[0-9]{2,4});"
    r"|[a-z]n\?t(?![a-z])|(?<=[a-z])\?(?:ve|re|ll)(?![a-z])"
    r"|<[a-z]{1,9} ?[a-z]{2,9}=\"|\" href=\"|(?<![\w\]])\[/?[a-z]{2,12}(?:_[a-z]{2,12}){0,3} [a-z_]{2,12}=['\"]"
)
_MARKUP = re.compile(r"HTML|XML|[Mm]arkup|[Mm]arkdown|[Ee]ntit(?:y|ies)")  # pages that write such signs on purpose


class DamagedText(Rule):
    topic = "damaged text"
    about = "characters that were lost on the way"
    what = (
        "Characters are damaged: the page was written in one encoding and read in another, escaped twice, or shows "
        "signs of HTML or of a template."
    )
    why = "Readers see signs without a meaning, and search finds none of these words."
    how = "“doesn?t”, “â€™”, “Ã©”, “&amp;nbsp;”, “[gallery id=…” and the like, or the sign for an unknown character."
    certain_when = "no language writes so. Code is not looked at, nor are the signs of HTML on a page about it."
    action = "mend the characters, and look for the same elsewhere on the page"
    invents = "words that cannot be made out"
    bad = (
        Example("[add_to_cart item='005'] The clinic is about homes, and all of them are near.", "[add_to_cart"),
        Example("The ferry doesn?t leave before seven, and nobody waits for it.", "The ferry"),
        Example("It is the harbourâ€™s oldest crane, and it still works every day.", "It is the harbour"),
    )
    good = (
        Example("Does the ferry leave? The harbour’s oldest crane knows.", note="a question"),
        Example("Write `&amp;` in the source of a page to show the sign.", note="code"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        is_about_signs = bool(_MARKUP.search(doc.text))
        written = WRITTEN if context.extracted else ()
        seen: set[int] = set()
        for match in islice(_DAMAGE.finditer(doc.text), MAX_FINDINGS):
            sentence = sentence_at(doc, match.start())
            is_markup = match[0].startswith(MARKUP)
            if sentence is None:
                if not is_markup:
                    continue
                span = match.span()
            elif sentence.number in seen or ("://" in sentence.text and not is_markup):
                continue
            else:
                seen.add(sentence.number)
                span = sentence.span
            if holds_code(doc, span):
                continue
            start, end = match.span()
            words = " ".join(doc.text[max(0, start - SHOWN) : end + SHOWN].split())
            certain = not (is_about_signs and is_markup) and match[0] not in written
            yield self.point(doc, span, f"damaged characters in “{words}”", certain=certain)


@once_per_page
def is_damaged(doc: Document) -> bool:
    """Return whether signs of damage stand on the page, so that its sentences may end where none ends."""
    return bool(_DAMAGE.search(doc.text))
