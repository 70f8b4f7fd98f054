"""Judge what a command does: the programs it starts, the files it reads and writes. Others are faults."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache

from fuzz.seeds import ROOT
from fuzz.surroundings.place import FORBIDDEN, SECRET, Place
from fuzz.surroundings.tracer import CONNECT, LIST, RUN, WRITE, Access, Trace

# The system, this Python with its packages, and the project's own code and demo.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev/null", "/dev/urandom")
OWN = ("steelyard", "examples", ".venv")
_LISTED = ("/", "/dev")  # directories whose names are read where a path of modules is walked
_SEMAPHORES = "/dev/shm/sem."  # noqa: S108 - of joblib, which LightGBM imports
_UNFINISHED = ".steelyard-"
_CODE = re.compile(r"\.(?:py|pyc|pyd|so|dll|pth)$|\.so\.\d+$")
_LOCAL = re.compile(r'AF_UNIX|AF_NETLINK|inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|AF_UNSPEC')
_PROCESS = re.compile(r"/proc/[^/]+/(?:environ|mem)$")
_BUG = b"this is a bug"


def find_faults(trace: Trace, place: Place, outputs: Sequence[str], before: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each check that fails, with what was seen.

    Args:
        outputs: What the command was told to write, relative to the tree.
        before: The hash of what is outside, from before the command.
    """
    for access in dict.fromkeys(trace.accesses):
        if (reason := _judge(access, place, outputs)) is not None:
            yield f"{access.kind} {reason}", access.path.replace(str(place.base), "")
    if place.mark.exists():
        yield "run code of the tree", place.mark.read_text("utf-8", "replace")[:200]
        place.mark.unlink()
    if place.hash_outside() != before:
        yield "write outside", "what is outside has changed"
    if SECRET.encode() in trace.output:
        yield "read shown", "something from outside is in the output"
    if trace.code is None:
        yield "process hangs", "it did not end"
    elif trace.code not in (0, 1, 2):
        yield "process ends", f"exit code {trace.code}: {_quote(trace.output)}"
    if _BUG in trace.output:
        yield "process bug", _quote(trace.output)


def _quote(output: bytes) -> str:
    return output[-400:].decode("utf-8", "replace")


def _judge(access: Access, place: Place, outputs: Sequence[str]) -> str | None:
    """Return why something may not be done, or None."""
    if access.kind == CONNECT:
        return None if _LOCAL.search(access.path) else "another machine"
    path = os.path.normpath(place.tree / access.path)  # processes of ours stay in the directory they are started in
    is_in_tree = _is_below(path, [str(place.tree)])
    if access.kind == RUN:
        is_known = os.path.realpath(path) in list_programs() or _is_below(path, [find_git_programs()])
        return None if is_known and not is_in_tree else "another program"
    if path in FORBIDDEN or _PROCESS.search(path) or _is_below(path, [str(place.outside), str(place.home / ".ssh")]):
        return "outside"
    if _is_below(path, [str(place.base / name) for name in ("home", "tmp", "cache")]):
        return None
    if access.kind == WRITE:
        return _judge_write(path, place, outputs, is_in_tree)
    return _judge_read(path, is_in_tree, is_folder=access.kind == LIST)


def _judge_read(path: str, is_in_tree: bool, *, is_folder: bool) -> str | None:
    if is_in_tree:
        return "code of the tree" if _CODE.search(path) and not is_folder else None
    return None if _is_below(path, _list_readable()) or path in (*_LISTED, str(ROOT)) else "outside"


def _judge_write(path: str, place: Place, outputs: Sequence[str], is_in_tree: bool) -> str | None:
    if path == "/dev/null" or path.startswith(_SEMAPHORES):
        return None
    if any(_is_output(path, str(place.tree / output)) for output in outputs):
        return None
    return "in the tree" if is_in_tree else "outside"


def _is_output(path: str, output: str) -> bool:
    """Return whether a path is an output, in it, or a file beside it that is about to take its place."""
    folder, name = os.path.split(path)
    is_beside = folder == os.path.dirname(output) and name.startswith((_UNFINISHED, os.path.basename(output)))
    return is_beside or _is_below(path, [output, f"{output}.partial"])


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + os.sep) for folder in folders)


@cache
def _list_readable() -> list[str]:
    prefixes = [*SYSTEM, *(str(ROOT / name) for name in OWN), sys.prefix, sys.base_prefix]
    return list(dict.fromkeys([*prefixes, *map(os.path.realpath, prefixes)]))


@cache
def list_programs() -> frozenset[str]:
    """Return the programs that may be started: this Python, and git."""
    git = shutil.which("git") or "/usr/bin/git"
    return frozenset(map(os.path.realpath, (sys.executable, git)))


@cache
def find_git_programs() -> str:
    """Return the directory of git's own programs."""
    return subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607
