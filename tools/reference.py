"""Freeze the reference sets: the content scores of the measuring pages, by edition and language.

    python -m tools.reference      reads $STEELYARD_DATA or ../shared/data, writes steelyard/scoring/references/

A page's percentile is its place among these. Run again only when an edition's scoring changes.
"""

from __future__ import annotations

import json
from datetime import date

from steelyard.languages import read_settings
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from tools.study import ROOT, data_folder

FOLDER = ROOT / "steelyard" / "scoring" / "references"
AS_OF = date(2026, 7, 1)  # content does not depend on it
DIGITS = 4


def main() -> None:
    for edition in map(editions.load, editions.NAMES):
        for code in edition.languages:
            lines = (data_folder() / f"web_{code}.jsonl").read_text("utf-8").splitlines()
            pages = [json.loads(line) for line in lines]
            contents = sorted(
                round(score_text(p["text"], as_of=AS_OF, title=p["title"], language=code, edition=edition,
                                 evidence=False).content, DIGITS)
                for p in pages
            )  # fmt: skip
            name = f"{read_settings(code)['name']} web pages of 200 to 400 words"
            values = "\n".join(f"  {value}," for value in contents)
            text = f'# Made by tools/reference.py.\nname = "{name}"\ncontents = [\n{values}\n]\n'
            (FOLDER / f"{edition.name}-{code}.toml").write_text(text, "utf-8")
            print(edition.name, code, len(contents), contents[len(contents) // 2])


if __name__ == "__main__":
    main()
