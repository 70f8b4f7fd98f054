"""empty_heading: a heading without anything below it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import MAX_FINDINGS
from steelyard.advice.rule import Example, Rule


class EmptyHeading(Rule):
    topic = "empty heading"
    about = "headings without anything below them"
    not_for = ("listing",)
    what = "A heading is followed by the next one of its level, or by the end of the page."
    why = "A reader who follows the heading finds nothing."
    how = "Nothing at all is between a heading and the next one of the same or a higher level."
    certain_when = "the page is no HTML, of which the reader may leave out pictures and forms."
    action = "write what the heading promises, or remove it"
    invents = "what the section was meant to say"
    bad = (Example("# Boats\n\nBoats of oak.\n\n## Prices\n\n## Times\n\nThe yard opens at seven.", "Prices"),)
    good = (
        Example("# Boats\n\n## Prices\n\nA boat costs a lot.", note="a heading of a lower level follows"),
        Example("# Boats\n\nBoats of oak.\n\n# # #\n\n## Prices\n\nOn request.", note="an end mark"),
        Example("# Boats\n\n## Prices\n\n- oak: much\n- steel: less\n\n## Times\n\nSeven.", note="a list is something"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        sections = doc.sections
        empty = (
            section
            for section, following in pairwise([*sections, None])
            if section is not None
            and any(map(str.isalnum, doc.text[slice(*section.title)]))  # “# # #” ends a press release
            and not doc.text[section.body[0] : section.body[1]].strip()
            and (following is None or following.level <= section.level)
        )
        for section in islice(empty, MAX_FINDINGS):
            yield self.point(doc, section.title, "nothing stands below this heading", certain=not context.extracted)
