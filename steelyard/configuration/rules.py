"""The rules that findings belong to: what each is about, and how serious its findings are."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.components import COMPONENTS

LEVELS = ("note", "warning", "error")  # of findings, in this order
SETTABLE = ("off", *LEVELS)  # what a configuration may say of a rule


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding; `level` is how serious it is where no configuration says otherwise."""

    name: str
    about: str
    level: str = "warning"


# A page may have good reasons for a paragraph without a name, or for no date: these are notes.
_NOTES = ("entity_density",)
_RULES = (
    *(Rule(c.name, c.label, "note" if c.name in _NOTES else "warning") for c in COMPONENTS),
    Rule("cap", "pages so short that their score is limited"),
    Rule("freshness", "the page's date", "note"),
    Rule("guard", "pages that are empty, or no text of their language"),
    Rule("manipulation", "what the detectors flag"),
    Rule("comment", "comments to steelyard that cannot be understood"),
)
RULES = {rule.name: rule for rule in _RULES}


def is_at_least(level: str, other: str) -> bool:
    """Return whether a level is as serious as another."""
    return SETTABLE.index(level) >= SETTABLE.index(other)
