"""The program of a child process that runs one scoring function: a JSON object per line in, one per line out.

It is run by its path, with any Python from 3.9 on, and imports nothing of the package around it. Functions that run
in our own process are loaded and called by the same code.

    child.py TARGET FOLDER SECONDS

The first answer is {"ready": true} or {"unloadable": reason}. Then each {"text", "language", "title"} is answered
with {"value": x} or {"error": kind, "detail": what happened}. What the function itself prints goes to stderr.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.machinery
import inspect
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

# The same words as in base.py, which cannot be imported from here; a test compares them.
CRASHED = "crashed"
NOT_A_NUMBER = "not a number"

MAX_DETAIL = 300  # characters of an error's text or a value's repr
STARTUP_SECONDS = 120  # to import the function: a model may have to be loaded
GRACE_SECONDS = 5  # after which an orphaned child ends itself; a living parent kills it earlier
_OWN_FILES = (__file__, importlib.__file__)  # never shown as the place of an error


class TimeLimitReached(BaseException):
    """Raised into a function that runs in our process; no Exception, so that `except Exception` cannot stop it."""


class Unloadable(Exception):
    """The function cannot be loaded; the text says why and what to do."""


class Failure(Exception):
    """The function gave no number for one text."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


@contextlib.contextmanager
def search_first(folder: str) -> Iterator[None]:
    """Import from this folder before all others while the block runs."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def load_function(target: str, folder: str) -> Callable[..., Any]:
    """Return what `module:function` names, from the folder or else from the installed packages."""
    name, _, dotted = target.partition(":")
    target_object: Any = _import_module(name, folder)
    owner = f"module {name!r}"
    for part in dotted.split("."):
        if not hasattr(target_object, part):
            near = difflib.get_close_matches(part, dir(target_object), n=1, cutoff=0.65)
            raise Unloadable(f"{owner} has no {part!r}" + "".join(f"; did you mean {n!r}?" for n in near))
        target_object, owner = getattr(target_object, part), repr(part)
    if not callable(target_object):
        kind = type(target_object).__name__
        raise Unloadable(f"{dotted!r} is of type {kind}, and a function is needed; name one that takes a text")
    function: Callable[..., Any] = target_object
    return function


def _import_module(name: str, folder: str) -> ModuleType:
    top = name.partition(".")[0]
    importlib.invalidate_caches()
    here = importlib.machinery.PathFinder.find_spec(top, [folder])
    loaded = getattr(sys.modules.get(top), "__spec__", None)
    if here and here.origin and loaded and loaded.origin != here.origin:
        origin = loaded.origin or "of no file"
        raise Unloadable(f"another module {top!r} is loaded already ({origin}); rename yours")
    try:
        with search_first(folder):
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever someone else's module raises is reported, SystemExit too
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            where = f"no module {missing!r} in {folder} or in this Python's packages"
            raise Unloadable(f"{where}; run from the folder that holds it") from None
        reason = describe_error(error, folder)
        raise Unloadable(f"importing {name!r} failed: {reason}; fix the module, or install what it needs") from None


class ScoringFunction:
    """A function as it is called for each text."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self._function = function
        self._folder = folder
        self._takes_language = _takes_language(function)

    def call(self, text: str, language: str) -> float:
        """Return the function's number, finite or not; raise Failure when it raises or returns no number."""
        keywords = {"language": language} if self._takes_language else {}
        try:
            with search_first(self._folder):
                answer = self._function(text, **keywords)
        except (TimeLimitReached, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - a function that calls sys.exit() has crashed like any other
            raise Failure(CRASHED, describe_error(error, self._folder)) from None
        return _to_float(answer)


def _takes_language(function: Callable[..., Any]) -> bool:
    """Whether the function has a parameter `language` in addition to the one for the text."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    keyword = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [i for i, p in enumerate(parameters) if p.name == "language" and p.kind in keyword]
    return bool(named) and (named[0] > 0 or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY)


def _to_float(value: Any) -> float:
    """Convert a Python number, or what converts to one (numpy's scalars), but never a truth value."""
    kind = type(value)
    if isinstance(value, (bool, str, bytes)) or kind.__name__ in ("bool", "bool_") or not hasattr(kind, "__float__"):
        raise Failure(NOT_A_NUMBER, f"the scorer returned {_describe_value(value)}")
    try:
        return float(value)
    except KeyboardInterrupt:
        raise
    except Exception:  # noqa: BLE001 - __float__ is the scorer's code: an array of two refuses, an int can be too long
        raise Failure(NOT_A_NUMBER, f"the scorer returned {_describe_value(value)}, which is no float") from None


def _describe_value(value: Any) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__
    try:
        text = repr(value[:MAX_DETAIL] if isinstance(value, (str, bytes)) else value)
    except Exception:  # noqa: BLE001 - __repr__ is the scorer's code, and an int can be too long for it
        return f"a {kind}"
    return f"{text if len(text) <= 80 else text[:80] + '…'} ({kind})"


def describe_error(error: BaseException, folder: str) -> str:
    """Return `ValueError: its text at scorer.py:3`: the last line in the folder, or else the last line of all.

    For a module with a syntax error it is the line with the mistake, which is in no frame of the traceback.
    """
    message: Any = error
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    lines = [at for at in lines if at[0] not in _OWN_FILES and not at[0].startswith("<frozen")]
    if isinstance(error, SyntaxError) and error.filename and error.lineno and os.path.isfile(error.filename):
        message, lines = error.msg, [(error.filename, error.lineno)]
    try:
        says = str(message)
    except Exception:  # noqa: BLE001 - __str__ is the scorer's code
        says = "(its text cannot be shown)"
    says = says if len(says) <= MAX_DETAIL else says[:MAX_DETAIL] + "…"
    inside = [at for at in lines if at[0].startswith(os.path.join(folder, ""))]
    where = "".join(f" at {os.path.basename(file)}:{line}" for file, line in (inside or lines)[-1:])
    return f"{type(error).__name__}{': ' if says else ''}{says}{where}"


def _set_alarm(seconds: float) -> None:
    """Have the kernel end this process after that time, even in C code, in case the parent is gone by then."""
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds) + GRACE_SECONDS if seconds else 0)


def main() -> None:
    target, folder, seconds = sys.argv[1:4]
    sys.argv[1:] = []
    # Python put the folder of this script first; its files must not hide the scorer's own modules.
    sys.path[:] = [p for p in sys.path if p != os.path.dirname(os.path.abspath(__file__))]
    # The function may read stdin and print: it gets an empty stdin and stderr, and the two pipes stay ours.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def reply(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message).encode("ascii") + b"\n")
        answers.flush()

    _set_alarm(STARTUP_SECONDS)
    try:
        function = ScoringFunction(load_function(target, folder), folder)
    except Unloadable as error:
        reply({"unloadable": str(error)})
        return
    _set_alarm(0)
    reply({"ready": True})
    for line in requests:
        request = json.loads(line)
        _set_alarm(float(seconds))
        try:
            answer: dict[str, Any] = {"value": function.call(request["text"], request["language"])}
        except Failure as error:
            answer = {"error": error.kind, "detail": error.detail}
        except KeyboardInterrupt:  # raised by the function: no terminal reaches this process
            answer = {"error": CRASHED, "detail": "KeyboardInterrupt"}
        _set_alarm(0)
        reply(answer)


if __name__ == "__main__":
    main()
