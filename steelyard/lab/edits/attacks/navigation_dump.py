"""Navigation dump: menus, breadcrumbs and lists of categories, as if a site had many pages on the topic."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import append_blocks, draw_endlessly, select_units
from steelyard.lab.edits.phrasebook import capitalise

MIN_ENTRIES, MAX_ENTRIES = 4, 9  # entries of a menu
SEPARATORS = (" | ", " > ", " » ", " · ", " / ", " ")


class NavigationDump(Attack):
    """Entries of a site's furniture and of the page's topic words, one menu a line on a page with lines."""

    family = "navigation"

    def rewrite(self, job: Job) -> str:
        menus = select_units(job, self._write_menus(job))
        return append_blocks(job, ["\n".join(menus) if "\n" in job.target.separator else " ".join(menus)])

    def _write_menus(self, job: Job) -> Iterator[str]:
        entries = draw_endlessly(job, job.texts.lists["menus"]["entries"])
        for separator in draw_endlessly(job, SEPARATORS):
            chosen = [next(entries) for _ in range(job.rng.randint(MIN_ENTRIES, MAX_ENTRIES))]
            yield separator.join(capitalise(job.fill(entry, job.draw_pair(job.target.topics))) for entry in chosen)
