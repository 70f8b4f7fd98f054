"""Functions, in our process and in one of their own: the same number or the same failure; and what only the latter
survives."""

from __future__ import annotations

import ast
import re
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers import base, child
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, OUT_OF_RANGE, POINTS, TIMED_OUT, Passage, Range
from steelyard.lab.scorers.function import FunctionScorer, IsolatedScorer, limit_time
from tests.lab.scorers.sessions import fail, is_alive, score

HERE = Path(__file__).parent
KINDS = pytest.mark.parametrize("kind", [FunctionScorer, IsolatedScorer])
Kind = type[FunctionScorer] | type[IsolatedScorer]


def bad(name: str, kind: Kind = IsolatedScorer, *, timeout: float = 60.0, high: float = 100.0) -> FunctionScorer:
    return kind(f"bad_scorers:{name}", folder=HERE, timeout=timeout, range=Range(0, high))


def refuse(scorer: FunctionScorer) -> str:
    with pytest.raises(SteelyardError) as caught, scorer.open():
        pass
    return str(caught.value)


@KINDS
def test_a_number_is_returned_in_points(kind: Kind):
    for name, expected in [("length", 6.0), ("Group.method", 6.0), ("first_is_language", 6.0), ("decimal", 12.5)]:
        assert score(bad(name, kind)) == expected, name
    assert score(bad("length", kind, high=12)) == 50.0, "the range is the scorer's own"
    assert score(bad("by_language", kind), "un texte", "fr") == 2.0


def test_a_scalar_of_numpy_is_a_number_and_its_truth_values_and_arrays_are_not():
    pytest.importorskip("numpy")
    assert score(bad("numpy_scalar", FunctionScorer)) == 12.5
    for name in ("numpy_truth", "numpy_pair"):
        assert fail(bad(name, FunctionScorer)).kind == NOT_A_NUMBER, name


ACROSS = ("crash", "huge_error", "system_exit", "string", "nan", "too_high")  # one of each kind
BAD_ANSWERS = [
    ("crash", CRASHED, "ValueError: no idea␛[31m about a tex at bad_scorers.py:"),
    ("crash_in_a_library", CRASHED, "bad_scorers.py:"),
    ("huge_error", CRASHED, "RuntimeError: xxx"),
    ("unprintable_error", CRASHED, "Unprintable: (its text cannot be shown)"),
    ("system_exit", CRASHED, "SystemExit: 3"),
    ("recursion", CRASHED, "RecursionError"),
    ("nothing", NOT_A_NUMBER, "the scorer returned None"),
    ("string", NOT_A_NUMBER, "'12' (str)"),
    ("truth", NOT_A_NUMBER, "True (bool)"),
    ("imaginary", NOT_A_NUMBER, "1j (complex)"),
    ("listed", NOT_A_NUMBER, "[1.0] (list)"),
    ("nan", NOT_A_NUMBER, "nan"),
    ("infinity", NOT_A_NUMBER, "inf"),
    ("minus_infinity", NOT_A_NUMBER, "-inf"),
    ("too_high", OUT_OF_RANGE, "100.5, outside 0 to 100"),
    ("too_low", OUT_OF_RANGE, "-1.0, outside 0 to 100"),
    ("too_long_an_integer", NOT_A_NUMBER, "a int"),
]


def test_every_other_answer_is_a_failure_that_says_what_was_seen_also_from_a_child_process():
    for name, expected, part in BAD_ANSWERS:
        for kind in (FunctionScorer, IsolatedScorer) if name in ACROSS else (FunctionScorer,):
            failed = fail(bad(name, kind))
            assert failed.kind == expected, (name, kind)
            assert part in failed.detail, (name, kind)
            assert len(failed.detail) < 500, (name, kind)


