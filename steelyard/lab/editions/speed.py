"""How fast one edition is beside another, by the committed figures of `./run bench`.

Speed differs from run to run and from machine to machine, so that a study reads it and does not measure it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidFile
from steelyard.support.regular_file import open_regular_file

OURS = "Steelyard"  # begins the names of our rows: "Steelyard, native core, …", "Steelyard 2026, native core, …"
CORES = ("native", "Python")
DONE = ("score alone", "score and detectors")
SPEEDS = tuple(f"{core} core, {done}" for core in CORES for done in DONE)
PER_SECOND = "pages_per_second"


def read_speed(path: Path, candidate: str) -> dict[str, dict[str, float]]:
    """Return pages a second of both editions by core and by what is done; what was not measured is left out.

    A row of the candidate has its name in the title, one of the other edition has not.

    Raises:
        InvalidFile: It is no artifact of the bench.
    """
    found: dict[str, dict[str, float]] = {}
    for title, rate in _read_rates(path):
        for core in CORES:
            for done in DONE:
                if title.startswith(OURS) and f"{core} core" in title and title.endswith(done):
                    whose = "candidate" if candidate in title else "reference"
                    found.setdefault(f"{core} core, {done}", {})[whose] = rate
    return found


def _read_rates(path: Path) -> Iterator[tuple[str, float]]:
    advice = "give what `./run bench` writes"
    try:
        with open_regular_file(path) as file:
            rows = json.loads(file.read().decode("utf-8"))["comparison"]["rows"]
        for title, row in rows.items():
            rate = row.get(PER_SECOND) if isinstance(row, Mapping) else None
            if isinstance(rate, float | int) and rate > 0:
                yield str(title), float(rate)
    except OSError as error:
        raise InvalidFile(str(path), f"cannot be read ({error.strerror}); {advice}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidFile(str(path), f"has no rows of a comparison; {advice}") from error


def divide(rates: Mapping[str, Any]) -> float | None:
    """Return the candidate's speed as a share of the other edition's; None where one was not measured."""
    candidate, reference = rates.get("candidate"), rates.get("reference")
    return candidate / reference if candidate and reference else None
