"""What all models share: their packages, the texts they get, the numbers they give, and errors they raise."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.support.escape import make_visible

MOST_CHARACTERS = 100_000  # about 15,000 words; a model that averages all words would need a kilobyte for each


def require_packages(*packages: str, advice: str) -> None:
    """Refuse at once, before anything is read, if a package is missing."""
    for package in packages:
        if importlib.util.find_spec(package.replace("-", "_")) is None:
            raise SteelyardError(f"this needs the package {package!r}; {advice}")


@contextmanager
def explain_failure(name: str, action: str) -> Iterator[None]:
    """Turn whatever a model's package raises on a strange file or text into one line with the model's name."""
    try:
        yield
    except (SteelyardError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # Rust packages raise panics that are no Exception
        reason = make_visible(f"{type(error).__name__}: {error}")[:200]
        raise SteelyardError(f"{make_visible(name)}: {action} failed ({reason})") from error


def clean_text(text: str) -> str:
    """Cut a text and replace halves of surrogate pairs, which no tokenizer takes."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def to_floats(name: str, numbers: Iterable[Any]) -> list[float]:
    """Return the numbers of a model's answer, which must be finite."""
    floats = [float(x) for x in numbers]
    if not floats or not all(map(math.isfinite, floats)):
        raise SteelyardError(f"{name}: the model gave no finite numbers; is this the right kind of model?")
    return floats


def hash_identity(*packages: str, **parts: Any) -> str:
    """Return the SHA-256 of everything that a result depends on apart from the text, with the packages' versions."""
    versions = [_installed_version(package) for package in packages]
    text = json.dumps({**parts, "versions": versions, "characters": MOST_CHARACTERS}, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _installed_version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
