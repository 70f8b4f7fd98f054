"""A finding: something on a page that a writer can act on. Every report, format and server shows this one type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Where the documentation is read. The owner is filled in when the project has an address, as in docs/check.md.
DOCUMENTATION = "https://github.com/OWNER/steelyard/blob/main/docs"
# Levers with a published effect on engines that no measurement here confirms (docs/engines.md; a test compares).
UNCONFIRMED = {"quotable_density": "quotation", "statistic_density": "statistics", "citation_f1": "cite_sources"}
MIN_GAIN = 0.05  # points; less is not worth showing


class Gain(NamedTuple):
    """The points that a change adds to the score, and those without the cap, which hides a gain on a short page."""

    points: float
    uncapped: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a writer can act on: by which rule, where, why, what to do, what would count, what that gains.

    `start` and `end` are a half-open span of the page as it was written, in code points; lines and columns count from
    1, and the end is just behind the last character. For HTML they are those of the extracted text, until `check` finds
    the words in the file. `quote` are the words there; without words the finding is about the whole page, and the span
    is its first line of text. `gain` are the points that the score would gain by the formula of `component`, and
    `uncapped` those without the cap; both are None where no formula says. A finding that is not `certain` is shown on
    request only. `more` has the lines of other findings of the same rule, where this one is the best of them: a
    suggestion.
    """

    rule: str
    component: str
    topic: str
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
    gain: float | None = None
    uncapped: float | None = None
    certain: bool = True
    more: tuple[int, ...] = ()

    @property
    def help(self) -> str:
        """The address of the rule's page."""
        return locate_help(self.rule)

    @property
    def span(self) -> tuple[int, int]:
        """The start and the end."""
        return self.start, self.end

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
        return self.uncapped

    @property
    def is_capped(self) -> bool:
        """Whether the points count only when the page is long enough for its cap to go."""
        return self.gain is not None and self.uncapped is not None and self.gain < self.uncapped - MIN_GAIN

    @property
    def headline(self) -> str:
        """The gain, where a formula says, and the topic."""
        return f"{self.gain:+.1f} {self.topic}" if self.has_gain else self.topic

    @property
    def has_gain(self) -> bool:
        """Whether a formula says that the change gains points now."""
        return self.gain is not None and self.gain >= MIN_GAIN

    @property
    def text(self) -> str:
        """What is wrong, what to do, and what that would gain, in one line."""
        when = ", once the cap is gone" if self.is_capped else ""
        gain = "" if self.cost is None else f" ({self.cost:+.2f} points{when})"
        return f"{self.message}: {self.action}{gain}" if self.action else self.message


Suggestion = Finding  # the released name of the best finding of a rule


def locate_help(rule: str) -> str:
    """Return the address of a rule's page."""
    return f"{DOCUMENTATION}/rules/{rule}.md"
