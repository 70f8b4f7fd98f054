"""The dates that a page declares for programs: in its head, in JSON-LD and in microdata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from steelyard.text.dates import META, STRUCTURED_DATA, DateWords, PageDates, make_date

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# In the order in which they are believed; names in lower case, and every separator a dot.
_META_PUBLISHED = (
    "article.published.time", "og.article.published.time", "article.published", "og.published.time", "og.datepublished",
    "datepublished", "date.published", "published.time", "published.at", "published", "pubdate", "pub.date",
    "publish.date", "publishdate", "published.date", "publication.date", "publicationdate", "parsely.pub.date",
    "article.date.original", "rnews.datepublished", "dcsext.articlefirstpublished", "post.date",
    "shareaholic.article.published.time", "citation.publication.date", "citation.online.date",
    "prism.publicationdate", "bepress.citation.date", "dc.date.issued",
    "dcterms.issued", "dcterms.created", "dc.date.created", "dc.created", "dc.date.publication", "article.created",
    "datecreated", "date.created", "sailthru.date", "og.pubdate", "og.regdate", "bt.pubdate", "pdate", "dc.date",
    "dcterms.date", "citation.date", "date",
)  # fmt: skip
_META_UPDATED = (
    "article.modified.time", "og.article.modified.time", "article.modified", "article.updated", "og.modified.time",
    "datemodified", "date.modified", "modified.time", "article.date.updated", "updated.date", "dc.date.modified",
    "dcterms.modified", "dc.modified", "bt.moddate", "lastmod", "last.modified", "og.updated.time", "updated.time",
)  # fmt: skip
_SEPARATORS = re.compile(r"[:_\-\s]+")
_MAX_META = 2_000
_MAX_NAME = 60
_MAX_VALUE = 80
_MAX_NODES = 5_000
_MAX_SCRIPTS = 200
_MAX_ITEMS = 500

_PUBLISHED, _UPDATED = "datePublished", "dateModified"
_CREATED = "dateCreated"
_KEYS = (_PUBLISHED, _UPDATED, _CREATED)
# Where JSON-LD describes the page itself; dates elsewhere belong to comments and related articles.
_PAGE_KEYS = ("@graph", "mainEntity", "mainEntityOfPage")
_JSON_LD_LENGTH = 1_000_000
# What is on a page and has dates of its own.
_NOT_A_PAGE = frozenset(
    "answer audioobject audio breadcrumblist clip comment creativework event hotel imageobject interactioncounter "
    "itemlist jobposting localbusiness mediaobject musicrecording offer organization person product rating review "
    "sitenavigationelement usercomments videoobject website wpfooter wpheader wpsidebar".split()
)
_PAGE_ONLY = frozenset(("webpage", "collectionpage", "itempage", "aboutpage", "medicalwebpage"))

_ISO = re.compile(r"\s*((?:19|20)[0-9]{2})([-/.]?)([01][0-9])\2([0-3][0-9])(?![0-9])", re.ASCII)


class Declared(NamedTuple):
    """A description of something on the page, with its type in lower case and its dates."""

    kind: str
    title: str
    published: date | None
    updated: date | None


def read_declared(tree: HtmlElement, words: DateWords, titles: Iterable[str]) -> PageDates:
    """Return the declared dates of the page itself: those of its head before those of structured data."""
    meta = _read_meta(tree, words)
    published = next((meta[name] for name in _META_PUBLISHED[:-4] if name in meta), None)
    updated = next((meta[name] for name in _META_UPDATED if name in meta), None)
    if published:
        return _join(published, updated, META)
    found = _choose(list(_read_json_ld(tree, words)), titles)
    found = found if found and found.published else _read_microdata(tree, words) or found
    if found and found.published:
        return _join(found.published, found.updated or updated, STRUCTURED_DATA)
    published = next((meta[name] for name in _META_PUBLISHED[-4:] if name in meta), None)  # names for any date
    if published or updated:
        return _join(published, updated or (found.updated if found else None), META)
    return _join(None, found.updated if found else None, STRUCTURED_DATA)


def _join(published: date | None, updated: date | None, source: str) -> PageDates:
    """Return both dates, also where they are equal, since the hour may be cut in different time zones."""
    return PageDates(published, updated, source) if published or updated else PageDates()


def read_value(value: str, words: DateWords) -> date | None:
    """Return the date in a value of metadata: ISO 8601, eight digits, or words."""
    value = value[:_MAX_VALUE]
    if iso := _ISO.match(value):
        return make_date(iso[1], iso[3], iso[4])
    return next((written.day for written in words.find_dates(value)), None)


def _read_meta(tree: HtmlElement, words: DateWords) -> dict[str, date]:
    """Return the dates of the <meta> elements by their normalised names, the first of each name."""
    found: dict[str, date] = {}
    for element in islice(tree.iter("meta"), _MAX_META):
        name = element.get("property") or element.get("name") or ""
        if not name or len(name) > _MAX_NAME:
            continue
        name = _SEPARATORS.sub(".", name.strip().lower())
        name = name if name in _ALL_META else name.partition(".")[2]  # without the prefix of a site
        if name in _ALL_META and name not in found and (day := read_value(element.get("content", ""), words)):
            found[name] = day
    return found


_ALL_META = frozenset((*_META_PUBLISHED, *_META_UPDATED))


def _read_json_ld(tree: HtmlElement, words: DateWords) -> Iterator[Declared]:
    for script in islice(tree.iter("script"), _MAX_SCRIPTS):
        kind = script.get("type", "").partition(";")[0].strip().lower()
        if kind == "application/ld+json" and len(script.text or "") <= _JSON_LD_LENGTH:
            yield from _read_json(script.text or "", words)


def _read_json(text: str, words: DateWords) -> Iterator[Declared]:
    try:
        # strict=False: real pages carry raw line breaks inside JSON strings.
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    yield from (one for one in list_described(value, words) if one.published or one.updated)


def list_described(value: Any, words: DateWords) -> Iterator[Declared]:
    """Yield what the value of a JSON-LD script says of the page itself: titles and dates."""
    pending = [value]
    for _ in range(_MAX_NODES):
        if not pending:
            return
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(reversed(node[:_MAX_NODES]))
        elif isinstance(node, dict):
            kind = _read_kind(node.get("@type"))
            if kind in _NOT_A_PAGE:
                continue
            days = {key: read_value(value, words) for key in _KEYS if isinstance(value := node.get(key), str)}
            title = node.get("headline") or node.get("name")
            published = days.get(_PUBLISHED) or days.get(_CREATED)
            yield Declared(kind, title if isinstance(title, str) else "", published, days.get(_UPDATED))
            pending.extend(node[key] for key in _PAGE_KEYS if key in node)


def _read_kind(value: object) -> str:
    kind = value[0] if isinstance(value, list) and value else value
    return kind.rpartition("/")[2].lower() if isinstance(kind, str) else ""


def _choose(found: list[Declared], titles: Iterable[str]) -> Declared | None:
    """Return the description of the page itself: an article before a page, and none of several other articles."""
    articles = [one for one in found if one.kind not in _PAGE_ONLY]
    candidates = articles or found
    if len({one.published for one in candidates if one.published}) > 1:
        wanted = [" ".join(title.lower().split()) for title in titles]
        titled = [one for one in candidates if any(_is_same(one.title, title) for title in wanted)]
        pages = [one for one in found if one.kind in _PAGE_ONLY]
        candidates = titled or pages or ([] if len(candidates) > 2 else candidates)
    dated = [one for one in candidates if one.published]
    best = dated[0] if dated else candidates[0] if candidates else None
    if best and best.updated is None:
        updated = next((one.updated for one in found if one.updated and one.published == best.published), None)
        best = best._replace(updated=updated)
    return best


def _is_same(one: str, other: str) -> bool:
    one = " ".join(one[:500].lower().split())
    return len(one) > 8 and (one in other or (len(other) > 8 and other in one))


def _read_microdata(tree: HtmlElement, words: DateWords) -> Declared | None:
    """Return the first dates of microdata that belong to no comment and to nothing else on the page."""
    days: dict[str, date] = {}
    scope: HtmlElement | None = None
    for element in islice(tree.xpath("//*[@itemprop]"), _MAX_ITEMS):
        names = set(element.get("itemprop", "").split())
        key = next((key for key in _KEYS if key in names or key.lower() in names), None)
        if key is None or key in days:
            continue
        owner = next((e for e in element.iterancestors() if e.get("itemscope") is not None), None)
        if owner is not None and _read_kind(owner.get("itemtype", "")) in _NOT_A_PAGE:
            continue
        if scope is not None and owner is not scope:
            continue  # the first that is described is the page, the others follow it
        value = element.get("content") or element.get("datetime") or _read_beginning(element)
        if day := read_value(value, words):
            days[key], scope = day, owner if owner is not None else scope
    published = days.get(_PUBLISHED) or days.get(_CREATED)
    return Declared("", "", published, days.get(_UPDATED)) if published or days.get(_UPDATED) else None


def _read_beginning(element: HtmlElement) -> str:
    """Return the beginning of an element's text, as much as can be a date; the whole can be that of the page."""
    beginning = ""
    for piece in element.itertext():
        beginning = (beginning + piece).lstrip()
        if len(beginning) >= _MAX_VALUE:
            break
    return beginning[:_MAX_VALUE]
