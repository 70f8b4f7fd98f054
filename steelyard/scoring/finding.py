"""A finding: something on a page that a writer can act on. Every report, format and server shows this one type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from steelyard.text.positions import Location


class Wording(NamedTuple):
    """A finding's topic in one word, for tables; what the writer should do, there or anywhere; what would count."""

    topic: str
    action: str
    counted: str
    anywhere: str = ""


WORDING = {
    "quotable_density": Wording(
        "quote",
        "quote these words and name who said them",
        "words in quotation marks with their speaker",
        "quote somebody who knows the subject",
    ),
    "statistic_density": Wording(
        "figure",
        "give the figure with its year",
        "a number with its unit or what it counts, and a year beside it",
        "give a figure with its year",
    ),
    "citation_f1": Wording(
        "source",
        "name the source of this claim",
        "a named study, body or publication, or a link to another site",
        "name the source of a claim",
    ),
    "entity_density": Wording(
        "name", "name who, what or when", "a person, organisation, place or product with its name, or a date"
    ),
    "self_containment": Wording(
        "opening", "open this paragraph with its subject", "a first sentence whose subject is no pronoun"
    ),
    "cap": Wording("length", "write at least {words}", "words that the page does not have yet"),
    "freshness": Wording(
        "date", "say when the page was published or last reviewed", "a date after a word such as published or updated"
    ),
}

# Levers with a published effect on engines that no measurement here confirms (docs/engines.md; a test compares).
UNCONFIRMED = {"quotable_density": "quotation", "statistic_density": "statistics", "citation_f1": "cite_sources"}
WITHOUT_GAIN = ("manipulation", "comment")  # rules for which no formula says what a change gains
MIN_GAIN = 0.05  # points; less is not worth suggesting


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a writer can act on: by which rule, where, why, what to do, what would count, what that gains.

    `start` and `end` are a half-open span of the page as it was written, in code points; lines and columns count from
    1, and the end is just behind the last character. For HTML they are those of the extracted text, until `check` finds
    the words in the file. `quote` are the words there; without words the finding is about the whole page, and the span
    is its first line of text. `gain` are the points that the score would gain, and `uncapped` those without the cap,
    which hides a gain on a short page. `more` has the lines of other findings of the same rule, where this one is the
    best of them: a suggestion.
    """

    rule: str
    why: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    quote: str = ""
    action: str = ""
    counted: str = ""
    gain: float = 0.0
    uncapped: float = 0.0
    more: tuple[int, ...] = ()

    @property
    def component(self) -> str:
        """The component that the rule is about, or the rule's own name: cap, freshness."""
        return self.rule

    @property
    def topic(self) -> str:
        """What the finding is about, in one word."""
        return WORDING[self.rule].topic

    @property
    def engine_effect(self) -> str | None:
        """ "unconfirmed" for a lever that is said to raise citations by engines; None where nothing is claimed."""
        return "unconfirmed" if self.rule in UNCONFIRMED else None

    @property
    def message(self) -> str:
        """What is wrong."""
        return self.why or "the page is short"

    @property
    def cost(self) -> float | None:
        """The points that this costs, without the cap; None where no formula says."""
        return None if self.rule in WITHOUT_GAIN else self.uncapped

    @property
    def is_capped(self) -> bool:
        """Whether the points count only when the page is long enough for its cap to go."""
        return self.gain < self.uncapped - MIN_GAIN

    @property
    def text(self) -> str:
        """What is wrong, what to do, and what that would gain, in one line."""
        when = ", once the cap is gone" if self.is_capped else ""
        gain = "" if self.cost is None else f" ({self.cost:+.2f} points{when})"
        return f"{self.message}: {self.action}{gain}" if self.action else self.message


Suggestion = Finding  # the released name of the best finding of a rule


def make_finding(rule: str, location: Location, why: str = "", *, quote: str = "", **details: str) -> Finding:
    """Return a finding in the words of its rule, before anything is known about gains.

    Args:
        rule: A rule with a wording.
        location: Where it is.
        why: What is missing there.
        quote: The words there; empty for the whole page.
        details: What the action of the rule leaves open.
    """
    wording = WORDING[rule]
    action = wording.action if quote else wording.anywhere or wording.action
    return Finding(
        rule=rule,
        why=why,
        **location._asdict(),
        quote=quote,
        action=action.format(**details),
        counted=wording.counted,
    )