@KINDS
def test_a_scorer_that_hangs_runs_out_of_time_and_the_next_text_is_scored(kind: Kind):
    with bad("hang", kind, timeout=1.5).open() as session:
        started = time.monotonic()
        with pytest.raises(base.ScorerFailed) as caught:
            session.score(Passage("hang"))
        assert caught.value.kind == TIMED_OUT
        assert "1.5 s" in caught.value.detail
        assert time.monotonic() - started < 40
        assert session.score(Passage("go on"))[POINTS] == 7.0
    assert fail(bad("stubborn", kind, timeout=0.2)).kind == TIMED_OUT, "it swallows the signal"


@KINDS
def test_what_a_scorer_prints_stays_out_of_our_output(kind: Kind, capfd: pytest.CaptureFixture[str]):
    score(bad("chatter", kind))
    assert capfd.readouterr() == ("", "I am thinking\n" if kind is FunctionScorer else "")


@KINDS
def test_any_text_arrives_as_it_is(kind: Kind):
    for name, text, expected in [
        ("raw_length", "é\u2028\0🙂\r\n", 6.0),
        ("surrogates", "a\ud800b", 1.0),
        ("raw_length", "né " * 350_000, 1_050_000),
    ]:
        assert score(bad(name, kind, high=10_000_000), text) == pytest.approx(expected / 100_000), text[:9]


def test_what_is_no_target_is_refused_with_the_form():
    for target in ("bad_scorers", "bad_scorers:", ":length", "a b:c", "a-b:c", "a:b:c", "1a:b", ""):
        with pytest.raises(SteelyardError, match=r"module:function"):
            FunctionScorer(target)


@KINDS
def test_a_target_that_is_not_there_is_reported_when_it_is_opened(kind: Kind):
    for target, part in [
        ("no_such_module:f", "no module 'no_such_module' in"),
        ("bad_scorers.inner:f", "no module 'bad_scorers.inner'"),
        ("bad_scorers:lenght", "did you mean 'length'?"),
        ("bad_scorers:Group.methd", "'Group' has no 'methd'; did you mean 'method'?"),
        ("bad_scorers:NOT_A_FUNCTION", "of type int"),
    ]:
        message = refuse(kind(target, folder=HERE))
        assert part in message
        assert message.startswith(target)


@KINDS
def test_a_module_that_cannot_be_imported_says_why_with_its_own_file_and_line(kind: Kind, tmp_path: Path):
    for number, (source, part) in enumerate(
        [
            ("import not_installed_anywhere", "No module named 'not_installed_anywhere'"),
            ("def f(:", "SyntaxError"),
            ("raise SystemExit(2)", "SystemExit: 2"),
            ("1 / 0", "ZeroDivisionError: division by zero at"),
            ("def f(text):\n    return 1 +\n", r"at NAME\.py:2;"),
            ("def f(text):\n\treturn 1\n        return 2\n", r"at NAME\.py:3;"),
        ]
    ):
        name = f"broken_{kind.__name__}_{number}"
        (tmp_path / f"{name}.py").write_text(source)
        (tmp_path / f"{name}_outer.py").write_text(f"import {name}\n")
        message = refuse(kind(f"{name}_outer:f", folder=tmp_path))
        assert "importing" in message
        assert re.search(part.replace("NAME", name), message), message
        assert "__init__" not in message


@KINDS
def test_a_module_named_like_one_already_loaded_is_not_mistaken_for_it(kind: Kind, tmp_path: Path):
    (tmp_path / "json.py").write_text("def loads(text): return 1.0\n")
    assert re.search(r"another module 'json' is loaded already.*rename", refuse(kind("json:loads", folder=tmp_path)))


@KINDS
def test_a_scorer_may_import_its_neighbours_and_leaves_the_path_as_it_was(kind: Kind, tmp_path: Path):
    name = f"with_neighbour_{kind.__name__}"
    (tmp_path / f"{name}.py").write_text(f"def f(text):\n    import {name}_next\n    return {name}_next.VALUE\n")
    (tmp_path / f"{name}_next.py").write_text("VALUE = 8\n")
    before = list(sys.path)
    assert score(kind(f"{name}:f", folder=tmp_path)) == 8.0
    assert sys.path == before


