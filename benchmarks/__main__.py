"""`./run bench`: prints the tables and writes the artifact."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks import measure
from benchmarks.comparison import compare, print_comparison
from benchmarks.pages import ROOT, SITE, english_pages, paragraphs, prose, structured_pages
from steelyard import __version__
from steelyard.support.artifacts import write_artifact
from steelyard.support.table import Column, Table
from steelyard.text.regex import DEFAULT

LINEAR_BOUND = 12.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument(
        "--no-rivals", action="store_true", help="leave the other projects out (their environments are 2 GB)"
    )
    parser.add_argument("-o", "--output", type=Path, default=ROOT / ".cache" / "bench" / "bench.json")
    options = parser.parse_args()
    plain, structured = english_pages(), structured_pages()
    evident, detectors = measure.detected(plain)
    result: dict[str, Any] = {
        "environment": {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "regex": DEFAULT,
            "steelyard": __version__,
        },
        "pages": {"n": len(plain), "words": 370},
        "pages_per_second": {
            "steelyard": len(plain) / measure.bulk(plain, evidence=False),
            "steelyard with evidence": len(plain) / evident,
            "steelyard with evidence and detectors": len(plain) / (evident + detectors),
            "steelyard, structured pages": len(structured) / measure.bulk(structured, evidence=False),
        },
        "ratio_of_score_and_detect_to_score": 1 + detectors / evident,
        "milliseconds_per_page": {k: 1000 * v / len(plain) for k, v in measure.costs(plain).items()},
        "growth_100kB_to_1MB": {"prose": measure.growth(prose), "paragraphs": measure.growth(paragraphs)},
        "one_page": measure.one_page(SITE / "science" / "glacier-mass-balance.md"),
        # The larger one comes last: the peak is that of all programs so far.
        "one_page_2026": measure.one_page(SITE / "science" / "glacier-mass-balance.md", "2026"),
        "comparison": compare(with_rivals=not options.no_rivals),
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_artifact(options.output, result)
    _print(result)
    print(f"\nwritten: {options.output.relative_to(ROOT) if options.output.is_relative_to(ROOT) else options.output}")
    return 0


def _print(result: dict[str, Any]) -> None:
    def table(head: list[str], rows: list[list[Any]], form: str) -> None:
        columns = [Column(head[0]), *(Column(h, form, right=True) for h in head[1:])]
        print("\n" + "\n".join(Table(columns, rows).to_terminal()))

    table(
        ["one core, pages of 370 words", "pages/s"],
        [[k, v] for k, v in result["pages_per_second"].items()],
        ".0f",
    )
    both = result["ratio_of_score_and_detect_to_score"]
    print(f"score and detectors: {both:.2f} times the score alone (wanted: at most 1.6)")
    table(["stage", "ms a page"], [[k, v] for k, v in result["milliseconds_per_page"].items()], ".3f")
    grown = result["growth_100kB_to_1MB"]
    names = [n for n in grown["paragraphs"] if n != "in all"] + ["in all"]
    table(
        [f"1 MB over 100 kB (bound {LINEAR_BOUND:g})", "prose", "paragraphs"],
        [[n, grown["prose"].get(n), grown["paragraphs"].get(n)] for n in names],
        ".1f",
    )
    over = [(kind, n, v) for kind, values in grown.items() for n, v in values.items() if v > LINEAR_BOUND]
    for kind, name, value in over:
        print(f"over the bound: {name} on {kind}: {value:.1f}")
    print_comparison(result["comparison"])
    for key, edition in (("one_page", "paper"), ("one_page_2026", "2026")):
        wall, peak = result[key]["wall_seconds"], result[key]["peak_megabytes"]
        print(f"\nsteelyard score one.md, edition {edition}: {wall:.2f} s wall, {peak:.0f} MB peak")


if __name__ == "__main__":
    sys.exit(main())
