"""Whether a page was read well: what was read, compared with what a visitor sees and what another extractor reads.

Each signal is a share with a wide margin to pages that are read well; the first that fires gives the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from steelyard.text.html.blocks import SHINGLE, Block, ReadWords, count_words, make_shingles, split_words
from steelyard.text.html.reading import HIDDEN_TEXT, SCRIPTED_TEXT, HtmlReading
from steelyard.text.html.unseen import list_scripted

if TYPE_CHECKING:
    from lxml.html import HtmlElement


REMEDY = "name its main part with --selector CSS"
_NUMBERS = re.compile(r"[0-9]+")
_MAX_CLASS = 200  # characters
_ITEM_TAGS = frozenset(("article", "div", "li", "section", "tr"))
FEW_WORDS = 60  # of what was read, where the page shows TIMES_MORE as many
TIMES_MORE = 3
TIMES_HIDDEN = 1.5  # hidden words for each that was read, where the other extractor agrees with the reading
MIN_UNSEEN = 100  # words from which a text that is not shown counts
MIN_SURE = 200  # words from which a reading speaks for itself
TIMES_LEFT_OUT = 2
MIN_SECOND = 50  # words from which the other extractor has found something
MIN_AGREED = 100  # words from which its agreement settles anything
CONFIRMED = 0.7  # agreement of the two, as F1, which settles what names and places hint at
MIN_AGREEMENT = 0.65
NO_AGREEMENT = 0.1
MAX_BESIDE = MAX_LINKED = 0.5  # of the words that were read
MIN_ITEMS, MAX_ITEM_WORDS, MAX_IN_ITEMS = 6, 120, 0.6
MIN_NAMED = 0.34  # of the words of title and description
MAX_CHANCE = 0.05  # of their pairs of words


NOTHING_SEEN = HtmlReading("good", 0.0)


class Doubt(NamedTuple):
    """What a signal has to say."""

    reason: str
    failed: bool = False


@dataclass(frozen=True)
class Evidence:
    """What is known about the reading of a page.

    Attributes:
        words: What was read, in lower case.
        blocks: What a visitor sees, with what of it was read.
        hidden: Paragraphs in hidden elements.
        scripts: The texts of its scripts.
        names: The page's title and its descriptions.
        second: The main text as another extractor reads it.
        lines: The lines of what was read, and the cells of its tables, as words.
    """

    words: Sequence[str]
    blocks: Sequence[Block]
    hidden: Sequence[Block] = ()
    scripts: Sequence[str] = ()
    names: Sequence[str] = ()
    second: Sequence[str] = ()
    lines: frozenset[tuple[str, ...]] = frozenset()

    def __post_init__(self) -> None:
        for block in (*self.blocks, *self.hidden):
            block.read = self.reading.hold(block.words)
        self._doubt_labels()

    def _doubt_labels(self) -> None:
        """Take those labels for left out whose words the text has by chance.

        A label is read where it is a line of the text, or stands between two paragraphs that were read.
        """
        labels: list[Block] = []
        before = False
        for block in self.blocks:
            if len(block.words) <= SHINGLE:
                labels += [block] if block.read and tuple(block.words) not in self.lines else []
                continue
            for label in labels:
                label.read = before and block.read
            labels, before = [], block.read
        for label in labels:
            label.read = False

    @cached_property
    def reading(self) -> ReadWords:
        """What was read."""
        return ReadWords(self.words)

    @cached_property
    def visible(self) -> int:
        """Words that a visitor sees."""
        return sum(len(block.words) for block in self.blocks)

    @cached_property
    def read_blocks(self) -> list[Block]:
        """The visible blocks that were read."""
        return [block for block in self.blocks if block.read]

    @cached_property
    def read(self) -> int:
        """Words that were read, of those."""
        return count_words(self.read_blocks)

    @cached_property
    def read_prose(self) -> int:
        """Words of paragraphs that were read."""
        return count_words(block for block in self.read_blocks if block.is_prose)

    @cached_property
    def shared(self) -> tuple[float, float]:
        """The share of what was read that the other extractor reads too, and of its text that was read."""
        ours, others = self.reading.shingles, frozenset(make_shingles(self.second))
        common = len(ours & others)
        return common / max(1, len(ours)), common / max(1, len(others))

    @cached_property
    def agreement(self) -> float:
        """How far both extractors read the same, as F1."""
        total = sum(self.shared)
        return 2 * self.shared[0] * self.shared[1] / total if total else 0.0

    @property
    def is_confirmed(self) -> bool:
        """Whether the other extractor reads nearly the same, and enough of it."""
        return self.agreement >= CONFIRMED and self.read >= MIN_AGREED

    @property
    def has_no_second(self) -> bool:
        """Whether the other extractor found nothing."""
        return len(self.second) < MIN_SECOND

    @cached_property
    def named(self) -> float | None:
        """The largest share of the words of a title or description that were read; None without any."""
        return self._find_names(1)

    @cached_property
    def phrases(self) -> float | None:
        """The same for pairs of words, which a long text does not hold by chance."""
        return self._find_names(2)

    def _find_names(self, size: int) -> float | None:
        runs = [set(make_shingles(split_words(name), size)) for name in self.names]
        read = set().union(*runs).intersection(make_shingles(self.words, size))
        return max((len(named & read) / len(named) for named in runs if named), default=None)

    @property
    def share(self) -> float:
        """Words that were read, of those that a visitor sees."""
        return round(self.read / self.visible, 4) if self.visible else 0.0


def judge_reading(evidence: Evidence) -> HtmlReading:
    """Return how well the page was read."""
    for signal in SIGNALS:
        doubt = signal(evidence)
        if doubt is not None:
            return HtmlReading("failed" if doubt.failed else "doubtful", evidence.share, doubt.reason)
    return HtmlReading("good", evidence.share)


def find_hidden(page: Evidence) -> Doubt | None:
    """Doubt a page whose text is hidden: a gallery, a text behind a button."""
    words = count_words(block for block in page.hidden if not block.read)
    if words < MIN_UNSEEN or words <= (TIMES_HIDDEN if page.is_confirmed else 1) * page.read:
        return None
    failed = words > TIMES_MORE * page.read
    return Doubt(f"{HIDDEN_TEXT} ({words:,} words)", failed)


def find_scripted(page: Evidence) -> Doubt | None:
    """Doubt a page whose text is only in scripts; many keep other pages' texts there."""
    if page.is_confirmed:
        return None
    words = sum(len(words) for words in list_scripted(page.scripts) if not page.reading.hold(words))
    if words < MIN_UNSEEN or words <= page.read:
        return None
    return Doubt(f"{SCRIPTED_TEXT} ({words:,} words)", words > TIMES_MORE * page.read)


