"""What only a process of its own survives."""

from __future__ import annotations

import ast
import os
import sys
import time
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers import base, child
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, POINTS, TIMED_OUT, Passage, Range, ScorerFailed
from steelyard.lab.scorers.function import IsolatedScorer

HERE = Path(__file__).parent


def isolated(name: str, timeout: float = 5.0, high: float = 100.0) -> IsolatedScorer:
    return IsolatedScorer(f"bad_scorers:{name}", folder=HERE, timeout=timeout, range=Range(0, high))


def failure(name: str, text: str = "a text", timeout: float = 5.0) -> ScorerFailed:
    with isolated(name, timeout).open() as session, pytest.raises(ScorerFailed) as caught:
        session.score(Passage(text))
    return caught.value


@pytest.mark.parametrize(("name", "part"), [("segfault", "SIGSEGV"), ("killed", "SIGKILL")])
def test_a_scorer_killed_by_a_signal_has_crashed(name: str, part: str):
    failed = failure(name)
    assert failed.kind == CRASHED
    assert f"killed by {part}" in failed.detail


def test_a_scorer_that_leaves_is_replaced_and_its_last_words_are_shown():
    with isolated("leave").open() as session:
        assert session.score(Passage("stay"))[POINTS] == 7.0
        with pytest.raises(ScorerFailed) as caught:
            session.score(Passage("leave"))
        assert caught.value.kind == CRASHED
        assert caught.value.detail == "exit status 4; last line of stderr: last␇ words"
        assert session.score(Passage("stay"))[POINTS] == 7.0


def test_one_child_serves_many_texts():
    with isolated("process_number", high=1e9).open() as session:
        assert len({session.score(Passage("a"))[POINTS] for _ in range(20)}) == 1


def test_everything_a_scorer_prints_through_any_door_is_kept_apart(capfd: pytest.CaptureFixture[str]):
    with isolated("loud").open() as session:
        assert [session.score(Passage("a"))[POINTS] for _ in range(2)] == [5.0, 5.0]
    assert capfd.readouterr() == ("", "")


def test_the_processes_a_scorer_started_die_with_it(tmp_path: Path):
    pid_file = tmp_path / "pid"
    assert failure("family", str(pid_file), timeout=1.0).kind == TIMED_OUT
    number = int(pid_file.read_text())
    for _ in range(50):
        if not alive(number):
            return
        time.sleep(0.05)
    raise AssertionError(f"process {number} is still there")


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
        return "zombie" not in Path(f"/proc/{number}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_flood_in_the_pipe_of_the_answers_is_no_number():
    assert failure("writes_into_the_pipe").kind == NOT_A_NUMBER


def test_a_python_that_is_not_there_is_reported():
    with pytest.raises(SteelyardError, match=r"no-such-python: cannot be started"):
        IsolatedScorer("a:b", python="/no-such-python").open().__enter__()


def test_a_python_that_is_no_python_is_reported():
    with pytest.raises(SteelyardError, match=r"the process ended while loading it \(exit status 1\)"):
        IsolatedScorer("a:b", python="false").open().__enter__()


def test_a_scorer_sees_the_environment_it_was_given(tmp_path: Path):
    (tmp_path / "adapter.py").write_text("import os\ndef score(text): return float(os.environ['STEELYARD_TRIAL'])\n")
    scorer = IsolatedScorer("adapter:score", folder=tmp_path, environment=(("STEELYARD_TRIAL", "42"),))
    with scorer.open() as session:
        assert session.score(Passage("a"))[POINTS] == 42.0


def test_a_python_that_prints_before_the_scorer_is_loaded_is_reported(tmp_path: Path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho hello\n")
    python.chmod(0o755)
    with pytest.raises(SteelyardError, match=r"^a:b: the scorer wrote into the pipe"):
        IsolatedScorer("a:b", python=str(python)).open().__enter__()


def test_the_child_is_readable_by_python_3_9_and_imports_the_standard_library_alone():
    tree = ast.parse(Path(child.__file__).read_text("utf-8"), feature_version=(3, 9))
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {n.split(".")[0] for n in names} <= set(sys.stdlib_module_names)


def test_the_child_uses_the_words_of_the_contract():
    assert (child.CRASHED, child.NOT_A_NUMBER) == (base.CRASHED, base.NOT_A_NUMBER)


def test_no_file_beside_the_child_hides_a_module_of_the_standard_library():
    beside = {p.stem for p in Path(child.__file__).parent.iterdir()}
    assert not beside & set(sys.stdlib_module_names)
