"""An audit in the terminal: what matters most first, and how much is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from steelyard.advice.finding import MIN_GAIN
from steelyard.components.arithmetic.numbers import mean
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.listing import describe_ratings
from steelyard.pages.reading import REMEDY
from steelyard.site.lines import PageLine
from steelyard.site.model import DUPLICATE, EXCLUDED, FAILED, NOT_MEASURED
from steelyard.site.report.access import list_access
from steelyard.site.report.problems import describe_broken
from steelyard.site.summary import Summary
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile
from steelyard.support.table import Column, Table, draw_bar

Line = tuple[str, str]
WORST, GAPS, GROUPS, LISTED = 15, 7, 8, 8


def render_terminal(site: str, summary: Summary, scoring: str, number: int | None = None) -> list[Line]:
    """Return the lines with their styles; `number` is the audit's in the store."""
    lines: list[Line] = [(f"{make_visible(site)}: {describe_counts(summary)}", "head")]
    lines.append((summarise_scores(summary), "head"))
    if summary.pages:
        lines += [(describe_ratings(summary.ratings), "text"), ("", "text")]
        lines += _list_worst(summary)
        lines += _list_gaps(summary)
    lines += _list_broken(summary)
    lines += list_access(summary.access, summary.logs)
    lines += _list_pages("thin: so short that their length limits the score", summary.thin)
    lines += _list_flagged(summary)
    lines += _list_apart(summary)
    lines += _list_groups(summary)
    lines += _list_pages("orphans: named by a sitemap or a list, and linked by no page", summary.orphans)
    lines += _list_others(summary)
    lines += _draw_distribution(summary)
    lines += [(f"limit: {text}", "warn") for text in list_limits(summary.end)]
    lines += [(f"each score is {SCOPE}", "dim"), (scoring, "dim")]
    if number is not None:
        lines.append(
            (f"stored as audit {number}; `steelyard history {make_visible(site)}` shows all of this site", "dim")
        )
    return lines


def describe_counts(summary: Summary) -> str:
    """Return how many addresses there were, by their state."""
    total = sum(summary.states.values())
    parts = [format_count(len(summary.pages), "page") + " scored"]
    if duplicates := summary.states[DUPLICATE]:
        parts.append(format_count(duplicates, "duplicate"))
    broken = sum(map(len, summary.broken.values()))
    parts += [format_count(broken, "broken link")] if broken else []
    counts = {"failed": summary.states[FAILED] - broken, "not measured": summary.states[NOT_MEASURED]}
    counts["not asked for"] = summary.states[EXCLUDED]
    parts += [f"{count:,} {name}" for name, count in counts.items() if count]
    return f"{format_count(total, 'address', 'addresses')}: {', '.join(parts)}"


def summarise_scores(summary: Summary) -> str:
    """Return the mean, the median and the quartiles in one line."""
    scores = summary.scores
    if not scores:
        return "no page was scored"
    low, middle, high = (quantile(scores, q) for q in (0.25, 0.5, 0.75))
    text = f"{format_count(len(scores), 'page')}, mean {mean(scores):.1f}"
    return f"{text}, median {middle:.1f}, quartiles {low:.1f} to {high:.1f}" if len(scores) > 1 else text


def list_limits(end: Any) -> list[str]:
    """Return what the crawl says about its end: limits that were reached, delays, sitemaps that could not be read."""
    return [str(note) for note in end.get("notes", ())]


def _list_worst(summary: Summary) -> list[Line]:
    pages = summary.compared
    if not pages:
        return []
    columns = [
        Column("score", ".1f", right=True), Column("words", ",", right=True), Column("", ""),
        Column("page", width=64, keep="end"), Column("change first"),
    ]  # fmt: skip
    rows = [[p.score, p.words, p.language, p.url, p.guard or p.change] for p in pages[:WORST]]
    head, *body = Table(columns, rows).to_terminal()
    title = "worst pages first" + _count_more(len(pages), WORST)
    return [(title, "head"), (head, "dim"), *((row, "text") for row in body), ("", "text")]


def _list_gaps(summary: Summary) -> list[Line]:
    if not summary.gaps:
        return []
    columns = [Column("pages", ",", right=True), Column("gain", "+.2f", right=True), Column("change"), Column("about")]
    rows = [
        [gap.pages, gap.gain if gap.gain and gap.gain >= MIN_GAIN else None, gap.topic, gap.about]
        for gap in summary.gaps[:GAPS]
    ]
    head, *body = Table(columns, rows).to_terminal()
    title = "commonest gaps, with the mean gain in points (–: moves none)"
    return [(title, "head"), (head, "dim"), *((row, "text") for row in body), ("", "text")]


