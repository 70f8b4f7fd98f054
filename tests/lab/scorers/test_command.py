"""A program per text: every way it can misbehave."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.scorers.base import CRASHED, NOT_A_NUMBER, OUT_OF_RANGE, TIMED_OUT, Passage, Range
from steelyard.lab.scorers.command import CommandScorer
from tests.hostile.pages import wait_until
from tests.lab.scorers.sessions import fail, is_alive, score

MEGABYTE = "né " * 350_000
LEAVE_A_CHILD = "c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"


def python(code: str, *arguments: str, timeout: float = 60.0, range: Range | None = None) -> CommandScorer:
    return CommandScorer((sys.executable, "-S", "-c", code, *arguments), range or Range(), timeout)


def test_a_single_number_with_white_space_around_it_is_the_score():
    for printed in ("12.5", " 12.5\n", "+1.25e1", "\n\n12.50\r\n"):
        assert score(python(f"print({printed!r}, end='')")) == 12.5, printed


def test_the_text_arrives_as_utf_8():
    count = "import sys; print(len(sys.stdin.buffer.read()))"
    assert score(python(count), "é🙂\n") == 7.0
    assert score(python(count, range=Range(0, 1e7)), MEGABYTE) == pytest.approx(14.0)


def test_a_program_that_does_not_read_its_input_is_scored():
    for text in ("a text", MEGABYTE):
        for code in ("print(3)", "import os; os.close(0); print(3)"):
            assert score(python(code), text) == 3.0, (code, len(text))


def test_everything_else_is_a_failure_that_says_what_was_seen():
    for code, kind, part in [
        ("import sys; print('why', file=sys.stderr); sys.exit(3)", CRASHED, "exit status 3; last line of stderr: why"),
        ("import os; os.kill(os.getpid(), 11)", CRASHED, "killed by SIGSEGV"),
        ("raise ValueError('broken')", CRASHED, "ValueError: broken"),
        ("", NOT_A_NUMBER, "it printed nothing"),
        ("print('score: 5\\x1b[0m')", NOT_A_NUMBER, "'score: 5␛[0m'"),
        ("print('1 2')", NOT_A_NUMBER, "'1 2'"),
        ("print('1_000')", NOT_A_NUMBER, "'1_000'"),
        ("print('x' * 500)", NOT_A_NUMBER, "'" + "x" * 80 + "'"),
        ("import os; os.write(1, b'\\xff\\xfe')", NOT_A_NUMBER, "printed"),
        ("print('nan')", NOT_A_NUMBER, "nan"),
        ("print('1e999')", NOT_A_NUMBER, "inf"),
        ("print(101)", OUT_OF_RANGE, "101.0, outside 0 to 100"),
    ]:
        failed = fail(python(code))
        assert failed.kind == kind, code
        assert part in failed.detail, code


def test_a_program_that_hangs_is_killed_at_the_limit():
    started = time.monotonic()
    for code, text in (("", "a text"), ("", MEGABYTE), ("import os; os.close(1)", "a text")):
        assert fail(python(f"import time; {code}\ntime.sleep(60)", timeout=0.3), text).kind == TIMED_OUT, code
    assert time.monotonic() - started < 90


def test_a_flooding_program_is_killed_long_before_the_limit():
    started = time.monotonic()
    failed = fail(python("while True: print('1' * 10_000)", timeout=200))
    assert failed.kind == NOT_A_NUMBER
    assert "65,536 bytes" in failed.detail
    assert time.monotonic() - started < 50


def test_a_megabyte_on_stderr_neither_blocks_nor_is_shown_whole():
    code = "import sys; sys.stderr.write('e' * 1_000_000 + '\\n' + 'z' * 9_000); sys.exit(1)"
    failed = fail(python(code))
    assert failed.kind == CRASHED
    assert len(failed.detail) < 300
    assert score(python("import sys; sys.stderr.write('e' * 1_000_000); print(4)")) == 4.0


def test_what_a_program_started_is_killed_with_it_at_the_limit(tmp_path: Path):
    pid_file = tmp_path / "pid"
    code = f"import subprocess, sys, time\n{LEAVE_A_CHILD}open(sys.argv[1], 'w').write(str(c.pid))\ntime.sleep(60)"
    assert fail(python(code, str(pid_file), timeout=3.0)).kind == TIMED_OUT
    assert wait_until(lambda: not is_alive(int(pid_file.read_text())), 30)


def test_a_program_that_leaves_a_child_holding_its_output_is_still_heard():
    started = time.monotonic()
    assert score(python(f"import subprocess, sys\nprint(6, flush=True)\n{LEAVE_A_CHILD}")) == 6.0
    assert time.monotonic() - started < 30


def test_no_shell_sees_the_arguments():
    code = "import sys; print(sys.argv[1:] == ['$HOME; echo 3', '*'])"
    assert "'True'" in fail(python(code, "$HOME; echo 3", "*")).detail


def test_a_program_is_looked_for_from_its_folder_and_runs_in_it(tmp_path: Path):
    script = tmp_path / "score.sh"
    script.write_text("#!/bin/sh\ncat neighbour\n")
    script.chmod(0o755)
    (tmp_path / "neighbour").write_text("55\n")
    assert score(CommandScorer(("./score.sh",), folder=tmp_path)) == 55.0


def test_a_program_that_is_not_there_is_reported_before_any_text_and_one_that_may_not_be_run(tmp_path: Path):
    for program in ("no-such-program-anywhere", "./missing", "/no/such/program"):
        with pytest.raises(SteelyardError, match=r"cannot be run \(no such program\)"):
            CommandScorer((program,)).open().__enter__()
    (tmp_path / "plain").write_text("text")
    with (
        CommandScorer(("./plain",), folder=tmp_path).open() as session,
        pytest.raises(SteelyardError, match=r"cannot be run"),
    ):
        session.score(Passage("a"))
    with pytest.raises(SteelyardError, match=r"empty command"):
        CommandScorer(())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_no_thread_or_pipe_is_left_behind():
    command = python("print(1)")
    score(command)
    pipes, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(5):
        score(command)
    assert len(os.listdir("/proc/self/fd")) <= pipes
    assert threading.active_count() <= threads
