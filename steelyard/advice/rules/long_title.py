"""long_title: a title that nobody sees whole."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import find_paragraphs, locate_page
from steelyard.advice.rule import Example, Rule

LONG = 120  # characters; lists of results and tabs show some 60


class LongTitle(Rule):
    topic = "title length"
    about = "titles that nobody sees whole"
    level = "note"
    not_for = ("legal", "opinion")
    what = "The title of the page is very long."
    why = "Lists of results cut titles off after some 60 characters, and what distinguishes the page may stand behind."
    how = "More than 120 characters."
    certain_when = "always: they are counted."
    action = "say the most important part of the title in fewer words"
    bad = (
        Example(
            "# How the old ferry came to the new harbour, who had it built, what it cost at that time and why it is "
            "painted red on one side and blue on the other\n\nIt is older than the harbour, and it still floats."
        ),
    )
    good = (Example("# How the ferry came to the harbour\n\nIt is older than the harbour, and it still floats."),)

    def find(self, context: Context) -> Iterator[Finding]:
        doc = context.doc
        title = " ".join((doc.title or doc.source.first_heading() or "").split())
        if len(title) > LONG and find_paragraphs(doc):
            yield self.make(locate_page(doc), f"the title has {len(title)} characters")