def _draw_distribution(summary: Summary) -> list[Line]:
    if len(summary.pages) < 2:
        return []
    counts = summary.distribution()
    width = 100 // len(counts)
    lines: list[Line] = [("distribution of scores", "head")]
    for number, count in enumerate(counts):
        bar = draw_bar(100 * count / max(counts), 30).rstrip("·")
        lines.append((f"{number * width:>3} to {(number + 1) * width:<3}  {count:>6,}  {bar}".rstrip(), "text"))
    languages = ", ".join(f"{code} {count:,}" for code, count in summary.languages.most_common())
    return [*lines, (f"languages: {languages}", "text"), ("", "text")]


def _list_broken(summary: Summary) -> list[Line]:
    if not summary.broken:
        return []
    lines: list[Line] = [(describe_broken(summary) + _count_more(len(summary.broken), LISTED, "pages"), "head")]
    for page, found in list(summary.broken.items())[:LISTED]:
        lines.append((f"{len(found):>6,}  {make_visible(page)}", "text"))
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        lines.append((make_visible(f"        {found[0].url}: {found[0].reason}{more}"), "dim"))
    return [*lines, ("", "text")]


def _list_apart(summary: Summary) -> list[Line]:
    """Return the pages that are not compared by their reasons, each with an example."""
    if not summary.apart:
        return []
    groups: defaultdict[str, list[PageLine]] = defaultdict(list)
    for page in summary.apart:
        groups[page.doubt.partition(" (")[0] or page.apart].append(page)
    lines: list[Line] = [(f"{format_count(len(summary.apart), 'page')} listed apart; {REMEDY}", "head")]
    for reason, pages in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        example = "" if len(pages) == 1 else "for example "
        lines.append((f"{len(pages):>6,}  {make_visible(reason)}", "text"))
        lines.append((f"        {example}{make_visible(pages[0].url)}", "dim"))
    return [*lines, ("", "text")]


def _list_groups(summary: Summary) -> list[Line]:
    if not summary.groups:
        return []
    lines: list[Line] = [("duplicate pages, counted once" + _count_more(len(summary.groups), GROUPS), "head")]
    for group in summary.groups[:GROUPS]:
        lines.append((make_visible(group.kept), "text"))
        lines += [(f"  {make_visible(url)}: {make_visible(reason)}", "text") for url, reason in group.others[:3]]
        if len(group.others) > 3:
            lines.append((f"  and {format_count(len(group.others) - 3, 'other')}", "text"))
    return [*lines, ("", "text")]


def _list_pages(title: str, pages: Sequence[PageLine]) -> list[Line]:
    if not pages:
        return []
    lines: list[Line] = [(f"{len(pages):,} {title}" + _count_more(len(pages), LISTED), "head")]
    for page in pages[:LISTED]:
        noun = "word " if page.words == 1 else "words"
        lines.append((f"  {page.words:>6,} {noun}  {make_visible(page.url)}", "text"))
    return [*lines, ("", "text")]


def _list_flagged(summary: Summary) -> list[Line]:
    pages = summary.flagged
    if not pages:
        return []
    lines: list[Line] = [
        (f"{len(pages):,} flagged by a detector, please check" + _count_more(len(pages), LISTED), "head")
    ]
    lines += [(f"  {make_visible(page.url)}: {', '.join(page.flagged)}", "warn") for page in pages[:LISTED]]
    return [*lines, ("", "text")]


def _list_others(summary: Summary) -> list[Line]:
    groups = summary.group_others()
    if not groups:
        return []
    lines: list[Line] = [(f"{len(summary.unread):,} not scored" + _count_more(len(groups), WORST, "reasons"), "head")]
    for count, other in groups[:WORST]:
        lines.append((f"{count:>6,}  {make_visible(other.reason)}", "text"))
        named = f", which {make_visible(other.found_on)} names" if other.found_on else ""
        example = "" if count == 1 else "for example "
        lines.append((f"        {example}{make_visible(other.url)}{named}", "dim"))
    return [*lines, ("", "text")]


def _count_more(total: int, shown: int, noun: str = "") -> str:
    return f" (the first {shown} of {total:,}{f' {noun}' if noun else ''})" if total > shown else ""
