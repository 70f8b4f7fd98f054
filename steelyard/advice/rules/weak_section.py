"""weak_section: the section of a page that says least, where the others say much more."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import locate_page
from steelyard.advice.prose import make_sentences
from steelyard.advice.rule import Example, Rule
from steelyard.scoring.sections import list_measured

MIN_SECTIONS = 3  # with a content; of two, one is always the weaker
MIN_BEHIND = 10.0  # points of content behind the page
MAX_HEADING = 60  # characters of the strongest section's

_SAID = (
    "In {0}, {1} people of Ostwick were asked where they {2}. “We had never {2} so near the sea,” said Mara Lind of "
    "the Harbour Board. The board, which had {3} members, wrote to the Ministry of Trade on 3 May {0}, and by June "
    "{4}% of the houses had an answer. According to the Ostwick Courier, the cost was {5} crowns a year for each "
    "family. Nobody wanted to pay it, and the reasons are in the minutes: the winter was long, and fuel was dear."
)
_FULL = [
    "## Times", _SAID.format(1998, 412, "worked", 12, 61, 340),
    "## Places", _SAID.format(2004, 689, "lived", 9, 48, 415),
    "## Prices", _SAID.format(2011, 530, "traded", 15, 72, 298),
]  # fmt: skip


class WeakSection(Rule):
    topic = "weak section"
    about = "the section that says least"
    level = "note"
    not_for = ("legal", "listing")
    what = "One section has much less evidence and content than the page as a whole."
    why = "Who sees this section alone learns little, and the others show that the page can do better."
    how = (
        "Each section is scored as a page of its own. The weakest of at least three is named, with the strongest, "
        "where its content is 10 points or more below the page's."
    )
    certain_when = "never: only the author knows what belongs there."
    action = "add what the other sections have, or join it with the one that it belongs to"
    invents = "evidence of any kind"
    bad = (Example("\n\n".join(["## Boats", " ".join(make_sentences(8)), *_FULL]), "Boats"),)
    good = (
        Example("\n\n".join(_FULL[:4]), note="two sections"),
        Example("\n\n".join(_FULL), note="all say as much"),
    )

    def find(self, context: Context) -> Iterator[Finding]:
        measured = list_measured(context.sections)
        if len(measured) < MIN_SECTIONS or not context.is_measurable:
            return
        weakest, strongest = measured[0], measured[-1]
        behind = context.score.content - (weakest.content or 0.0)
        if behind < MIN_BEHIND or strongest.heading is None:
            return
        why = (
            f"this section alone has a content of {weakest.content:.0f}, {behind:.0f} less than the page; the "
            f"strongest, “{strongest.heading[:MAX_HEADING]}”, has {strongest.content:.0f}"
        )
        if weakest.heading is None:
            yield self.make(locate_page(context.doc), why, certain=False)
            return
        headed = [section for section in context.sections if section.heading is not None]
        titles = [section.title for section in context.doc.sections]
        yield self.point(context.doc, titles[headed.index(weakest)], why, certain=False)
