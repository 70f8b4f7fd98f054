"""The journal: what is in the file after kill -9 and a second run, and who may write to it."""

import errno
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import CannotWrite, InvalidFile, SteelyardError
from steelyard.support.journal import Header, Journal, is_journal, read
from tests.conftest import ROOT

HEADER = Header("capture", "capture/1", {"pages": "ab" * 32}, {"seed": 7, "doses": [1, 2]}, {"steelyard": "0.1.0"})
RECORDS = [{"source": f"page-{i}", "dose": i % 2, "value": i / 7} for i in range(6)]
# A worker as a study has it: a fixed order, skipping what is done; now and then many records at once, or a large one.
WORKER = """
import sys, time
from steelyard.support.journal import Header, Journal
with Journal.open(sys.argv[1], Header("kill", "kill/1", parameters={"n": 90}), key=lambda r: (r["i"],)) as journal:
    print("open", flush=True)
    for first in range(0, 90, 3):
        records = [{"i": i, "text": "é" * (200_000 if i % 10 == 0 else 20)} for i in range(first, first + 3)]
        todo = [r for r in records if (r["i"],) not in journal.done]
        if first % 2:
            journal.append_many(todo)
        else:
            for record in todo:
                journal.append(record)
        time.sleep(0.002)
"""
HOLDER = """
import sys
from steelyard.support.journal import Header, Journal
from steelyard.errors import SteelyardError
try:
    journal = Journal.open(sys.argv[1], Header("k", "k/1"), key=lambda r: r["i"])
except SteelyardError:
    print("locked", flush=True)
else:
    print("won", flush=True)
    sys.stdin.read()
    journal.close()
"""


def place(record: dict[str, Any]) -> tuple[str, int]:
    return record["source"], record["dose"]


def run(path: Path, records: Iterable[dict[str, Any]] = RECORDS, header: Header = HEADER, **options: bool) -> None:
    """A study: skip what is done, append the rest in order."""
    with Journal.open(path, header, key=place, **options) as journal:
        for record in records:
            if place(record) not in journal.done:
                journal.append(record)


def start(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def test_a_journal_is_a_header_and_checked_lines_that_are_read_back(path: Path):
    run(path, RECORDS[:1])
    assert path.read_text("utf-8") == (
        '{"check":"7df3f3bbaac9","record":{"inputs":{"pages":"' + "ab" * 32 + '"},"kind":"capture",'
        '"parameters":{"doses":[1,2],"seed":7},"schema":"capture/1","versions":{"steelyard":"0.1.0"}}}\n'
        '{"check":"6ca762f04de2","record":{"dose":0,"source":"page-0","value":0.0}}\n'
    )
    run(path)
    assert read(path) == (HEADER, RECORDS)
    assert os.listdir(path.parent) == [path.name], "the lock is gone"
    before = path.read_bytes(), path.stat().st_mtime_ns
    run(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before, "a finished one is left as it is"


def test_many_records_are_the_same_bytes_as_one_after_the_other(path: Path, tmp_path: Path):
    run(path)
    with Journal.open(tmp_path / "other", HEADER, key=place) as journal:
        journal.append_many(RECORDS[:4])
        journal.append_many([])
        journal.append_many(iter(RECORDS[4:]))
    assert (tmp_path / "other").read_bytes() == path.read_bytes()


def test_any_text_comes_back_as_it_was(path: Path):
    """Line breaks of every alphabet, a quote, NUL, half a surrogate pair."""
    odd = {"source": 'a\n\r\u2028\u2029\x85\x00"\\\ud800é😀', "dose": 0}
    run(path, [odd])
    assert read(path).records == [odd]
    run(path, [odd])
    assert len(path.read_bytes().splitlines()) == 2


def test_done_holds_the_records_in_the_order_of_the_file_as_a_second_run_sees_them(path: Path):
    with Journal.open(path, HEADER, key=place) as journal:
        for record in RECORDS:
            journal.append({**record, "pair": (1, 2)})
        first = list(journal.done.items())
    with Journal.open(path, HEADER, key=place) as journal:
        assert list(journal.done.items()) == first
        assert list(journal.done) == [place(r) for r in RECORDS]
        assert journal.done["page-0", 0]["pair"] == [1, 2]


def test_a_packed_journal_is_read_and_not_continued(path: Path, tmp_path: Path):
    run(path)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert is_journal(packed)
    assert read(packed) == read(path)
    with pytest.raises(SteelyardError, match="packed with gzip; unpack it to continue"):
        run(packed)
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(InvalidFile, match="the gzip file is damaged"):
        read(packed)


def test_a_record_that_is_refused_takes_everything_appended_beside_it_along(path: Path):
    run(path, RECORDS[:2])
    before = path.read_bytes()
    with Journal.open(path, HEADER, key=place) as journal:
        with pytest.raises(SteelyardError, match=r"already holds a record under \('page-1', 1\)"):
            journal.append(RECORDS[1])
        for records in ([RECORDS[2], RECORDS[1]], [RECORDS[2], RECORDS[2]]):
            with pytest.raises(SteelyardError):
                journal.append_many(records)
        with pytest.raises(ValueError, match="not JSON compliant"):
            journal.append_many([RECORDS[2], {**RECORDS[3], "value": float("nan")}])
        assert len(journal.done) == 2
    assert path.read_bytes() == before
    journal.close()
    with pytest.raises(ValueError, match="closed"):
        journal.append(RECORDS[2])


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.full)])
def test_a_file_cut_at_any_byte_is_resumed_to_the_same_bytes(path: Path, monkeypatch: pytest.MonkeyPatch, step: int):
    run(path)
    whole = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda fd: None)  # 700 of them would take a second
    line_ends = [end + i for end, byte in enumerate(whole) if byte == ord("\n") for i in (-1, 0, 1)]
    for cut in sorted({*range(0, len(whole), step), *line_ends}):
        path.unlink()  # cheaper than cutting a file that is there: that goes to the disk at once
        path.write_bytes(whole[:cut])
        run(path)
        assert path.read_bytes() == whole, f"cut at byte {cut}"


