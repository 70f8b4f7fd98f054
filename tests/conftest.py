"""What several tests share: the command line run as a user runs it, and pages to run it on."""

from __future__ import annotations

import ctypes
import gc
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import main
from steelyard.configuration.resolve import forget_settings
from steelyard.languages import language
from steelyard.scoring import editions

# Small matrices: two BLAS threads on two cores that run two tests cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell starts background jobs with Ctrl-C ignored, and children inherit that; tests of Ctrl-C need it obeyed.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = Path(
    os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data"
)  # real pages, where they are here
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SENTENCE = "The harbour master of a small northern town keeps a careful record of every ship and its cargo. "


@pytest.fixture(scope="session", autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A data folder of this process: the user's own store of audits is neither read nor written, nor waited for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for garbage neither while everything is imported, nor in what was imported in all the tests."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


MAX_PROCESS, MAX_GROWTH = 800, 200  # megabytes
_after_freeing = 0


def read_megabytes() -> int:
    """Return the memory of this process, or 0 where the system does not say."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20 if statm.exists() else 0


@pytest.fixture(autouse=True)
def small_process() -> Iterator[None]:
    """Free what compiled patterns hold: each keeps up to 64 MB of what it has seen, and a process has thousands."""
    global _after_freeing  # noqa: PLW0603 - otherwise a process that stays large would compile them for every test
    yield
    if read_megabytes() > max(MAX_PROCESS, _after_freeing + MAX_GROWTH):
        language.load.cache_clear()
        editions.load.cache_clear()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        _after_freeing = read_megabytes()


def run_here(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, where starting one would cost more than the command."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    forget_settings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["steelyard", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setattr(sys, "unraisablehook", sys.unraisablehook)
        patch.setattr(signal, "signal", lambda *_: None)
        patch.setattr(os, "cpu_count", lambda: 1)  # processes of its own only where a test asks for them
        # The command sets some of these otherwise, and would leave them behind.
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        for name, value in {"STEELYARD_AS_OF": "2026-07-01", **threads, **environment}.items():
            patch.setenv(name, value)
        patch.chdir(cwd or Path.cwd())
        with pytest.raises(SystemExit) as ended:
            main()
    for stream in (out, err):
        stream.flush()
    texts = (stream.buffer.getvalue().decode("utf-8", "backslashreplace") for stream in (out, err))
    assert isinstance(ended.value.code, int)
    return subprocess.CompletedProcess([*map(str, arguments)], ended.value.code, *texts)


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """`run("score", "page.md")`: the command line in a process of its own, with its output as text."""

    def call(
        *arguments: str, cwd: Path | None = None, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT), **environment},
            timeout=600,
            check=False,
        )
        out, err = (stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return call


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, for the slow tests that look at pages."""
    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed (Debian: apt-get install chromium)")
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of 340 words with a heading."""
    path = tmp_path / "page.md"
    path.write_text("# Ships of the north\n\n" + "\n\n".join([SENTENCE * 4] * 5))
    return path


@pytest.fixture
def retry_waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the HTTP client would wait before it asks again; nobody waits."""
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("steelyard.support.http.retrying.sleep", note)
    return waits
