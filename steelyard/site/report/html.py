"""An audit as one file for the browser."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.pages.descriptions import SCOPE
from steelyard.pages.html.document import render_document
from steelyard.pages.html.parts import Cell, render_table
from steelyard.pages.html.site import format_gain, render_distribution
from steelyard.pages.listing import describe_ratings
from steelyard.site.report.access import render_access
from steelyard.site.report.terminal import describe_counts, list_limits, summarise_scores
from steelyard.site.summary import PageLine, Summary
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_ROWS = 2_000  # rows of a table, so that a browser opens the file at once


def render_html(site: str, summary: Summary, scoring: str) -> str:
    """Return the whole file."""
    head = [
        '<a class="skip" href="#pages">Skip to the pages</a>',
        f'<header><h1>{escape.html(site)}</h1><p class="scope">Each score is {SCOPE}.</p>',
        f'<p class="dim">{escape.html(scoring)}</p>',
        f'<p class="summary">{escape.html(summarise_scores(summary))}</p>',
        f'<p class="dim">{escape.html(describe_counts(summary))}</p>',
        f'<p class="dim">{escape.html(describe_ratings(summary.ratings))}</p>' if summary.pages else "",
        *(f'<p class="note">{escape.html(text)}</p>' for text in list_limits(summary.end)),
        "</header>",
    ]
    parts = [
        _render_overview(summary),
        _render_pages(summary.pages),
        _render_groups(summary),
        _render_list("Doubtful readings", "Perhaps not their main text: see each page.", summary.doubtful),
        _render_list("Orphans", "Named by a sitemap or a list, and linked by no page.", summary.orphans),
        _render_list("Thin pages", "So short that their length limits the score.", summary.thin),
        _render_list("Flagged pages", "A detector flags these; please check them.", summary.flagged),
        _render_others(summary),
        render_access(summary.access, summary.logs),
    ]
    return render_document(f"Steelyard: {site}", head, parts)


def _render_overview(summary: Summary) -> str:
    if len(summary.pages) < 2:
        return ""
    languages = ", ".join(f"{code} {count:,}" for code, count in summary.languages.most_common())
    gaps = [
        [
            escape.html(gap.topic),
            escape.html(gap.about),
            Cell(f"{gap.pages:,}", 100 * gap.pages / len(summary.pages)),
            format_gain(gap.gain),
        ]
        for gap in summary.gaps
    ]
    caption = "Commonest gaps: on how many pages each change is suggested, and its mean gain in points"
    table = render_table("gaps", caption, ("change", "about", "pages", "mean gain"), gaps, numbers="23") if gaps else ""
    inside = f'{render_distribution(summary.scores)}{table}<p class="dim">Languages: {escape.html(languages)}</p>'
    return f'<section class="site" aria-labelledby="site"><h2 id="site">All pages</h2>{inside}</section>'


def _render_pages(pages: Sequence[PageLine]) -> str:
    rows = [
        [
            escape.html(page.url),
            Cell(f"{page.score:.1f}", page.score),
            f"{page.words:,}",
            escape.html(page.language),
            page.rating or "",
            escape.html(page.guard or page.change),
            escape.html(", ".join(page.flagged)),
        ]
        for page in pages[:MAX_ROWS]
    ]
    heads = ("page", "score", "words", "language", "content", "worth most", "flagged")
    more = f" (the {MAX_ROWS:,} worst of {len(pages):,})" if len(pages) > MAX_ROWS else ""
    table = render_table("pages", "", heads, rows, numbers="12") if rows else "<p>No page was scored.</p>"
    return f'<section><h2 id="pages" tabindex="-1">Pages, the worst first{more}</h2>{table}</section>'


def _render_groups(summary: Summary) -> str:
    if not summary.groups:
        return ""
    items = [
        f"<li>{escape.html(group.kept)}<ul>"
        + "".join(f"<li>{escape.html(url)}: {escape.html(reason)}</li>" for url, reason in group.others[:50])
        + (f"<li>and {format_count(len(group.others) - 50, 'other')}</li>" if len(group.others) > 50 else "")
        + "</ul></li>"
        for group in summary.groups[:MAX_ROWS]
    ]
    return f"<section><h2>Duplicate pages, counted once</h2><ul>{''.join(items)}</ul></section>"


def _render_list(title: str, about: str, pages: Sequence[PageLine]) -> str:
    if not pages:
        return ""
    items = "".join(
        f"<li>{escape.html(page.url)} ({format_count(page.words, 'word')}"
        + (f", {escape.html(', '.join(page.flagged))}" if page.flagged else "")
        + ")</li>"
        for page in pages[:MAX_ROWS]
    )
    return f"<section><h2>{title}</h2><p>{about}</p><ul>{items}</ul></section>"


def _render_others(summary: Summary) -> str:
    if not summary.others:
        return ""
    reasons = "".join(
        f"<li>{count:,}: {escape.html(other.reason)}</li>" for count, other in summary.group_others()[:20]
    )
    rows = [
        [escape.html(text) for text in (other.url, other.state, other.reason, other.found_on or "")]
        for other in summary.others[:MAX_ROWS]
    ]
    table = render_table("others", "", ("address", "", "why", "named by"), rows)
    return f"<section><h2>Not scored</h2><ul>{reasons}</ul>{table}</section>"
