"""The variants of a source: the paper's twenty-one, and two that measure what the levers buy together."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.lab import edits
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.composition import applied

FILLER = "neutral_filler"
STUFFING = "keyword_stuffing"
DUPLICATION = "duplication"
LEVERS = ("quotation", "statistics", "cite_sources")  # the additive ones, dosed
TECHNICAL = "technical_terms"
INTERVENTIONS = (*LEVERS, TECHNICAL, STUFFING)  # the five with a published effect, in its order
DOSES = (1, 2, 3, 8)
MOST = max(DOSES)


@dataclass(frozen=True, slots=True)
class Variant:
    """Edits applied at a dose; none for the page as it is."""

    name: str
    edits: tuple[str, ...] = ()
    dose: int = 1

    def text(self, target: Target, *, seed: int, arm: str) -> str:
        """The page under this variant; every edit's postconditions are checked."""
        chosen = [edits.BY_NAME[name] for name in self.edits]
        return applied(chosen, target, dose=self.dose, seed=seed, arm=arm).text


def named(edit: str, dose: int) -> str:
    """The name of a variant with one edit, as it stands in every capture."""
    return f"{edit}-{dose}"


BASE = Variant("base")
COMBINED = tuple(Variant(named("combined", dose), LEVERS, dose) for dose in (1, MOST))
PAPER = (
    BASE,
    *(Variant(named(edit.name, dose), (edit.name,), dose) for edit in edits.EDITS for dose in edit.doses),
)
VARIANTS = (*PAPER, *COMBINED)
