"""A worker that dies costs its page, not the run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

from steelyard.support.pool import LostTask, ordered_map
from tests.hostile import dying

TASKS = range(8)


@pytest.mark.parametrize(("work", "code"), [(dying.exits, "9"), (dying.is_killed, "-9")], ids=["exit", "SIGKILL"])
def test_a_killed_worker_costs_its_task_alone(work: Callable[[int], int], code: str):
    results = list(ordered_map(work, TASKS, 2))
    assert [r for r in results if not isinstance(r, LostTask)] == [10 * t for t in TASKS if t != 3]
    lost = results[3]
    assert isinstance(lost, LostTask)
    assert lost.task == 3
    assert lost.reason == f"exit code {code}"


def test_the_last_task_may_be_the_one_that_is_lost():
    results = list(ordered_map(dying.exits, [0, 1, 2, 3], 2))
    assert results[:3] == [0, 10, 20]
    assert isinstance(results[3], LostTask)


def test_when_every_worker_dies_every_task_is_lost_and_the_run_ends():
    results = list(ordered_map(dying.always_exits, range(4), 2))
    assert [r.task for r in results if isinstance(r, LostTask)] == [0, 1, 2, 3]


def test_an_error_nobody_foresaw_costs_its_task_alone(capfd: pytest.CaptureFixture[str]):
    results = list(ordered_map(dying.raises, TASKS, 2))
    assert [r for r in results if not isinstance(r, LostTask)] == [10 * t for t in TASKS if t != 3]
    assert isinstance(results[3], LostTask)
    capfd.readouterr()  # the worker's own traceback


def test_a_worker_that_dies_while_it_waits_costs_at_most_one_task():
    def slowly() -> Iterator[int]:
        for task in range(4):
            yield task
            time.sleep(0.2)

    results = list(ordered_map(dying.answers_and_dies, slowly(), 2))
    assert len(results) == 4
    answered = [r for r in results if not isinstance(r, LostTask)]
    assert answered == sorted(answered)


def test_results_come_in_the_order_of_the_tasks():
    assert list(ordered_map(dying.slow_first, range(20), 2)) == [10 * t for t in range(20)]


def test_answers_larger_than_a_pipe_arrive_whole():
    answers = list(ordered_map(dying.big, range(4), 2))
    assert [len(a) for a in answers if isinstance(a, str)] == [1_000_000 + t for t in range(4)]


@pytest.mark.skipif(not hasattr(os, "getpgid"), reason="no process groups")
def test_ctrl_c_in_a_terminal_is_left_to_the_parent():
    assert os.getpgid(0) not in list(ordered_map(dying.find_group, range(2), 2))


def test_no_task_gives_no_result():
    assert list(ordered_map(dying.exits, [], 2)) == []
