"""A virtual environment for each peer that needs one, in the cache, made on first use."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.errors import SteelyardError
from steelyard.lab.scorers.orphans import CLEANUP
from steelyard.support import cache
from steelyard.support.artifacts import write_text
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count

_READY_FILE = "ready"  # this file is written last: an environment without it was interrupted
_NO_CONNECTION = ("connection broken", "Max retries exceeded", "NewConnectionError", "Temporary failure", "timed out")
_PASSWORD = re.compile(r"://[^/\s@]*@")


def prepare_environment(name: str, lock: str) -> Path:
    """Return the interpreter of an environment with the pinned packages, made first if it is not there.

    Prints a line on stderr for each step.

    Args:
        name: The peer; it names the folder in the cache.
        lock: The pins as pip reads them, each with the hashes of its files.

    Raises:
        SteelyardError: The environment could not be made.
    """
    folder = cache.find_folder() / "peers" / name
    # What an environment depends on: the pins, and the Python it was made with.
    digest = hashlib.sha256(f"{sys.version_info[:2]} {sys.base_prefix}\n{lock}".encode()).hexdigest()
    if not _is_ready(folder, digest):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with _exclusive(folder.with_name(f"{name}.lock")):
                if not _is_ready(folder, digest):  # another process may have made it while this one waited
                    _make(name, folder, lock, digest)
        except OSError as error:
            advice = f"name another folder in {cache.VARIABLE}"
            raise _failure(name, f"{folder.parent} cannot be written ({error.strerror}); {advice}") from error
    return _interpreter(folder)


def _failure(name: str, reason: str) -> SteelyardError:
    return SteelyardError(f"the environment of the peer {name!r} could not be made: {reason}")


def _interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _is_ready(folder: Path, digest: str) -> bool:
    try:
        return (folder / _READY_FILE).read_text("utf-8") == digest and _interpreter(folder).exists()
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Let one process at a time into the block, if the system has file locks; the lock ends with its process."""
    with path.open("a") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(name: str, folder: Path, lock: str, digest: str) -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise _failure(name, f"this Python has no `venv`; install it (Debian and Ubuntu: apt install {package})")
    unfinished = folder.with_name(f"{name}.making")
    shutil.rmtree(unfinished, ignore_errors=True)  # of a run that was interrupted
    _report(name, f"making an environment in {folder}")
    _run(name, [sys.executable, "-I", "-m", "venv", str(unfinished)])
    pins = unfinished / "requirements.txt"
    pins.write_text(lock, "utf-8")
    _report(name, f"installing {format_count(lock.count('=='), 'package')}")
    # Wheels alone: nothing of a package runs while it is installed, and no compiler is needed.
    install = ["install", "--no-input", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"]
    install.append("--require-hashes")  # a file that differs from the one that was tested is refused
    _run(name, [str(_interpreter(unfinished)), "-I", "-m", "pip", *install, "--requirement", str(pins)])
    shutil.rmtree(folder, ignore_errors=True)
    # An environment may be moved as long as it is used through its interpreter, never through its scripts.
    unfinished.rename(folder)
    write_text(folder / _READY_FILE, digest)
    _report(name, "ready")


def _report(name: str, step: str) -> None:
    print(f"peer {name}: {step}", file=sys.stderr, flush=True)


def _run(name: str, argv: list[str]) -> None:
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace", check=False, env=CLEANUP.mark(os.environ),
    )  # fmt: skip
    if done.returncode == 0:
        return
    if any(sign in done.stdout for sign in _NO_CONNECTION):
        raise _failure(
            name, "pip cannot reach a package registry; check the network, or point pip at a mirror, and run this again"
        )
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines or [f"exit status {done.returncode}"]
    raise _failure(name, make_visible(_PASSWORD.sub("://", errors[-1]))[:300])
