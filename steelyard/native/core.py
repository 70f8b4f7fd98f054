"""The native core of an edition: whether it can be used, and scoring pages with it.

STEELYARD_CORE chooses: `python` never uses it, `native` fails without it; otherwise it is used where it is installed
and fits this package. All pages of a run are measured by one core.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import math
import os
import warnings
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from steelyard import __version__
from steelyard.errors import CoreUnavailable, UnknownName
from steelyard.native.describe import describe_edition, describe_language, read_table
from steelyard.scoring import editions
from steelyard.scoring.page import FORMULAS
from steelyard.text import characters

CHOICES = ("python", "native")
INTERFACE = 2  # as in core/src/core.rs: a core that was built before the last change is not used
VARIABLE = "STEELYARD_CORE"
INSTALL = "pip install 'steelyard[native]', or ./run in a checkout where cargo is installed"


class Task(NamedTuple):
    """A page as the core takes it: its text, title, address, and dates as days."""

    text: str
    title: str | None
    url: str | None
    dates: Sequence[int]


class Run(NamedTuple):
    """What all pages of a call share."""

    language: str | None  # None: detected
    as_of: tuple[int, int]  # day and year
    weights: Sequence[float]


class EditionCore:
    """The core with one edition. Languages are added when a page needs them."""

    def __init__(self, module: ModuleType, edition: editions.Edition) -> None:
        self._edition = edition
        self._core = module.Core(json.dumps(describe_edition(edition)))
        self._core.add_table("frequencies", "en", read_table("en", "frequencies"))

    def score(self, tasks: Sequence[Task], run: Run, *, evidence: bool, detect: bool, threads: int) -> list[Any]:
        """Return one result per page, or a pair of a reason and its subject."""
        threads = _limit(threads)
        outcomes = self._core.score(tasks, *run, evidence, detect, threads)
        missing = {at: o[1] for at, o in enumerate(outcomes) if isinstance(o, tuple) and o[0] == "missing"}
        if missing:
            self._add(set(missing.values()))
            places = list(missing)
            again = self._core.score([tasks[at] for at in places], *run, evidence, detect, threads)
            for at, outcome in zip(places, again, strict=True):
                outcomes[at] = outcome
        return list(outcomes)

    def columns(self, tasks: Sequence[Task], run: Run, thresholds: Sequence[float], threads: int) -> tuple[Any, ...]:
        """Return scores, contents, words, languages, flags, components and errors: lists with one entry per page."""
        threads = _limit(threads)
        columns = self._core.columns(tasks, *run, thresholds, threads)
        missing = {error[1] for error in columns[-1] if error and error[0] == "missing"}
        if missing:
            self._add(missing)
            columns = self._core.columns(tasks, *run, thresholds, threads)
        return tuple(columns)

    def _add(self, codes: set[str]) -> None:
        for code in sorted(codes):
            language = self._edition.load_language(code)
            for other in language.reads_with:
                self._core.add_table("known", other, read_table(other, "known"))
            self._core.add_language(json.dumps(describe_language(language)))


def _limit(threads: int) -> int:
    """Return a number of threads that can be started; more than the machine has cores gain nothing."""
    return max(1, min(threads, os.cpu_count() or 1))


def choose_core() -> str:
    """Choose the core that measures every page of a run, in every process of it, before the first page is measured.

    Returns:
        The name of the core, for `Settings.core`.

    Raises:
        CoreUnavailable: STEELYARD_CORE requires the native core, and it is missing or does not fit.
        UnknownName: STEELYARD_CORE has another value.
    """
    choice = os.environ.get(VARIABLE, "")
    return "python" if load_module(choice) is None else "native"


def get_core(edition: editions.Edition, chosen: str = "") -> EditionCore | None:
    """Return the native core with an edition, or None where the Python code is to be used.

    Args:
        edition: The edition that scores the pages.
        chosen: The core of the run; "" where pages come one by one, which means the native one where it is installed.

    Raises:
        CoreUnavailable: STEELYARD_CORE or the run requires the native core, and it is missing or does not fit.
        UnknownName: STEELYARD_CORE has another value.
    """
    module = load_module(os.environ.get(VARIABLE, "") or chosen)
    return None if module is None else _open(module, edition.name)


@cache
def _open(module: ModuleType, edition: str) -> EditionCore:
    return EditionCore(module, editions.load(edition))


@cache
def load_module(choice: str) -> ModuleType | None:
    """Return the native module if it is installed, fits and is wanted."""
    if choice not in ("", *CHOICES):
        raise UnknownName(VARIABLE, choice, CHOICES)
    if choice == "python":
        return None
    try:
        module = importlib.import_module("steelyard_core")
    except ImportError as error:
        if choice == "native":
            raise CoreUnavailable(f"it cannot be imported ({error})", INSTALL) from error
        return None
    misfit = find_misfit(module)
    if misfit and choice == "native":
        raise CoreUnavailable(misfit, INSTALL)
    if misfit:
        warnings.warn(f"the native core is not used: {misfit}; {INSTALL}", stacklevel=2)
        return None
    return module


def describe_core() -> str:
    """Return the core in use in a few words, for `--version`."""
    module = load_module(os.environ.get(VARIABLE, ""))
    if module is None:
        return "core: python"
    return f"core: native {module.VERSION}, data {hash_data(module.CHARACTERS, module.FORMULAS)}"


def hash_data(characters_table: str, formulas: int) -> str:
    """Return a short hash of what is compiled into a core: the tables of characters and the version of the formulas."""
    return hashlib.sha256(f"{formulas}\n{characters_table}".encode()).hexdigest()[:16]


def find_misfit(module: ModuleType) -> str:
    """Return why a core would not give this package's numbers; "" if it would."""
    if __version__ != module.VERSION:
        return f"it is version {module.VERSION}, and this package is {__version__}"
    if getattr(module, "INTERFACE", 1) != INTERFACE:
        return "it was built from other sources"
    own, its = hash_data(characters.read_table(), FORMULAS), hash_data(module.CHARACTERS, module.FORMULAS)
    if own != its:
        return f"it was built with other data ({its} instead of {own})"
    # Logarithms come from the C library and gzip from zlib; another build of either may round or compress differently.
    texts = [("The tide comes in and the tide goes out. " * n).encode() + bytes(range(32, 127)) for n in (1, 9, 200)]
    numbers = [1 + n * n / 7 for n in range(300)] + [1 / (n + 3) for n in range(100)]
    lengths, values = module.probe(texts, numbers)
    if lengths != [len(gzip.compress(text, compresslevel=9, mtime=0)) for text in texts]:
        return "its zlib compresses differently from Python's"
    expected = [(math.log(x), math.log2(x), math.log10(x), x**2 + x**0.5, round(x, 9)) for x in numbers]
    return "" if values == expected else "its C library rounds differently from Python's"
