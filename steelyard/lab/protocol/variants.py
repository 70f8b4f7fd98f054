"""The variants of a source: the paper's twenty-one, two that apply the levers together, seven that no gate counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from steelyard.lab import edits
from steelyard.lab.edits.base import Target

FILLER = "neutral_filler"
FILLER_PARAGRAPH = "filler_paragraph"
STUFFING = "keyword_stuffing"
DUPLICATION = "duplication"
LEVERS = ("quotation", "statistics", "cite_sources")  # the additive ones, dosed
TECHNICAL = "technical_terms"
INTERVENTIONS = (*LEVERS, TECHNICAL, STUFFING)  # the five with a published effect, in its order
STRUCTURE = ("sub_headings", "bullet_list", "table", "summary_first")
FRESHNESS = ("visible_date", "update_note")
OPEN = (*STRUCTURE, *FRESHNESS)  # the paper leaves them open: nothing was published about them
DOSES = (1, 2, 3, 8)
MAX_DOSE = max(DOSES)


class PageVariant(Protocol):
    """A page in another form, under a name of its own."""

    @property
    def name(self) -> str: ...

    def apply(self, target: Target, *, seed: int, arm: str) -> str:
        """Return the changed text."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Edits applied at a dose; no edits for the page as it is."""

    name: str
    edits: tuple[str, ...] = ()
    dose: int = 1

    def apply(self, target: Target, *, seed: int, arm: str) -> str:
        """Return the edited text; every edit's postconditions are checked."""
        chosen = [edits.BY_NAME[name] for name in self.edits]
        return edits.apply_edits(chosen, target, dose=self.dose, seed=seed, arm=arm).text


def variant_name(edit: str, dose: int) -> str:
    """Return the name that a variant with one edit has in every capture."""
    return f"{edit}-{dose}"


BASE = Variant("base")
COMBINED = tuple(Variant(variant_name("combined", dose), LEVERS, dose) for dose in (1, MAX_DOSE))
PAPER = (
    BASE,
    *(
        Variant(variant_name(edit.name, dose), (edit.name,), dose)
        for edit in edits.EDITS
        if edit.name not in (FILLER_PARAGRAPH, *OPEN)
        for dose in edit.doses
    ),
)
EXPLORATORY = tuple(Variant(variant_name(lever, 1), (lever,)) for lever in (FILLER_PARAGRAPH, *OPEN))
VARIANTS = (*PAPER, *COMBINED, *EXPLORATORY)
NOT_COUNTED = frozenset(variant.name for variant in EXPLORATORY)
