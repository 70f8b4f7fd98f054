"""How often honest pages are flagged, by their length: figures measured on whole pages, and shipped as data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

SHORT, LONG = 400, 1500  # words: pages with fewer, and with more, are classes of their own
LENGTHS = (f"under {SHORT} words", f"{SHORT} to {LONG:,} words", f"over {LONG:,} words")
FILE = "false_positives.toml"


class FalsePositives(NamedTuple):
    """How many honest pages of a length are flagged; the interval is Wilson's 95% over pages.

    Without pages the rate is not known, None, and its interval is everything.
    """

    length: str
    flagged: int
    pages: int
    rate: float | None
    interval: tuple[float, float]


def name_length(words: int) -> str:
    """Return the class of length that a page with so many words belongs to."""
    return LENGTHS[(words >= SHORT) + (words > LONG)]


@cache
def load_false_positives(edition: str = "paper") -> dict[str, FalsePositives]:
    """Load what an edition's shipped limits flag of honest pages, by class of length; empty until that was counted."""
    table = tomllib.loads(resources.files("steelyard.detectors").joinpath(FILE).read_text("utf-8"))
    return {
        row["length"]: FalsePositives(
            row["length"], row["flagged"], row["pages"], row["rate"], (row["interval"][0], row["interval"][1])
        )
        for row in table.get(edition, [])
    }


def find_rate(edition: str, words: int) -> FalsePositives:
    """Return how many honest pages as long as this one an edition flags, or that it is not known."""
    length = name_length(words)
    return load_false_positives(edition).get(length) or FalsePositives(length, 0, 0, None, (0.0, 1.0))
