"""A cache of measured pages, by content and scoring: a page that has not changed is not measured again.

An entry is a small file named by its key, written in one step and checked when it is read; a page whose entry is
damaged is measured again. Several runs may share the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from steelyard import __version__, languages
from steelyard.advice.kinds import PageKind
from steelyard.check.result import CheckedFinding, CheckedPage
from steelyard.scoring.page import describe_scoring
from steelyard.settings import Settings
from steelyard.support import cache
from steelyard.support.artifacts import to_canonical_json
from steelyard.support.regular_file import open_regular_file
from steelyard.text import html
from steelyard.text.html import HtmlReading

VERSION = 1  # of an entry's form
# The code on which a measurement and the form of an entry depend.
CODE = (
    "advice", "components", "detectors", "inputs", "native", "scoring", "text", "check", "configuration", "pipeline.py",
    "settings.py",
)  # fmt: skip
APART = ("edition", "weights", "core")  # settings with a hash of their own, and one that changes no number
MAX_BYTES = 100_000_000  # of an entry; a larger one is cut, and so not whole
UNUSED_AFTER = 30 * 24 * 3600  # seconds


class Cache:
    """A folder of entries; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder / f"v{VERSION}" if folder else None

    def read(self, key: str, path: str) -> CheckedPage | None:
        """Return a measured page, which is at this path now; None without a whole entry."""
        if self._folder is None:
            return None
        file_path = self._locate(key)
        try:
            with open_regular_file(file_path) as file:
                head, _, body = file.read(MAX_BYTES).partition(b"\n")
            if head.decode("ascii") != _seal(key, body):
                return None
            os.utime(file_path)
            return _read_entry(json.loads(body), path)
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def write(self, key: str, page: CheckedPage) -> None:
        """Keep a measured page; a folder that cannot be written is no fault of the page."""
        if self._folder is None:
            return
        path = self._locate(key)
        body = to_canonical_json(asdict(page))
        other = f"{path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(other, "wb") as file:
                file.write(_seal(key, body).encode("ascii") + b"\n" + body)
            os.replace(other, path)
        except OSError:
            self._folder = None  # full or read-only: the rest of the run does without

    def clean(self) -> None:
        """Remove the entries that no run has used for a month."""
        if self._folder is None:
            return
        oldest = time.time() - UNUSED_AFTER
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    if os.stat(path).st_mtime < oldest:
                        os.remove(path)
                except OSError:
                    continue

    def _locate(self, key: str) -> str:
        return os.path.join(str(self._folder), key[:2], key)


def _read_entry(entry: Any, path: str) -> CheckedPage:
    findings = tuple(CheckedFinding(**{**finding, "more": tuple(finding["more"])}) for finding in entry["findings"])
    name, certain, because = entry["kind"]
    kind = PageKind(name, certain, tuple(because))
    reading = HtmlReading(**entry["reading"]) if entry["reading"] else None
    again = {"path": path, "findings": findings, "kind": kind, "reading": reading, "causes": ()}
    return CheckedPage(**{**entry, **again})


def _seal(key: str, body: bytes) -> str:
    return hashlib.sha256(key.encode("ascii") + body).hexdigest()


def open_cache(folder: str | None = None) -> Cache:
    """Return the cache in a folder, or in the user's folder of caches."""
    return Cache(Path(folder) if folder else cache.find_folder() / "check")


def describe_settings(settings: Settings) -> str:
    """Return a hash of everything that a measurement depends on besides the page's content."""
    edition, weights = settings.edition, settings.weights
    parts = [__version__, hash_code()]
    parts += [
        f"{field.name} {getattr(settings, field.name)!r}" for field in fields(settings) if field.name not in APART
    ]
    for code in edition.languages:
        parts.append(describe_scoring(weights.name, weights.digest, edition, code).hash)
        for name in ("suggestions.toml", "kinds.toml"):
            parts.append(json.dumps(languages.read_toml(code, name), sort_keys=True))
    parts.append(json.dumps(languages.read_shared("kinds"), sort_keys=True))
    parts.append(html.version() if html.is_installed() else "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache
def hash_code() -> str:
    """Return a hash of the code that measures: another version of it must not meet old entries."""
    total = hashlib.sha256()
    package = Path(__file__).parent.parent
    for name in CODE:
        place = package / name
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            total.update(file.read_bytes())
    return total.hexdigest()


def make_key(data: bytes, path: str, described: str) -> str:
    """Return the key of a file's content under some settings; its suffix says whether it is HTML."""
    suffix = os.path.splitext(path)[1].lower()
    return hashlib.sha256(b"\0".join((described.encode(), suffix.encode("utf-8", "surrogateescape"), data))).hexdigest()
