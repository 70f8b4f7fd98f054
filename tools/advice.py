"""Have readers judge the advice, and count their verdicts: docs/study/checks/advice.json.

    python -m tools.advice sheets FOLDER SEED N     choose N pages of $STEELYARD_DATA or ../shared/data that no
                                                    earlier round had
    python -m tools.advice suggest FOLDER VERSION   what each edition of this version suggests for them
    python -m tools.advice blind FOLDER             what all versions suggest, mixed, for the readers
    python -m tools.advice count NAME FOLDER        the verdicts of the readers, as a table and in the file

A reader reads NN-page.txt (and NN-visible.txt, all that the HTML shows), writes down the kind of the page and what an
editor would change first, and only then opens NN-suggestions.json, which does not tell versions and editions apart.
reader-NAME.json holds what a reader says: by page `kind`, `also` (kinds that would be right as well), `excellent`,
`first`, and in `verdicts` one word for each suggestion.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree
from lxml.html import HTMLParser, fromstring

import steelyard
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import analyse
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from steelyard.support.table import Column, Table
from steelyard.text.decoding import decode
from tools.study import ROOT, data_folder

CHECK = ROOT / "docs" / "study" / "checks" / "advice.json"
KINDS_KNOWN = ROOT / "tools" / "page_kinds_en.json"
CLASSES = ("right", "shrug", "does not fit", "wrong", "harmful")  # the doubtful case goes to the worse one
EDITIONS = ("paper", "2026")
TOP = 3
SHOWN = 4  # rounds in the table beside the first
MAX_WORDS = 1_500
AS_OF = "2026-07-01"
# The seeds of the rounds so far, and how many pages were asked for: advice was improved by what their readers said.
ROUNDS = {
    7: 60, 11: 60, 13: 60, 17: 60, 19: 60, 23: 60, 29: 60, 31: 66, 37: 66, 41: 60, 43: 34,
    47: 130, 53: 130, 59: 130, 61: 130,
}  # fmt: skip
# How many of 60 pages come from where, so that kinds and languages are mixed.
SHARES = {
    "html_truth": 14, "dclm": 14, "web_en": 6, "health_releases": 3, "register_fr": 7, "web_fr": 2, "pages_de": 6,
    "pages_es": 4, "pages_fr": 4,
}  # fmt: skip


class PageToJudge(NamedTuple):
    """A page: its text, or its HTML with what a person would read of it."""

    key: str
    text: str
    url: str | None = None
    html: bytes | None = None
    title: str | None = None


def load_pages(folder: Path) -> Iterator[PageToJudge]:
    """Yield every page that could be judged, but for those by which the kinds were chosen."""
    known = {key for part in json.loads(KINDS_KNOWN.read_text()).values() for key in part}
    for key, entry in json.loads((folder / "html_truth" / "truth.json").read_text()).items():
        html = gzip.decompress((folder / "html_truth" / "html" / f"{key}.html.gz").read_bytes())
        yield PageToJudge(f"html_truth:{key}", entry["text"], entry["url"], html)
    for name in SHARES:
        for path in sorted([*folder.glob(f"{name}.jsonl*"), *folder.glob(f"human/{name}.jsonl*")]):
            data = path.read_bytes()
            lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
            for row in map(json.loads, lines):
                if f"{name}:{row['id']}" not in known:
                    yield PageToJudge(f"{name}:{row['id']}", row["text"], row.get("url"), title=row.get("title"))


def choose_pages(pages: Sequence[PageToJudge], seed: int, count: int) -> list[PageToJudge]:
    """Return a seeded sample of pages; of a source that earlier rounds have used up, what is left."""
    by_source: dict[str, list[PageToJudge]] = {}
    for page in pages:
        by_source.setdefault(page.key.partition(":")[0], []).append(page)
    rng = random.Random(f"advice {seed}")
    return [
        page
        for source, share in SHARES.items()
        for left in [by_source.get(source, [])]
        for page in rng.sample(left, min(len(left), round(share * count / sum(SHARES.values()))))
    ]


def write_sheets(folder: Path, seed: int, count: int) -> None:
    """Write the pages of a seeded sample that no earlier round had."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [page for page in load_pages(data_folder()) if 60 <= len(page.text.split()) <= MAX_WORDS]
    for earlier, size in takewhile(lambda known: known[0] != seed, ROUNDS.items()):
        seen = {page.key for page in choose_pages(pages, earlier, size)}
        pages = [page for page in pages if page.key not in seen]
    for number, page in enumerate(choose_pages(pages, seed, count), 1):
        name = f"{number:02}"
        title = " ".join((page.title or "").split())
        (folder / f"{name}-page.txt").write_text(f"{page.key}\n{page.url or ''}\n{title}\n{page.text}\n")
        (folder / f"{name}.{'md' if page.html is None else 'html'}").write_bytes(page.html or page.text.encode())
        if page.html is not None:
            (folder / f"{name}-visible.txt").write_text(show_visible(page.html))


