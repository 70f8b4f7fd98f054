"""Compare the kinds of page that the product finds with those that readers gave, and print the tables.

    python -m tools.page_kinds              the tables, from the pages of $STEELYARD_DATA or ../shared/data
    python -m tools.page_kinds write        the same, and docs/study/checks/page-kinds.json
    python -m tools.page_kinds errors       the pages of the tuning half on which they differ

English pages were marked by reading, before the classifier saw them (tools/page_kinds_en.json: the kind, then others
that would be right as well); one part was looked at while the cues were chosen, the other was not. French and Spanish
pages have registers that people gave, which `REGISTERS` maps to kinds; half of them is kept apart.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from steelyard.advice.kinds import KINDS, PageKind
from steelyard.errors import SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import find_page_kind, read_page
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from steelyard.support.table import Column, Table
from tools.study import ROOT, data_folder

MARKS = ROOT / "tools" / "page_kinds_en.json"
CHECK = ROOT / "docs" / "study" / "checks" / "page-kinds.json"
UNCERTAIN = "uncertain"

# Registers of the CORE scheme as kinds; a page of several registers is right with the kinds of any of them. Narrative
# is news, articles of magazines and history, and personal blogs, which we call opinion. A list of items for sale has
# no register of its own: readers called it persuasion, and we call it a listing.
REGISTERS = {
    "NA": ("news", "article", "opinion"),
    "ne": ("news",),
    "sr": ("news",),
    "nb": ("opinion",),
    "OP": ("opinion",),
    "av": ("how-to",),
    "IN": ("reference", "article", "legal"),
    "dtp": ("reference", "article"),
    "en": ("reference",),
    "lt": ("legal",),
    "IP": ("product", "listing"),
    "ed": ("opinion",),
    "HI": ("how-to",),
    "ID": ("question-answer",),
    "SP": ("question-answer", "other"),
    "LY": ("other",),
}


class MarkedPage(NamedTuple):
    """A page with the kinds that readers would accept, the first of them the best."""

    key: str
    ref: PageRef
    kinds: tuple[str, ...]
    group: str


def is_kept_apart(key: str) -> bool:
    """Tell whether a page is kept apart for final measurements."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 2 == 0


def list_english() -> Iterator[MarkedPage]:
    """Yield the English pages that were marked by reading."""
    folder = data_folder()
    refs: dict[str, PageRef] = {}
    for name, path in (("web_en", "web_en.jsonl"), ("dclm", "human/dclm.jsonl")):
        for line in (folder / path).read_text("utf-8").splitlines():
            row = json.loads(line)
            key = f"{name}:{row['id']}"
            refs[key] = PageRef(key, text=row["text"], title=row.get("title"), url=row.get("url"))
    for name, page in json.loads((folder / "html_truth" / "truth.json").read_text("utf-8")).items():
        key = f"html_truth:{name}"
        refs[key] = PageRef(key, text=page["text"], url=page["url"])
    for page in json.loads((folder / "html" / "manifest.json").read_text("utf-8")):
        key = f"html:{page['file'].removesuffix('.html')}"
        refs[key] = PageRef(key, path=str(folder / "html" / page["file"]), url=page["url"])
    for half, marks in json.loads(MARKS.read_text("utf-8")).items():
        for key, kinds in marks.items():
            yield MarkedPage(key, refs[key], tuple(kinds), f"en, {half}")


def list_registers(language: str) -> Iterator[MarkedPage]:
    """Yield the pages of a language whose register people gave."""
    path = data_folder() / "human" / f"register_{language}.jsonl"
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        key = f"register_{language}:{row['id']}"
        names = row["register"].split()
        # A register of the second level says more than that of the first.
        names = [n for n in names if n.islower() and n in REGISTERS] or [n for n in names if n in REGISTERS]
        kinds = tuple(dict.fromkeys(kind for name in names for kind in REGISTERS[name]))
        if kinds:
            half = "kept apart" if is_kept_apart(key) else "tuned on"
            yield MarkedPage(key, PageRef(key, text=row["text"]), kinds, f"{language}, {half}")


