"""How serious a finding is, and which kinds of findings there are."""

from __future__ import annotations

from steelyard.components import NAMES
from steelyard.report.check.result import LEVELS as FOUND

LEVELS = ("off", *FOUND)  # in this order
# Besides the components: the cap on short pages, the page's date, the guards, the detectors, and wrong comments.
RULES = (*NAMES, "cap", "freshness", "guard", "manipulation", "comment")
# A page may have good reasons for a paragraph without a name, or for no date.
DEFAULT_LEVELS = {**dict.fromkeys(RULES, "warning"), "entity_density": "note", "freshness": "note"}


def at_least(level: str, other: str) -> bool:
    """Return whether a level is as serious as another."""
    return LEVELS.index(level) >= LEVELS.index(other)
