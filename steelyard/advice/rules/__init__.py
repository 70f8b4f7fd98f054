"""The rules, one file each. `ORDER` is the order in which an editor acts on them; `RULES` has all of them by name."""

from __future__ import annotations

from steelyard.advice.rule import Rule
from steelyard.advice.rules.cap import Cap
from steelyard.advice.rules.citation_f1 import CitationF1
from steelyard.advice.rules.comment import Comment
from steelyard.advice.rules.damaged_text import DamagedText
from steelyard.advice.rules.duplicate_text import DuplicateText
from steelyard.advice.rules.empty_heading import EmptyHeading
from steelyard.advice.rules.empty_paragraph import EmptyParagraph
from steelyard.advice.rules.entity_density import EntityDensity
from steelyard.advice.rules.exclamation_marks import ExclamationMarks
from steelyard.advice.rules.filler import Filler
from steelyard.advice.rules.freshness import Freshness
from steelyard.advice.rules.guard import Guard
from steelyard.advice.rules.long_paragraph import LongParagraph
from steelyard.advice.rules.long_sentence import LongSentence
from steelyard.advice.rules.long_title import LongTitle
from steelyard.advice.rules.manipulation import Manipulation
from steelyard.advice.rules.missing_alt_text import MissingAltText
from steelyard.advice.rules.missing_headings import MissingHeadings
from steelyard.advice.rules.missing_steps import MissingSteps
from steelyard.advice.rules.missing_title import MissingTitle
from steelyard.advice.rules.page_description import PageDescription
from steelyard.advice.rules.page_residue import PageResidue
from steelyard.advice.rules.placeholder_text import PlaceholderText
from steelyard.advice.rules.quotable_density import QuotableDensity
from steelyard.advice.rules.self_containment import SelfContainment
from steelyard.advice.rules.stale_date import StaleDate
from steelyard.advice.rules.statistic_density import StatisticDensity
from steelyard.advice.rules.typing_error import TypingError
from steelyard.advice.rules.unexplained_abbreviation import UnexplainedAbbreviation
from steelyard.advice.rules.unfinished_text import UnfinishedText
from steelyard.advice.rules.unsupported_praise import UnsupportedPraise
from steelyard.advice.rules.vague_link import VagueLink
from steelyard.advice.rules.weak_section import WeakSection
from steelyard.advice.rules.wrong_language import WrongLanguage
from steelyard.components import COMPONENTS, Component

# First what makes a page wrong, then what a reader cannot check, then what a reader cannot get through, then what a
# careful last reading finds, and at the end what would make a sound page better.
ORDER: tuple[Rule, ...] = (
    PlaceholderText(),  # nobody has looked at the page
    DamagedText(),  # nobody can read it
    DuplicateText(),  # everything said of the page is said of its copies
    MissingTitle(),  # nobody finds it
    WrongLanguage(),
    UnfinishedText(),  # nobody knows the rest
    StaleDate(),  # readers act on it
    CitationF1(),  # a claim that cannot be checked
    Freshness(),  # a time that cannot be known
    StatisticDensity(),
    UnsupportedPraise(),
    EmptyParagraph(),  # nothing to check
    LongParagraph(),  # skipped by readers
    MissingHeadings(),
    MissingSteps(),
    LongSentence(),
    SelfContainment(),
    EmptyHeading(),
    UnexplainedAbbreviation(),
    TypingError(),
    VagueLink(),
    PageDescription(),
    MissingAltText(),
    ExclamationMarks(),
    PageResidue(),
    Filler(),
    QuotableDensity(),
    LongTitle(),
    Cap(),
    EntityDensity(),
    WeakSection(),
)
ELSEWHERE: tuple[Rule, ...] = (Guard(), Manipulation(), Comment())  # found by `check`


class Unpointed(Rule):
    """A component about which no finding speaks: a configuration can set its lowest value."""

    why = "A page can be required to reach a lowest value of it: `min` in the configuration."
    certain_when = "never: no finding points to it."

    def __init__(self, component: Component) -> None:
        self.name = self.topic = component.name
        self.about, self.what, self.how = component.label, component.about, f"`{component.formula}`"


def _order_names() -> dict[str, Rule]:
    """Return the rules by name, those of the components first, in the paper's order."""
    known = {rule.name: rule for rule in (*ORDER, *ELSEWHERE)}
    components = {c.name: known.get(c.name) or Unpointed(c) for c in COMPONENTS}
    return components | known


RULES = _order_names()
