"""All pages together: the table of them, the commonest gaps, the distribution of scores, the directories."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from steelyard.advice.finding import MIN_GAIN
from steelyard.advice.rules import RULES
from steelyard.components.arithmetic.numbers import mean
from steelyard.components.links import parse_host
from steelyard.pages.descriptions import describe_limit
from steelyard.pages.html.parts import Cell, describe_bar, render_table
from steelyard.pages.listing import NOT_COMPARED, abbreviate_flags, count_ratings
from steelyard.pipeline import PageResult
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

BINS = 20  # of the distribution, five points each
MAX_DIRECTORIES = 40
CLASSES = {GOOD: "good", FAIR: "fair", POOR: "poor", NOT_COMPARED: "other"}  # of the bars
_RECORD = re.compile(r"(.+\.(?:jsonl|ndjson)):[0-9]+", re.IGNORECASE | re.DOTALL)
# Each column with how it is sorted. The pages come sorted by score.
COLUMNS = (
    ("page", "text"),
    ("score", "number"),
    ("words", "number"),
    ("language", "text"),
    ("limit", "text"),
    ("change first", "text"),
)
FLAGGED = ("flagged", "text")


def render_site(pages: Sequence[PageResult]) -> str:
    """Return the part about all pages; an empty string for a single one."""
    if len(pages) < 2:
        return ""
    parts = (
        render_distribution([(result.score, result.page.rating) for result in pages]),
        _render_gaps(pages),
        _render_directories(pages),
    )
    return f'<section class="site" aria-labelledby="site"><h2 id="site">All pages</h2>{"".join(parts)}</section>'


def render_distribution(pages: Sequence[tuple[float, str | None]]) -> str:
    """Return a histogram of scores, each with its rating, and the same numbers as words for those who do not see it."""
    width = 100 // BINS
    bins = [Counter[str]() for _ in range(BINS)]
    for score, rating in pages:
        bins[min(BINS - 1, int(score // width))][rating or NOT_COMPARED] += 1
    counts = [counter.total() for counter in bins]
    tallest = max(counts)
    edges = list(pairwise(range(0, 101, width)))
    bars = "".join(_draw_bar(low, high, counter, tallest) for (low, high), counter in zip(edges, bins, strict=True))
    words = ", ".join(f"{low} to {high}: {n:,}" for (low, high), n in zip(edges, counts, strict=True) if n)
    picture = f'<svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label="pages by score: {words}">'
    scale = '<div class="scale" aria-hidden="true"><span>0</span><span>50</span><span>100</span></div>'
    ratings = count_ratings(rating for _, rating in pages)
    key = "".join(
        f'<li><span class="key {CLASSES[name]}"></span> {count:,} {name}</li>'
        for name, count in ratings.items()
        if count
    )
    about = "Scores, by how the content compares with reference pages in the same language and of about the same length"
    caption = f"<figcaption>{about}; the tallest bar is {format_count(tallest, 'page')}</figcaption>"
    return f'<figure class="distribution">{picture}{bars}</svg>{scale}<ul class="ratings">{key}</ul>{caption}</figure>'


def _draw_bar(low: int, high: int, counter: Counter[str], tallest: int) -> str:
    """Return one bar: the poor pages at its foot, the good ones at its top."""
    parts, below = [], 0
    for name in (NOT_COMPARED, POOR, FAIR, GOOD):
        if count := counter[name]:
            below += count
            parts.append(
                f'<rect class="{CLASSES[name]}" x="{low + 0.2}" y="{40 - 40 * below / tallest:.2f}" '
                f'width="{high - low - 0.4}" height="{40 * count / tallest:.2f}"/>'
            )
    total = format_count(counter.total(), "page")
    return f"<g><title>{low} to {high}: {total}</title>{''.join(parts)}</g>" if parts else ""


def average_gain(gains: Sequence[float | None]) -> float | None:
    """Return the mean of the gains that a formula gives; None where it gives none."""
    known = sorted(gain for gain in gains if gain is not None)
    return mean(known) if known else None


def format_gain(gain: float | None) -> str:
    """Return a gain in points; empty where no formula says, or where it is too small to show."""
    return "" if gain is None or gain < MIN_GAIN else f"{gain:+.2f}"


def _render_gaps(pages: Sequence[PageResult]) -> str:
    gains: defaultdict[str, list[float | None]] = defaultdict(list)
    for result in pages:
        for suggestion in result.suggestions:
            gains[suggestion.rule].append(suggestion.gain)
    if not gains:
        return ""
    rows = [
        [
            escape.html(RULES[rule].topic),
            escape.html(RULES[rule].about),
            Cell(f"{len(points):,}", 100 * len(points) / len(pages)),
            format_gain(average_gain(points)),
        ]
        for rule, points in sorted(gains.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    caption = "Commonest gaps: on how many pages each change is suggested, and its mean gain in points"
    return render_table("gaps", caption, ("change", "about", "pages", "mean gain"), rows, numbers="23")


def _render_directories(pages: Sequence[PageResult]) -> str:
    groups: defaultdict[str, list[PageResult]] = defaultdict(list)
    for result in pages:
        groups[find_directory(result)].append(result)
    if len(groups) < 2:
        return ""
    ordered = sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    rows = []
    for name, members in ordered[:MAX_DIRECTORIES]:
        scores = [r.score for r in members]
        rows.append([escape.html(name), f"{len(members):,}", f"{quantile(scores, 0.5):.1f}", f"{min(scores):.1f}"])
    more = len(ordered) - len(rows)
    caption = "By directory" + (f" ({format_count(more, 'smaller one')} not shown)" if more > 0 else "")
    return render_table("directories", caption, ("directory", "pages", "median", "lowest"), rows, numbers="123")


def find_directory(result: PageResult) -> str:
    """Return the directory of a page; for a record the host of its address, else its file."""
    if record := _RECORD.match(result.source):
        return parse_host(result.url or "") or record[1]
    return result.source.rpartition("/")[0] or "."


def render_index(ordered: Sequence[PageResult]) -> str:
    """Return the table, with a field to filter it; an empty string for a single page."""
    if len(ordered) < 2:
        return ""
    detect = any(r.flagged for r in ordered)
    order = ' aria-sort="ascending"'
    heads = "".join(
        f'<th scope="col" data-sort="{kind}"{order if name == "score" else ""}>{name}</th>'
        for name, kind in (*COLUMNS, *([FLAGGED] if detect else []))
    )
    rows = "\n".join(_render_row(number, result, detect=detect) for number, result in enumerate(ordered))
    count = format_count(len(ordered), "page")
    return (
        '<section aria-labelledby="pages"><h2 id="pages" tabindex="-1">Pages</h2>'
        '<p id="filter" hidden><label for="wanted">Filter the pages</label> <input id="wanted" type="search" '
        f'autocomplete="off" aria-describedby="shown"> <span id="shown" role="status">{count} shown</span></p>'
        '<table class="pages"><caption>Every page, with what an editor would change first</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></section>"
    )


def _render_row(number: int, result: PageResult, *, detect: bool) -> str:
    page = result.page
    best = next(iter(result.suggestions), None)
    change = best.headline if best else ""
    cells = [page.language, describe_limit(page), change, *([abbreviate_flags(result)] if detect else [])]
    doubt = "" if result.reading is None or result.reading.confidence == "good" else " (doubtful reading)"
    return (
        f'<tr><td><a href="#p{number}">{escape.html(result.source)}</a>{doubt}</td>'
        f'<td class="{describe_bar(page.score)}"><b>{page.score:.1f}</b></td><td class="n">{page.words:,}</td>'
        f"{''.join(f'<td>{escape.html(cell)}</td>' for cell in cells)}</tr>"
    )
