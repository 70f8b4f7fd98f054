"""Run a filter: cut the corpus into batches, have them scored, write finished parts, join them at the end."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from functools import partial
from typing import NamedTuple

from steelyard.corpora.batches import Batch, BatchEnd, Position, cut_batches
from steelyard.corpora.corpus_files import PARQUET, lock_output
from steelyard.corpora.join import join_parts
from steelyard.corpora.parts import PartWriter, WorkFolder
from steelyard.corpora.plan import Plan, describe_plan
from steelyard.corpora.tally import Tally
from steelyard.corpora.work import Result, process_batch, split_batch
from steelyard.errors import RunInterrupted
from steelyard.native.core import choose_core
from steelyard.support.pool import LostTask, ordered_map

WINDOW = 4  # batches per process that may be finished before the oldest one is: bounds memory
BATCH_SIZE = 256  # rows

ReportProgress = Callable[[int, float], None]


class Outcome(NamedTuple):
    """The outcome of a run: its counts, the date that ages were counted to, and the share of this process."""

    tally: Tally
    as_of: date
    rows: int  # scored by this process; an earlier one has finished the others
    seconds: float


def filter_corpus(
    plan: Plan,
    *,
    jobs: int = 1,
    batch_size: int = BATCH_SIZE,
    as_of_given: bool = True,
    report_progress: ReportProgress = lambda rows, share: None,
    finish: Callable[[Outcome], None] = lambda outcome: None,
) -> Outcome:
    """Filter a corpus, or continue where a run that was killed has stopped.

    Args:
        plan: What to do.
        jobs: The number of processes; it changes nothing but the speed, nor does the batch size.
        batch_size: The most rows that are scored at a time.
        as_of_given: Whether the date was chosen; if not, a run that is continued keeps the date of its first start.
        report_progress: Called with the number of rows done and the share of the corpus, as the work proceeds.
        finish: Called when the output is in place; a run killed before this returns calls it again.

    Raises:
        CorpusRefused: An input or output cannot be used.
        RunDiffers: There is an unfinished run for this output with other inputs or options.
        RunStopped: The output cannot be written, for example because the disk is full.
        RunInterrupted: Ctrl-C was pressed.
    """
    plan = replace(plan, settings=replace(plan.settings, core=choose_core()))
    if any(file.format.kind == PARQUET for file in plan.files):
        from steelyard.corpora import parquet

        parquet.check_files(plan)
    with ExitStack() as stack:
        for path in (plan.output, plan.rejects):
            if path is not None:
                stack.callback(lock_output(path).release)
        folder = WorkFolder(os.path.realpath(plan.output))
        state = folder.read_state()
        if state is not None and not as_of_given:
            plan = replace(plan, settings=replace(plan.settings, as_of=state.as_of))
        header = describe_plan(plan)
        folder.open(header)
        if state is not None and state.finished is not None and os.path.exists(plan.output):
            outcome = Outcome(state.finished, plan.settings.as_of, 0, 0.0)
        else:
            outcome = _Run(plan, folder, report_progress).execute(jobs, batch_size)
            folder.finish(header, outcome.tally)
        finish(outcome)
        folder.remove()
    return outcome


class _Run:
    """One execution of a plan: the counts so far, and the part that is being written."""

    def __init__(self, plan: Plan, folder: WorkFolder, report_progress: ReportProgress) -> None:
        self.plan = plan
        self.folder = folder
        self.report_progress = report_progress
        self.tally = Tally()
        self.parts = 0
        self.start = Position()
        while record := folder.read_record(self.parts):
            self.start, counts = record
            self.tally.add(counts)
            self.parts += 1
        sizes = [file.size for file in plan.files]
        self.before = [sum(sizes[:index]) for index in range(len(sizes))]
        self.total = max(1, sum(sizes))

    def execute(self, jobs: int, batch_size: int) -> Outcome:
        """Process the remaining rows, and join the parts."""
        started = time.monotonic()
        earlier = self.tally.rows
        try:
            self._write_parts(jobs, batch_size)
            join_parts(self.plan, self.folder, self.parts, self.tally)
        except KeyboardInterrupt as error:
            raise RunInterrupted(self.tally.rows) from error
        return Outcome(self.tally, self.plan.settings.as_of, self.tally.rows - earlier, time.monotonic() - started)

    def _write_parts(self, jobs: int, batch_size: int) -> None:
        writer: PartWriter | None = None
        rows = self.tally.rows
        end: BatchEnd | None = None
        try:
            for result, end in self._process_batches(jobs, batch_size):
                writer = writer or PartWriter(self.folder, self.parts)
                writer.add(result)
                if writer.tally.kinds:
                    from steelyard.corpora.parquet_from_json import check_width

                    check_width({**self.tally.kinds, **writer.tally.kinds}, self.plan)
                rows += end.rows
                self.report_progress(rows, self._share(end))
                if end.ends_part:
                    self._finish_part(writer, end)
                    writer = None
            if writer is not None and end is not None:
                self._finish_part(writer, end)
                writer = None
        finally:
            if writer is not None:
                writer.abandon()

    def _finish_part(self, writer: PartWriter, end: BatchEnd) -> None:
        self.tally.add(writer.finish(end.position))
        self.parts += 1

    def _share(self, end: BatchEnd) -> float:
        index = end.position.file
        return (self.before[index] + end.share * self.plan.files[index].size) / self.total

    def _process_batches(self, jobs: int, batch_size: int) -> Iterator[tuple[Result, BatchEnd]]:
        ends: deque[BatchEnd] = deque()

        def send() -> Iterator[Batch]:
            for batch, end in cut_batches(self.plan, batch_size, self.start):
                ends.append(end)
                yield batch

        work = partial(process_batch, plan=self.plan)
        for outcome in ordered_map(work, send(), jobs, window=WINDOW):
            result = self._retry(outcome) if isinstance(outcome, LostTask) else outcome
            yield result, ends.popleft()

    def _retry(self, lost: LostTask[Batch]) -> Result:
        """Process the rows of a batch one by one, in processes that may die; a row on which one dies is an error."""
        total = Result()
        work = partial(process_batch, plan=self.plan)
        for outcome in ordered_map(work, split_batch(lost.task), 2, window=WINDOW):
            total.extend(work(replace(outcome.task, dead=True)) if isinstance(outcome, LostTask) else outcome)
        return total
