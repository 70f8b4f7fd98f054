"""Freeze the reference sets: the content scores of real pages, by edition, language and length.

    python -m tools.reference      reads $STEELYARD_DATA or ../shared/data, writes steelyard/scoring/references/

A page's percentile is its place among these. Run again when an edition's scoring or the reading of HTML changes.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from steelyard.inputs.page_ref import PageRef
from steelyard.lab.gaming.whole_pages import DROPPED, HTML, KEPT, TYPED, load_whole_pages
from steelyard.languages import CODES, read_settings
from steelyard.pipeline import Page, measure_pages, read_page
from steelyard.scoring import editions
from steelyard.scoring.editions import Edition
from steelyard.scoring.reference import LENGTHS, MIN_PAGES, find_length
from steelyard.settings import AUTO, Settings
from tools.study import ROOT, data_folder

FOLDER = ROOT / "steelyard" / "scoring" / "references"
AS_OF = date(2026, 7, 1)  # content does not depend on it
DIGITS = 4
PER_LINE = 12


def list_pages() -> Iterator[tuple[Page, str]]:
    """Yield every page once, with its language or "auto": those of records, then whole pages of people."""
    folder, seen = data_folder(), set[str]()
    for code in CODES:
        for path in (folder / f"web_{code}.jsonl", folder / "human" / f"pages_{code}.jsonl.gz"):
            if path.is_file():
                data = path.read_bytes()
                lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").splitlines()
                for record in map(json.loads, lines):
                    page = read_page(PageRef("page", text=record["text"], title=record["title"]))
                    seen.add(page.text)
                    yield page, code
    whole = load_whole_pages(str(folder)).by_source
    for source in (HTML, TYPED, KEPT, DROPPED):
        yield from ((page, AUTO) for page in whole.get(source, ()) if page.text not in seen)


def measure(pages: list[tuple[Page, str]], edition: Edition) -> dict[str, dict[int, list[float]]]:
    """Return the contents by language and class of length; pages that a guard stops are no text."""
    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for page, code in pages:
        if code not in (AUTO, *edition.languages):
            continue
        (measured,) = measure_pages([page], Settings.resolve(as_of=AS_OF, edition=edition, language=code))
        if isinstance(measured, Exception) or measured.score.guard:
            continue
        start = find_length(measured.score.words)
        if start is not None:
            found[measured.score.language][start].append(round(measured.score.content, DIGITS))
    return found


def main() -> None:
    pages = list(list_pages())
    for edition in map(editions.load, editions.NAMES):
        found = measure(pages, edition)
        for code in edition.languages:
            text = f'# Made by tools/reference.py.\nname = "{read_settings(code)["name"]} web pages"\n'
            for start in LENGTHS:
                contents = sorted(found[code][start])
                print(edition.name, code, start, len(contents), "" if len(contents) >= MIN_PAGES else "left out")
                if len(contents) >= MIN_PAGES:
                    rows = [contents[at : at + PER_LINE] for at in range(0, len(contents), PER_LINE)]
                    values = "\n".join(f"  {', '.join(map(str, row))}," for row in rows)
                    text += f"\n[[lengths]]\nfrom = {start}\ncontents = [\n{values}\n]\n"
            (FOLDER / f"{edition.name}-{code}.toml").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
