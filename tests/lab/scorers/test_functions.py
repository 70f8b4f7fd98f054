"""Functions, in our process and in one of their own: the same number or the same failure."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers import child
from steelyard.lab.scorers.base import (
    CRASHED,
    NOT_A_NUMBER,
    OUT_OF_RANGE,
    POINTS,
    TIMED_OUT,
    Passage,
    Range,
    ScorerFailed,
    Session,
)
from steelyard.lab.scorers.function import FunctionScorer, IsolatedScorer, time_limit

HERE = Path(__file__).parent
KINDS = pytest.mark.parametrize("kind", [FunctionScorer, IsolatedScorer])
Kind = type[FunctionScorer] | type[IsolatedScorer]


@contextmanager
def opened(kind: Kind, name: str, *, timeout: float = 5.0, range: Range | None = None) -> Iterator[Session]:
    scorer = kind(f"bad_scorers:{name}", folder=HERE, timeout=timeout, range=range or Range())
    with scorer.open() as session:
        yield session


def failure(kind: Kind, name: str, text: str = "a text", timeout: float = 5.0) -> ScorerFailed:
    with opened(kind, name, timeout=timeout) as session, pytest.raises(ScorerFailed) as caught:
        session.score(Passage(text))
    return caught.value


@KINDS
@pytest.mark.parametrize(
    ("name", "expected"),
    [("length", 6.0), ("Group.method", 6.0), ("first_is_language", 6.0), ("decimal", 12.5)],
)
def test_a_number_is_returned_in_points(kind: Kind, name: str, expected: float):
    with opened(kind, name) as session:
        assert session.score(Passage("a text")) == {POINTS: expected}


def test_a_scalar_of_numpy_is_a_number_and_its_truth_values_and_arrays_are_not():
    pytest.importorskip("numpy")
    with opened(FunctionScorer, "numpy_scalar") as session:
        assert session.score(Passage("a"))[POINTS] == 12.5
    assert failure(FunctionScorer, "numpy_truth").kind == NOT_A_NUMBER
    assert failure(FunctionScorer, "numpy_pair").kind == NOT_A_NUMBER


@KINDS
def test_the_language_is_handed_to_a_function_that_asks_for_it(kind: Kind):
    with opened(kind, "by_language") as session:
        assert session.score(Passage("un texte", language="fr"))[POINTS] == 2.0


@KINDS
def test_the_range_is_the_scorers_own(kind: Kind):
    with opened(kind, "length", range=Range(0, 12)) as session:
        assert session.score(Passage("a text"))[POINTS] == 50.0


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


@pytest.mark.parametrize(("name", "expected", "part"), BAD_ANSWERS)
def test_every_other_answer_is_a_failure_that_says_what_was_seen(name: str, expected: str, part: str):
    failed = failure(FunctionScorer, name)
    assert failed.kind == expected
    assert part in failed.detail
    assert len(failed.detail) < 500


@pytest.mark.parametrize(("name", "expected", "part"), [b for b in BAD_ANSWERS if b[0] in ACROSS])
def test_a_failure_crosses_from_a_child_process_unchanged(name: str, expected: str, part: str):
    failed = failure(IsolatedScorer, name)
    assert failed.kind == expected
    assert part in failed.detail


@KINDS
def test_a_scorer_that_hangs_runs_out_of_time_and_the_next_text_is_scored(kind: Kind):
    with opened(kind, "hang", timeout=0.3) as session:
        started = time.monotonic()
        with pytest.raises(ScorerFailed) as caught:
            session.score(Passage("hang"))
        assert caught.value.kind == TIMED_OUT
        assert "0.3 s" in caught.value.detail
        assert time.monotonic() - started < 3
        assert session.score(Passage("go on"))[POINTS] == 7.0


@KINDS
def test_a_scorer_that_swallows_the_signal_runs_out_of_time_too(kind: Kind):
    assert failure(kind, "stubborn", timeout=0.2).kind == TIMED_OUT


@KINDS
def test_what_a_scorer_prints_stays_out_of_our_output(kind: Kind, capfd: pytest.CaptureFixture[str]):
    with opened(kind, "chatter") as session:
        session.score(Passage("a text"))
    out, err = capfd.readouterr()
    assert out == ""
    assert err == ("I am thinking\n" if kind is FunctionScorer else "")


@KINDS
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("raw_length", "é\u2028\0🙂\r\n", 6.0),
        ("surrogates", "a\ud800b", 1.0),
        ("raw_length", "né " * 350_000, 1_050_000),
    ],
    ids=["unicode", "a lone surrogate", "a megabyte"],
)
def test_any_text_arrives_as_it_is(kind: Kind, name: str, text: str, expected: float):
    with opened(kind, name, range=Range(0, 10_000_000)) as session:
        assert session.score(Passage(text))[POINTS] == pytest.approx(expected / 100_000)


def test_what_is_no_target_is_refused_with_the_form():
    for target in ("bad_scorers", "bad_scorers:", ":length", "a b:c", "a-b:c", "a:b:c", "1a:b", ""):
        with pytest.raises(SteelyardError, match=r"module:function"):
            FunctionScorer(target)


@KINDS
@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("no_such_module:f", "no module 'no_such_module' in"),
        ("bad_scorers.inner:f", "no module 'bad_scorers.inner'"),
        ("bad_scorers:lenght", "did you mean 'length'?"),
        ("bad_scorers:Group.methd", "'Group' has no 'methd'; did you mean 'method'?"),
        ("bad_scorers:NOT_A_FUNCTION", "of type int"),
    ],
)
def test_a_target_that_is_not_there_is_reported_when_it_is_opened(kind: Kind, target: str, part: str):
    with pytest.raises(SteelyardError) as caught, kind(target, folder=HERE).open():
        pass
    assert part in str(caught.value)
    assert str(caught.value).startswith(target)


@KINDS
@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("import not_installed_anywhere", "No module named 'not_installed_anywhere'"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("1 / 0", "ZeroDivisionError: division by zero at"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(kind: Kind, source: str, part: str, tmp_path: Path):
    name = f"broken_{kind.__name__}_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    with pytest.raises(SteelyardError) as caught, kind(f"{name}:f", folder=tmp_path).open():
        pass
    assert "importing" in str(caught.value)
    assert part in str(caught.value)


@KINDS
@pytest.mark.parametrize("source", ["def f(text):\n    return 1 +\n", "def f(text):\n\treturn 1\n        return 2\n"])
def test_a_mistake_in_the_syntax_is_reported_with_its_own_file_and_line(kind: Kind, source: str, tmp_path: Path):
    name = f"unread_{kind.__name__}_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    (tmp_path / f"{name}_outer.py").write_text(f"import {name}\n")
    with pytest.raises(SteelyardError) as caught, kind(f"{name}_outer:f", folder=tmp_path).open():
        pass
    assert re.search(rf"at {name}\.py:{2 if '+' in source else 3};", str(caught.value))
    assert "__init__" not in str(caught.value)


@KINDS
def test_a_module_named_like_one_already_loaded_is_not_mistaken_for_it(kind: Kind, tmp_path: Path):
    (tmp_path / "json.py").write_text("def loads(text): return 1.0\n")
    with pytest.raises(SteelyardError, match=r"another module 'json' is loaded already.*rename"):
        kind("json:loads", folder=tmp_path).open().__enter__()


@KINDS
def test_a_scorer_may_import_its_neighbours_and_leaves_the_path_as_it_was(kind: Kind, tmp_path: Path):
    name = f"with_neighbour_{kind.__name__}"
    (tmp_path / f"{name}.py").write_text(f"def f(text):\n    import {name}_next\n    return {name}_next.VALUE\n")
    (tmp_path / f"{name}_next.py").write_text("VALUE = 8\n")
    before = list(sys.path)
    with kind(f"{name}:f", folder=tmp_path).open() as session:
        assert session.score(Passage("a"))[POINTS] == 8.0
    assert sys.path == before


def test_ctrl_c_is_the_users_in_our_process_and_a_crash_in_another():
    with opened(FunctionScorer, "interrupt") as session, pytest.raises(KeyboardInterrupt):
        session.score(Passage("a text"))
    assert failure(IsolatedScorer, "interrupt").kind == CRASHED


def test_the_time_limit_leaves_handler_and_timer_as_they_were():
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 30)
        with pytest.raises(child.TimeLimitReached), time_limit(0.05):
            time.sleep(5)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        signal.raise_signal(signal.SIGALRM)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_outside_the_main_thread_a_function_runs_without_a_limit():
    values: list[float] = []

    def work() -> None:
        with opened(FunctionScorer, "length", timeout=0.001) as session:
            values.append(session.score(Passage("a text"))[POINTS])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert values == [6.0]
