"""All pages together: the table of them, the commonest gaps, the distribution of scores, the directories."""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from steelyard.advice.finding import Finding
from steelyard.advice.rules import RULES
from steelyard.components.links import parse_host
from steelyard.pages.descriptions import MAX_SUGGESTIONS
from steelyard.pages.html.changes import Change, render_changes
from steelyard.pages.html.parts import describe_bar, render_fold, render_table
from steelyard.pages.listing import NOT_COMPARED, abbreviate_flags, count_ratings
from steelyard.pipeline import PageResult
from steelyard.scoring.caps import format_cap
from steelyard.scoring.reference import FAIR, GOOD, POOR
from steelyard.support import escape
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

BINS = 20  # of the distribution, five points each
MAX_DIRECTORIES = 40
CLASSES = {GOOD: "good", FAIR: "fair", POOR: "poor", NOT_COMPARED: "other"}  # of the bars
_RECORD = re.compile(r"(.+\.(?:jsonl|ndjson)):[0-9]+", re.IGNORECASE | re.DOTALL)
# Each column with how it is sorted. The pages come sorted by score.
COLUMNS = (("page", "text"), ("score", "number"), ("words", "number"), ("rating", "text"), ("language", "text"))
FIRST = ("what to change first", "text")
FLAGGED = ("to check", "text")


def find_folder(pages: Sequence[PageResult]) -> str:
    """Return how the names of all pages begin, to a slash; empty where they share no folder."""
    # Cut at a slash; the names may be addresses, which are no paths.
    return os.path.commonprefix([r.source for r in pages]).rpartition("/")[0] if len(pages) > 1 else ""  # noqa: RUF071


def shorten_name(source: str, folder: str) -> str:
    """Return the name of a page without the folder of all pages."""
    return source.removeprefix(f"{folder}/") if folder else source


def describe_pages(scores: Sequence[float], ratings: Mapping[str, int]) -> str:
    """Say in one sentence how good pages are, given their scores from the lowest and the counts of their ratings."""
    if not scores:
        return "No page was scored."
    if len(scores) == 1:
        return f"The page scores {scores[0]:.1f} of 100."
    half = f"Half of the {len(scores):,} pages score {quantile(scores, 0.5):.1f} of 100 or more"
    if ratings[NOT_COMPARED] == len(scores):
        return f"{half}."
    rated = ", ".join(f"{count:,} {name}" for name, count in ratings.items() if count or name != NOT_COMPARED)
    return f"{half}. Against other web pages of their length: {rated}."


def render_site(pages: Sequence[PageResult], views: str) -> str:
    """Return the part about all pages; an empty string for fewer than two.

    Args:
        pages: The pages in the order of their views.
        views: The views as HTML, in which suggestions have their places.
    """
    if len(pages) < 2:
        return ""
    picture = render_distribution([(result.score, result.page.rating) for result in pages])
    left = f"<div>{picture}{_render_directories(pages)}</div>"
    return f'<section class="site">{left}<div>{render_changes(_list_changes(pages, views), len(pages))}</div></section>'


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
    about = (
        "Pages by their score. Good, fair and poor are the thirds of web pages in the same language of about the same"
    )
    caption = f"<figcaption>{about} length. The tallest bar is {format_count(tallest, 'page')}.</figcaption>"
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


def _list_changes(pages: Sequence[PageResult], views: str) -> list[Change]:
    """Return the suggested changes, those first that most pages need."""
    found: defaultdict[str, list[tuple[int, int, Finding]]] = defaultdict(list)
    for number, result in enumerate(pages):
        for at, suggestion in enumerate(result.suggestions, start=1):
            found[suggestion.rule].append((number, at, suggestion))
    folder = find_folder(pages)
    changes = []
    for rule, places in found.items():
        action = Counter(s.action for _, _, s in places).most_common(1)[0][0]
        items = [
            f'<a href="{_locate(number, at, views)}">{escape.html(shorten_name(pages[number].source, folder))}</a>'
            for number, at, _ in places
        ]
        listed = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
        total = math.fsum(s.gain or 0.0 for _, _, s in places)
        changes.append((rule, Change(action, RULES[rule].about, len(places), total, listed)))
    changes.sort(key=lambda entry: (-entry[1].pages, entry[0]))
    return [change for _, change in changes]