def find_little(page: Evidence) -> Doubt | None:
    """Doubt a page of which nothing was read, or few words that nothing speaks for."""
    if page.visible <= max(TIMES_MORE * page.read, FEW_WORDS):
        return None
    if page.read < FEW_WORDS:
        return Doubt("hardly anything of what the page shows was read", failed=not page.read)
    if page.read < MIN_SURE and page.has_no_second and page.shared[0] < MIN_AGREEMENT:
        return Doubt("few words were read, and another extractor finds no main text")
    return None


def find_disagreement(page: Evidence) -> Doubt | None:
    """Doubt a page of which another extractor reads something else."""
    if page.has_no_second or page.agreement >= MIN_AGREEMENT:
        return None
    if page.agreement < NO_AGREEMENT:
        is_named = page.named is not None and page.named >= MIN_NAMED
        return Doubt("another extractor takes a different part for the main text", failed=not is_named)
    precision, recall = page.shared
    if recall >= precision:
        return Doubt("most of what was read is not main text according to another extractor")
    if page.read >= MIN_SURE and _are_comments(page):
        return None
    return Doubt("another extractor found much more of a main text")


def _are_comments(page: Evidence) -> bool:
    left = [block for block in page.blocks if not block.read and block.is_prose]
    return count_words(block for block in left if block.place.comments) > count_words(left) / 2


