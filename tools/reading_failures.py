"""Bad readings made from pages whose article text is known: the article is taken away, moved, or outgrown.

Every maker gets a page as bytes-free source, its article's text and paragraphs of other pages, and returns the damaged
source, or None where the article cannot be found as one element. Whether the damage misleads the extractor is measured
afterwards, by the article's text.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from html import escape

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring, tostring

from tools.reading_measures import list_shingles

_MIN_FOUND = 0.9  # of the article's shingles are in the element that is taken for it
_FILLER_TIMES = 4  # as many words as the article has

Maker = Callable[[HtmlElement, HtmlElement, Sequence[str], random.Random], None]


def make_failure(source: str, article: str, paragraphs: Sequence[str], name: str, rng: random.Random) -> str | None:
    """Return the page with one damage; None where its article is not in one element of the body."""
    tree = document_fromstring(source.encode(), parser=HTMLParser(encoding="utf-8"))
    main = _find_main(tree, article)
    if main is None:
        return None
    words = _FILLER_TIMES * len(article.split())
    MAKERS[name](tree, main, _take_words(paragraphs, words, rng), rng)
    return str(tostring(tree, encoding="unicode", doctype="<!doctype html>"))


def _find_main(tree: HtmlElement, article: str) -> HtmlElement | None:
    """Return the smallest element that holds nearly all of the article."""
    wanted = set(list_shingles(article))
    element = tree.find("body")
    found = None
    while element is not None:
        found = element
        element = next(
            (c for c in found.iterchildren(tag=etree.Element) if _holds(c, wanted)),
            None,
        )
    return None if found is None or found.tag in ("body", "html") else found


def _holds(element: HtmlElement, wanted: set[tuple[str, ...]]) -> bool:
    text = " ".join(piece for piece in element.itertext(etree.Element) if piece.strip())
    return len(wanted & set(list_shingles(text))) >= _MIN_FOUND * len(wanted) > 0


def _take_words(paragraphs: Sequence[str], words: int, rng: random.Random) -> list[str]:
    """Return paragraphs of other pages, shuffled, with this many words in total."""
    order = list(paragraphs)
    rng.shuffle(order)
    taken: list[str] = []
    while order and words > 0:
        taken.append(order.pop())
        words -= len(taken[-1].split())
    return taken


def _replace(main: HtmlElement, html: str) -> None:
    from lxml.html import fragment_fromstring

    new = fragment_fromstring(html)
    new.tail = main.tail
    main.getparent().replace(main, new)


def _append(tree: HtmlElement, html: str, *, first: bool = False) -> None:
    from lxml.html import fragment_fromstring

    body = tree.find("body")
    body.insert(0 if first else len(body), fragment_fromstring(html))


def _remove(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    _replace(main, "<div></div>")


def _into_script(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    text = json.dumps({"state": {"body": " ".join(main.itertext(etree.Element))}}).replace("<", "\\u003c")
    _replace(main, f'<div id="app"><script>window.__STATE__ = {text};</script></div>')


def _into_json(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    text = json.dumps({"articleBody": " ".join(main.itertext(etree.Element))}).replace("<", "\\u003c")
    _replace(main, f'<div><script type="application/ld+json">{text}</script></div>')


def _move(html: str) -> Maker:
    """Return a maker that moves the article into other elements, at the end of the page."""

    def move(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
        from lxml.html import fragment_fromstring

        box = fragment_fromstring(html)
        main.getparent().remove(main)
        innermost = list(box.iter())[-1]
        for name in ("class", "id", "itemprop", "role"):
            main.attrib.pop(name, None)
        main.tag, main.tail = "div", None
        innermost.append(main)
        tree.find("body").append(box)

    return move


def _enlarge_sidebar(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    teasers = "".join(
        f'<div class="teaser"><h3><a href="/n/{i}">{escape(" ".join(text.split()[:8]))}</a></h3>'
        f"<p>{escape(text)}</p></div>"
        for i, text in enumerate(fillers)
    )
    _append(tree, f'<div class="sidebar"><h2>More</h2>{teasers}</div>', first=rng.random() < 0.5)


def _add_archive(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    items = "".join(
        f'<li><a href="/n/{i}">{escape(" ".join(text.split()[:12]))}</a></li>' for i, text in enumerate([*fillers] * 4)
    )
    _append(tree, f"<div><h2>Archive</h2><ul>{items}</ul></div>", first=rng.random() < 0.5)


def _add_comments(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    _after(main, "".join(f'<div class="c"><b>user{i}</b><p>{escape(t)}</p></div>' for i, t in enumerate(fillers)), "d")


def _add_marked_comments(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    items = "".join(f'<li class="comment"><b>user{i}</b><p>{escape(t)}</p></li>' for i, t in enumerate(fillers))
    _after(main, f"<ol>{items}</ol>", "comments")


def _after(main: HtmlElement, html: str, kind: str) -> None:
    from lxml.html import fragment_fromstring

    new = fragment_fromstring(f'<div class="{kind}">{html}</div>')
    new.tail, main.tail = main.tail, None
    main.addnext(new)


def _take_comments_for_it(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    _add_comments(tree, main, fillers, rng)
    _replace(main, "<div></div>")


def _replace_by_teasers(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    _enlarge_sidebar(tree, main, fillers, rng)
    _replace(main, "<div></div>")


def _put_into_buttons(tree: HtmlElement, main: HtmlElement, fillers: Sequence[str], rng: random.Random) -> None:
    """Make every paragraph but the first something that an extractor takes for a control."""
    for paragraph in list(main.iter("p"))[1:]:
        paragraph.tag = "button"


MAKERS: dict[str, Maker] = {
    "article removed": _remove,
    "article only in a script": _into_script,
    "article only in structured data": _into_json,
    "article moved to a footer": _move("<footer><div></div></footer>"),
    "article moved to a sidebar": _move('<aside class="sidebar"><div></div></aside>'),
    "article moved to a menu": _move('<nav class="menu"><div></div></nav>'),
    "article moved to comments": _move('<div id="comments" class="comments"><div></div></div>'),
    "article moved to a dialog": _move('<div class="modal popup newsletter"><div></div></div>'),
    "paragraphs are controls": _put_into_buttons,
    "sidebar enlarged": _enlarge_sidebar,
    "archive list enlarged": _add_archive,
    "comments longer": _add_comments,
    "marked comments longer": _add_marked_comments,
    "comments instead of the article": _take_comments_for_it,
    "teasers instead of the article": _replace_by_teasers,
}
