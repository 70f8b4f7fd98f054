"""What a visitor sees of a page: its blocks of words, in the order of the page, and which of them were read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\([^()\s]*+")
# What stands inside a line; any other element begins a new block.
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math q rp rt ruby s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_UNSEEN = frozenset(
    "audio canvas datalist head iframe object option script select style svg textarea title video".split()
)
# Names by which templates mark what is beside the main text, as whole parts of a class or an id.
_BESIDE = frozenset(
    "aside comment comments disqus footer menu nav navbar navigation newsletter promo recommended related replies "
    "reply respond sidebar teaser teasers trending widget widgets".split()
)
_FRAMES = frozenset(("html", "body", "main"))
_COMMENTS = frozenset("comment comments commentlist disqus replies reply respond".split())
_NAME = re.compile(r"[a-z]+")
_NAMED_BESIDE = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(_BESIDE))})(?![a-z])")
_MAX_NAMES = 1_000  # characters of a class and an id that are looked at
SHINGLE = 4  # words that are compared together
PROSE_WORDS = 12  # from which a block counts as prose
_MAX_PROSE_LINKED = 0.3  # of its words
_MIN_READ = 0.5  # of a block's shingles


class Place(NamedTuple):
    """Where a block stands."""

    beside: bool = False  # in a region that says it is a sidebar, a menu, a footer, comments or the like
    comments: bool = False  # in one that says it is comments


_NOWHERE = Place()
_NAMELESS = (None, None)


@dataclass(slots=True)
class Block:
    """Words that a visitor sees together.

    Attributes:
        element: The element that holds them.
        text: The words as written, with single blanks.
        words: In lower case.
        linked: How many of them are links.
        place: Where it stands.
        read: Whether it is part of what was read.
    """

    element: HtmlElement
    text: str
    words: list[str]
    linked: int
    place: Place = _NOWHERE
    read: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether it is a paragraph rather than a label, a heading or a link."""
        return len(self.words) >= PROSE_WORDS and self.linked < _MAX_PROSE_LINKED * len(self.words)


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def split_read(markdown: str) -> list[str]:
    """Return the words of what was read in lower case, without the targets of its links."""
    return split_words(_TARGET.sub("]", markdown))


def list_blocks(tree: HtmlElement) -> list[Block]:
    """Return the blocks of a tree, of which nothing is hidden, in one pass."""
    from lxml import etree

    blocks: list[Block] = []
    texts: list[str] = []
    linked: list[str] = []  # those of them that are links
    in_links = 0
    owner, places = tree, [_NOWHERE]
    named: dict[tuple[str | None, str | None], Place] = {}
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        tag, opens = element.tag, event == "start"
        if tag == "a":
            in_links += 1 if opens else -1
        elif tag not in _INLINE:
            if texts:
                _add_block(blocks, owner, texts, linked, places[-1])
                texts, linked = [], []
            if not opens:
                owner = element.getparent()
                places.pop()
            elif tag in _UNSEEN:
                walk.skip_subtree()
                places.append(_NOWHERE)
                continue
            else:
                owner = element
                places.append(_find_place(element, tag, places[-1], named))
        text = element.text if opens else element.tail
        if text and not text.isspace() and (opens or element is not tree):
            texts.append(text)
            if in_links:
                linked.append(text)
        elif text and texts:
            texts.append(" ")
    if texts:
        _add_block(blocks, tree, texts, linked, places[-1])
    return blocks


def _add_block(
    blocks: list[Block], element: HtmlElement, texts: Sequence[str], linked: Sequence[str], place: Place
) -> None:
    text = " ".join("".join(texts).split())
    words = split_words(text)
    if words:
        of_links = split_words(" ".join(linked)) if linked else ()
        blocks.append(Block(element, text, words, len(of_links), place))


def _find_place(
    element: HtmlElement, tag: str, around: Place, named: dict[tuple[str | None, str | None], Place]
) -> Place:
    """Return where an element stands; `named` holds what names have said before."""
    if tag in _FRAMES:
        return Place()
    if tag in _BESIDE:
        return around if around.beside else Place(True, around.comments)
    if around.beside and around.comments:
        return around
    key = element.get("class"), element.get("id")
    if key == _NAMELESS:
        return around
    own = named.get(key)
    if own is None:
        names = f"{key[0] or ''} {key[1] or ''}"[:_MAX_NAMES].lower()
        is_beside = _NAMED_BESIDE.search(names) is not None
        own = named[key] = Place(True, not _COMMENTS.isdisjoint(_NAME.findall(names))) if is_beside else _NOWHERE
    return Place(True, around.comments or own.comments) if own.beside else around


class ReadWords:
    """What was read, to be asked whether words stand together in it."""

    def __init__(self, words: Sequence[str]) -> None:
        self._known = frozenset(words)
        self._text = f" {' '.join(words)} "
        self.shingles = frozenset(make_shingles(words))

    def hold(self, words: Sequence[str]) -> bool:
        """Return whether most of some words are in it, together."""
        if len(words) <= SHINGLE:
            return bool(words) and self._known.issuperset(words) and f" {' '.join(words)} " in self._text
        shared = sum(map(self.shingles.__contains__, make_shingles(words)))
        return shared >= _MIN_READ * (len(words) - SHINGLE + 1)


def make_shingles(words: Sequence[str], size: int = SHINGLE) -> Iterator[tuple[str, ...]]:
    """Yield each run of some words; none is kept, which would cost more than to look at it."""
    return zip(*(words[at:] for at in range(size)), strict=False)


def count_words(blocks: Iterable[Block]) -> int:
    """Return how many words blocks have."""
    return sum(len(block.words) for block in blocks)
