"""Environments for peers: a virtual environment each, in the cache, made when it is first needed."""

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
from steelyard.support import cache as caches
from steelyard.support.artifacts import write_text
from steelyard.support.escape import visible
from steelyard.support.wording import counted

_MARK = "ready"  # written last, inside: an environment without it was interrupted
_UNREACHED = ("connection broken", "Max retries exceeded", "NewConnectionError", "Temporary failure", "timed out")
_PASSWORD = re.compile(r"://[^/\s@]*@")


class EnvironmentFailed(SteelyardError):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the environment of the peer {name!r} could not be made: {reason}")


def python(name: str, lock: str) -> Path:
    """The interpreter of the peer's environment, which is made first if need be; a line on stderr for each step."""
    folder = caches.folder() / "peers" / name
    wanted = _digest(lock)
    if not _ready(folder, wanted):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with _alone(folder.with_name(f"{name}.lock")):
                if not _ready(folder, wanted):  # another process may have made it while this one waited
                    _make(name, folder, lock, wanted)
        except OSError as error:
            raise EnvironmentFailed(
                name, f"{folder.parent} cannot be written ({error.strerror}); name another folder in {caches.VARIABLE}"
            ) from error
    return _interpreter(folder)


def _digest(lock: str) -> str:
    """What an environment depends on: the pins, and the Python it was made with."""
    return hashlib.sha256(f"{sys.version_info[:2]} {sys.base_prefix}\n{lock}".encode()).hexdigest()


def _interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _ready(folder: Path, wanted: str) -> bool:
    try:
        return (folder / _MARK).read_text("utf-8") == wanted and _interpreter(folder).exists()
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time, where the system has file locks; the lock goes with the process that holds it."""
    with path.open("a") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(name: str, folder: Path, lock: str, wanted: str) -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise EnvironmentFailed(
            name, f"this Python has no `venv`; install it (Debian and Ubuntu: apt install python{version}-venv)"
        )
    making = folder.with_name(f"{name}.making")
    shutil.rmtree(making, ignore_errors=True)  # of a run that was interrupted
    _say(name, f"making an environment in {folder}")
    _run(name, [sys.executable, "-m", "venv", str(making)])
    pins = making / "requirements.txt"
    pins.write_text(lock, "utf-8")
    _say(name, f"installing {counted(len(lock.split()), 'package')}")
    # Wheels alone: nothing of the package runs while it is installed, and no compiler is needed.
    install = ["install", "--no-input", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check"]
    _run(name, [str(_interpreter(making)), "-m", "pip", *install, "--requirement", str(pins)])
    shutil.rmtree(folder, ignore_errors=True)
    # An environment may be moved as long as it is used through its interpreter, never through its scripts.
    making.rename(folder)
    write_text(folder / _MARK, wanted)
    _say(name, "ready")


def _say(name: str, step: str) -> None:
    print(f"peer {name}: {step}", file=sys.stderr, flush=True)


def _run(name: str, argv: list[str]) -> None:
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return
    if any(sign in done.stdout for sign in _UNREACHED):
        raise EnvironmentFailed(
            name, "pip cannot reach a package registry; check the network, or point pip at a mirror, and run this again"
        )
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()] or lines or [f"exit status {done.returncode}"]
    raise EnvironmentFailed(name, visible(_PASSWORD.sub("://", wrong[-1]))[:300])
