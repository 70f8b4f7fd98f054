"""The program of a child process that holds one scorer: one JSON object a line in, one a line out.

It is run by its path, by any Python from 3.9 on, and knows nothing of the package around it. The scorer that runs
in our own process is loaded and called by the same functions.

    child.py TARGET FOLDER FILE SECONDS

It first answers {"ready": true} or {"unloadable": {...}}, then each {"text", "language", "title"} with {"value": x}
or {"error": kind, "detail": what happened}. What the scorer itself prints goes to stderr.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

# The same words as in base.py, which cannot be imported from here; a test compares them.
CRASHED = "crashed"
NOT_A_NUMBER = "not a number"

LONGEST_DETAIL = 300  # characters of an error's text or a value's repr
STARTUP_SECONDS = 120  # for importing the scorer: a model may have to be loaded
GRACE_SECONDS = 5  # after which an orphaned child ends itself; its parent kills it earlier


class OutOfTime(BaseException):
    """Raised into a scorer that runs in our process; no Exception, so that `except Exception` cannot keep it."""


class Unloadable(Exception):
    """The target is not there; `why` says so in a form that can be sent."""

    def __init__(self, kind: str, name: str, detail: str = "", near: Sequence[str] = ()) -> None:
        super().__init__(kind, name)
        self.why = {"kind": kind, "name": name, "detail": detail, "near": list(near)}


class Failure(Exception):
    """The scorer gave no number for one text."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


@contextlib.contextmanager
def first_on_path(folder: str) -> Iterator[None]:
    """The folder in front of everything importable, for a while."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def load(target: str, folder: str, file: str = "") -> Callable[..., Any]:
    """The function that `module:function` names, from the file, or else the folder, or else the installed packages."""
    name, _, dotted = target.partition(":")
    found: Any = _from_file(name, file) if file else _from_folder(name, folder)
    owner = f"module {name!r}"
    for part in dotted.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, dir(found), n=3, cutoff=0.5)
            raise Unloadable("no attribute", part, owner, near)
        found = getattr(found, part)
        owner = repr(part)
    if not callable(found):
        raise Unloadable("not callable", dotted, f"of type {type(found).__name__}")
    function: Callable[..., Any] = found
    return function


def _from_file(name: str, file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Unloadable("no file", name, f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's module raises is reported, SystemExit too
        raise Unloadable("module fails", name, description(error, os.path.dirname(file))) from None
    return module


def _from_folder(name: str, folder: str) -> ModuleType:
    top = name.partition(".")[0]
    importlib.invalidate_caches()
    here = importlib.machinery.PathFinder.find_spec(top, [folder])
    loaded = getattr(sys.modules.get(top), "__spec__", None)
    if here and here.origin and loaded and loaded.origin != here.origin:
        raise Unloadable("shadowed", top, loaded.origin or "of no file")
    with first_on_path(folder):
        try:
            return importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's module raises is reported, SystemExit too
            absent = error.name if isinstance(error, ModuleNotFoundError) else None
            if absent and f"{name}.".startswith(f"{absent}."):
                raise Unloadable("no module", absent) from None
            raise Unloadable("module fails", name, description(error, folder)) from None


def takes_language(function: Callable[..., Any]) -> bool:
    """Whether the function has a parameter `language` besides the one for the text."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    keyword = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [i for i, p in enumerate(parameters) if p.name == "language" and p.kind in keyword]
    return bool(named) and (named[0] > 0 or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY)


class Call:
    """The scorer as it is called for each text."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self._function = function
        self._folder = folder
        self._takes_language = takes_language(function)

    def value(self, text: str, language: str) -> float:
        """The scorer's number, finite or not; Failure when it raises or returns none."""
        keywords = {"language": language} if self._takes_language else {}
        try:
            with first_on_path(self._folder):
                answer = self._function(text, **keywords)
        except (OutOfTime, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - a scorer that calls sys.exit() has crashed, as any other
            raise Failure(CRASHED, description(error, self._folder)) from None
        return number(answer)


def number(value: Any) -> float:
    """The value as a float: of a Python number or what converts to one (numpy's scalars), never of a truth value."""
    kind = type(value)
    if isinstance(value, (bool, str, bytes)) or kind.__name__ in ("bool", "bool_") or not hasattr(kind, "__float__"):
        raise Failure(NOT_A_NUMBER, f"the scorer returned {_shown(value)}")
    try:
        return float(value)
    except KeyboardInterrupt:
        raise
    except Exception:  # noqa: BLE001 - __float__ is the scorer's code: an array of two refuses, an int can be too long
        raise Failure(NOT_A_NUMBER, f"the scorer returned {_shown(value)}, which is no float") from None


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    try:
        text = repr(value[:LONGEST_DETAIL] if isinstance(value, (str, bytes)) else value)
    except Exception:  # noqa: BLE001 - __repr__ is the scorer's code, and an int can be too long for it
        return f"a {kind}"
    return f"{text if len(text) <= 80 else text[:80] + '…'} ({kind})"


def description(error: BaseException, folder: str) -> str:
    """`ValueError: its text at scorer.py:3`; the line is the last one in the folder, else the last of all.

    Of a module that cannot be read it is the line with the mistake, on which no frame stands.
    """
    at_fault = _unread(error)
    try:
        says = str(error.msg if isinstance(error, SyntaxError) and at_fault else error)
    except Exception:  # noqa: BLE001 - __str__ is the scorer's code
        says = "(its text cannot be shown)"
    says = says if len(says) <= LONGEST_DETAIL else says[:LONGEST_DETAIL] + "…"
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = (__file__, importlib.__file__)
    lines = at_fault or [at for at in lines if at[0] not in ours and not at[0].startswith("<frozen")]
    inside = [at for at in lines if at[0].startswith(os.path.join(folder, ""))]
    where = "".join(f" at {os.path.basename(file)}:{line}" for file, line in (inside or lines)[-1:])
    return f"{type(error).__name__}{': ' if says else ''}{says}{where}"


def _unread(error: BaseException) -> list[tuple[str, int]]:
    """File and line of a syntax error in a module; none of one in a string that the scorer itself evaluates."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno and os.path.isfile(error.filename):
        return [(error.filename, error.lineno)]
    return []


def _limit(seconds: float) -> None:
    """Have the kernel end this process then, even in the middle of C code, should the parent be gone by that time."""
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds) + GRACE_SECONDS if seconds else 0)


def main() -> None:
    target, folder, file, seconds = sys.argv[1:5]
    sys.argv[1:] = []
    # The folder of this script was put first; its files must not stand in the way of the scorer's own modules.
    sys.path[:] = [p for p in sys.path if p != os.path.dirname(os.path.abspath(__file__))]
    # The scorer may read stdin and print: it gets an empty one and stderr, and the two pipes stay ours.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message).encode("ascii") + b"\n")
        answers.flush()

    _limit(STARTUP_SECONDS)
    try:
        call = Call(load(target, folder, file), folder)
    except Unloadable as error:
        say({"unloadable": error.why})
        return
    _limit(0)
    say({"ready": True})
    for line in requests:
        request = json.loads(line)
        _limit(float(seconds))
        try:
            answer: dict[str, Any] = {"value": call.value(request["text"], request["language"])}
        except Failure as error:
            answer = {"error": error.kind, "detail": error.detail}
        except KeyboardInterrupt:  # no terminal reaches this process: the scorer raised it
            answer = {"error": CRASHED, "detail": "KeyboardInterrupt"}
        _limit(0)
        say(answer)


if __name__ == "__main__":
    main()
