"""Capture: every source under every variant through one scorer, journalled, in a fixed order."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.corpus import FLATTENED, CorpusPage
from steelyard.lab.edits.base import REPEAT, NothingToChange, Target
from steelyard.lab.edits.topics import TooLittleText
from steelyard.lab.protocol.invariances import NAMES as INVARIANCES
from steelyard.lab.protocol.responses import Responses
from steelyard.lab.protocol.variants import BASE, NOT_COUNTED, VARIANTS, PageVariant, Variant
from steelyard.lab.scorers.base import CRASHED, POINTS, TIMED_OUT, Passage, Scorer, ScorerFailed, Session
from steelyard.scoring import editions
from steelyard.support import journal
from steelyard.support.formatting import format_count
from steelyard.support.journal import Header, Journal
from steelyard.support.pool import LostTask, ordered_map
from steelyard.support.progress import show_progress

SCHEMA = "steelyard.capture/1"
AGAIN = Variant("base-again")  # the page once more: a scorer with another answer is not deterministic
NO_EDIT = "no edit"
NOT_ASKED = "not asked"
PATIENCE = 3  # the run is given up when the first variant of so many sources in a row fails

Row = dict[str, Any]
Value = Callable[[Mapping[str, float]], float]
Task = tuple[CorpusPage, Sequence[PageVariant]]  # a page and the variants that are still missing


class GaveUp(SteelyardError):
    """The scorer failed on several sources in a row; `rows` holds what was captured until then."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        last = [row for row in rows if row.get("failed", NOT_ASKED) != NOT_ASKED][-1]
        super().__init__(f"the scorer failed on {PATIENCE} pages in a row, the last time: {last['detail']}")


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """Everything besides the page and the scorer that decides a captured value."""

    view: str = FLATTENED
    arm: str = REPEAT
    seed: int = 0
    variants: tuple[PageVariant, ...] = VARIANTS


@dataclass(frozen=True)
class Capture:
    """A header and one row per source and variant, with the scorer's values or the failure."""

    header: Header
    rows: tuple[Row, ...]

    def values(self) -> dict[str, dict[str, Mapping[str, float]]]:
        """Return source → variant → named values, without the failures."""
        values: dict[str, dict[str, Mapping[str, float]]] = {}
        for row in self.rows:
            if "values" in row:
                values.setdefault(row["source"], {})[row["variant"]] = row["values"]
        return values

    def failures(self) -> list[Row]:
        return [row for row in self.rows if "failed" in row]

    def responses(
        self, value: Value = itemgetter(POINTS), *, split: str | None = None, variants: Sequence[str] | None = None
    ) -> Responses:
        """Return points per variant over the sources of a split that have every one of the variants.

        Args:
            value: How to compute the points from the named values.
            split: The split; None for all sources.
            variants: Their names; None for all but the exploratory ones.
        """
        there = self.header.parameters["variants"]
        names = variants or [name for name in there if name not in NOT_COUNTED | {AGAIN.name} | INVARIANCES]
        bases = {row["source"]: row for row in self.rows if row["variant"] == BASE.name}
        complete = {
            source: values
            for source, values in self.values().items()
            if all(n in values for n in names) and (split is None or bases[source]["split"] == split)
        }
        return Responses(
            tuple(complete),
            tuple(bases[source]["words"] for source in complete),
            {name: [value(values[name]) for values in complete.values()] for name in names},
        )


def build_header(pages: Sequence[CorpusPage], digest: str, corpus: str, scorer: Scorer, plan: CapturePlan) -> Header:
    """Record everything the rows depend on; a journal is continued only under an equal header."""
    return Header(
        kind="capture",
        schema=SCHEMA,
        inputs={corpus: digest},
        parameters={
            "scorer": repr(scorer),
            "name": scorer.name,
            "language": pages[0].language if pages else None,
            "pages": len(pages),
            **asdict(plan),
            **_edition_of(scorer),
            "variants": [v.name for v in plan.variants],
        },
        versions={"steelyard": __version__},
    )


def _edition_of(scorer: Scorer) -> dict[str, str]:
    """Return the edition of our own scorer, unless it is the paper's: older captures do not name theirs."""
    edition = getattr(scorer, "edition", editions.PAPER)
    return {} if edition == editions.PAPER else {"edition": edition}


def capture(
    pages: Sequence[CorpusPage],
    scorer: Scorer,
    header: Header,
    plan: CapturePlan,
    *,
    path: str | Path | None = None,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = False,
) -> Capture:
    """Score every page under every variant, in a fixed order.

    Args:
        pages: The sources.
        scorer: The scorer to capture.
        header: From `build_header`.
        plan: The variants and how they are made.
        path: A journal that gets the rows of each source before the next one is scored, and is resumed if it exists.
        force: Start the journal anew.
        jobs: How many processes to use; all cores by default.
        quiet: Show no progress.

    Raises:
        GaveUp: The scorer failed on three sources in a row.
    """
    jobs = (jobs or os.cpu_count() or 1) if scorer.parallel else 1
    with ExitStack() as stack:
        journalled = stack.enter_context(Journal.open(path, header, _key, force=force)) if path else None
        rows: dict[Any, Row] = dict(journalled.done) if journalled else {}
        missing = [(p, [v for v in plan.variants if (p.id, v.name) not in rows]) for p in pages]
        tasks: list[Task] = [task for task in missing if task[1]]
        results = show_progress(
            ordered_map(partial(_capture_source, scorer=scorer, plan=plan), tasks, jobs),
            total=len(tasks),
            noun="sources",
            quiet=quiet,
            done=len(pages) - len(tasks),
        )
        try:
            for fresh in _collect(results, tasks):
                if journalled:
                    journalled.append_many(fresh)
                rows.update({_key(row): row for row in fresh})
        finally:
            if jobs == 1:
                close_sessions()
    order = [(p.id, v.name) for p in pages for v in plan.variants]
    return Capture(header, tuple(rows[key] for key in order if key in rows))