def test_garbage_in_the_last_line_is_cut_off(path: Path):
    run(path)
    whole = path.read_bytes()
    for tail in (b"\0" * 40, b"\0\0\n", b'{"check":"000000000000","record":{}}\n', b"{", b"\n"):
        path.write_bytes(whole + tail)
        run(path)
        assert path.read_bytes() == whole, tail


def test_a_changed_line_before_the_last_is_refused_by_number(path: Path):
    run(path)
    whole = path.read_bytes().splitlines(keepends=True)
    for number in (1, 3, 6):
        lines = [*whole[: number - 1], whole[number - 1].replace(b"page", b"pAge", 1), *whole[number:]]
        path.write_bytes(b"".join(lines))
        for attempt in (run, read):
            with pytest.raises(InvalidFile, match=rf"run\.jsonl:{number}: this line is not what was written.*--force"):
                attempt(path)
        assert path.read_bytes() == b"".join(lines), "nothing is cut"
    assert not Path(f"{path}.lock").exists()
    path.write_bytes(b"".join([*whole, whole[3]]))
    with pytest.raises(InvalidFile, match=r":8: a second record under \('page-2', 0\)"):
        run(path)
    path.write_bytes(b"".join(whole[1:]))
    with pytest.raises(InvalidFile, match="the first record is no header"):
        run(path)


def test_a_file_that_is_no_journal_is_not_overwritten(path: Path):
    for text in ('{"pages": 3}', '{"pages": 3}\n', "my notes", "a\nb\n"):
        path.write_text(text)
        with pytest.raises(InvalidFile, match=":1: "):
            run(path)
        assert path.read_text() == text
    run(path, force=True)
    assert read(path).records == RECORDS


