"""The lines of an HTML page as it shows them, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from steelyard.text.dates import DateWords
from steelyard.text.html.declared_dates import read_value

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LENGTH = 300  # characters of a line that are kept
_DATE_LENGTH = 60  # of the text of an element that is called a date
_MAX_ELEMENTS = 50_000
_MAX_HEADINGS = 300
_MAX_TITLES = 5
_MAX_NAMES = 200
_HEADINGS = ("h1", "h2", "h3")
_LISTED_HEADINGS = frozenset(("h2", "h3", "h4"))
_BLOCKS = frozenset(
    "abbr address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section select table tbody td tfoot th thead time tr "
    "ul".split()
)
_OTHER_TAGS = frozenset("aside blockquote figcaption figure form nav option select".split())
# Parts of classes and ids.
_OTHER = frozenset(
    "archive archives banner breadcrumb breadcrumbs caption carousel comment commentlist comments cookie cookies "
    "disqus embed event events feed latest menu more most nav navbar navigation newsletter next outbrain popular prev "
    "previous promo recent related replies reply respond sidebar slider taboola teaser teasers trending tweet widget "
    "widgets".split()
)
_RECOMMENDED = re.compile(r"recommend\w{0,8}|recirc\w{0,10}")
_FOOT = frozenset(("footer", "colophon", "copyright"))
_DATE = frozenset("date datum fecha timestamp published posted".split())
_UPDATED = re.compile(r"(?:^|[-_\s])(?:updated|modified|lastmod|datemodified)(?:$|[-_\s])", re.IGNORECASE)
_PUBLISHED = re.compile(r"(?:^|[-_\s])(?:published|pubdate|created|datepublished)(?:$|[-_\s])", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """A line of the page as it is shown.

    Attributes:
        text: Its words, at most 300 characters of them.
        size: The length of its text, however long.
        is_other: Whether it stands in a part of the page that is not about the page, such as comments.
        is_foot: Whether it stands in the page's footer.
        is_title: Whether it is the page's title.
        is_heading: Whether it is another heading.
        day: The day that the <time> or <abbr> that it is gives for programs.
        kind: "updated" or "published" where the names of that element say so.
    """

    text: str
    size: int = 0
    is_other: bool = False
    is_foot: bool = False
    is_title: bool = False
    is_heading: bool = False
    day: date | None = None
    kind: str = ""


class _Part(NamedTuple):
    """What the tag and the names of an element say about what is in it."""

    is_other: bool = False
    is_foot: bool = False
    is_date: bool = False


_PLAIN = _Part()


def _read_part(tag: str, classes: str | None, name: str | None) -> _Part:
    """Return what an element is by its tag, its class and its id."""
    of_class = _split_names(classes) if classes else []
    names = of_class + _split_names(name) if name else of_class
    is_foot = tag == "footer" or not _FOOT.isdisjoint(names)
    is_other = tag in _OTHER_TAGS or not _OTHER.isdisjoint(names) or any(map(_RECOMMENDED.fullmatch, names))
    is_date = not _DATE.isdisjoint(of_class)
    return _Part(is_other, is_foot, is_date) if is_foot or is_other or is_date else _PLAIN


def _split_names(names: str) -> list[str]:
    return names[:_MAX_NAMES].lower().replace("-", " ").replace("_", " ").split()


class _Reader:
    """Cut a tree into lines."""

    def __init__(self, words: DateWords, titles: list[HtmlElement]) -> None:
        self.lines: list[Line] = []
        self.titles_read = 0
        self._words = words
        self._titles = frozenset(titles)
        self._homes = frozenset(home for one in titles for home in (one, *one.iterancestors()))  # what holds the title
        self._pieces: list[str] = []
        self._size = 0
        self._others = self._feet = 0
        self._held: HtmlElement | None = None  # an element that is one line, whatever is in it
        self._seen: dict[tuple[str, str | None, str | None], _Part] = {}
        self._around: list[_Part] = []  # of the elements that are open

    def enter(self, element: HtmlElement) -> None:
        part = self._name_part(element)
        self._around.append(part)
        if self._held is None:
            if part is not _PLAIN and part.is_date and _is_short(element):
                self._held = element
                self.close()
            elif self._pieces and element.tag in _BLOCKS:
                self.close()
        else:
            self._pieces.append(" ")
        if part is not _PLAIN:
            self._others += part.is_other
            self._feet += part.is_foot
        text = element.text
        if text and not text.isspace():
            self._add(text)

    def leave(self, element: HtmlElement) -> None:
        if element is self._held:
            self._held = None
            self._close_block(element)
        elif self._held is not None:
            self._pieces.append(" ")
        elif element.tag in _BLOCKS:
            self._close_block(element)
        part = self._around.pop()
        if part is not _PLAIN:
            self._others -= part.is_other
            self._feet -= part.is_foot
        text = element.tail
        if text and not text.isspace():
            self._add(text)

    def close(self) -> Line | None:
        """End the line; return it unless it is empty."""
        if not self._pieces:
            return None
        text = " ".join("".join(self._pieces).split())[:LENGTH]
        size, self._pieces, self._size = max(self._size, len(text)), [], 0
        if not text:
            return None
        line = Line(text, size, self._others > 0, self._feet > 0)
        self.lines.append(line)
        return line

    def _add(self, text: str) -> None:
        if self._size <= LENGTH:
            self._pieces.append(text[:LENGTH])
        self._size += len(text)

    def _name_part(self, element: HtmlElement) -> _Part:
        """Return what an element is; one that holds the title is never another part of the page."""
        key = element.tag, element.get("class"), element.get("id")
        part = self._seen.get(key)
        if part is None:
            part = self._seen[key] = _read_part(*key)
        return _PLAIN if part is not _PLAIN and element in self._homes else part

    def _close_block(self, element: HtmlElement) -> None:
        """End the line of a block, with what its element says for programs."""
        line = self.close()
        if element in self._titles and self.lines:
            self.lines[-1].is_title = True
            self.titles_read += 1
        elif line is not None and element.tag in _LISTED_HEADINGS:
            line.is_heading = True
        if line is None or element.tag not in ("time", "abbr"):
            return
        value = element.get("datetime") if element.tag == "time" else element.get("title")
        line.day = read_value(value, self._words) if value else None
        names = f"{element.get('class', '')[:_MAX_NAMES]} {element.get('itemprop', '')[:_MAX_NAMES]}"
        line.kind = "published" if _PUBLISHED.search(names) else "updated" if _UPDATED.search(names) else ""


def read_lines(tree: HtmlElement, words: DateWords, titles: Iterable[str], after: int | None = None) -> list[Line]:
    """Cut the page into lines.

    Args:
        tree: The page without its hidden elements.
        words: The words for dates in all languages.
        titles: The titles that the page declares.
        after: How many lines are read behind the title; None: all.
    """
    from lxml import etree

    marked = find_titles(tree, titles)
    reader = _Reader(words, marked)
    body = tree.find("body")
    walk = etree.iterwalk(tree if body is None else body, events=("start", "end"))
    last = None
    for event, element in islice(walk, 2 * _MAX_ELEMENTS):
        if event == "start":
            reader.enter(element)
        else:
            reader.leave(element)
            if after is not None and marked and reader.titles_read == len(marked):
                last = len(reader.lines) + after if last is None else last
                if len(reader.lines) > last:
                    break
    reader.close()
    return reader.lines


def find_titles(tree: HtmlElement, titles: Iterable[str]) -> list[HtmlElement]:
    """Return the headings that are the page's title, as far as <title> has their words; else the first <h1>."""
    wanted = [frozenset(title.lower().split()) for title in titles]
    headings: list[tuple[tuple[int, int], str, HtmlElement]] = []
    for element in islice(tree.iter(*_HEADINGS), _MAX_HEADINGS):
        text = " ".join("".join(islice(element.itertext(), 100)).split())[:LENGTH].lower()
        own = frozenset(text.split())
        if len(own) > 1 and any(len(own & title) >= 0.75 * len(own) for title in wanted):
            headings.append(((len(own), -_HEADINGS.index(element.tag)), text, element))
    if headings:
        best = max(rank for rank, _, _ in headings)
        text = next(text for rank, text, _ in headings if rank == best)
        return [element for _, other, element in headings if other == text][:_MAX_TITLES]
    first = islice((e for e in tree.iter("h1") if any(map(str.strip, islice(e.itertext(), 100)))), 1)
    return list(first)


def _is_short(element: HtmlElement) -> bool:
    size = 0
    for piece in islice(element.itertext(), 20):
        size += len(piece.strip())
        if size > _DATE_LENGTH:
            return False
    return True
