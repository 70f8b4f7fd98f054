"""The dates of HTML pages: what they declare, what they show, and what is the date of something else."""

from __future__ import annotations

import json
import time
from datetime import date

import pytest

from steelyard.languages.dates import load_date_words
from steelyard.text.dates import UNDATED, PageDates
from steelyard.text.html.dates import read_page_dates
from steelyard.text.html.declared_dates import read_declared
from steelyard.text.html.extraction import extract_here
from steelyard.text.html.limits import DEFAULT_LIMITS
from steelyard.text.html.tree import parse

pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")

WORDS = load_date_words()
PROSE = (
    "<p>The keeper of the gauge wrote the level of the tide into the ledger, which is kept in the town hall.</p>" * 8
)
TITLE = "How the harbour measures the tide"


def read(body: str = "", head: str = "", *, lang: str = "en-GB", url: str | None = None) -> PageDates:
    head = f"<head><title>{TITLE} - Harbour News</title>{head}</head>"
    html = f'<!doctype html><html lang="{lang}">{head}<body>{body}</body></html>'
    return extract_here(html, words=WORDS, address=url).dates


def article(beside: str = "", after: str = "", *, before: str = "", **known: str) -> PageDates:
    return read(f"{before}<main><h1>{TITLE}</h1>{beside}{PROSE}</main>{after}", **known)


