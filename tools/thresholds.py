"""Fit the filter's thresholds of an edition on clean pages of all its languages, and write them into the package.

python -m tools.thresholds 2026  reads web_LANGUAGE.jsonl of $STEELYARD_DATA or ../shared/data (some minutes)

Those of the paper's edition are written by tools/study.py --freeze, from the study that the documents quote.
"""

from __future__ import annotations

import argparse
import os
from datetime import date
from typing import Any

from steelyard.detectors import NAMES as DETECTORS
from steelyard.lab.corpus import loading
from steelyard.lab.gaming.benchmark import measure_pages
from steelyard.lab.gaming.run import count_origins_left_out, fit_origins, group_by_origin
from steelyard.lab.study.material import digest_pages
from steelyard.scoring import editions
from steelyard.support.artifacts import round_floats
from tools.study import ROOT, data_folder

FOLDER = ROOT / "steelyard" / "detectors" / "thresholds"
AS_OF = date(2026, 7, 1)  # no detector looks at it
EVADES = (
    "sentences spliced in from other pages",
    "invented sources in whole sentences about the page's topic",
    "small amounts of names, links, menus, tables, questions, copied or reworded text",
    "boilerplate in small amounts",
)
HONEST_KINDS = (
    "tables of results and bibliographies",
    "set lists and directories",
    "quizzes and jokes",
    "recipes and forms that repeat their steps",
    "calendars and leaflets that repeat their conditions",
)


def fit_edition(name: str, jobs: int) -> str:
    """Return the thresholds file of an edition, fitted as `lab gaming run` fits its limits."""
    edition = editions.load(name)
    pages = [
        page
        for code in edition.languages
        for page in loading.load_corpus(str(data_folder() / f"web_{code}.jsonl")).pages_in(code)
    ]
    origins = group_by_origin(measure_pages(pages, (), as_of=AS_OF, edition=edition, jobs=jobs, quiet=False))
    limits = fit_origins(origins)
    found = {"usual": limits.usual, "thresholds": limits.thresholds, "left_out": count_origins_left_out(origins)}
    return render_thresholds(round_floats(found), digest_pages(pages), "tools/thresholds.py")


def render_thresholds(result: dict[str, Any], pages: str, tool: str) -> str:
    """Return a thresholds file as the package ships it; `pages` is the hash of those it was fitted on.

    The fit looks at clean pages alone. The lowest limits, below which it cannot go, are constants of the detectors. The
    rate is that of pages with their line breaks, each judged by limits set without its origin.
    """
    rates = {name: found["structured"] for name, found in result["left_out"]["origins"].items()}
    pooled = result["left_out"]["all"]["structured"]
    lines = [
        f"# Made by {tool} from clean pages and their neutral variants. The fit looks at no attack, but most of",
        "# these limits are the detectors' lowest, which were chosen with these pages and our attacks in sight.",
        f'pages = "{pages}"',
        f"rate = {pooled['rate']!r}",
        f"interval = {pooled['interval']!r}",
        *_render_list("honest_kinds", HONEST_KINDS),
        *_render_list("evades", EVADES),
        "",
        "# The rate on the pages of each origin, by limits set on all the others.",
        "[left_out]",
        *(f'"{name}" = {found["rate"]!r}' for name, found in rates.items()),
    ]
    for table in ("usual", "thresholds"):
        lines += ["", f"[{table}]", *(f"{name} = {result[table][name]!r}" for name in DETECTORS)]
    return "\n".join(lines) + "\n"


def _render_list(name: str, texts: tuple[str, ...]) -> list[str]:
    return [f"{name} = [", *(f'  "{text}",' for text in texts), "]"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edition", choices=[name for name in editions.NAMES if name != editions.PAPER])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    arguments = parser.parse_args()
    FOLDER.joinpath(f"{arguments.edition}.toml").write_text(fit_edition(arguments.edition, arguments.jobs), "utf-8")


if __name__ == "__main__":
    main()
