"""Documents that people labelled: the sets of the measuring data, and a user's own file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidFile
from steelyard.lab.agreement import AUC, SPEARMAN
from steelyard.lab.corpus import STRUCTURED, loading
from steelyard.lab.editions.readers import read_grades
from steelyard.lab.outcome.records.rows import Row, read_rows
from steelyard.lab.scorers.base import Passage
from steelyard.scoring.reference import LENGTHS, find_length, name_length

ALL = "all"
CRITERION = "criterion: "  # before the name of a target that is one of the experts' criteria
SHORT = 200  # words: what a page of the laboratory's corpora has at least
MOST_GROUPS = 20
ADVICE = "a line of labels holds text and label, a number or true or false, and may hold id and group"
PAGES = "web_en.jsonl"  # beside the grades, which name its pages


@dataclass(frozen=True, slots=True)
class Target:
    """One label for each document of a set, None for a document without one."""

    name: str
    measure: str
    labels: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Documents and what they are labelled with; the first target is the one to quote."""

    name: str
    about: str
    passages: tuple[Passage, ...]
    targets: tuple[Target, ...]
    by_people: bool = True


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A set of the measuring data: its files in that folder, and how they are read."""

    name: str
    files: tuple[str, ...]
    read: Callable[[Sequence[Path]], LabelSet]


def _read_kept(files: Sequence[Path]) -> LabelSet:
    rows = list(read_rows(files[0]))
    labels, agreed = [], []
    for row in rows:
        if row.value.get("keep") not in (0, 1) or not isinstance(row.value.get("agreed"), bool):
            raise row.error("needs `keep` as 0 or 1, and `agreed` as true or false")
        labels.append(float(row.value["keep"]))
        agreed.append(bool(row.value["agreed"]))
    passages = tuple(Passage(row.text("text")) for row in rows)
    both = Target("readers agreed", AUC, _select(labels, agreed))
    targets = (Target(ALL, AUC, tuple(labels)), both, *_split_by_length(passages, AUC, labels))
    return LabelSet(KEPT, "web pages that people would keep or drop", passages, targets)


def _read_releases(files: Sequence[Path]) -> LabelSet:
    rows = list(read_rows(files[0]))
    judged = [_read_criteria(row) for row in rows]
    shares = [_average([v for v in criteria.values() if v is not None]) for criteria in judged]
    names = sorted({name for criteria in judged for name in criteria})
    each = [Target(f"{CRITERION}{name}", AUC, tuple(c.get(name) for c in judged)) for name in names]
    passages = tuple(Passage(row.text("text")) for row in rows)
    about = "press releases on medicine, by the share of the criteria that experts found satisfied"
    return LabelSet(RELEASES, about, passages, (Target(ALL, SPEARMAN, tuple(shares)), *each))


def _read_criteria(row: Row) -> dict[str, float | None]:
    criteria = row.value.get("criteria")
    if not isinstance(criteria, Mapping) or any(value not in (0, 1, None) for value in criteria.values()):
        raise row.error("needs `criteria`, an object of names with 1, 0 or null")
    return {str(name): None if value is None else float(value) for name, value in criteria.items()}


def _read_graded(files: Sequence[Path]) -> LabelSet:
    grades = read_grades(files[0])
    pages = [page for page in loading.load_corpus(str(files[1])).pages if page.id in grades]
    passages = tuple(Passage(p.view(STRUCTURED), p.language, p.view_title(STRUCTURED)) for p in pages)
    labels = tuple(grades[page.id] for page in pages)
    about = "web pages, by the mean grade of substance that two model readers gave, who are no people"
    return LabelSet(GRADED, about, passages, (Target(ALL, SPEARMAN, labels),), by_people=False)


KEPT, RELEASES, GRADED = "kept pages", "health releases", "pages graded by models"
KNOWN = (
    KnownSet(KEPT, ("human/dclm.jsonl",), _read_kept),
    KnownSet(RELEASES, ("human/health_releases.jsonl.gz",), _read_releases),
    KnownSet(GRADED, ("marks/grades_en.jsonl", PAGES), _read_graded),
)


def find_files(folder: Path) -> list[Path]:
    """Return the files of a folder that the known sets are read from."""
    return [path for known in KNOWN for name in known.files if (path := folder / name).is_file()]


def read_labels(path: str, language: str) -> LabelSet:
    """Read a user's own labels: JSONL with `text` and `label`, and if they like `id` and `group`.

    Raises:
        InvalidFile: A line is no such object; the message names the line, what is wrong and what to write.
    """
    name = Path(path).name
    labels, passages, groups = [], [], []
    first_line: dict[str, str] = {}
    for row in read_rows(path):
        try:
            passages.append(Passage(row.text("text"), language))
            labels.append(_read_label(row))
            groups.append(row.name("group") if row.has("group") else None)
            identity = row.name("id") if row.has("id") else None
        except InvalidFile as error:
            raise InvalidFile(row.where, f"{error.reason}; {ADVICE}") from None
        if identity is not None and first_line.setdefault(identity, row.where) != row.where:
            earlier = first_line[identity].rpartition(":")[2]
            raise row.error(f"the id {identity[:40]!r} is that of line {earlier} too; give every document its own")
    measure = AUC if len(set(labels)) <= 2 else SPEARMAN
    named = sorted({group for group in groups if group is not None})
    if len(named) > MOST_GROUPS:
        raise InvalidFile(path, f"{len(named)} groups, and {MOST_GROUPS} can be shown; leave `group` out, or join some")
    of_groups = [Target(f"group: {g}", measure, _select(labels, [group == g for group in groups])) for g in named]
    every = Target(ALL, measure, tuple(labels))
    targets = (every, *of_groups, *_split_by_length(passages, measure, labels))
    return LabelSet(name, "labels of your own", tuple(passages), targets)


def _read_label(row: Row) -> float:
    value = row.value.get("label")
    return float(value) if isinstance(value, bool) else row.number("label")


def _split_by_length(passages: Sequence[Passage], measure: str, labels: Sequence[float]) -> Iterator[Target]:
    """Yield the labels of short and of long documents, then of each class of length that reference pages have."""
    words = [len(passage.text.split()) for passage in passages]
    yield Target(f"under {SHORT} words", measure, _select(labels, [n < SHORT for n in words]))
    yield Target(f"{SHORT} words or more", measure, _select(labels, [n >= SHORT for n in words]))
    for start in LENGTHS:
        yield Target(name_length(start), measure, _select(labels, [find_length(n) == start for n in words]))


def _select(labels: Sequence[float], chosen: Sequence[bool]) -> tuple[float | None, ...]:
    return tuple(label if taken else None for label, taken in zip(labels, chosen, strict=True))


def _average(values: Sequence[Any]) -> float | None:
    return sum(values) / len(values) if values else None
