"""Every command that writes, killed, on a full or read-only disk, with the clock set back, and twice at once.

Nothing is ever found under the final name but a whole result, and the same command gives it again afterwards.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT, SENTENCE

SEED = 20261116
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
EVERYTHING = bool(os.environ.get("STEELYARD_TEST_ALL"))
KILLS = 12 if EVERYTHING else 1  # for each command and signal
USUAL = ("score json", "check", "filter")  # the others only with --all


@dataclass(frozen=True)
class Writer:
    """A command, and the option that names its output."""

    name: str
    arguments: tuple[str, ...]
    suffix: str
    option: str = "-o"

    def command(self, output: Path) -> list[str]:
        given = f"{self.option}{output}" if self.option.endswith(":") else None
        target = ["--report", given] if given else [self.option, str(output)]
        return [sys.executable, "-m", "steelyard", *self.arguments, *target]


WRITERS = [
    *(
        Writer(f"score {form}", ("score", "pages", "--format", form, "--quiet", "--jobs", "1"), suffix)
        for form, suffix in (
            ("human", "txt"), ("json", "json"), ("jsonl", "jsonl"), ("csv", "csv"),
            ("markdown", "md"), ("html", "html"),
        )
    ),
    Writer("score on two processes", ("score", "pages", "--format", "json", "--quiet", "--jobs", "2"), "json"),
    Writer("explain", ("explain", "pages/0.md"), "txt"),
    Writer("compare", ("compare", "pages/0.md", "pages/1.md"), "txt"),
    Writer("compare directories", ("compare", "pages", "others", "--format", "json"), "json"),
    Writer("check", ("check", "pages", "--no-cache", "--quiet"), "txt"),
    Writer("check report", ("check", "pages", "--no-cache", "--quiet"), "sarif", "sarif:"),
    Writer("check baseline", ("check", "pages", "--no-cache", "--write-baseline"), "json", "--baseline"),
    Writer("config", ("config", "pages/0.md"), "txt"),
    Writer("domains", ("domains", "scores.csv"), "txt"),
    Writer("leaderboard", ("leaderboard", "scores.csv", "--format", "html"), "html"),
    *(
        Writer(f"audit {form}", ("audit", "--from-dir", "pages", "--format", form, "--quiet"), form)
        for form in ("json", "csv", "html")
    ),
    Writer("filter", ("filter", "rows.jsonl", "--quiet"), "jsonl"),
    Writer("corpus build", ("corpus", "build", "pages", "pages", "--least", "5"), "jsonl"),
    Writer("predict", ("predict", "pages", "--query", "harbour"), "txt"),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for name in ("pages", "others"):
        (folder / name).mkdir()
        for n in range(30):
            text = f"# Page {n}\n\n{SENTENCE * 8}In {2000 + n} there were {n + 10} ships in {name}.\n"
            (folder / name / f"{n}.md").write_text(text, "utf-8")
    (folder / "scores.csv").write_text("domain,score\n" + "".join(f"{n}.org,{n}\n" for n in range(50)), "utf-8")
    row = '{"text": "' + SENTENCE * 8 + '"}\n'
    (folder / "rows.jsonl").write_text(row * 200, "utf-8")
    folder.chmod(0o755)
    return folder


@pytest.fixture(
    params=[
        pytest.param(w, id=w.name.replace(" ", "-"), marks=[] if w.name in USUAL else [pytest.mark.full])
        for w in WRITERS
    ]
)
def writer(request: pytest.FixtureRequest) -> Writer:
    found: Writer = request.param
    return found


def start(writer: Writer, site: Path, output: Path, **environment: str) -> subprocess.Popen[str]:
    fixed = {"STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT), "HOME": str(site)}
    return subprocess.Popen(
        writer.command(output), cwd=site, env={**os.environ, **fixed, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, error = process.communicate(timeout=300)
    return process.returncode, out + error


@cache
def make_whole(writer: Writer, site: Path) -> tuple[bytes, float]:
    """Return what an undisturbed run writes, and how long it takes."""
    output = site.parent / f"{writer.name}.whole.{writer.suffix}"
    started = time.monotonic()
    code, text = finish(start(writer, site, output))
    assert code in (0, 1), text
    return output.read_bytes(), time.monotonic() - started


def test_killed_at_any_moment(writer: Writer, site: Path, tmp_path: Path) -> None:
    whole, seconds = make_whole(writer, site)
    output = tmp_path / f"out.{writer.suffix}"
    for number in SIGNALS:
        chance = random.Random(f"{SEED} {writer.name} {number}")
        for _ in range(KILLS):
            process = start(writer, site, output)
            time.sleep(chance.uniform(0.2, 1.1) * seconds)
            process.send_signal(number)
            finish(process)
            assert not output.exists() or output.read_bytes() == whole, number
        output.unlink(missing_ok=True)
    code, text = finish(start(writer, site, output))
    assert code in (0, 1), text
    assert output.read_bytes() == whole


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mount a small file system of its own, where that is allowed."""
    if shutil.which("mount") is None:
        pytest.skip("there is no mount here")
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def assert_refused(writer: Writer, site: Path, output: Path) -> str:
    """Assert that a command fails, without a bug, and leaves nothing; return what it says, in lower case."""
    code, text = finish(start(writer, site, output))
    assert code == 2, text
    assert "this is a bug" not in text
    assert "Traceback" not in text
    assert not output.exists()
    return text.lower()


