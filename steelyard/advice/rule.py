"""A rule: a kind of finding, whole, in one file: what it is about, how it is found, when it is silent, examples."""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from steelyard.advice.finding import Finding, Gain, locate_help
from steelyard.advice.passages import locate_passage
from steelyard.text.document import Document
from steelyard.text.lines import Span
from steelyard.text.positions import Location

if TYPE_CHECKING:
    from steelyard.advice.context import Context

LEVELS = ("note", "warning", "error")  # of findings, in this order
SETTABLE = ("off", *LEVELS)  # what a configuration may say of a rule


class Example(NamedTuple):
    """A small page on which a rule finds something, or nothing: a test, and part of the rule's page.

    `quote` is how the words of the finding begin; `note` says why an example is silent.
    """

    text: str
    quote: str = ""
    note: str = ""
    language: str = "en"
    kind: str = ""


class Rule(ABC):
    """A kind of finding. The class name gives the file, the name and the page in the documentation.

    `component` is the one whose formula says what a change gains, empty where none does. `certain_when` says what makes
    a finding certain, and `not_for` names the kinds of page that the rule never speaks about. `invents` is what
    somebody who acts on a finding could make up, and must not; empty where there is nothing.
    """

    name: str
    topic: str  # in one word, for tables
    about: str  # what the findings are about, in a few words
    level: str = "warning"  # how serious they are where no configuration says otherwise
    component: str = ""
    what: str
    why: str
    how: str
    certain_when: str = ""
    not_for: tuple[str, ...] = ()
    only_for: tuple[str, ...] = ()
    action: str = ""
    invents: str = ""
    anywhere: str = ""  # the action where the finding is about the whole page
    counted: str = ""
    bad: tuple[Example, ...] = ()
    good: tuple[Example, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def help(self) -> str:
        """The address of the rule's page."""
        return locate_help(self.name)

    def find(self, context: Context) -> Iterator[Finding]:
        """Find the places on a page that the rule is about; by default none, where others find them."""
        return iter(())

    def suits(self, kind: str | None) -> bool:
        """Return whether the rule speaks about pages of a kind; of an unknown kind unless it is for certain ones."""
        if kind is None:
            return not self.only_for
        return kind not in self.not_for and (not self.only_for or kind in self.only_for)

    def point(
        self,
        doc: Document,
        span: Span,
        why: str,
        *,
        gain: Gain | None = None,
        certain: bool = True,
        **details: str,
    ) -> Finding:
        """Return a finding of this rule about a span of the reading text; the arguments are those of `make`."""
        location, quote = locate_passage(doc, span)
        return self.make(location, why, quote=quote, gain=gain, certain=certain, **details)

    def make(
        self,
        location: Location,
        why: str = "",
        *,
        quote: str = "",
        gain: Gain | None = None,
        certain: bool = True,
        **details: str,
    ) -> Finding:
        """Return a finding of this rule.

        Args:
            location: Where it is.
            why: What is wrong there.
            quote: The words there; empty for the whole page.
            gain: What a change would add to the score, where a formula says.
            certain: Whether the page's own words make it certain.
            details: What the action of the rule leaves open.
        """
        action = self.action if quote else self.anywhere or self.action
        return Finding(
            rule=self.name,
            component=self.component or self.name,
            topic=self.topic,
            why=why,
            **location._asdict(),
            quote=quote,
            action=action.format(**details),
            counted=self.counted,
            gain=gain and gain.points,
            uncapped=gain and gain.uncapped,
            certain=certain,
        )


def describe_silencing(rule: Rule) -> str:
    """Say how the findings of a rule are silenced: in a page, or for many."""
    return (
        f'`<!-- steelyard: off {rule.name} -->` in the page, or `{rule.name} = "off"` under `[components]` in '
        "`steelyard.toml`."
    )


def is_at_least(level: str, other: str) -> bool:
    """Return whether a level is as serious as another."""
    return SETTABLE.index(level) >= SETTABLE.index(other)
