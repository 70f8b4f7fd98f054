"""A frozen leaderboard: page scores by domain, the SHA-256 of their file, and whether they are invented."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.components.links import parse_host
from steelyard.errors import InvalidRecords
from steelyard.inputs.page_ref import read_bytes
from steelyard.lab.corpus.loading import demo_folder
from steelyard.text.decoding import decode

LARGEST = 1_000_000_000
LEADERBOARD = "leaderboard.csv"  # next to the demo pages in a checkout, among them in an installation
# RFC 2606 and RFC 6761: no real site can have these names, so a snapshot that contains one was made up.
RESERVED = (".example", ".test", ".invalid", ".localhost", ".example.com", ".example.net", ".example.org")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Records of `domain` and `score`, one per page; name and digest are None for records that came from no file."""

    records: tuple[Mapping[str, Any], ...]
    name: str | None = None
    sha256: str | None = None

    @property
    def is_synthetic(self) -> bool:
        """Whether any domain has a reserved name: the data decide, so that the label cannot be lost."""
        return any(f".{str(r.get('domain')).strip().lower()}".endswith(RESERVED) for r in self.records)


def read_synthetic() -> Snapshot:
    """Read the frozen leaderboard of the package; its domains have reserved names, which label it as synthetic."""
    pages = demo_folder()
    return read_snapshot(next(p for p in (pages / LEADERBOARD, pages.parent / LEADERBOARD) if p.is_file()))


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Read a CSV file with `domain` (or `url`) and `score`, one page a row.

    Raises:
        InvalidRecords: The file is no CSV, or a row has no domain or no number.
    """
    where = os.fspath(path)
    data = read_bytes(where, LARGEST, "give fewer pages")
    try:
        rows = list(csv.DictReader(io.StringIO(decode(data, where), newline="")))
    except csv.Error as error:
        raise InvalidRecords(where, f"not CSV ({error})") from error
    records = tuple(_parse_row(row, f"{where}: record {number}") for number, row in enumerate(rows, start=1))
    return Snapshot(records, os.path.basename(where), hashlib.sha256(data).hexdigest())


def _parse_row(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return `domain` as given or the host of `url`, and a number; the ranking checks that it is in range."""
    domain = row.get("domain") or parse_host(str(row.get("url") or ""))
    if not domain:
        raise InvalidRecords(where, f"has no `domain` or `url` (keys seen: {', '.join(map(str, row))})")
    try:
        return {"domain": domain, "score": float(row["score"])}
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidRecords(where, f"`score` is {row.get('score')!r}; give a number from 0 to 100") from error
