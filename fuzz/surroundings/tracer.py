"""A command under strace: every program that it or its children start, every file that they open or change."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

CALLS = (
    "execve,execveat,open,openat,openat2,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,"
    "symlink,symlinkat,link,linkat,mknod,mknodat,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr,connect"
)
RUN, READ, LIST, WRITE, CONNECT = "run", "read", "list", "write", "connect"
_OPENED = re.compile(r"= \d+<(.*)>$")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_FOLDER = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>")
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
Talk = Callable[[IO[bytes], IO[bytes]], None]


@dataclass(frozen=True, slots=True)
class Access:
    """Something that a process did: the kind, and the path or address."""

    kind: str
    path: str


@dataclass(frozen=True)
class Trace:
    """How a command ended, what it printed, and what it and its children did."""

    code: int | None  # None: it did not end
    output: bytes
    accesses: Sequence[Access]


def find_strace() -> str:
    """Return the path of strace.

    Raises:
        SystemExit: It is not installed.
    """
    path = shutil.which("strace")
    if path is None:
        raise SystemExit("fuzz --kind repository needs strace (Debian and Ubuntu, as root: apt-get install strace)")
    return path


def trace(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    talk: Talk | None = None,
    number: int | None = None,
    seconds: float = 120.0,
) -> Trace:
    """Run a command.

    Args:
        talk: Speaks with the command through its standard input and output; without it there is no input.
        number: A signal that it gets after the talk.
        seconds: After which it is killed.
    """
    with tempfile.TemporaryDirectory(prefix="steelyard-trace-") as traces:
        options = f"-f -ff -y --seccomp-bpf -qqq -s 4096 -e trace={CALLS} -e signal=none".split()
        prefix = os.path.join(traces, "trace")
        with (
            tempfile.TemporaryFile() as errors,
            tempfile.TemporaryFile() as output,
            subprocess.Popen(
                [find_strace(), *options, "-o", prefix, "--", *command],
                cwd=folder, env=dict(environment), stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
                stdout=subprocess.PIPE if talk else output, stderr=subprocess.STDOUT if number else errors,
                start_new_session=True,
            ) as process,
        ):  # fmt: skip
            timer = _Timer(process, seconds)
            printed = b""
            try:
                if talk is not None and process.stdin is not None and process.stdout is not None:
                    with suppress(OSError, ValueError):
                        talk(process.stdin, process.stdout)
                    with suppress(OSError):
                        process.stdin.close()
                    if number is not None:
                        _signal_child(process.pid, number)
                    printed = process.stdout.read()
                code: int | None = process.wait()
            finally:
                timer.cancel()
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
            if timer.is_late:
                code = None
            for file in (output, errors):
                file.seek(0)
                printed += file.read(5_000_000)
        accesses = [
            access
            for path in sorted(Path(traces).iterdir())
            for line in path.read_text("utf-8", "surrogateescape").splitlines()
            for access in parse_line(line)
        ]
        return Trace(code, printed, accesses)


def _signal_child(strace: int, number: int) -> None:
    """Send a signal to the program that strace started."""
    children = Path(f"/proc/{strace}/task/{strace}/children").read_text("ascii").split()
    for child in children:
        with suppress(OSError):
            os.kill(int(child), number)


class _Timer:
    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.is_late = False
        self._process = process
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        self.is_late = True
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def cancel(self) -> None:
        self._timer.cancel()


def parse_line(line: str) -> Iterator[Access]:
    """Yield what one call did; one that failed did nothing."""
    name, _, rest = line.partition("(")
    if " = -1 " in rest or " = ?" in rest or name not in _CALLS:
        return
    if name in ("open", "openat", "openat2", "creat"):
        if found := _OPENED.search(rest):
            flags = rest.rpartition('"')[2]
            is_writing = name == "creat" or _WRITING.search(flags) is not None
            kind = WRITE if is_writing else LIST if "O_DIRECTORY" in flags else READ
            yield Access(kind, _unescape(found[1]))
    elif name in ("execve", "execveat"):
        if found := _TEXT.search(rest):
            yield Access(RUN, _unescape(found[1]))
    elif name == "connect":
        yield Access(CONNECT, rest)
    else:
        folder = found[1] if (found := _FOLDER.match(rest)) else ""
        texts = _TEXT.findall(rest)
        for text in texts if name.startswith("rename") else texts[-1:]:  # what a link leads to is only named
            yield Access(WRITE, os.path.join(_unescape(folder), _unescape(text)))


_CALLS = frozenset(CALLS.split(","))
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f"}


def _unescape(text: str) -> str:
    def replace(found: re.Match[str]) -> str:
        if found[1] or found[2]:
            return chr(int(found[1], 8) if found[1] else int(found[2], 16))
        return _SIMPLE.get(found[3], found[3])

    return os.fsdecode(_ESCAPE.sub(replace, text).encode("latin-1", "replace")) if "\\" in text else text
