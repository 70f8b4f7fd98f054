"""Capture: every source under every variant through one scorer, journalled, in a fixed order."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.corpus import FLATTENED, CorpusPage
from steelyard.lab.edits.base import REPEAT, Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, VARIANTS, Variant
from steelyard.lab.scorers.base import CRASHED, POINTS, TIMED_OUT, Passage, Scorer, ScorerFailed, Session
from steelyard.support import journal
from steelyard.support.journal import Header, Journal
from steelyard.support.pool import Lost, ordered_map
from steelyard.support.progress import tracked
from steelyard.support.wording import counted

SCHEMA = "steelyard.capture/1"
AGAIN = Variant("base-again")  # the page once more: a scorer that answers otherwise is not deterministic
NO_EDIT = "no edit"
NOT_ASKED = "not asked"
PATIENCE = 3  # sources in a row whose first variant fails before the run is given up

Row = dict[str, Any]
Value = Callable[[Mapping[str, float]], float]


class GaveUp(SteelyardError):
    """The scorer failed on one source after the other."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        last = [row for row in rows if row.get("failed", NOT_ASKED) != NOT_ASKED][-1]
        super().__init__(f"the scorer failed on {PATIENCE} pages in a row, the last time: {last['detail']}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is captured: everything that decides a value besides the page and the scorer."""

    view: str = FLATTENED
    arm: str = REPEAT
    seed: int = 0
    variants: tuple[Variant, ...] = VARIANTS


class _Fault(NamedTuple):
    """An error of ours in a worker, to be raised where the user sees it; a scorer's errors are rows."""

    message: str


class _Task(NamedTuple):
    page: CorpusPage
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Capture:
    """The rows of a capture by source and variant, and the header they stand under."""

    header: Header
    rows: tuple[Row, ...]

    def values(self) -> dict[str, dict[str, Mapping[str, float]]]:
        """source → variant → named values; what failed is absent."""
        found: dict[str, dict[str, Mapping[str, float]]] = {}
        for row in self.rows:
            if "values" in row:
                found.setdefault(row["source"], {})[row["variant"]] = row["values"]
        return found

    def failures(self) -> list[Row]:
        return [row for row in self.rows if "failed" in row]

    def responses(self, value: Value | None = None, *, split: str | None = None) -> Responses:
        """Points per variant over the sources of a split that have them all."""
        read = value or (lambda values: values[POINTS])
        names = [name for name in self.header.parameters["variants"] if name != AGAIN.name]
        infos = {row["source"]: row for row in self.rows if row["variant"] == BASE.name}
        complete = [
            (source, values)
            for source, values in self.values().items()
            if all(n in values for n in names) and (split is None or infos[source]["split"] == split)
        ]
        return Responses(
            tuple(source for source, _ in complete),
            tuple(infos[source]["words"] for source, _ in complete),
            {name: [read(values[name]) for _, values in complete] for name in names},
        )


def header(pages: Sequence[CorpusPage], digest: str, corpus: str, scorer: Scorer, plan: Plan) -> Header:
    """What the rows depend on; a journal goes on only under an equal one."""
    return Header(
        kind="capture",
        schema=SCHEMA,
        inputs={corpus: digest},
        parameters={
            "scorer": repr(scorer),
            "name": scorer.name,
            "language": pages[0].language if pages else None,
            "pages": len(pages),
            "view": plan.view,
            "arm": plan.arm,
            "seed": plan.seed,
            "variants": [v.name for v in plan.variants],
        },
        versions={"steelyard": __version__},
    )


def capture(
    pages: Sequence[CorpusPage],
    scorer: Scorer,
    head: Header,
    plan: Plan,
    *,
    path: str | Path | None = None,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = False,
) -> Capture:
    """All rows, in the order of pages and variants; with a path, every row is in the journal before the next source."""
    jobs = (jobs or os.cpu_count() or 1) if scorer.parallel else 1
    with ExitStack() as stack:
        kept = stack.enter_context(Journal.open(path, head, _key, force=force)) if path else None
        done = dict(kept.done) if kept else {}
        tasks = list(_tasks(pages, plan.variants, done))
        work = partial(_captured, scorer=scorer, plan=plan)
        fresh: dict[Any, Row] = {}
        try:
            results = tracked(
                ordered_map(work, tasks, jobs),
                total=len(tasks),
                noun="sources",
                quiet=quiet,
                done=len(pages) - len(tasks),
            )
            _run(results, tasks, kept, fresh)
        finally:
            if jobs == 1:
                close_sessions()
    rows = {**done, **fresh}
    order = [(p.id, v.name) for p in pages for v in plan.variants]
    return Capture(head, tuple(rows[key] for key in order if key in rows))


def load(path: str | Path) -> Capture:
    """A finished capture file."""
    contents = journal.read(path)
    if contents.header.schema != SCHEMA:
        raise journal.JournalBroken(Path(path), 1, "this is no capture", "give a file made by `protocol capture`")
    there, parameters = len(contents.records), contents.header.parameters
    if there != (whole := parameters["pages"] * len(parameters["variants"])):
        advice = "start the capture again and it goes on from there"
        raise journal.JournalBroken(
            Path(path), there + 2, f"{counted(there, 'reading')} of {whole:,}, the run was stopped", advice
        )
    return Capture(contents.header, tuple(contents.records))


def _key(row: Row) -> tuple[str, str]:
    return row["source"], row["variant"]


def _tasks(pages: Iterable[CorpusPage], variants: Sequence[Variant], done: Mapping[Any, Row]) -> Iterator[_Task]:
    for page in pages:
        missing = tuple(v for v in variants if (page.id, v.name) not in done)
        if missing:
            yield _Task(page, missing)


def _run(
    results: Iterator[list[Row] | _Fault | Lost[_Task]],
    tasks: Sequence[_Task],
    kept: Journal | None,
    fresh: dict[Any, Row],
) -> None:
    """Take the results in order; a scorer that fails on one page after the other is given up."""
    failed = 0
    for task, result in zip(tasks, results, strict=True):
        if isinstance(result, _Fault):
            raise SteelyardError(result.message)
        rows = _lost(task, result) if isinstance(result, Lost) else result
        if kept:
            kept.append_many(rows)
        fresh.update({_key(row): row for row in rows})
        failed = failed + 1 if rows[0].get("failed", NO_EDIT) != NO_EDIT else 0
        if failed == PATIENCE:
            raise GaveUp(list(fresh.values()))


def _lost(task: _Task, lost: Lost[_Task]) -> list[Row]:
    return [
        _failure(task.page, v, CRASHED, f"the worker scoring this page was lost ({lost.reason})") for v in task.variants
    ]


def _captured(task: _Task, *, scorer: Scorer, plan: Plan) -> list[Row] | _Fault:
    """One source under its variants; in a worker, or here."""
    try:
        return _rows(task, _session(scorer), plan)
    except SteelyardError as error:
        return _Fault(f"{task.page.id}: {error}")
    except Exception as error:  # noqa: BLE001 - in a worker it would look like a crash of the scorer
        return _Fault(f"{task.page.id}: unexpected {type(error).__name__}: {error}; this is a bug of ours")


def _rows(task: _Task, session: Session, plan: Plan) -> list[Row]:
    page = task.page
    target = Target(page.view(plan.view), page.language)
    rows: list[Row] = []
    for variant in task.variants:
        if rows and _hopeless(rows[-1]):
            rows.append(_failure(page, variant, NOT_ASKED, "the scorer had failed on this page before"))
            continue
        try:
            text = variant.text(target, seed=plan.seed, arm=plan.arm)
            values = session.score(Passage(text, page.language, page.view_title(plan.view)))
        except TooLittleText as error:
            rows.append(_failure(page, variant, NO_EDIT, str(error)))
        except ScorerFailed as error:
            rows.append(_failure(page, variant, error.kind, error.detail))
        else:
            rows.append({**_about(page, variant, target), "values": dict(values)})
    return rows


def _hopeless(row: Row) -> bool:
    """Whether the other variants of a page are not worth asking for: they could not be used, or would hang as well."""
    kind = row.get("failed")
    return kind in (TIMED_OUT, NOT_ASKED) or (kind not in (None, NO_EDIT) and row["variant"] == BASE.name)


def _about(page: CorpusPage, variant: Variant, target: Target) -> Row:
    about: Row = {"source": page.id, "variant": variant.name}
    if variant == BASE:
        about |= {"split": page.split, "words": len(target.text.split())}
    return about


def _failure(page: CorpusPage, variant: Variant, kind: str, detail: str) -> Row:
    return {"source": page.id, "variant": variant.name, "failed": kind, "detail": detail}


# One session per scorer and process: starting a scorer may cost more than a page. By identity, because a function
# given as an object need not have a hash; the scorer is kept beside its session so that the identity stays its own.
_open: dict[int, tuple[Scorer, Session]] = {}
_stack = ExitStack()


def _session(scorer: Scorer) -> Session:
    if id(scorer) not in _open:
        _open[id(scorer)] = scorer, _stack.enter_context(scorer.open())
    return _open[id(scorer)][1]


def close_sessions() -> None:
    """End the scorers this process has started."""
    _open.clear()
    _stack.close()


atexit.register(close_sessions)