def _locate(page: int, suggestion: int, views: str) -> str:
    """Return the address of a suggestion in the view of its page, or of that where it does not show the suggestion."""
    return f"#p{page}-{suggestion}" if suggestion <= MAX_SUGGESTIONS and views else f"#p{page}"


def _render_directories(pages: Sequence[PageResult]) -> str:
    groups: defaultdict[str, list[PageResult]] = defaultdict(list)
    for result in pages:
        groups[find_directory(result)].append(result)
    if len(groups) < 2:
        return ""
    ordered = sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    folder = find_folder(pages)
    rows = []
    for name, members in ordered[:MAX_DIRECTORIES]:
        scores = [r.score for r in members]
        shown = shorten_name(f"{name}/", folder).rstrip("/") or "."
        rows.append([escape.html(shown), f"{len(members):,}", f"{quantile(scores, 0.5):.1f}", f"{min(scores):.1f}"])
    more = len(ordered) - len(rows)
    about = "By directory" + (f" ({format_count(more, 'smaller one')} not shown)" if more > 0 else "")
    table = render_table("directories", "", ("directory", "pages", "median", "lowest"), rows, numbers="123")
    return render_fold(about, table)


def find_directory(result: PageResult) -> str:
    """Return the directory of a page; for a record the host of its address, else its file."""
    if record := _RECORD.match(result.source):
        return parse_host(result.url or "") or record[1]
    return result.source.rpartition("/")[0] or "."


def render_index(ordered: Sequence[PageResult], views: str) -> str:
    """Return the table, with a field to filter it; an empty string for a single page."""
    if len(ordered) < 2:
        return ""
    columns = COLUMNS if len({result.page.language for result in ordered}) > 1 else COLUMNS[:-1]
    columns = (*columns, FIRST, *([FLAGGED] if any(r.flagged for r in ordered) else []))
    order = ' aria-sort="ascending"'
    heads = "".join(
        f'<th scope="col" data-sort="{kind}"{order if name == "score" else ""}>{name}</th>' for name, kind in columns
    )
    folder = find_folder(ordered)
    rows = "\n".join(_render_row(number, result, columns, views, folder) for number, result in enumerate(ordered))
    where = f'<p class="dim">All in {escape.html(folder)}</p>' if folder else ""
    count = format_count(len(ordered), "page")
    return (
        '<section aria-labelledby="pages"><h2 id="pages" tabindex="-1">Pages, the lowest score first</h2>'
        f"{where}"
        '<p id="filter" hidden><label for="wanted">Filter the pages</label> <input id="wanted" type="search" '
        f'autocomplete="off" aria-describedby="shown"> <span id="shown" role="status">{count} shown</span></p>'
        f'<table class="pages"><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></section>'
    )


def describe_rating(rating: str | None, cap: float | None) -> str:
    """Return a page's rating, and where a cap holds its score."""
    return ", ".join(filter(None, (rating, f"held at {format_cap(cap)}" if cap is not None else "")))


def _render_row(number: int, result: PageResult, columns: Sequence[tuple[str, str]], views: str, folder: str) -> str:
    page = result.page
    doubt = "" if result.reading is None or result.reading.confidence == "good" else " (doubtful reading)"
    cells = {
        "page": f'<td><a href="#p{number}">{escape.html(shorten_name(result.source, folder))}</a>{doubt}</td>',
        "score": f'<td class="{describe_bar(page.score)}"><b>{page.score:.1f}</b></td>',
        "rating": f"<td>{escape.html(describe_rating(page.rating, page.cap if page.held else None))}</td>",
        "words": f'<td class="n">{page.words:,}</td>',
        "language": f"<td>{escape.html(page.language)}</td>",
        FIRST[0]: f"<td>{_describe_first(number, result, views)}</td>",
        FLAGGED[0]: f"<td>{escape.html(abbreviate_flags(result))}</td>",
    }
    return f"<tr>{''.join(cells[name] for name, _ in columns)}</tr>"


def _describe_first(number: int, result: PageResult, views: str) -> str:
    page, best = result.page, next(iter(result.suggestions), None)
    if best is None:
        why = (page.guard_reason or page.guard) if page.guard else "nothing certain"
        return f'<span class="dim">{escape.html(why)}</span>'
    gain = f" ({best.gain:+.1f})" if best.has_gain else ""
    return f'<a href="{_locate(number, 1, views)}">{escape.html(best.action)}</a>{gain}'
