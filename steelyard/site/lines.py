"""What an audit keeps of a page, of a change and of an address without a score, each in one line."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.advice.finding import MIN_GAIN
from steelyard.advice.rules import RULES
from steelyard.site.model import FAILED

LINKS, LISTING = "most of what was read is links", "listing"  # a doubt about a reading, and a kind of page


@dataclass(frozen=True, slots=True)
class PageLine:
    """A scored page in one line."""

    url: str
    score: float
    words: int
    language: str
    title: str | None
    guard: str | None
    flagged: tuple[str, ...]
    change: str  # the first of the changes, with its gain
    rating: str | None  # good, fair or poor; None where no pages are comparable
    is_thin: bool
    is_orphan: bool
    doubt: str = ""  # about its reading
    why: str = ""  # there is the first of its suggestions
    action: str = ""  # what to do about that
    gain: float | None = None  # what that gains in points; None where no formula says
    # The first words to change: the number of the suggestion, the words, why, and what to do.
    passage: tuple[int, str, str, str] | None = None
    rules: tuple[str, ...] = ()  # of all its suggestions
    guard_reason: str = ""
    kind: str = ""
    held: str = ""  # the score without the limit of its length, and what holds it down

    @property
    def apart(self) -> str:
        """Why the page is not compared with the others, in words; an empty string for most pages."""
        if LINKS in self.doubt or (self.guard and self.kind == LISTING):
            return "listing, not compared"
        return "doubtful reading, not compared" if self.doubt else ""

    @property
    def first(self) -> str:
        """What to know or to do first, in words: why a guard applies, else the first suggestion with its gain."""
        if self.apart:
            return self.apart
        if self.guard:
            return f"{self.guard}: {self.guard_reason}" if self.guard_reason else self.guard
        text = self.why or self.action
        return f"{text} ({self.gain:+.1f})" if self.gain is not None and self.gain >= MIN_GAIN else text


@dataclass(frozen=True, slots=True)
class Gap:
    """A change that is suggested on some of the pages, and its mean gain in points; None where no formula says."""

    rule: str
    component: str
    pages: int
    gain: float | None
    total: float = 0.0  # of all known gains
    action: str = ""  # what to do, as it is said on most of the pages

    @property
    def topic(self) -> str:
        """The subject of the change, in one word."""
        return RULES[self.rule].topic

    @property
    def about(self) -> str:
        """What the rule is about, as people know it."""
        return RULES[self.rule].about

    @property
    def help(self) -> str:
        """The address of the rule's page."""
        return RULES[self.rule].help


@dataclass(frozen=True, slots=True)
class Unscored:
    """An address without a score, why, and the page that names it."""

    state: str
    reason: str
    url: str
    found_on: str | None = None

    @property
    def is_broken(self) -> bool:
        """Whether it is a link of a page that leads nowhere."""
        return self.state == FAILED and self.found_on is not None
