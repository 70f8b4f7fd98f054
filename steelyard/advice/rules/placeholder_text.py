"""placeholder_text: text that was never filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS, find_paragraphs, is_quoted
from steelyard.advice.phrases import find_phrases
from steelyard.advice.rule import Example, Rule

_MARK = re.compile(r"\b(?:TODO|FIXME|TKTK|XXXX+)\b|\{\{ ?[a-z_. ]{2,40} ?\}\}", re.ASCII)


class PlaceholderText(Rule):
    topic = "placeholder"
    about = "text that was never filled in"
    level = "warning"
    what = "A part of the page still has the words of its template."
    why = "A reader sees that nobody has looked at the page."
    how = "“Lorem ipsum”, “[insert name]”, “TODO”, “under construction”."
    certain_when = "nobody writes such words for readers."
    action = "fill it in, or remove it"
    invents = "what the author meant to write"
    bad = (
        Example("The yard opens at seven.\n\nLorem ipsum dolor sit amet, consectetur adipiscing elit.", "Lorem ipsum"),
        Example("Write to [insert name] for the prices of boats.", "Write to"),
    )
    good = (Example("The text “Lorem ipsum” is five hundred years old.", note="quoted"),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        spans = [(p.start, p.end) for p in find_phrases(doc).get("placeholder", ())]
        spans += [m.span() for paragraph in find_paragraphs(doc) for m in _MARK.finditer(doc.text, *paragraph)]
        unquoted = (span for span in sorted(spans) if not is_quoted(doc, span[0]))
        for start, end in islice(unquoted, MAX_FINDINGS):
            paragraph = next((p for p in find_paragraphs(doc) if p[0] <= start < p[1]), (start, end))
            yield self.point(doc, paragraph, f"“{doc.text[start:end]}” is left from a template")
