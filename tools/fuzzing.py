"""Print on how many pages each check of the largest fuzzing runs ran, for docs/threat-model.md.

python -m tools.fuzzing    reads docs/study/checks/fuzz.json and fuzz-html.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fuzz.check_pages import SHOWN, TURNS, WITH_BOTH_CORES
from steelyard.support.table import Column, Table

CHECKS = Path(__file__).resolve().parent.parent / "docs" / "study" / "checks"
# What runs on every page; the other checks run on a part of them, which the runs count.
EVERY = "scored or refused, timed, again in a batch and in another process; of scored pages spans, sums and ranges"
RUNS = {"pages": "fuzz", "HTML alone": "fuzz-html"}


def render_table() -> str:
    """Return the checks with the pages that each ran on, and the share of all pages."""
    runs = {title: json.loads((CHECKS / f"{name}.json").read_text("utf-8")) for title, name in RUNS.items()}
    columns = [Column("check"), *(Column(f"run of {title}", right=True) for title in runs)]
    rows: list[list[Any]] = [[EVERY, *(f"{run['pages']:,}" for run in runs.values())]]
    rows += [[check, *(_count(run, check) for run in runs.values())] for check in (SHOWN, WITH_BOTH_CORES)]
    turns = ", ".join(f"{TURNS.count(name)} of {len(TURNS)} in {name}" for name in dict.fromkeys(TURNS))
    return Table(columns, rows).to_markdown().rstrip() + f"\n\nPages take turns in the editions: {turns}.\n"


def _count(run: dict[str, Any], check: str) -> str:
    pages = run["sampled"].get(check, 0)
    return f"{pages:,} ({pages / run['pages']:.1%})"


if __name__ == "__main__":
    print(render_table(), end="")