def show_visible(source: bytes) -> str:
    """Return the title and the visible text of HTML, with headings marked, as a reader needs it to judge."""
    tree = fromstring(decode(source, "page").encode(), parser=HTMLParser(encoding="utf-8"))
    etree.strip_elements(tree, "script", "style", "noscript", "template", "svg", etree.Comment, with_tail=False)
    for element in tree.iter("h1", "h2", "h3", "h4", "p", "div", "li", "tr", "br", "time"):
        level = int(element.tag[1]) if element.tag[0] == "h" and element.tag[1:].isdigit() else 0
        element.text = ("\n" + "#" * level + " " * bool(level)) + (element.text or "")
        element.tail = "\n" + (element.tail or "")
    lines = (" ".join(line.split()) for line in tree.text_content().splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def write_suggestions(folder: Path, name: str) -> None:
    """Write what each edition suggests for the pages of a folder."""
    for path in sorted(p for p in folder.iterdir() if p.suffix in {".md", ".html"}):
        key, url, title = (folder / f"{path.stem}-page.txt").read_text().split("\n", 3)[:3]
        said = {edition: suggest(path, url or None, title or None, edition) for edition in EDITIONS}
        (folder / f"{path.stem}-version-{name}.json").write_text(to_json({"key": key} | said))


def suggest(path: Path, url: str | None, title: str | None, edition: str) -> dict[str, Any]:
    """Return what an edition says of a page."""
    text, html = decode(path.read_bytes(), path.name), path.suffix == ".html"
    try:
        settings = Settings.resolve(edition=edition, as_of=AS_OF)
        result = analyse(PageRef(path.name, text=text, title=title, url=url, html=html), settings)
    except steelyard.SteelyardError as error:
        return {"error": str(error)}
    return {
        "score": round(result.score, 1),
        "kind": list(getattr(result, "kind", ()) or ())[:2],
        "suggestions": [
            {"rule": s.rule, "quote": s.quote, "why": s.message, "do": s.action} for s in result.suggestions[:TOP]
        ],
    }


def write_blind(folder: Path) -> None:
    """Write the suggestions of all versions and editions of each page, each once, in an order that tells nothing."""
    for path in sorted(folder.glob("*-page.txt")):
        number = path.name[:2]
        distinct = sorted({spell(s) for _, said in load_said(folder, number) for s in said.get("suggestions", ())})
        random.Random(f"blind {number}").shuffle(distinct)
        sheet = {name_suggestion(text): text for text in distinct}
        (folder / f"{number}-suggestions.json").write_text(to_json(sheet))


def load_said(folder: Path, number: str) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Yield what each version and edition says of a page."""
    for path in sorted(folder.glob(f"{number}-version-*.json")):
        said = json.loads(path.read_text())
        for edition in EDITIONS:
            yield (path.stem.rpartition("-")[2], edition), said[edition]


def spell(suggestion: Mapping[str, str]) -> str:
    """Return a suggestion as a reader sees it."""
    about = f"“{suggestion['quote']}”" if suggestion["quote"] else "the whole page"
    return f"{about}: {suggestion['why']}. Suggested: {suggestion['do']}"


def name_suggestion(text: str) -> str:
    """Return a short name of a suggestion."""
    return hashlib.sha256(text.encode()).hexdigest()[:6]


class Reader(NamedTuple):
    """What a reader says of the pages of a folder, by number."""

    name: str
    pages: Mapping[str, Mapping[str, Any]]


def load_readers(folder: Path) -> list[Reader]:
    """Return the readers of a folder, whose verdicts are complete."""
    readers = []
    for path in sorted(folder.glob("reader-*.json")):
        reader = Reader(path.stem.removeprefix("reader-"), json.loads(path.read_text()))
        for sheet in sorted(folder.glob("*-suggestions.json")):
            number = sheet.name[:2]
            verdicts = reader.pages[number]["verdicts"]
            for name in json.loads(sheet.read_text()):
                if verdicts.get(name) not in CLASSES:
                    raise SystemExit(f"{path}: page {number}, suggestion {name}: {verdicts.get(name)!r}")
        readers.append(reader)
    return readers


def count_verdicts(folder: Path) -> dict[str, Any]:
    """Return the counts of the verdicts, by version and edition, and how far the readers agree."""
    readers = load_readers(folder)
    numbers = sorted(path.name[:2] for path in folder.glob("*-page.txt"))
    counts: dict[str, Any] = {}
    for number in numbers:
        for (version, edition), said in load_said(folder, number):
            if "error" in said:
                continue
            row = counts.setdefault(version, {}).setdefault(edition, new_row())
            add_page(row, said, [reader.pages[number] for reader in readers])
    both = [
        (a, readers[-1].pages[number]["verdicts"][name])
        for number in numbers
        for name, a in readers[0].pages[number]["verdicts"].items()
        if name in json.loads((folder / f"{number}-suggestions.json").read_text())
    ]
    kinds = Counter(readers[0].pages[number]["kind"] for number in numbers)
    return {
        "pages": len(numbers),
        "kinds": dict(sorted(kinds.items())),
        "versions": counts,
        "readers": {
            "number": len(readers),
            "suggestions": len(both),
            "same_class": sum(a == b for a, b in both),
            "same_right_or_not": sum((a == "right") == (b == "right") for a, b in both),
            "same_kind": sum(len({r.pages[n]["kind"] for r in readers}) == 1 for n in numbers),
        },
    }


def new_row() -> dict[str, Any]:
    """Return the counts of no page."""
    first, top = dict.fromkeys(CLASSES, 0), dict.fromkeys(CLASSES, 0)
    return {"pages": 0, "first": first, "top": top, "excellent": 0, "silent": 0, "certain": 0, "right_kind": 0} | {
        "silent_where_not_excellent": 0
    }


def add_page(row: dict[str, Any], said: Mapping[str, Any], pages: list[Mapping[str, Any]]) -> None:
    """Add a page to counts: every count but that of pages is over pages and readers."""
    row["pages"] += 1
    for page in pages:
        names = [name_suggestion(spell(s)) for s in said["suggestions"]]
        row["excellent"] += page["excellent"]
        row["silent"] += not names
        row["silent_where_not_excellent"] += not names and not page["excellent"]
        for place, name in enumerate(names):
            row["top"][page["verdicts"][name]] += 1
            if place == 0:
                row["first"][page["verdicts"][name]] += 1
        if said["kind"] and said["kind"][1]:
            row["certain"] += 1
            row["right_kind"] += said["kind"][0] in (page["kind"], *page["also"])


def render_table() -> str:
    """Return the verdicts on first suggestions in edition 2026 as a table: of the first round and of the last."""
    heads = ["given where not excellent", *CLASSES]
    rows = []
    first, *later = json.loads(CHECK.read_text("utf-8")).items()
    for name, counted in (first, *later[-SHOWN:]):
        for version, editions in sorted(counted["versions"].items(), reverse=True):
            row = editions[EDITIONS[-1]]
            given = sum(row["first"].values())
            poor = count_readers(counted) * row["pages"] - row["excellent"]
            share = 1 - row["silent_where_not_excellent"] / poor
            verdicts = [f"{row['first'][word] / given:.0%}" for word in CLASSES]
            rows.append([name, version, row["pages"], f"{share:.0%} of {poor}", *verdicts])
    columns = [Column("round"), Column("rules"), Column("pages", right=True)]
    return Table([*columns, *(Column(head, right=True) for head in heads)], rows).to_markdown().rstrip() + "\n"


def count_readers(counted: Mapping[str, Any]) -> int:
    """Return how many readers a round had: two, where it does not say."""
    return int(counted["readers"].get("number", 2))


def main(arguments: list[str]) -> None:
    """Run what was asked for."""
    match arguments:
        case ["sheets", folder, seed, count]:
            write_sheets(Path(folder), int(seed), int(count))
        case ["suggest", folder, name]:
            write_suggestions(Path(folder), name)
        case ["blind", folder]:
            write_blind(Path(folder))
        case ["count", name, folder]:
            rounds = json.loads(CHECK.read_text()) if CHECK.exists() else {}
            rounds[name] = count_verdicts(Path(folder))
            CHECK.write_text(to_json(rounds))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
