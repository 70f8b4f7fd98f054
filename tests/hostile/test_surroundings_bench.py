"""The bench of hostile surroundings sees what it is for, and finds nothing."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

from fuzz.case import Case
from fuzz.kinds.repository import RUNS, Repositories
from fuzz.surroundings.commands import COMMANDS
from fuzz.surroundings.features import FEATURES
from fuzz.surroundings.place import Place, make_place
from fuzz.surroundings.policy import find_faults
from fuzz.surroundings.tracer import Access, parse_line, trace
from steelyard.cli.main import COMMANDS as OWN

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path / "case")


@needs_strace
@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("print(1)", None),
        ("open('docs/a.md').read()", None),
        ("open('../outside/secret.md').read()", "read outside"),
        ("print(open('../outside/secret.md').read())", "read shown"),
        ("import os; os.symlink('../outside/secret.md', 'x.md'); open('x.md')", "read outside"),
        ("open('docs/new.md', 'w')", "write in the tree"),
        ("open('out.json', 'w')", None),
        ("open('../outside/new.md', 'w')", "write outside"),
        ("import os; os.rename('docs/a.md', 'docs/z.md')", "write in the tree"),
        ("import os; os.remove('../outside/secret.md')", "write outside"),
        ("import subprocess; subprocess.run(['true'])", "run another program"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', 'open(\"/etc/hostname\")'])", "read outside"),
        ("import sys; sys.path.insert(0, '.'); import evil", "read code of the tree"),
        ("import sys; sys.path.insert(0, '.'); import evil", "run code of the tree"),
        ("import os; os.abort()", "process ends"),
        ("print('this is a bug')", "process bug"),
        ("import socket; socket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.1', 9))", "connect another machine"),
    ],
)
def test_what_a_command_must_not_do_is_seen(place: Place, code: str, check: str | None) -> None:
    (place.tree / "evil.py").write_text(f"open({str(place.mark)!r}, 'w')")
    before = place.hash_outside()
    done = trace([sys.executable, "-c", code], place.tree, place.environment())
    found = {name for name, _ in find_faults(done, place, ["out.json"], before)}
    assert (check in found) if check else not found


@needs_strace
def test_a_command_that_hangs_is_ended_and_seen(place: Place) -> None:
    done = trace([sys.executable, "-c", "import time; time.sleep(600)"], place.tree, place.environment(), seconds=3)
    assert "process hangs" in {name for name, _ in find_faults(done, place, [], place.hash_outside())}


@pytest.mark.parametrize(
    ("line", "accesses"),
    [
        ('openat(AT_FDCWD</a>, "b", O_RDONLY|O_CLOEXEC) = 3</a/b>', [Access("read", "/a/b")]),
        ('openat(AT_FDCWD</a>, "b.so", O_RDONLY|O_DIRECTORY) = 3</a/b.so>', [Access("list", "/a/b.so")]),
        ('openat(AT_FDCWD</a>, "b", O_WRONLY|O_CREAT, 0666) = 3</a/b>', [Access("write", "/a/b")]),
        ('openat(AT_FDCWD</a>, "b", O_RDONLY) = -1 ENOENT (No such file or directory)', []),
        ('openat(AT_FDCWD</a>, "\\303\\251 \\n", O_RDONLY) = 3</a/\\303\\251 \\n>', [Access("read", "/a/é \n")]),
        ('execve("/usr/bin/git", ["git"], 0x7 /* 9 vars */) = 0', [Access("run", "/usr/bin/git")]),
        ('rename("/a/b", "/a/c") = 0', [Access("write", "/a/b"), Access("write", "/a/c")]),
        ('unlinkat(4</a>, "b", 0) = 0', [Access("write", "/a/b")]),
        ('symlink("/etc/passwd", "/a/c") = 0', [Access("write", "/a/c")]),
        ("close(3) = 0", []),
    ],
)
def test_lines_of_the_tracer(line: str, accesses: list[Access]) -> None:
    assert list(parse_line(line)) == accesses


def test_every_command_is_run() -> None:
    assert set(COMMANDS) == set(OWN)


def test_every_kind_of_surrounding_can_be_built_with_every_other(tmp_path: Path) -> None:
    for seed in range(3):
        place = make_place(tmp_path / str(seed))
        for add in FEATURES.values():
            add(random.Random(seed), place)
        assert (place.tree / "docs").is_dir()


@pytest.mark.full
@needs_strace
def test_nothing_of_a_hundred_surroundings_is_run_and_nothing_outside_is_touched() -> None:
    kind, rng = Repositories(), random.Random(2026)
    cases = [Case(kind.name, kind.make(rng, ())) for _ in range(100)]
    outcome = kind.check(cases)
    assert not outcome.faults, [(fault.check, fault.message, fault.case.text) for fault in outcome.faults]
    assert sum(n for name, n in outcome.counts.items() if name.startswith("ran ")) == 100 * RUNS
    assert {name for name in outcome.counts if name.startswith("ran ")} == {f"ran {name}" for name in COMMANDS}
    assert {outcome.counts[f"ran {name}"] for name in COMMANDS} == {100 * RUNS // len(COMMANDS)}
