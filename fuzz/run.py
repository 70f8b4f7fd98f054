"""A run: several processes, watched so that a case which kills or hangs one of them is found and the others go on."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from fuzz.case import Case, Fault
from fuzz.check_pages import choose_core
from fuzz.kinds import KINDS
from fuzz.lane import MEMORY, Lane, LaneRun, read_running, record_fault
from fuzz.tally import Tally

SILENCE = 300.0  # seconds without a finished batch, after which a process is taken for hung
ALONE = 120.0  # seconds for one case, when the one at fault is looked for
MAX_ATTEMPTS = 20

_CONTEXT = multiprocessing.get_context("spawn")


class Watched:
    """A process of the run, what it reported last, and when."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.tally = Tally()
        self.connection, theirs = _CONTEXT.Pipe(duplex=False)
        self.process: BaseProcess = _CONTEXT.Process(target=_work, args=(lane, theirs))
        self.process.start()
        theirs.close()
        self.heard = self.started = time.monotonic()
        self.is_finished = False

    def receive(self) -> None:
        """Take what the process reports; at the end of its pipe it is finished or dead."""
        try:
            self.tally, self.is_finished = self.connection.recv()
            self.heard = time.monotonic()
        except EOFError:
            self.process.join()
            self.connection.close()

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(lane: Lane, connection: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    tally = LaneRun(lane, lambda tally: connection.send((tally, False))).run()
    connection.send((tally, True))
    connection.close()


def run_lanes(lanes: Sequence[Lane], show: Callable[[int], None]) -> Tally:
    """Run all lanes to their end and return their counts added up."""
    total = Tally()
    watched = [Watched(lane) for lane in lanes]
    try:
        while watched:
            ready = wait([w.connection for w in watched], timeout=1.0)
            for process in list(watched):
                if process.connection in ready:
                    process.receive()
                is_hung = time.monotonic() - process.heard > SILENCE
                if not process.connection.closed and not is_hung:
                    continue
                watched.remove(process)
                if is_hung and not process.connection.closed:
                    process.stop()
                total.add(process.tally)
                if not process.is_finished:
                    faults = find_culprits(process.lane)
                    total.faults += faults
                    again = _continue(process)
                    watched += [Watched(again)] if again else []
            done = total.pages + sum(w.tally.pages for w in watched)
            show(done)
    finally:
        for process in watched:
            process.stop()
    return total


def _continue(process: Watched) -> Lane | None:
    """Return what is left of the work of a process that died; None if nothing is."""
    lane = process.lane
    pages = None if lane.pages is None else lane.pages - process.tally.pages
    inputs = None if lane.inputs is None else lane.inputs - process.tally.cases.total()
    seconds = None if lane.seconds is None else lane.seconds - (time.monotonic() - process.started)
    if lane.attempt >= MAX_ATTEMPTS or any(left is not None and left <= 0 for left in (pages, inputs, seconds)):
        return None
    return replace(lane, pages=pages, inputs=inputs, seconds=seconds, attempt=lane.attempt + 1)


def find_culprits(lane: Lane) -> list[dict[str, Any]]:
    """Check the cases that a dead or hung process had, each in a process of its own; return what is wrong with them."""
    cases = read_running(lane.running)
    faults = [Fault(case, "process", message) for case in cases if (message := check_alone(case))]
    if not faults:
        several = Case(cases[0].kind if cases else "markdown", b"", {})
        message = f"a process ended or hung, and none of its {len(cases)} cases does so alone"
        faults = [Fault(several, "process", message)]
    return [record_fault(lane, fault, f"{fault.case.kind} {fault.check}") for fault in faults]


def check_alone(case: Case) -> str | None:
    """Return how a process that checks one case ends, if it does not end well."""
    process = _CONTEXT.Process(target=_check_one, args=(case,))
    process.start()
    process.join(ALONE)
    if process.is_alive():
        process.kill()
        process.join()
        return f"it takes more than {ALONE:g} s"
    return f"it ends the process with code {process.exitcode}" if process.exitcode else None


def _check_one(case: Case) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    choose_core()
    KINDS[case.kind].check([case])


def plan_lanes(whole: Lane, part: tuple[int, int], jobs: int) -> list[Lane]:
    """Divide a part of a run among processes; part K of N with J processes has J of N times J lanes."""
    number, parts = part
    total = parts * jobs
    pages, inputs = (None if most is None else -(-most // total) for most in (whole.pages, whole.inputs))
    first = (number - 1) * jobs
    return [replace(whole, number=first + job, total=total, pages=pages, inputs=inputs) for job in range(jobs)]