def load(path: str | Path) -> Capture:
    """Load a finished capture file."""
    contents = journal.read(path)
    if contents.header.schema != SCHEMA:
        raise InvalidFile(f"{path}:1", "this is no capture; give a file made by `lab protocol capture`")
    there, parameters = len(contents.records), contents.header.parameters
    if there != (whole := parameters["pages"] * len(parameters["variants"])):
        advice = "start the capture again and it goes on from there"
        reason = f"{format_count(there, 'reading')} of {whole:,}, the run was stopped"
        raise InvalidFile(f"{path}:{there + 2}", f"{reason}; {advice}")
    return Capture(contents.header, tuple(contents.records))


def _key(row: Row) -> tuple[str, str]:
    return row["source"], row["variant"]


def _collect(
    results: Iterable[list[Row] | SteelyardError | LostTask[Task]], tasks: Sequence[Task]
) -> Iterator[list[Row]]:
    """Yield the rows of each task in order; raise GaveUp for a scorer that fails on several pages in a row."""
    failed_in_row, collected = 0, []
    for (page, variants), result in zip(tasks, results, strict=True):
        if isinstance(result, SteelyardError):
            raise result
        if isinstance(result, LostTask):
            detail = f"the worker scoring this page was lost ({result.reason})"
            rows = [_failure(page, variant, CRASHED, detail) for variant in variants]
        else:
            rows = result
        yield rows
        collected += rows
        failed_in_row = failed_in_row + 1 if rows[0].get("failed", NO_EDIT) != NO_EDIT else 0
        if failed_in_row == PATIENCE:
            raise GaveUp(collected)


def _capture_source(task: Task, *, scorer: Scorer, plan: CapturePlan) -> list[Row] | SteelyardError:
    """Score one source under its variants, in a worker or here.

    A scorer's failures are rows. An error of ours is returned, so that it is raised where the user sees it.
    """
    page, variants = task
    try:
        return _score_variants(page, variants, _open_session(scorer), plan)
    except SteelyardError as error:
        return SteelyardError(f"{page.id}: {error}")
    except Exception as error:  # noqa: BLE001 - in a worker it would look like a crash of the scorer
        return SteelyardError(f"{page.id}: unexpected {type(error).__name__}: {error}; this is a bug of ours")


def _score_variants(
    page: CorpusPage, variants: Sequence[PageVariant], session: Session, plan: CapturePlan
) -> list[Row]:
    target = Target(page.view(plan.view), page.language)
    rows: list[Row] = []
    for variant in variants:
        if rows and _is_hopeless(rows[-1]):
            rows.append(_failure(page, variant, NOT_ASKED, "the scorer had failed on this page before"))
            continue
        try:
            text = variant.apply(target, seed=plan.seed, arm=plan.arm)
            values = session.score(Passage(text, page.language, page.view_title(plan.view)))
        except (TooLittleText, NothingToChange) as error:
            rows.append(_failure(page, variant, NO_EDIT, str(error)))
        except ScorerFailed as error:
            rows.append(_failure(page, variant, error.kind, error.detail))
        else:
            about_base = {"split": page.split, "words": len(target.text.split())} if variant == BASE else {}
            rows.append({"source": page.id, "variant": variant.name, **about_base, "values": dict(values)})
    return rows


def _is_hopeless(row: Row) -> bool:
    """Return whether to skip the page's other variants: they could not be used, or would hang as well."""
    kind = row.get("failed")
    return kind in (TIMED_OUT, NOT_ASKED) or (kind not in (None, NO_EDIT) and row["variant"] == BASE.name)


def _failure(page: CorpusPage, variant: PageVariant, kind: str, detail: str) -> Row:
    return {"source": page.id, "variant": variant.name, "failed": kind, "detail": detail}


# One session per scorer and process: starting a scorer may cost more than a page. By identity, because a function
# given as an object need not have a hash; the scorer is kept with its session so that no other gets the same id.
_sessions: dict[int, tuple[Scorer, Session]] = {}
_stack = ExitStack()


def _open_session(scorer: Scorer) -> Session:
    if id(scorer) not in _sessions:
        _sessions[id(scorer)] = scorer, _stack.enter_context(scorer.open())
    return _sessions[id(scorer)][1]


def close_sessions() -> None:
    """Close the scorers this process has started."""
    _sessions.clear()
    _stack.close()


atexit.register(close_sessions)
