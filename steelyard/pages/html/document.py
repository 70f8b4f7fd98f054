"""The whole file: its head with the policy that forbids every request, and the parts in order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from importlib import resources

from steelyard.pages import descriptions
from steelyard.pages.html.marks import render_legend
from steelyard.pages.html.page import render_page
from steelyard.pages.html.parts import BAR_RULES
from steelyard.pages.html.site import render_index, render_site
from steelyard.pages.html.text import render_text
from steelyard.pages.listing import sort_by_score, summarise
from steelyard.pipeline import PageError, PageResult
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_TEXT = 60_000  # characters of one page shown with its evidence
MAX_ALL_TEXTS = 3_000_000  # characters of all pages together, so that a browser opens the file at once
MIN_TEXT = 3_000  # characters of each page all the same
MAX_WHOLE_TEXTS = 50  # pages up to which blocks without evidence are shown as well
STYLES = ("base.css", "report.css")
MAX_TEXTS = 2_000  # pages whose text is shown at all, those with the lowest scores


def render_report(pages: Sequence[PageResult], errors: Sequence[PageError], as_of: date) -> str:
    """Return the whole file."""
    ordered = sort_by_score(pages)
    settings = f"as of {as_of}" + (f", {descriptions.describe_scoring(pages[0].page)}" if pages else "")
    head = [
        '<a class="skip" href="#pages">Skip to the pages</a>',
        f'<header><h1>Steelyard</h1><p class="scope">Each score is {descriptions.SCOPE}.</p>',
        f'<p class="dim">{escape.html(settings)}</p>',
        f'<p class="summary">{escape.html(summarise(pages, errors))}</p></header>',
    ]
    parts = [render_site(ordered), render_index(ordered), _render_errors(errors), _render_pages(ordered)]
    return render_document(
        f"Steelyard: {format_count(len(pages), 'page')}", head, parts, script=read_asset("report.js")
    )


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


def _render_pages(ordered: Sequence[PageResult]) -> str:
    if not ordered:
        return ""
    shown = render_views(ordered, is_open=len(ordered) == 1)
    heading = '<h2 id="each">Each page</h2>' if len(ordered) > 1 else '<h2 id="pages" tabindex="-1">The page</h2>'
    legend = render_legend(detect=any(result.flagged for result in ordered))
    return f"<section>{heading}{legend}\n{chr(10).join(shown)}</section>"


def render_views(pages: Sequence[PageResult], *, is_open: bool, extras: Sequence[str] = ()) -> list[str]:
    """Return the view of each page; its text is the shorter the more pages there are.

    Args:
        pages: The pages, numbered in this order.
        is_open: Whether each is unfolded.
        extras: HTML for each, below its facts.
    """
    longest = max(MIN_TEXT, min(MAX_TEXT, MAX_ALL_TEXTS // max(1, len(pages))))
    only_evidence = len(pages) > MAX_WHOLE_TEXTS
    shown = []
    for number, result in enumerate(pages):
        text = '<p class="note">score this page alone to see its text</p>'
        if number < MAX_TEXTS and result.text is not None:
            text = render_text(result, longest, only_evidence=only_evidence, prefix=f"p{number}")
        shown.append(render_page(result, number, text, is_open=is_open, extra=extras[number] if extras else ""))
    return shown
