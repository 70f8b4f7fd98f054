"""The baseline: scores and findings of all pages at one time, against which later versions are compared."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.check.result import Previous
from steelyard.configuration.file import COMMAND_LINE, Configuration
from steelyard.errors import InvalidFile
from steelyard.inputs.page_ref import read_small_file
from steelyard.pages.sketches import SKETCH_LENGTH
from steelyard.scoring import editions
from steelyard.support.artifacts import to_json, write_text

SCHEMA = "steelyard-baseline/1"
ADVICE = "write a new one with `steelyard check --write-baseline`"
MAX_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Baseline:
    """The pages of a baseline by path, when and in which edition they were scored; older baselines do not say which."""

    as_of: date
    pages: Mapping[str, Previous]
    edition: str = ""

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        pages = {name: _write_page(page) for name, page in sorted(self.pages.items())}
        table = {"schema": SCHEMA, "version": __version__, "as_of": self.as_of.isoformat(), "edition": self.edition}
        write_text(path, to_json({**table, "pages": pages}) + "\n")


def locate_baseline(config: Configuration) -> Path:
    """Return the path of the baseline: as the command line says, else beside the configuration.

    Raises:
        InvalidFile: The configuration names a file outside of its own folder.
    """
    value, origin = config.get("baseline")
    if origin == COMMAND_LINE:
        return Path(value)
    return config.locate_file("baseline", value)


def load_baseline(path: Path) -> Baseline | None:
    """Return the baseline in a file, or None where there is no file.

    Raises:
        InvalidFile: The file is no baseline.
        PageUnreadable: It cannot be read.
    """
    if not os.path.lexists(path):
        return None
    data = read_small_file(path, MAX_BYTES, f"delete it and {ADVICE}")
    try:
        table = json.loads(data)
        if table["schema"] != SCHEMA:
            raise ValueError
        pages = {str(name): _read_page(str(name), page) for name, page in table["pages"].items()}
        edition = table.get("edition", "")
        return Baseline(date.fromisoformat(table["as_of"]), pages, edition if edition in editions.NAMES else "")
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # Not what the error says: that may quote the file, which the configuration of a stranger can name.
        raise InvalidFile(path, f"not a baseline of the form {SCHEMA}; delete it and {ADVICE}") from error


def _write_page(page: Previous) -> dict[str, Any]:
    return {
        "score": page.score,
        "hash": page.hash,
        "content": page.content,
        "sketch": " ".join(page.sketch),
        "findings": sorted(page.findings),
    }


def _read_page(path: str, page: Any) -> Previous:
    score = float(page["score"])
    if not 0 <= score <= 100:
        raise ValueError
    return Previous(
        path,
        score,
        frozenset(map(str, page["findings"])),
        is_baseline=True,
        hash=str(page["hash"]),
        content=str(page["content"]),
        sketch=tuple(str(page["sketch"]).split()[:SKETCH_LENGTH]),
    )
