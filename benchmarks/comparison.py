"""Our cores and the filters of others in one run: the same pages, one core, CPU time and peak memory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.filtering import measure_filter
from benchmarks.own import NATIVE, ROWS, measure_core
from benchmarks.pages import WORDS, english_pages, pages_with_lines, write_jsonl
from benchmarks.rivals import GOPHER, RIVALS, Rival, measure_rival
from steelyard.support.table import Column, Table

PAGES = 2000
WANTED_RATIO = 20.0  # of the native core to the Gopher pair
WANTED_ON_TWO = 1.8  # of two threads to one
WANTED_SHARE = 0.7  # of the bare core's rate, from Parquet to Parquet
TERABYTE = 1e12
HOUR = 3600


def compare(*, with_rivals: bool) -> dict[str, Any]:
    """Measure every core and every rival, and return a row for each with its rates and ratio to the Gopher pair.

    The native core and the Gopher pair are measured on pages without lines too: those are read faster, and filters
    that look at lines have nothing to do there.
    """
    texts = pages_with_lines(PAGES)
    rows, _ = _measure(texts, list(ROWS), [rival for rival in RIVALS if with_rivals])
    native = [title for title, (core, *_) in ROWS.items() if core == "native"]
    gopher = [rival for rival in RIVALS if with_rivals and rival.title == GOPHER]
    flat, _ = _measure(english_pages(PAGES), native, gopher)
    filtered = _measure_filter(texts)
    size = sum(len(text.encode()) for text in texts)
    return {"pages": PAGES, "words": WORDS, "bytes": size, "rows": rows, "without_lines": flat, "filter": filtered}


def _measure(
    texts: list[str], titles: Sequence[str], rivals: Sequence[Rival]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return a row for each of our cores and each rival, and what was measured."""
    size = sum(len(text.encode()) for text in texts)
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages.jsonl"
        write_jsonl(pages, texts)
        measured = {title: measure_core(title, pages) for title in titles}
        for rival in rivals:
            print(f"bench: {rival.title}", file=sys.stderr, flush=True)
            measured[rival.title] = measure_rival(rival, pages)
    gopher = measured.get(GOPHER, {}).get("seconds")
    return {title: _describe(found, size, gopher) for title, found in measured.items()}, measured


def _measure_filter(texts: list[str]) -> dict[str, Any]:
    """Return the rate of `filter` and its share of the bare core's, which is measured just before and after."""

    def measure_bare() -> float | None:
        found = _measure(texts, [NATIVE], [])[1][NATIVE]
        return found["pages"] / found["seconds"] if "undefined" not in found else None

    before, filtered, after = measure_bare(), measure_filter(texts, "native"), measure_bare()
    if before is None or after is None or "undefined" in filtered:
        return filtered
    return {**filtered, "share_of_the_core": filtered["rows_per_second"] / ((before + after) / 2)}


def _describe(found: dict[str, Any], size: int, gopher: float | None) -> dict[str, Any]:
    if "undefined" in found:
        return found
    seconds = found["seconds"]
    row = {
        "pages_per_second": found["pages"] / seconds,
        "megabytes_of_text_per_second": size / seconds / 1e6,
        "core_hours_per_terabyte": TERABYTE / (size / seconds) / HOUR,
        "ratio_to_gopher": gopher / seconds if gopher else {"undefined": "the Gopher pair was not measured"},
        "kept": {"undefined": "it drops nothing"} if found["kept"] is None else found["kept"] / found["pages"],
        "peak_megabytes": found["peak_megabytes"],
    }
    if "seconds_of_rounds" in found:
        row["core_hours_of_rounds"] = [TERABYTE / (size / each) / HOUR for each in found["seconds_of_rounds"]]
    row |= {key: found[key] for key in ("threads", "times_one_thread") if key in found}
    if "milliseconds_by_words" in found:
        row["milliseconds_by_words"] = found["milliseconds_by_words"]
    return row


def state_hours(row: dict[str, Any], terabytes: float) -> str:
    """Return the core-hours of the fastest round, and of the slowest where the rounds were recorded."""
    fastest = f"{terabytes * row['core_hours_per_terabyte']:,.1f}"
    rounds = row.get("core_hours_of_rounds")
    return f"{fastest} to {terabytes * max(rounds):,.1f}" if rounds else fastest


def print_comparison(comparison: dict[str, Any]) -> None:
    """Print the comparison, and the cost of a page by its length for each of our cores."""
    rows = comparison["rows"]
    defined = {title: row for title, row in rows.items() if "undefined" not in row}
    columns = [
        Column(f"one core, {comparison['pages']} pages of {comparison['words']} words"),
        Column("pages/s", ".0f", right=True),
        Column("times Gopher", ".2f", right=True),
        Column("kept", ".0%", right=True),
        Column("core-hours for 1 TB", right=True),
        Column("peak MB", ".0f", right=True),
    ]
    keys = ("pages_per_second", "ratio_to_gopher", "kept")
    cells = [
        [title, *(_number(row[key]) for key in keys), state_hours(row, 1), _number(row["peak_megabytes"])]
        for title, row in defined.items()
    ]
    print("\n" + "\n".join(Table(columns, cells).to_terminal()))
    for title, row in rows.items():
        if "undefined" in row:
            print(f"{title}: not measured, {row['undefined']}")
    print(f"wanted: the native core at least {WANTED_RATIO:g} times the Gopher pair ({GOPHER})")
    for title, row in comparison["without_lines"].items():
        if isinstance(row.get("ratio_to_gopher"), float):
            print(f"{title}, pages without lines: {row['pages_per_second']:.0f} pages/s, {row['ratio_to_gopher']:.2f}")
    for title, row in defined.items():
        if "times_one_thread" in row:
            print(
                f"{title}: {row['threads']} threads {row['times_one_thread']:.2f} times one (wanted {WANTED_ON_TWO:g})"
            )
    if "share_of_the_core" in (filtered := comparison["filter"]):
        rate, share = filtered["rows_per_second"], filtered["share_of_the_core"]
        print(
            f"filter, Parquet to Parquet: {rate:.0f} rows/s, {share:.0%} of the bare core (wanted {WANTED_SHARE:.0%})"
        )
    cores = {title: row["milliseconds_by_words"] for title, row in defined.items() if "milliseconds_by_words" in row}
    lengths: dict[str, float] = next(iter(cores.values()), {})
    head = [Column("words of a page"), *(Column(f"{title}, ms", ".2f", right=True) for title in cores)]
    table = Table(head, [[f"{int(words):,}", *(row[words] for row in cores.values())] for words in lengths])
    print("\n" + "\n".join(table.to_terminal()))


def _number(value: Any) -> float | None:
    return value if isinstance(value, float) else None