def classify(page: MarkedPage, settings: Settings) -> PageKind:
    """Return the kind that the product finds."""
    return find_page_kind(read_page(page.ref), settings)


def count(found: Sequence[tuple[MarkedPage, PageKind]]) -> dict[str, Any]:
    """Return how often the product is certain, and agrees with the readers."""
    certain = [(page, kind) for page, kind in found if kind.certain]
    return {
        "pages": len(found),
        "certain": len(certain),
        "certain_and_right": sum(kind.name in page.kinds for page, kind in certain),
        "certain_and_first": sum(kind.name == page.kinds[0] for page, kind in certain),
        "right": sum(kind.name in page.kinds for page, kind in found),
    }


def measure(*, kept_apart: bool) -> tuple[dict[str, Any], list[tuple[MarkedPage, PageKind]]]:
    """Measure all marked pages; those that are kept apart only where that is asked for."""
    settings = Settings.resolve(as_of="2026-07-01", edition="2026")
    found: list[tuple[MarkedPage, PageKind]] = []
    for page in (*list_english(), *list_registers("fr"), *list_registers("es")):
        if kept_apart or not page.group.endswith("kept apart"):
            try:
                found.append((page, classify(page, settings)))
            except SteelyardError as error:
                print(f"{page.key}: {error}", file=sys.stderr)
    groups = {
        group: count([pair for pair in found if pair[0].group == group])
        for group in sorted({p.group for p, _ in found})
    }
    return groups, found


def count_confusion(found: Sequence[tuple[MarkedPage, PageKind]]) -> dict[str, dict[str, int]]:
    """Return for each kind as which English pages were read how often each kind was found."""
    counts = Counter(
        (page.kinds[0], kind.name if kind.certain else UNCERTAIN) for page, kind in found if page.group.startswith("en")
    )
    return {first: {name: counts[first, name] for name in (*KINDS, UNCERTAIN)} for first in KINDS}


def render_table(measured: dict[str, Any] | None = None) -> str:
    """Return how often the kind is certain, and right; of the committed figures where none are given."""
    groups = (measured or json.loads(CHECK.read_text("utf-8")))["groups"]
    heads = [Column("pages of"), *(Column(name, right=True) for name in ("pages", "certain", "of these right"))]
    rows = [
        [
            group,
            counts["pages"],
            f"{counts['certain']} ({counts['certain'] / counts['pages']:.0%})",
            f"{counts['certain_and_right']} ({counts['certain_and_right'] / max(1, counts['certain']):.0%})",
        ]
        for group, counts in groups.items()
    ]
    return Table(heads, rows).to_markdown().rstrip() + "\n"


def render_confusion(measured: dict[str, Any]) -> str:
    """Return the kinds as which English pages were read, against those that were found."""
    names = [*KINDS, UNCERTAIN]
    rows = [[first, *(counts[name] or "" for name in names)] for first, counts in measured["english"].items()]
    return Table([Column("read as"), *(Column(name, right=True) for name in names)], rows).to_markdown()


def main(arguments: Sequence[str]) -> None:
    """Print the tables, or the differences in the tuning half, or write the figures."""
    write = list(arguments) == ["write"]
    groups, found = measure(kept_apart=write)
    measured = {"groups": groups, "english": count_confusion(found)}
    if list(arguments) == ["errors"]:
        for page, kind in found:
            if page.group.endswith("tuned on") and kind.name not in page.kinds:
                mark = "WRONG" if kind.certain else "unsure"
                print(f"{mark} {page.key} {'/'.join(page.kinds)} -> {kind.name}: {'; '.join(kind.because)}")
    print(f"{render_table(measured)}\n{render_confusion(measured)}", end="")
    if write:
        CHECK.write_text(to_json(measured) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