def find_left_out(page: Evidence) -> Doubt | None:
    """Doubt a page with far more paragraphs left out than read, sidebars and comments apart."""
    if page.is_confirmed:
        return None
    left = count_words(block for block in page.blocks if not block.read and block.is_prose and not block.place.beside)
    if left < MIN_SURE or left <= TIMES_LEFT_OUT * page.read_prose:
        return None
    return Doubt(f"paragraphs with {left:,} words were left out")


def find_beside(page: Evidence) -> Doubt | None:
    """Doubt a page of which sidebars, menus, footers and comments were read."""
    if page.is_confirmed:
        return None
    beside = count_words(block for block in page.read_blocks if block.place.beside)
    if beside <= MAX_BESIDE * page.read:
        return None
    return Doubt("most of what was read is beside the main text: a sidebar, a menu, a footer or comments")


def find_links(page: Evidence) -> Doubt | None:
    """Doubt a page of which links were read."""
    if sum(block.linked for block in page.read_blocks) <= MAX_LINKED * page.read:
        return None
    return Doubt("most of what was read is links")


def find_items(page: Evidence) -> Doubt | None:
    """Doubt a page of which a list of short entries was read: teasers, comments, references."""
    if len(page.read_blocks) < MIN_ITEMS:
        return None
    words = _count_by_element(page.read_blocks)
    lists = {element for element in words if words[element] > MAX_IN_ITEMS * page.read and len(element) >= MIN_ITEMS}
    items: Counter[tuple[HtmlElement | None, str, str]] = Counter()
    in_items: Counter[tuple[HtmlElement | None, str, str]] = Counter()
    for element, count in words.items():
        parent = element.getparent()
        if parent not in lists:
            continue
        is_entry = element.tag == "article" or (element.tag in _ITEM_TAGS and len(element) > 1)
        if is_entry and not element.get("itemprop", "").endswith("Answer"):  # which belong to their question
            names = _NUMBERS.sub("", element.get("class", "")[:_MAX_CLASS]).split()
            # The first name says what it is; those that follow can be of one entry: its number, its category.
            kind = parent, str(element.tag), names[0] if names else ""
            items[kind] += 1
            in_items[kind] += count
    for kind, count in items.items():
        if (
            count >= MIN_ITEMS
            and in_items[kind] > MAX_IN_ITEMS * page.read
            and in_items[kind] <= MAX_ITEM_WORDS * count
        ):
            return Doubt(f"most of what was read is a list of {count} short entries, such as comments or teasers")
    return None


def _count_by_element(blocks: Sequence[Block]) -> dict[HtmlElement, int]:
    """Return the words of blocks in each element that holds any of them, inner elements first."""
    words: dict[HtmlElement, int] = {}
    holders: list[list[tuple[HtmlElement, HtmlElement]]] = []  # with their parents: those that each block adds
    for block in blocks:
        added: list[tuple[HtmlElement, HtmlElement]] = []
        element: HtmlElement | None = block.element
        while element is not None and element not in words:
            words[element] = 0
            parent = element.getparent()
            added.append((element, parent))
            element = parent
        words[block.element] += len(block.words)
        holders.append(added)
    for added in reversed(holders):  # an element's children were added with it or later
        for element, parent in added:
            if parent is not None:
                words[parent] += words[element]
    return words


def find_unnamed(page: Evidence) -> Doubt | None:
    """Doubt a text that has nothing of what the page's title and description say."""
    if page.read < MIN_SURE or page.phrases is None or page.phrases > MAX_CHANCE:
        return None
    return Doubt("nothing of the page's title and description is in what was read")


SIGNALS: tuple[Callable[[Evidence], Doubt | None], ...] = (
    find_hidden,
    find_scripted,
    find_little,
    find_disagreement,
    find_left_out,
    find_beside,
    find_links,
    find_items,
    find_unnamed,
)
