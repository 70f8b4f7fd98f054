"""The whole file: its head with the policy that forbids every request, and the parts in order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from importlib import resources

from steelyard.pages import descriptions
from steelyard.pages.html.page import MAX_TEXT, render_body, render_page
from steelyard.pages.html.parts import BAR_RULES
from steelyard.pages.html.site import describe_pages, find_folder, render_index, render_site, shorten_name
from steelyard.pages.listing import count_ratings, sort_by_score
from steelyard.pipeline import PageError, PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_ALL_TEXTS = 3_000_000  # characters of all pages together, so that a browser opens the file at once
MIN_TEXT = 3_000  # characters of each page all the same
MAX_WHOLE_TEXTS = 50  # pages up to which blocks without evidence are shown as well
STYLES = ("base.css", "report.css")
MAX_TEXTS = 2_000  # pages whose text is shown at all, those with the lowest scores
SINGLE = 2  # level of the headings in the report of one page


def render_report(pages: Sequence[PageResult], errors: Sequence[PageError], as_of: date) -> str:
    """Return the whole file."""
    ordered = sort_by_score(pages)
    if len(ordered) == 1:
        return _render_single(ordered[0], errors)
    settings = f"as of {as_of}" + (f", {descriptions.describe_scoring(ordered[0].page)}" if ordered else "")
    about = describe_pages([r.score for r in ordered], count_ratings(r.page.rating for r in ordered))
    head = [
        '<a class="skip" href="#pages">Skip to the pages</a>',
        f"<header><h1>Steelyard: {format_count(len(ordered), 'page')}</h1>",
        f'<p class="dim">Each score is {descriptions.SCOPE}; {escape.html(settings)}.</p>',
        f'<p class="summary">{escape.html(about)}</p></header>',
    ]
    views = "\n".join(render_views(ordered, folder=find_folder(ordered)))
    listed = f'<section><h2 id="each">Each page</h2>{views}</section>' if views else ""
    parts = [render_site(ordered, listed), render_index(ordered, listed), _render_errors(errors), listed]
    return render_document(
        f"Steelyard: {format_count(len(pages), 'page')}", head, parts, script=read_asset("report.js")
    )


def _render_single(result: PageResult, errors: Sequence[PageError]) -> str:
    """Return the file of one page."""
    name = result.page.title or result.source
    source = f"{escape.html(result.source)} · " if result.page.title else ""
    head = [
        '<a class="skip" href="#pages">Skip to the result</a>',
        f"<header><h1>{escape.html(name)}</h1>",
        f'<p class="dim">{source}Steelyard: {descriptions.SCOPE}</p></header>',
    ]
    page = f'<section class="single" id="pages" tabindex="-1">{render_body(result, "p0", SINGLE)}</section>'
    return render_document(f"Steelyard: {name}", head, [page, _render_errors(errors)], script=read_asset("report.js"))


def render_document(
    title: str, head: Sequence[str], parts: Sequence[str], *, script: str = "", styles: Sequence[str] = STYLES
) -> str:
    """Return a file of its own that asks for nothing, from markup before its main part and the parts of that."""
    style = "".join(map(read_asset, styles)) + BAR_RULES
    lines = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_make_policy(style, script)}">',
        f"<title>{escape.html(title)}</title>\n<style>{style}</style></head><body>",
        *head,
        "<main>",
        *parts,
        f"</main>{f'<script>{script}</script>' if script else ''}</body></html>\n",
    ]
    return "\n".join(line for line in lines if line)


def read_asset(name: str) -> str:
    """Return a style or a script of the reports."""
    return resources.files("steelyard.pages.html").joinpath(name).read_text("utf-8")


def _make_policy(style: str, script: str) -> str:
    """Return the policy: this style, this script, and nothing else, whatever a page's text may hold."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    allowed = f"style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _render_errors(errors: Sequence[PageError]) -> str:
    items = "".join(f"<li>{escape.html(e.message)}</li>" for e in errors)
    return f'<section><h2>Not scored</h2><ul class="errors">{items}</ul></section>' if errors else ""


def render_views(
    pages: Sequence[PageResult], extras: Sequence[str] = (), *, is_open: bool = False, folder: str = ""
) -> list[str]:
    """Return the view of each page; its text is the shorter the more pages there are.

    Args:
        pages: The pages, numbered in this order.
        extras: HTML for each, below its score.
        is_open: Whether each is unfolded.
        folder: What is left out of their names.
    """
    longest = max(MIN_TEXT, min(MAX_TEXT, MAX_ALL_TEXTS // max(1, len(pages))))
    only_evidence = len(pages) > MAX_WHOLE_TEXTS
    return [
        render_page(
            result,
            number,
            name=shorten_name(result.source, folder),
            is_open=is_open,
            longest=longest if number < MAX_TEXTS else 0,
            only_evidence=only_evidence,
            extra=extras[number] if extras else "",
        )
        for number, result in enumerate(pages)
    ]
