"""Measure how the share of running text limits recipes, tables, glossaries, questions and references.

    python -m tools.prose_guard measure  writes docs/study/checks/prose-guard.json from the measuring data
    python -m tools.prose_guard          prints the table of docs/editions.md from it

Ten pages of each kind are made from the invented material in tools/prose_guard.toml: all of its bare lines, and half of
its sentences or more, behind the bare lines or each between two, with blank lines or without. Of pages of these kinds
in the measuring data, which are few, a list is in that file.
"""

from __future__ import annotations

import gzip
import json
import sys
import tomllib
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from steelyard.components.arithmetic.numbers import piecewise
from steelyard.scoring import editions
from steelyard.scoring.caps import SHARE_CAPS
from steelyard.support.artifacts import to_json
from steelyard.support.table import Column, Table
from tools.study import ROOT, data_folder

MATERIAL = Path(__file__).with_suffix(".toml")
CHECK = ROOT / "docs" / "study" / "checks" / "prose-guard.json"
FILES = ("web_en.jsonl", "web_fr.jsonl", "human/dclm.jsonl", "human/pages_de.jsonl.gz")
PAGES = 10


def make_page(bare: Sequence[str], told: Sequence[str], number: int) -> str:
    """Return one of the ten pages; each has about half a sentence more than the one before."""
    told = told[: (len(told) * (PAGES + number) + PAGES) // (2 * PAGES)]
    if bare[0].startswith("|"):
        return "\n".join([*bare, "", *told])
    mixed = [part for pair in zip_longest(bare, told) for part in pair if part]
    return ("\n\n" if number % 3 else "\n").join(mixed if number % 2 else [*bare, *told])


def measure() -> dict[str, Any]:
    """Return the share of running text of every page, by kind."""
    edition = editions.load("2026")
    records = {str(r["id"]): r for name in FILES for r in read_records(name)}
    found = {}
    for kind, material in tomllib.loads(MATERIAL.read_text("utf-8")).items():
        made = [edition.open(make_page(material["bare"], material["told"], n), "en") for n in range(PAGES)]
        real = [records[name] for name in material["real"]]
        read = [edition.open(r["text"], r["lang"] if r.get("lang") in edition.languages else "en") for r in real]
        found[kind] = {
            "made": [round(doc.prose.share, 4) for doc in made],
            "real": {name: round(doc.prose.share, 4) for name, doc in zip(material["real"], read, strict=True)},
        }
    return found


def read_records(name: str) -> list[dict[str, Any]]:
    """Return the records of a file of the measuring data."""
    data = (data_folder() / name).read_bytes()
    return [json.loads(line) for line in (gzip.decompress(data) if name.endswith(".gz") else data).splitlines()]


def render_table() -> str:
    """Return how many pages of every kind have no limit, and the lowest limit, of invented and of real pages."""
    columns = [Column("kind")]
    columns += [Column(name, right=True) for name in ("invented, free", "lowest", "real, free", "lowest")]
    rows = []
    for kind, found in json.loads(CHECK.read_text("utf-8")).items():
        cells: list[object] = [kind]
        for shares in (found["made"], found["real"].values()):
            limits = [piecewise(share, SHARE_CAPS) for share in shares]
            cells += [f"{sum(limit >= 100 for limit in limits)}/{len(limits)}", f"{min(limits):.0f}"]
        rows.append(cells)
    return Table(columns, rows).to_markdown().rstrip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        CHECK.write_text(to_json(measure()) + "\n", "utf-8")
    print(render_table(), end="")