def test_a_full_disk(writer: Writer, site: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "full", "size=16k,mode=0777") as disk:
        with contextlib.suppress(OSError), (disk / "filler").open("wb") as file:
            file.write(b"x" * 100_000)
        assert "space" in assert_refused(writer, site, disk / f"out.{writer.suffix}")


def test_a_read_only_disk(writer: Writer, site: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "fixed", "size=1m,ro,mode=0777") as disk:
        text = assert_refused(writer, site, disk / f"out.{writer.suffix}")
        assert "read-only" in text or "not writable" in text


def test_a_disk_that_becomes_read_only(writer: Writer, site: Path, tmp_path: Path) -> None:
    whole, seconds = make_whole(writer, site)
    chance = random.Random(f"{SEED} {writer.name}")
    with mounted(tmp_path / "lost", "size=4m,mode=0777") as disk:
        output = disk / f"out.{writer.suffix}"
        process = start(writer, site, output)
        time.sleep(chance.uniform(0.2, 0.9) * seconds)
        # Refused while a file is open for writing: then the run has got that far.
        lost = subprocess.run(["mount", "-o", "remount,ro", disk], capture_output=True, check=False).returncode == 0
        code, text = finish(process)
        assert "this is a bug" not in text
        assert not output.exists() or output.read_bytes() == whole
        assert output.exists() or (lost and code == 2), text


CLOCK = """
import time
_now, _step = time.time, [0]
def _back():
    _step[0] += 3600
    return _now() - _step[0]
time.time = _back
"""


def test_a_clock_that_goes_back(writer: Writer, site: Path, tmp_path: Path) -> None:
    whole, _ = make_whole(writer, site)
    (tmp_path / "sitecustomize.py").write_text(CLOCK, "utf-8")
    output = tmp_path / f"out.{writer.suffix}"
    code, text = finish(start(writer, site, output, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}"))
    assert code in (0, 1), text
    assert output.read_bytes() == whole


def test_two_runs_on_one_output(writer: Writer, site: Path, tmp_path: Path) -> None:
    whole, _ = make_whole(writer, site)
    output = tmp_path / f"out.{writer.suffix}"
    both = [start(writer, site, output) for _ in range(2)]
    codes = [finish(process) for process in both]
    assert all(code in (0, 1, 2) for code, _ in codes)
    assert any(code in (0, 1) for code, _ in codes), codes
    for code, text in codes:
        assert code != 2 or "in use" in text or "another" in text, text
    assert output.read_bytes() == whole
