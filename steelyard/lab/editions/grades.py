"""Whether a score agrees with readers' grades of substance. Nothing is ever fitted to the grades."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidFile
from steelyard.lab.corpus.corpus import CorpusPage, read_records
from steelyard.lab.scorers.base import POINTS, Passage, Scorer, ScorerFailed
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.stats.intervals import bootstrap_interval

LARGEST = 1e6  # of a grade; NaN and infinity are not below it


def read_grades(path: Path) -> dict[str, float]:
    """Return the mean grade of substance by page id."""
    grades = {}
    for number, record in read_records(path):
        given = record.get("substance")
        values: list[Any] = given if isinstance(given, list) else [given]
        if "id" not in record or not values or not all(_is_number(v) for v in values):
            raise InvalidFile(f"{path}:{number}", "no id or no grade; a line of grades holds id and substance")
        grades[str(record["id"])] = mean(values)
    return grades


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def measure_agreement(
    scorer: Scorer, pages: Sequence[CorpusPage], grades: dict[str, float], view: str, *, seed: int = 0
) -> dict[str, Any]:
    """Return Spearman's rank correlation of the points with the grades, with a bootstrap interval."""
    points, wanted, failed = [], [], 0
    with scorer.open() as session:
        for page in pages:
            if page.id not in grades:
                continue
            try:
                values = session.score(Passage(page.view(view), page.language, page.view_title(view)))
            except ScorerFailed:
                failed += 1
                continue
            points.append(values[POINTS])
            wanted.append(grades[page.id])
    low, high = (
        bootstrap_interval(
            len(points),
            lambda draw: spearman([points[i] for i in draw], [wanted[i] for i in draw]),
            random.Random(f"{seed}|grades"),
        )
        if points
        else (None, None)
    )
    rank = spearman(points, wanted) if len(points) > 1 else None
    return {"pages": len(points), "failed": failed, "spearman": rank, "interval": [low, high]}
