"""Count the honest pages that the shipped limits flag, by length, and write the rates into the package.

python -m tools.false_positives        reads the whole pages of $STEELYARD_DATA or ../shared/data (a minute)
python -m tools.false_positives table  prints the table of docs/gaming.md from the committed rates
"""

from __future__ import annotations

import sys
from datetime import date

from steelyard.detectors.false_positives import FILE, LENGTHS, load_false_positives
from steelyard.lab.gaming.whole_pages import count_flagged_pages, load_whole_pages
from steelyard.scoring import editions
from steelyard.support.artifacts import round_floats
from steelyard.support.table import Column, Table
from tools.study import ROOT, data_folder

PATH = ROOT / "steelyard" / "detectors" / FILE
AS_OF = date(2026, 7, 1)  # no detector looks at it


def render_rates() -> str:
    """Return the file of rates as the package ships it.

    It is made from the same counts as `lab gaming false-positives`; rows of a length without pages cannot be shipped.
    """
    pages = load_whole_pages(str(data_folder()))
    lines = [
        "# Made by tools/false_positives.py: honest whole pages, which took no part in setting the limits, that the",
        "# shipped limits flag, by length; the interval is Wilson's 95% over pages.",
        f'pages = "{pages.digest}"',
    ]
    for edition, counted in round_floats(count_flagged_pages(pages, AS_OF)).items():
        for length in LENGTHS:
            row = counted["honest"][length]
            lines += [
                "",
                f'[["{edition}"]]',
                f'length = "{length}"',
                f"flagged = {row['flagged']}",
                f"pages = {row['of']}",
                f"rate = {row['rate']!r}",
                f"interval = {row['interval']!r}",
            ]
    return "\n".join(lines) + "\n"


def render_table() -> str:
    """Return the committed rates as a table in Markdown."""
    columns = [Column("edition"), Column("length of the page"), Column("honest pages", right=True)]
    columns += [Column("flagged", right=True), Column("rate", right=True), Column("95% interval", right=True)]
    rows = [
        [edition, length, row.pages, row.flagged, f"{row.rate:.1%}", " to ".join(f"{end:.1%}" for end in row.interval)]
        for edition in editions.NAMES
        for length, row in load_false_positives(edition).items()
    ]
    return Table(columns, rows).to_markdown().rstrip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["table"]:
        print(render_table(), end="")
    else:
        PATH.write_text(render_rates(), "utf-8")