def test_ctrl_c_is_the_users_in_our_process_and_a_crash_in_another():
    with pytest.raises(KeyboardInterrupt):
        score(bad("interrupt", FunctionScorer))
    assert fail(bad("interrupt")).kind == CRASHED


def test_the_time_limit_leaves_handler_and_timer_as_they_were():
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 30)
        with pytest.raises(child.TimeLimitReached), limit_time(0.05):
            time.sleep(60)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        signal.raise_signal(signal.SIGALRM)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_outside_the_main_thread_a_function_runs_without_a_limit():
    values: list[float] = []
    thread = threading.Thread(target=lambda: values.append(score(bad("length", FunctionScorer, timeout=0.001))))
    thread.start()
    thread.join()
    assert values == [6.0]


# What only a process of its own survives


def test_a_scorer_killed_by_a_signal_has_crashed():
    for name, part in (("segfault", "SIGSEGV"), ("killed", "SIGKILL")):
        failed = fail(bad(name))
        assert failed.kind == CRASHED
        assert f"killed by {part}" in failed.detail


def test_a_scorer_that_leaves_is_replaced_and_its_last_words_are_shown():
    with bad("leave").open() as session:
        assert session.score(Passage("stay"))[POINTS] == 7.0
        with pytest.raises(base.ScorerFailed) as caught:
            session.score(Passage("leave"))
        assert caught.value.kind == CRASHED
        assert caught.value.detail == "exit status 4; last line of stderr: last␇ words"
        assert session.score(Passage("stay"))[POINTS] == 7.0


def test_one_child_serves_many_texts():
    with bad("process_number", high=1e9).open() as session:
        assert len({session.score(Passage("a"))[POINTS] for _ in range(20)}) == 1


def test_everything_a_scorer_prints_through_any_door_is_kept_apart(capfd: pytest.CaptureFixture[str]):
    with bad("loud").open() as session:
        assert [session.score(Passage("a"))[POINTS] for _ in range(2)] == [5.0, 5.0]
    assert capfd.readouterr() == ("", "")


def test_the_processes_a_scorer_started_die_with_it(tmp_path: Path):
    pid_file = tmp_path / "pid"
    assert fail(bad("family", timeout=3.0), str(pid_file)).kind == TIMED_OUT
    number = int(pid_file.read_text())
    for _ in range(1_000):
        if not is_alive(number):
            return
        time.sleep(0.05)
    raise AssertionError(f"process {number} is still there")


def test_a_flood_in_the_pipe_of_the_answers_is_no_number():
    assert fail(bad("writes_into_the_pipe")).kind == NOT_A_NUMBER


def test_a_python_that_is_none_is_reported(tmp_path: Path):
    greeting = tmp_path / "python"
    greeting.write_text("#!/bin/sh\necho hello\n")
    greeting.chmod(0o755)
    for python, part in [
        ("/no-such-python", "no-such-python: cannot be started"),
        ("false", "the process ended while loading it (exit status 1)"),
        (str(greeting), "a:b: the scorer wrote into the pipe"),
    ]:
        assert part in refuse(IsolatedScorer("a:b", python=python))


def test_a_scorer_sees_the_environment_it_was_given(tmp_path: Path):
    (tmp_path / "adapter.py").write_text("import os\ndef score(text): return float(os.environ['STEELYARD_TRIAL'])\n")
    assert score(IsolatedScorer("adapter:score", folder=tmp_path, environment=(("STEELYARD_TRIAL", "42"),))) == 42.0


def test_the_child_is_readable_by_python_3_9_and_imports_the_standard_library_alone():
    tree = ast.parse(Path(child.__file__).read_text("utf-8"), feature_version=(3, 9))
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {n.split(".")[0] for n in names} <= set(sys.stdlib_module_names)
    assert (child.CRASHED, child.NOT_A_NUMBER) == (base.CRASHED, base.NOT_A_NUMBER), "copied, as it cannot import them"
    beside = {p.stem for p in Path(child.__file__).parent.iterdir()}
    assert not beside & set(sys.stdlib_module_names), "a file beside the child would hide it"