def test_reading_refuses_what_is_not_finished(path: Path):
    with pytest.raises(SteelyardError, match="No such file"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(InvalidFile, match="the file is empty"):
        read(path)
    run(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidFile, match=":7: the last line is torn; the run was interrupted: start it again"):
        read(path)


def test_other_inputs_or_parameters_are_refused_and_shown_key_by_key(path: Path):
    run(path)
    before = path.read_bytes()
    other = Header("capture", "capture/1", {"pages": "cd" * 32}, {"seed": 8, "doses": [1, 2.0]}, {"steelyard": "0.2.0"})
    with pytest.raises(SteelyardError) as refused:
        run(path, header=other)
    for difference in (
        f'inputs.pages: "{"ab" * 32}" → "{"cd" * 32}"',
        "parameters.seed: 7 → 8",
        "parameters.doses[1]: 2 → 2.0",
        'versions.steelyard: "0.1.0" → "0.2.0"',
    ):
        assert difference in str(refused.value)
    assert "kind" not in str(refused.value)
    assert path.read_bytes() == before
    run(path, RECORDS[:2], other, force=True)  # starts anew, and keeps nothing
    run(path.with_name("fresh"), RECORDS[:2], other)
    assert path.read_bytes() == path.with_name("fresh").read_bytes()
    old, new = (Header("k", "k/1", parameters={f"p{i:02}": n for i in range(30)}) for n in (0, 1))
    run(path, header=old, force=True)
    with pytest.raises(SteelyardError, match=r"p11: 0 → 1; and 18 more\)"):
        run(path, header=new)


def test_a_live_owner_is_named_and_neither_force_nor_another_name_gets_past_it(path: Path, tmp_path: Path):
    link = tmp_path / "folder"
    link.symlink_to(tmp_path)
    with Journal.open(path, HEADER, key=place) as journal:
        journal.append(RECORDS[0])
        for name in (path, link / path.name):
            for force in (False, True):
                with pytest.raises(SteelyardError, match=rf"in use by process {os.getpid()} on \S+ since 20\d\d-"):
                    Journal.open(name, HEADER, key=place, force=force)
        journal.append(RECORDS[1])
    assert len(read(path).records) == 2


def test_the_lock_of_a_killed_owner_is_taken_over(path: Path):
    holder = start(HOLDER, path)
    assert first_line(holder) == "won"
    named = json.loads(Path(f"{path}.lock").read_text())
    assert named["pid"] == holder.pid
    end(holder)
    assert Path(f"{path}.lock").exists()
    with Journal.open(path, Header("k", "k/1"), key=place):
        assert json.loads(Path(f"{path}.lock").read_text())["pid"] == os.getpid()
    assert not Path(f"{path}.lock").exists()


def test_only_one_of_many_takes_a_dead_owners_lock_over(path: Path):
    Path(f"{path}.lock").write_text(json.dumps({"pid": 1, "host": os.uname().nodename, "since": "long ago"}))
    rivals = [start(HOLDER, path) for _ in range(5)]
    try:
        assert sorted(first_line(r) for r in rivals) == ["locked"] * 4 + ["won"]
    finally:
        for rival in rivals:
            end(rival)


def test_openers_and_closers_in_turn_never_hold_it_together(path: Path, tmp_path: Path):
    """The owner deletes the lock file when it is done: whoever opened it just before must not think it has it."""
    code = """
import os, sys
from steelyard.support.journal import Header, Journal
from steelyard.errors import SteelyardError
inside, won = sys.argv[1] + ".inside", 0
while won < 25:
    try:
        with Journal.open(sys.argv[1], Header("k", "k/1"), key=lambda r: r["i"]):
            os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
            os.unlink(inside)
            won += 1
    except SteelyardError:
        pass
"""
    processes = [start(code, path) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=600)
    assert [p.returncode for p in processes] == [0, 0, 0]


def test_the_lock_of_another_machine_is_left_to_a_person(path: Path):
    Path(f"{path}.lock").write_text('{"pid": 12, "host": "elsewhere", "since": "2026-01-01T00:00:00Z"}')
    with pytest.raises(SteelyardError, match=r"process 12 on elsewhere.*delete .*run\.jsonl\.lock"):
        run(path)
    assert not path.exists()


def test_where_the_file_system_knows_no_locks_the_file_is_the_lock(path: Path, monkeypatch: pytest.MonkeyPatch):
    import fcntl

    def refuse(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with Journal.open(path, HEADER, key=place), pytest.raises(SteelyardError, match=f"process {os.getpid()}"):
        run(path)
    run(path)
    assert read(path).records == RECORDS


def test_a_planted_link_in_place_of_the_lock_is_not_followed(path: Path, tmp_path: Path):
    (tmp_path / "precious").write_text("precious")
    Path(f"{path}.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(CannotWrite):
        run(path)
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_forked_child_neither_keeps_nor_removes_the_lock(path: Path):
    with Journal.open(path, HEADER, key=place) as journal:
        child = os.fork()
        if child == 0:
            journal.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert Path(f"{path}.lock").exists()
        with pytest.raises(SteelyardError):
            Journal.open(path, HEADER, key=place)


def test_an_orphan_of_a_killed_owner_does_not_keep_the_lock(path: Path):
    code = """
import os, sys, time
from steelyard.support.journal import Header, Journal
journal = Journal.open(sys.argv[1], Header("k", "k/1"), key=lambda r: r["i"])
child = os.fork()
if child == 0:
    os.close(1)
    time.sleep(30)
    os._exit(0)
print(child, flush=True)
time.sleep(30)
"""
    owner = start(code, path)
    orphan = int(first_line(owner))
    end(owner)
    try:
        Journal.open(path, Header("k", "k/1"), key=place).close()
    finally:
        os.kill(orphan, signal.SIGKILL)


def test_a_full_disk_is_reported_and_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.write
    room = 150

    def write(fd: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(fd, data[:room])
        room -= written
        return written

    with Journal.open(path, HEADER, key=place) as journal:
        monkeypatch.setattr(os, "write", write)
        journal.append(RECORDS[0])
        with pytest.raises(CannotWrite, match=r"run\.jsonl: cannot write here \(No space left on device\)"):
            journal.append(RECORDS[1])
        assert list(journal.done) == [place(RECORDS[0])]
        monkeypatch.setattr(os, "write", real)
        journal.append_many(RECORDS[1:])
    assert read(path).records == RECORDS


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_places_that_cannot_hold_a_journal_are_refused(tmp_path: Path):
    for bad in (tmp_path, tmp_path / "nowhere" / "run.jsonl", Path("/dev/full")):
        with pytest.raises(CannotWrite, match=str(bad)):
            run(bad)
    assert not Path("/dev/full.lock").exists()


def test_the_disk_is_synced_at_most_once_a_second_and_at_the_end(path: Path, monkeypatch: pytest.MonkeyPatch):
    now, syncs = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(os, "fsync", lambda fd: syncs.append(now[0]))
    with Journal.open(path, HEADER, key=place) as journal:
        for number in range(100):
            now[0] = number / 40
            journal.append({"source": "x", "dose": number})
    assert syncs == [1.0, 2.0, 99 / 40]


def test_a_run_that_fails_keeps_what_it_had(path: Path):
    def failing() -> Iterator[dict[str, Any]]:
        yield RECORDS[0]
        raise ConnectionError("the engine is gone")

    with pytest.raises(ConnectionError):
        run(path, failing())
    assert read(path).records == RECORDS[:1]
    run(path)
    assert read(path).records == RECORDS


def test_a_run_killed_again_and_again_ends_with_the_bytes_of_an_undisturbed_one(path: Path, tmp_path: Path):
    undisturbed = tmp_path / "undisturbed"
    worker = start(WORKER, undisturbed)
    worker.communicate(timeout=600)
    assert worker.returncode == 0
    whole = undisturbed.read_bytes()
    rng = random.Random(20)
    for kill in range(5):
        worker = start(WORKER, path)
        if kill % 4 == 0:  # before it has the file open, or just then
            time.sleep(rng.uniform(0, 0.06))
        else:  # as soon as it has written somewhat more than the last one
            enough = size(path) + rng.randrange(len(whole) // 10)
            while size(path) <= enough and worker.poll() is None:
                time.sleep(0.0005)
            assert worker.poll() is None, "too late to test anything"
        end(worker)
        assert size(path) < len(whole)
    worker = start(WORKER, path)
    worker.communicate(timeout=600)
    assert worker.returncode == 0
    assert path.read_bytes() == whole
    assert len(read(path).records) == 90
