"""The pages on which a scorer pays most for an edit that adds little or nothing, with what was added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.lab import edits
from steelyard.lab.corpus import CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.lab.protocol.capture import Capture, CapturePlan
from steelyard.lab.protocol.variants import BASE, DUPLICATION, LEVERS, STUFFING, VARIANTS
from steelyard.lab.scorers.base import POINTS

SHOWN = 5
MAX_SHOWN = 400  # characters of a page's beginning, and of what was added
EDITS = (STUFFING, DUPLICATION, *LEVERS)


def find_worst_pages(
    capture: Capture, pages: Sequence[CorpusPage], plan: CapturePlan, number: int = SHOWN
) -> list[dict[str, Any]]:
    """Return the largest gains over the untouched page, one for each page, the largest first."""
    by_id = {page.id: page for page in pages}
    gains = sorted(
        (
            (values[variant.name][POINTS] - values[BASE.name][POINTS], source, variant)
            for source, values in capture.values().items()
            for variant in VARIANTS
            if len(variant.edits) == 1 and variant.edits[0] in EDITS
            if BASE.name in values and variant.name in values
        ),
        key=lambda gain: (-gain[0], gain[1], gain[2].name),
    )
    worst: list[dict[str, Any]] = []
    used: set[str] = set()
    for gain, source, variant in gains:
        if gain <= 0 or len(worst) == number:
            break
        if source in used:
            continue
        used.add(source)
        target = Target(by_id[source].view(plan.view), by_id[source].language)
        edited = edits.BY_NAME[variant.edits[0]].apply(target, dose=variant.dose, seed=plan.seed, arm=plan.arm)
        worst.append(
            {
                "source": source,
                "edit": variant.edits[0],
                "dose": variant.dose,
                "gain": gain,
                "page": target.text[:MAX_SHOWN],
                "added": edited.blocks[0][:MAX_SHOWN],
            }
        )
    return worst
