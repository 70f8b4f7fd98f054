"""What a rule sees of a page: its score, its document, and what the pipeline found out about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from steelyard.advice.copies import is_repetitive
from steelyard.advice.kinds import PageKind
from steelyard.scoring.page import PageScore
from steelyard.scoring.sections import Section
from steelyard.text.dates import PageDates
from steelyard.text.document import Document
from steelyard.text.html.metadata import HtmlHead


class Reading(Protocol):
    """How well the text of an HTML page was read."""

    @property
    def confidence(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Context:
    """A page as the rules see it; what is None is not known."""

    score: PageScore
    doc: Document
    kind: PageKind | None = None
    reading: Reading | None = None
    dates: PageDates | None = None
    sections: Sequence[Section] = ()
    url: str | None = None  # the page's address
    extracted: bool = False  # whether the text was taken out of HTML
    head: HtmlHead | None = None  # what the HTML tells programs

    @property
    def kind_name(self) -> str | None:
        """The name of the page's kind, also of an uncertain one; None where it is not known."""
        return self.kind.name if self.kind is not None else None

    def is_certainly(self, *kinds: str) -> bool:
        """Return whether the page is certainly of one of these kinds."""
        return self.kind is not None and self.kind.certain and self.kind.name in kinds

    @property
    def is_measurable(self) -> bool:
        """Whether lengths mean something: the text is what a visitor reads, and is not repeated."""
        is_read_well = self.reading is None or self.reading.confidence == "good"
        return is_read_well and not is_repetitive(self.doc)
