"""Scorers of every kind, most of them bad: what strangers will bring."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

NOT_A_FUNCTION = 3


class Group:
    @staticmethod
    def method(text: str) -> float:
        return float(len(text))


def length(text: str) -> int:
    return min(100, len(text))


def raw_length(text: str) -> int:
    return len(text)


def by_language(text: str, *, language: str) -> float:
    return {"en": 1.0, "fr": 2.0}[language]


def first_is_language(language: str) -> float:
    return float(len(language))


def surrogates(text: str) -> float:
    return float(sum("\ud800" <= c <= "\udfff" for c in text))


def crash(text: str) -> float:
    raise ValueError(f"no idea\x1b[31m about {text[:5]}")


def crash_in_a_library(text: str) -> float:
    return float(Decimal(text))


def huge_error(text: str) -> float:
    raise RuntimeError("x" * 1_000_000)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError


def unprintable_error(text: str) -> float:
    raise Unprintable


def system_exit(text: str) -> float:
    sys.exit(3)


def interrupt(text: str) -> float:
    raise KeyboardInterrupt


def recursion(text: str) -> float:
    return recursion(text)


def always(value: Any) -> Callable[[str], Any]:
    return lambda text: value


nothing = always(None)
string = always("12")
truth = always(True)
imaginary = always(1j)
listed = always([1.0])
nan = always(float("nan"))
infinity = always(float("inf"))
minus_infinity = always(float("-inf"))
too_high = always(100.5)
too_low = always(-1.0)
too_long_an_integer = always(10**5000)
decimal = always(Decimal("12.5"))


def numpy_scalar(text: str) -> Any:
    import numpy

    return numpy.float32(12.5)


def numpy_truth(text: str) -> Any:
    import numpy

    return numpy.bool_(True)


def numpy_pair(text: str) -> Any:
    import numpy

    return numpy.array([1.0, 2.0])


def hang(text: str) -> float:
    if text == "hang":
        time.sleep(60)
    return 7.0


def stubborn(text: str) -> float:
    """Swallows what is raised into it, again and again for a while."""
    for _ in range(3):
        with contextlib.suppress(BaseException):
            time.sleep(60)
    time.sleep(60)
    return 1.0


def chatter(text: str) -> float:
    print("I am thinking")
    return 5.0


def loud(text: str) -> float:
    """Prints through every door to stdout, more than a pipe holds, and reads stdin."""
    print("a" * 200_000)
    os.write(1, b"b" * 200_000)
    subprocess.run([sys.executable, "-c", "print('c' * 200_000)"], check=True)
    assert sys.stdin.read() == ""
    return 5.0


def leave(text: str) -> float:
    if text == "leave":
        sys.stderr.write("first words\nlast\x07 words\n")
        sys.stderr.flush()
        os._exit(4)
    return 7.0


def segfault(text: str) -> float:
    ctypes.string_at(0)
    return 1.0


def killed(text: str) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1.0


def family(text: str) -> float:
    """Leaves a child of its own running, tells its number in the file named by the text, and hangs."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with open(text, "w") as file:
        file.write(str(child.pid))
    time.sleep(60)
    return 1.0


def process_number(text: str) -> float:
    return float(os.getpid())


def writes_into_the_pipe(text: str) -> float:
    """Looks for the pipe that carries the answers, and floods it."""
    for number in range(3, 10):
        try:
            os.write(number, b"x" * 200_000)
        except OSError:
            continue
    return 1.0