def script(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def days(published: str | None, updated: str | None = None, source: str | None = None) -> PageDates:
    return PageDates(
        date.fromisoformat(published) if published else None, date.fromisoformat(updated) if updated else None, source
    )


def test_declared_dates_say_what_they_are_and_where_they_are_from() -> None:
    published = '<meta property="article:published_time" content="2021-03-04T23:30:00-05:00">'
    modified = '<meta name="article:modified_time" content=" 2021-04-05 ">'
    data = {"@graph": [{"@type": "Article", "datePublished": "2020-02-03", "dateModified": "2020-03-04T00:00"}]}
    for head, expected in (
        (published + modified, days("2021-03-04", "2021-04-05", "meta")),
        (published + published.replace("03-04", "03-09"), days("2021-03-04", None, "meta")),
        (modified, days(None, "2021-04-05", "meta")),
        (script(data), days("2020-02-03", "2020-03-04", "structured data")),
        (published + script(data), days("2021-03-04", None, "meta")),
        (
            script({"@type": "NewsArticle", "datePublished": "Mon, 18 Nov 2019 16:07:38 -0600"}),
            days("2019-11-18", None, "structured data"),
        ),
        ('<meta name="DC.date.issued" content="20190405">', days("2019-04-05", None, "meta")),
        ('<meta name="date" content="2019-04-05">' + script(data), days("2020-02-03", "2020-03-04", "structured data")),
        ('<meta name="viewed" content="2022-01-01">', UNDATED),
    ):
        assert article(head=head) == expected, head
    micro = '<span itemprop="name datePublished">2016-05-06</span><i itemprop="dateModified" content="2016-05-07"></i>'
    assert article(micro) == days("2016-05-06", "2016-05-07", "structured data")


def test_values_that_are_no_day_are_no_date() -> None:
    for value in ("2020-02-30", "0001-01-01T00:00:00Z", "2020-02", "2020-W05-1", "PT2H", "٢٠٢٠-٠١-٠٢", "today", ""):
        assert article(head=f'<meta property="article:published_time" content="{value}">') == UNDATED, value


def test_json_that_is_not_about_the_page_is_ignored() -> None:
    listed = [{"@type": "BlogPosting", "headline": f"Post {n}", "datePublished": f"2020-01-0{n}"} for n in (1, 2, 3)]
    for kind, data in {
        "of a comment": {"@type": "Article", "comment": [{"datePublished": "2024-01-01"}]},
        "a video": {"@type": "VideoObject", "datePublished": "2024-01-01"},
        "an event": {"@type": "Event", "datePublished": "2024-01-01"},
        "an organisation": {"@type": "Organization", "datePublished": "1851-09-18"},
        "a list of posts": listed,
        "a number": {"datePublished": 20240101},
    }.items():
        assert article(head=script(data)) == UNDATED, kind
    titled = [*listed, {"@type": "BlogPosting", "headline": TITLE, "datePublished": "2021-05-06"}]
    assert article(head=script(titled)) == days("2021-05-06", None, "structured data")
    for kind, text in {
        "broken": '{"datePublished": "2024-01-01"',
        "deep": "[" * 100_000,
        "number": "9" * 100_000,
    }.items():
        assert article(head=f'<script type="application/ld+json">{text}</script>') == UNDATED, kind


def test_a_reader_sees_the_date_beside_the_title_or_with_a_label() -> None:
    for lang, line, expected in (
        ("en", "<p>By Ann Ferrow on March 4, 2021</p>", days("2021-03-04")),
        ("en", "<p>Published: 4 March 2021 | Updated: May 6th, 2021 at 10:15</p>", days("2021-03-04", "2021-05-06")),
        ("en", "<p>PUBLISHED:</p>4 March 2021<p>UPDATED:</p>6 May 2021", days("2021-03-04", "2021-05-06")),
        ("en", "<p>Last reviewed on 4 March 2021</p>", days(None, "2021-03-04")),
        ("en-US", "<p>Ann Ferrow - 3/4/21 06:56 AM</p>", days("2021-03-04")),
        ("en-GB", "<p>3/4/2021</p>", days("2021-04-03")),
        ("en", "<p>13/4/2021</p>", days("2021-04-13")),
        ("fr", "<p>Publié le jeudi 4 mars 2021 à 10h, mis à jour le 5 mars 2021</p>", days("2021-03-04", "2021-03-05")),
        ("fr", "<p>Par Anne Ferrow, le 1er mars 2021</p>", days("2021-03-01")),
        ("de", "<p>Veröffentlicht am 4. März 2021 von Anne Ferrow</p>", days("2021-03-04")),
        ("de", "<p>Stand: 04.03.2021</p>", days(None, "2021-03-04")),
        ("es", "<p>Publicado el 4 de marzo de 2021 · Actualizado: 06/05/2021</p>", days("2021-03-04", "2021-05-06")),
        ("es", "<p>Ana Ferrow | Jueves 4 marzo, 2021</p>", days("2021-03-04")),
        ("en", '<div class="post-date"><b>March 4</b><div><i>10:15</i><i>2021</i></div></div>', days("2021-03-04")),
        ("en", '<p>By Ann <time datetime="2021-03-04T10:15">three weeks ago</time></p>', days("2021-03-04")),
        ("en", '<p>Updated <time datetime="2021-03-04">yesterday</time></p>', days(None, "2021-03-04")),
    ):  # fmt: skip
        wanted = PageDates(expected.published, expected.updated, "visible text")
        assert article(line, lang=lang) == wanted, line
        assert article("", f"<footer>{line}</footer>", lang=lang).known in ((), wanted.known), line
    foot = '<footer>An invented title. Carnet mis à jour le <time datetime="2021-03-04">4 mars 2021</time>.</footer>'
    assert article(after=foot, lang="fr") == days(None, "2021-03-04", "visible text")
    posts = "".join(f'<p><time datetime="2021-03-0{n}" class="updated">{n}</time></p>' for n in (1, 1, 2))
    assert article(after=f"<footer>{posts}</footer>") == UNDATED
    assert article(after="<p>This page was last edited on 4 March 2021, at 10:15.</p>").updated == date(2021, 3, 4)


def test_dates_of_other_things_are_not_those_of_the_page() -> None:
    posts = "".join(f"<li><a href=/{n}>Post {n}</a> <span>March {n}, 2021</span></li>" for n in range(1, 9))
    comments = "".join(f"<p>Ann on March {n}, 2021</p><p>Posted on April {n}, 2021</p>" for n in range(1, 5))
    for kind, body in {
        "comments": article(after=f'<div class="comments">{comments}</div>'),
        "comments without a name": article(after=comments),
        "a sidebar": article(before=f"<aside><ul>{posts}</ul></aside>"),
        "related articles": article(f'<div class="related-posts"><ul>{posts}</ul></div>'),
        "an archive": article(after=f"<ul>{posts}</ul>"),
        "the copyright": article(after="<footer>© 2021 Harbour News. Copyright 4 March 2021.</footer>"),
        "the terms": article("<p>Our privacy policy was updated on 4 March 2021.</p>"),
        "a message that is quoted": article("<p>— Ann (@ferrow) March 4, 2021</p>"),
        "an event in the text": article(
            "<p>On 4 March 2021 the gauge was moved to the new quay, where it still is.</p>"
        ),
        "the clock of the site": article(before="<p>Thursday, 4 March 2021</p>" + "<p>News</p>" * 6),
        "a caption": article("<figure><figcaption>The quay on 4 March 2021</figcaption></figure>"),
        "a hidden one": article("<p hidden>Published 4 March 2021</p>"),
        "an open order": article("<p>3/4/2021</p>", lang="en"),
        "a version": article("<p>Version 2.6.29</p>"),
        "a copyright year": article("<p>2021</p>"),
    }.items():
        assert body == UNDATED, kind


def test_the_first_entry_of_a_list_gives_no_date() -> None:
    entries = [f"<h2>Entry {n}</h2><p>{n} March 2021</p><p>What was seen.</p>" for n in range(1, 6)]
    assert article("".join(entries)) == UNDATED
    assert article("<h2>With a summary</h2><p>4 March 2021</p>") == days("2021-03-04", None, "visible text")


def test_a_declared_hour_of_another_zone_is_the_day_that_is_shown() -> None:
    head = '<meta property="article:published_time" content="2021-03-05T02:30:00Z">'
    later = '<meta property="article:modified_time" content="2021-03-05T03:30:00Z">'
    assert article("<p>March 4, 2021</p>", head=head + later) == days("2021-03-04", None, "meta")
    assert article("<p>March 14, 2021</p>", head=head) == days("2021-03-05", None, "meta"), (
        "another day is not believed"
    )
    address = "https://example.org/2021/03/04/tide/"
    assert article(head=head, url=address) == days("2021-03-04", None, "meta")
    assert article(url=address) == days("2021-03-04", None, "URL")


def test_dates_are_read_without_a_clock() -> None:
    assert article("<p>Published 4 March 2098</p>") == days("2098-03-04", None, "visible text")


def test_hostile_pages_are_read_in_bounded_time() -> None:
    line = "Updated 3 March 2020 published on 12/12/2020 - "
    for kind, body in {
        "one line of dates": f"<p>{line * 20_000}</p>",
        "many lines of dates": f"<p>{line}</p>" * 8_000,
        "digits": f"<p>{'1-' * 200_000}</p>",
        "years": f"<p>{'2020 ' * 200_000}</p>",
        "headings": f"<h1>{TITLE}</h1>" * 8_000,
        "dates in dates": '<div class="date">' * 80 + "4 March " * 10_000,
        "times": '<time datetime="2020-03-04" class="published updated">x</time>' * 8_000,
        "properties": '<i itemprop="datePublished" itemscope>2020-03-04</i>' * 8_000,
        "long names": f'<p class="{"date-" * 50_000}">x</p>' * 5,
        "labels": f"<p>{'last updated ' * 20_000} 2020-03-04</p>",
    }.items():
        tree = parse(f"<html><body>{body}", DEFAULT_LIMITS)
        assert tree is not None
        start = time.process_time()
        read_page_dates(tree, read_declared(tree, WORDS, [TITLE]), WORDS, [TITLE], "https://a.org/" + "2020/" * 100_000)
        assert time.process_time() - start < 5, kind
