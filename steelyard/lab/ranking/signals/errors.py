"""Why a model cannot be used, in one line each, and the net under packages that are not ours."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from steelyard.errors import SteelyardError
from steelyard.support.escape import visible


class SignalUnusable(SteelyardError):
    """A model of meaning cannot be loaded or used; the message says why and what to do."""


class PackageMissing(SignalUnusable):
    def __init__(self, package: str, advice: str) -> None:
        super().__init__(f"this needs the package {package!r}; {advice}")


def need(module: str, package: str, advice: str) -> None:
    """Refuse at once, before anything is read, where a package is missing."""
    if importlib.util.find_spec(module) is None:
        raise PackageMissing(package, advice)


def release(package: str) -> str:
    """The installed version, which is part of a model's identity."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@contextmanager
def told(name: str, doing: str) -> Iterator[None]:
    """Whatever a model's package raises on a strange file or text becomes one line with the model's name."""
    try:
        yield
    except (SteelyardError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        reason = visible(f"{type(error).__name__}: {error}")[:200]
        raise SignalUnusable(f"{visible(name)}: {doing} failed ({reason})") from error
