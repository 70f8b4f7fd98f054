"""Invented tables: rows of labels and numbers about the page's topic."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placement import append_rows
from steelyard.lab.edits.phrasebook import capitalise

ROWS = 6  # of one table
CELLS = (2, 4)  # numbers in a row between bars
_ROW = {"bars": ("| ", " | ", " |"), "colon": ("", ": ", ""), "tabs": ("", "\t", "")}


class InventedTables(Attack):
    """Tables with bars, "label: number" lines, and columns between tabs; on a flattened page all in one line."""

    family = "tables"

    def rewrite(self, job: Job) -> str:
        return append_rows(job, self._write_rows(job))

    def _write_rows(self, job: Job) -> Iterator[str]:
        tables = job.texts.lists["tables"]
        labels, figures = (job.draw_endlessly(tables[name]) for name in ("labels", "figures"))
        for layout in job.draw_endlessly(tuple(_ROW)):
            begin, between, end = _ROW[layout]
            number = 1 if layout == "colon" else job.rng.randint(*CELLS)
            for _ in range(ROWS):
                label = capitalise(job.fill_with_topics(next(labels)))
                cells = [job.fill(next(figures)) for _ in range(number)]
                yield begin + between.join((label, *cells)) + end
