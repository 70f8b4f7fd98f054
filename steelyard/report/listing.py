"""Several pages: one line each, the worst first, then the summary."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.stats.summary import quantile
from steelyard.pipeline import PageError, PageResult
from steelyard.report import steps
from steelyard.report.scope import SCOPE
from steelyard.support import escape
from steelyard.support.table import Column, Table
from steelyard.support.wording import counted

# What a change is about, in a word.
PLAIN = {
    "quotable_density": "quote",
    "statistic_density": "figure",
    "citation_f1": "source",
    "entity_density": "name",
    "self_containment": "opening",
    "cap": "length",
    "freshness": "date",
}
OTHER_COLUMNS = 48  # what the columns beside the page's name take of a line
FLAGGED = Column("flagged")  # only where the detectors were asked


def _page_width(pages: Sequence[PageResult], others: int) -> int:
    """As wide as the longest name, if the terminal (or COLUMNS) lets it be."""
    room = shutil.get_terminal_size((80, 24)).columns - others
    longest = max((escape.width(escape.visible(r.source)) for r in pages), default=4)
    return max(4, min(longest, max(80 - others, room)))


def worst_first(pages: Sequence[PageResult]) -> list[PageResult]:
    return sorted(pages, key=lambda r: (r.page.score, r.source))


def table(pages: Sequence[PageResult], *, detect: bool = False) -> Table:
    """For people: source, language, words, score, what limits it, the best change, and what flags it if asked."""
    flags = 2 + max([len(FLAGGED.name), *(len(brief(r)) for r in pages)]) if detect else 0
    columns = [
        Column("page", width=_page_width(pages, OTHER_COLUMNS + flags), keep="end"),
        Column("lang", width=4),
        Column("words", ",", right=True, width=6),
        Column("score", ".1f", right=True, width=5),
        Column("limit", width=10),
        Column("best change", width=13),
    ]
    rows = [[*_row(r), *([brief(r)] if detect else [])] for r in worst_first(pages)]
    return Table([*columns, *([FLAGGED] if detect else [])], rows)


def brief(result: PageResult) -> str:
    """`repetition +2`: the first detector that flags the page, and how many more do."""
    first, *more = [name.replace("_", " ") for name in result.flagged] or [""]
    return f"{first} +{len(more)}" if more else first


def _row(result: PageResult) -> list[Any]:
    page = result.page
    best = result.suggestions[0] if result.suggestions and page.guard is None else None
    change = f"{best.gain:+.1f} {PLAIN[best.component]}" if best else ""
    return [result.source, page.language, page.words, page.score, steps.limit(page), change]


def full_table(pages: Sequence[PageResult], errors: Sequence[PageError], *, detect: bool = False) -> Table:
    """For spreadsheets: every page with every component; a page without a score has its error instead."""
    rows = [r.to_row() for r in pages]
    hidden = {FLAGGED.name} if not detect else set()
    if not any(r.url is not None for r in pages):  # `domains` reads the column where there is one
        hidden.add("url")
    fields = [f for f in (rows[0] if rows else ("source",)) if f not in hidden]
    cells: list[list[Any]] = [[*(row[f] for f in fields), None] for row in rows]
    cells += [[e.source, *[None] * (len(fields) - 1), e.error] for e in errors]
    return Table([Column(f) for f in (*fields, "error")], cells)


def markdown(
    pages: Sequence[PageResult], errors: Sequence[PageError], how: Mapping[str, str], *, detect: bool = False
) -> str:
    """A report for a pull request or a wiki."""
    columns = [Column("page"), Column("lang"), Column("words", ",", right=True), Column("score", ".1f", right=True)]
    columns += [Column("limit"), Column("best change"), *([FLAGGED] if detect else [])]
    rows = [[*_row(r), *([", ".join(r.flagged)] if detect else [])] for r in worst_first(pages)]
    parts = [
        f"# Steelyard\n\nEach score is {SCOPE}. As of {how['as_of']}, weights {how['weights']}.\n\n",
        Table(columns, rows).to_markdown(),
    ]
    if pages:
        parts.append(f"\n{summary(pages, errors)}\n")
    if errors:
        parts.append(
            "\n## Not scored\n\n"
            + Table([Column("page"), Column("error")], [[e.source, e.error] for e in errors]).to_markdown()
        )
    return "".join(parts)


def summary(pages: Sequence[PageResult], errors: Sequence[PageError]) -> str:
    """n, median, quartiles, errors: in one line."""
    scores = [r.page.score for r in pages]
    failed = f", {len(errors)} not scored" if errors else ""
    if not scores:
        return f"{counted(0, 'page')}{failed}"
    middle, low, high = (quantile(scores, q) for q in (0.5, 0.25, 0.75))
    if len(scores) == 1:
        return f"{counted(1, 'page')}, score {scores[0]:.1f}{failed}"
    return f"{counted(len(scores), 'page')}, median {middle:.1f}, quartiles {low:.1f} to {high:.1f}{failed}"
