"""Navigation dump: menus, breadcrumbs and lists of categories, as if a site had many pages on the topic."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import append_rows
from steelyard.lab.edits.phrasebook import capitalise

MIN_ENTRIES, MAX_ENTRIES = 4, 9  # entries of a menu
SEPARATORS = (" | ", " > ", " » ", " · ", " / ", " ")


class NavigationDump(Attack):
    """Entries of a site's furniture and of the page's topic words, one menu a line on a page with lines."""

    family = "navigation"

    def rewrite(self, job: Job) -> str:
        return append_rows(job, self._write_menus(job))

    def _write_menus(self, job: Job) -> Iterator[str]:
        entries = job.draw_texts("menus", "entries")
        for separator in job.draw_endlessly(SEPARATORS):
            chosen = [next(entries) for _ in range(job.rng.randint(MIN_ENTRIES, MAX_ENTRIES))]
            yield separator.join(capitalise(job.fill_with_topics(entry)) for entry in chosen)
