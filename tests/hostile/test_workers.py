"""A worker that dies costs its page, not the run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

from steelyard.support.pool import LostTask, ordered_map
from tests.hostile import bad_work


@pytest.mark.parametrize(
    ("work", "code"),
    [(bad_work.exits, "9"), (bad_work.is_killed, "-9"), (bad_work.raises, "1")],
    ids=["exit", "SIGKILL", "exception"],
)
def test_a_worker_that_dies_costs_its_task_alone(
    work: Callable[[int], int], code: str, capfd: pytest.CaptureFixture[str]
):
    for count in (8, 4, 0):  # in the second the lost one is the last
        results = list(ordered_map(work, range(count), 2))
        expected = [LostTask(3, f"exit code {code}") if task == 3 else 10 * task for task in range(count)]
        assert results == expected
    capfd.readouterr()  # the worker's own traceback


def test_when_every_worker_dies_every_task_is_lost_and_the_run_ends():
    results = list(ordered_map(bad_work.always_exits, range(4), 2))
    assert [r.task for r in results if isinstance(r, LostTask)] == [0, 1, 2, 3]


def test_a_worker_that_dies_while_it_waits_costs_at_most_one_task():
    def slowly() -> Iterator[int]:
        for task in range(4):
            yield task
            time.sleep(0.2)

    results = list(ordered_map(bad_work.answers_and_dies, slowly(), 2))
    assert len(results) == 4
    answered = [r for r in results if not isinstance(r, LostTask)]
    assert answered == sorted(answered)


def test_results_come_in_the_order_of_the_tasks():
    assert list(ordered_map(bad_work.slow_first, range(20), 2)) == [10 * t for t in range(20)]


def test_answers_larger_than_a_pipe_arrive_whole():
    answers = list(ordered_map(bad_work.big, range(4), 2))
    assert [len(a) for a in answers if isinstance(a, str)] == [1_000_000 + t for t in range(4)]


@pytest.mark.skipif(not hasattr(os, "getpgid"), reason="no process groups")
def test_ctrl_c_in_a_terminal_is_left_to_the_parent():
    assert os.getpgid(0) not in list(ordered_map(bad_work.find_group, range(2), 2))
