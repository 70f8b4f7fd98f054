"""What every scorer gives every document of the label sets: the columns that are compared with the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.agreement import FIGURES, WORDS, name_figure
from steelyard.lab.agreement.labels import LabelSet
from steelyard.lab.agreement.measures import Column
from steelyard.lab.scorers.base import POINTS, Scorer, ScorerFailed, Session
from steelyard.lab.scorers.own import OwnScorer
from steelyard.scoring import editions
from steelyard.support.formatting import format_count
from steelyard.support.progress import show_progress

MOST_TRIED = 20  # documents that a scorer may fail on at first, before it is given up


class Failure(NamedTuple):
    """How many documents of a set a scorer gave no value, and why the first of them."""

    documents: int
    example: str


@dataclass(frozen=True)
class Columns:
    """Values by set and scorer, and by set, edition and component; and by scorer and set what it failed on."""

    scorers: dict[str, dict[str, Column]] = field(default_factory=dict)
    components: dict[str, dict[str, dict[str, Column]]] = field(default_factory=dict)
    failed: dict[str, dict[str, Failure]] = field(default_factory=dict)


def fill_columns(sets: Sequence[LabelSet], others: Mapping[str, Scorer], as_of: date, *, quiet: bool = True) -> Columns:
    """Score every document with the word count, our editions, and the other scorers under the names given."""
    columns = Columns()
    for of in sets:
        columns.scorers[of.name] = {WORDS: [float(len(passage.text.split())) for passage in of.passages]}
        columns.components[of.name] = {}
    for name in editions.NAMES:
        with OwnScorer.of_edition(name, as_of).open() as session:
            for of in sets:
                values = _score(session, of, f"edition {name}", columns, quiet=quiet)
                for figure in FIGURES:
                    columns.scorers[of.name][name_figure(name, figure)] = _pick(values, figure)
                columns.components[of.name][name] = {each: _pick(values, each) for each in NAMES}
    for name, scorer in others.items():
        with scorer.open() as session:
            for of in sets:
                values = _score(session, of, name, columns, quiet=quiet)
                columns.scorers[of.name][name] = _pick(values, POINTS)
    return columns


def _pick(values: Sequence[Mapping[str, float] | None], key: str) -> Column:
    return [None if of_document is None else of_document[key] for of_document in values]


def _score(
    session: Session, of: LabelSet, name: str, columns: Columns, *, quiet: bool
) -> list[Mapping[str, float] | None]:
    """Return the values of every document, None where the scorer failed; one that never answers is given up."""
    values: list[Mapping[str, float] | None] = []
    failed, example = 0, ""
    for passage in show_progress(of.passages, total=len(of.passages), noun="documents", quiet=quiet):
        if failed == len(values) == MOST_TRIED:
            return _note(columns, name, of, [None] * len(of.passages), example)
        try:
            values.append(session.score(passage))
        except ScorerFailed as error:
            values.append(None)
            failed, example = failed + 1, example or str(error)
    return _note(columns, name, of, values, example)


def _note(
    columns: Columns, name: str, of: LabelSet, values: list[Mapping[str, float] | None], example: str
) -> list[Mapping[str, float] | None]:
    """Remember how many documents have no value, and return the values."""
    if missing := values.count(None):
        columns.failed.setdefault(name, {})[of.name] = Failure(missing, example)
    return values


def require_values(columns: Columns, scorer: str) -> None:
    """Refuse a scorer that gave no document a value: it cannot be told from one that is not there.

    Raises:
        SteelyardError: It scored none; the message has the first reason.
    """
    if any(value is not None for of_set in columns.scorers.values() for value in of_set[scorer]):
        return
    reason = next((failure.example for failure in columns.failed.get(scorer, {}).values()), "there are none")
    number = sum(len(of_set[scorer]) for of_set in columns.scorers.values())
    raise SteelyardError(f"{scorer}: none of {format_count(number, 'document')} could be scored: {reason}")
