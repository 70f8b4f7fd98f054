"""Print the tables of docs/speed.md from a measured run of the benchmarks.

./run bench -o docs/study/checks/bench.json     measures, on a machine with nothing else to do
python -m tools.speed comparison                our cores and the filters of other projects
python -m tools.speed length                    milliseconds for a page, by its length
python -m tools.speed sizing                    core-hours for text of a given size
python -m tools.speed goals                     what was wanted of the native core, and what was measured
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.comparison import WANTED_ON_TWO, WANTED_RATIO, WANTED_SHARE, state_hours
from steelyard.support.table import Column, Table

BENCH = Path(__file__).resolve().parent.parent / "docs" / "study" / "checks" / "bench.json"
SIZES = {"10 GB": 1e10, "100 GB": 1e11, "1 TB": 1e12, "10 TB": 1e13}


def render_table(which: str) -> str:
    """Return one of the tables in Markdown."""
    comparison = json.loads(BENCH.read_text("utf-8"))["comparison"]
    if which == "goals":
        return _list_goals(comparison).to_markdown().rstrip() + "\n"
    rows = comparison["rows"]
    fastest_first = sorted(rows.items(), key=lambda item: -item[1].get("pages_per_second", 0.0))
    measured = {title: row for title, row in fastest_first if "undefined" not in row}
    tables = {"comparison": _compare, "length": _list_lengths, "sizing": _size}
    note = f"\n{_describe_rounds(measured)}\n" if which == "sizing" else ""
    return tables[which](measured).to_markdown().rstrip() + "\n" + note


def _compare(rows: dict[str, Any]) -> Table:
    columns = [Column("one core"), Column("pages a second", ".0f", right=True)]
    columns += [Column("times the Gopher pair", ".2f", right=True), Column("peak memory, MB", ".0f", right=True)]
    keys = ("pages_per_second", "ratio_to_gopher", "peak_megabytes")
    return Table(columns, [[title, *(_number(row[key]) for key in keys)] for title, row in rows.items()])


def _list_goals(comparison: dict[str, Any]) -> Table:
    """List the wanted and the measured figures of the native core; wanted are at least these."""
    rows: list[list[Any]] = []
    for kind, measured in (("with lines", comparison["rows"]), ("without lines", comparison["without_lines"])):
        for title, row in measured.items():
            if "native" in title:
                what = title.rpartition("core, ")[2]
                rows.append(
                    [f"{what}, pages {kind}: times the Gopher pair", WANTED_RATIO, _number(row["ratio_to_gopher"])]
                )
    for title, row in comparison["rows"].items():
        if "times_one_thread" in row:
            what = title.rpartition("core, ")[2]
            rows.append([f"{what}: {row['threads']} threads, times one", WANTED_ON_TWO, row["times_one_thread"]])
    share = comparison["filter"]["share_of_the_core"]
    rows.append(["filter from Parquet to Parquet: share of the bare core's rate", WANTED_SHARE, share])
    return Table([Column("native core"), *(Column(name, ".2f", right=True) for name in ("wanted", "measured"))], rows)


def _list_lengths(rows: dict[str, Any]) -> Table:
    cores = {title: row["milliseconds_by_words"] for title, row in rows.items() if "milliseconds_by_words" in row}
    lengths = sorted(next(iter(cores.values())), key=int)
    columns = [Column("words of a page", right=True), *(Column(f"{title}, ms", ".2f", right=True) for title in cores)]
    return Table(columns, [[f"{int(words):,}", *(row[words] for row in cores.values())] for words in lengths])


def _size(rows: dict[str, Any]) -> Table:
    cores = {title: row for title, row in rows.items() if "milliseconds_by_words" in row}
    columns = [Column("text"), *(Column(f"{title}, core-hours", right=True) for title in cores)]
    cells = [[name, *(state_hours(row, size / 1e12) for row in cores.values())] for name, size in SIZES.items()]
    return Table(columns, cells)


def _describe_rounds(rows: dict[str, Any]) -> str:
    counts = {len(row["core_hours_of_rounds"]) for row in rows.values() if "core_hours_of_rounds" in row}
    if not counts:
        return "The fastest round of one run; how far the other rounds were from it was not recorded."
    return f"The fastest and the slowest of {min(counts)} rounds of one run; another machine may differ by more."


def _number(value: Any) -> float | None:
    return value if isinstance(value, float) else None


if __name__ == "__main__":
    print(render_table(sys.argv[1]), end="")
