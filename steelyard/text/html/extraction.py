"""From a counted source to its main content and metadata, in this process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from steelyard.errors import ExtractionFailed, MissingExtra, SelectedNothing
from steelyard.text.dates import DateWords, PageDates
from steelyard.text.html.blocks import Block, count_words, list_blocks, split_read
from steelyard.text.html.confidence import NOTHING_SEEN, Evidence, judge_reading
from steelyard.text.html.dates import read_page_dates
from steelyard.text.html.declared_dates import read_declared
from steelyard.text.html.images import list_silent, select_read
from steelyard.text.html.limits import DEFAULT_LIMITS, HtmlLimits
from steelyard.text.html.metadata import (
    NO_HEAD,
    HtmlHead,
    pick_description,
    read_descriptions,
    read_language,
    read_titles,
    read_url,
)
from steelyard.text.html.reading import HtmlReading
from steelyard.text.html.second_opinion import ask_second
from steelyard.text.html.selection import select_main
from steelyard.text.html.tree import count_elements, drop_hidden, mark_hidden, parse, protect
from steelyard.text.html.types import read_types
from steelyard.text.html.unseen import list_hidden, list_scripts

if TYPE_CHECKING:
    from types import ModuleType

    from lxml.html import HtmlElement

# The largest of the 59 pages measured has 1,739 elements. Above this bound trafilatura's second opinions
# (readability, jusText) are left out: jusText compares paragraphs pairwise, 14 s for 10,000 short ones.
_THOROUGH_ELEMENTS = 4_000
_MAX_NAME = 2_000  # characters of a title or description
_MAX_OUTLINE, _MAX_OUTLINED = 5_000, 600  # blocks of the outline, and characters of each
_MIN_SELECTED = 0.75  # of the words that a selector picks
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_MARK = re.compile(r"^[ \t]*(?:#{1,6}|[-*+>]|[0-9]{1,4}[.)])[ \t]+")  # of a heading, an item or a quotation
_TAG_SHOWN_AS_TEXT = re.compile(r"\\<(?=[A-Za-z/!?])")

# trafilatura reads the clock for a latest date unless it is given one; no date is extracted with it.
_NO_CLOCK = {"max_date": "1970-01-01"}
# What library code raises on a tree it did not foresee; MemoryError and the like are not ours to swallow.
_LIBRARY_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class HtmlContent:
    """The main content of an HTML page and its metadata.

    Attributes:
        markdown: The main content; "" when nothing was found.
        title: <title>, else og:title, else the first visible h1.
        dates: The days of publication and change.
        url: The page's own address, from its canonical link or og:url; None without either.
        types: What the page says it is, in the words of schema.org.
        reading: How well the main content was read.
        outline: What a visitor sees, in the page's order, and whether it was read; cut where it is very long.
        head: What programs are told of it.
    """

    markdown: str
    title: str | None
    dates: PageDates
    url: str | None = None
    types: tuple[str, ...] = ()
    reading: HtmlReading = NOTHING_SEEN
    outline: tuple[tuple[str, bool], ...] = ()
    head: HtmlHead = NO_HEAD


def extract_here(
    source: str,
    limits: HtmlLimits = DEFAULT_LIMITS,
    words: DateWords | None = None,
    address: str | None = None,
    selector: str | None = None,
) -> HtmlContent:
    """Extract the main content and metadata of a page whose source was cleaned and counted.

    Args:
        source: The page.
        limits: What it may have of everything.
        selector: What picks its main content; None lets the extractor choose.

    Raises:
        MissingExtra: An extractor is not installed.
        ExtractionFailed: The page's tree is over a limit, or the extractor failed.
        SelectedNothing: The selector fits nothing.
    """
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtra(extra="html", package="trafilatura") from error
    tree = parse(source, limits)
    if tree is None:
        if selector is not None:
            raise SelectedNothing(selector)
        return HtmlContent("", None, PageDates())
    kept = list(tree.iter())  # lxml makes an object for each element anew unless somebody holds it
    titles, url, types = read_titles(tree), read_url(tree), read_types(tree)
    descriptions = read_descriptions(tree)
    words = words or DateWords()
    declared = read_declared(tree, words, titles)
    hidden = list_hidden(mark_hidden(tree))
    scripts = list_scripts(tree)
    drop_hidden(tree)
    dates = read_page_dates(tree, declared, words, titles, address or url)
    title = next((title for text in titles if (title := " ".join(text.split()))), None)
    if title is None:
        headings = (" ".join(heading.text_content().split()) for heading in tree.iter("h1"))
        title = next((words for words in headings if words), None)
    blocks = list_blocks(tree)
    images, language = list_silent(tree, blocks), read_language(tree)
    if selector is None:
        second = ask_second(tree)
        markdown = _extract_markdown(trafilatura, tree, limits)
    else:
        second = []
        markdown = _extract_selected(trafilatura, select_main(tree, selector), limits)
    names = [name[:_MAX_NAME] for name in (*titles[:1], *descriptions[:2])]
    evidence = Evidence(split_read(markdown), blocks, hidden, scripts, names, second, _split_lines(markdown))
    del kept
    reading = judge_reading(evidence) if selector is None else HtmlReading("good", evidence.share)
    described_in, described = pick_description(tree)
    head = HtmlHead(any(map(str.strip, titles)), described[:_MAX_NAME], described_in, language, select_read(images))
    return HtmlContent(markdown, title, dates, url, types, reading, _make_outline(blocks), head)


def _split_lines(markdown: str) -> frozenset[tuple[str, ...]]:
    """Return the lines of what was read, and the cells of its tables, as words."""
    cells = (_MARK.sub("", cell) for line in markdown.splitlines() for cell in line.split("|"))
    return frozenset(tuple(split_read(cell)) for cell in cells)


def _make_outline(blocks: Sequence[Block]) -> tuple[tuple[str, bool], ...]:
    """Return what is seen and whether it was read, with neighbours of one kind that are no paragraphs on one line."""
    outline: list[tuple[str, bool]] = []
    for block in blocks[:_MAX_OUTLINE]:
        text = block.text if len(block.text) <= _MAX_OUTLINED else block.text[:_MAX_OUTLINED] + " …"
        outline.append((text, block.read))
    return tuple(outline)


def _extract_selected(trafilatura: ModuleType, page: HtmlElement, limits: HtmlLimits) -> str:
    """Return the text that a selector picked: as the extractor writes it, unless it leaves most of it out."""
    blocks = list_blocks(page)
    plain = "\n\n".join(_write_plainly(block) for block in blocks)
    markdown = _extract_markdown(trafilatura, page, limits, _make_options_of_selected())
    is_whole = len(split_read(markdown)) >= _MIN_SELECTED * count_words(blocks)
    return markdown if is_whole else plain


@cache
def _make_options_of_selected() -> dict[str, Any]:
    """Return the options under which the extractor takes all that it is given, however short."""
    from trafilatura.settings import use_config

    config = use_config()
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE", "MIN_EXTRACTED_COMM_SIZE", "MIN_OUTPUT_COMM_SIZE"):
        config.set("DEFAULT", name, "0")
    return {"fast": True, "favor_recall": True, "config": config}


def _write_plainly(block: Block) -> str:
    tag = str(block.element.tag)
    text = block.text.replace("\\", "\\\\").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
    if tag in _HEADINGS:
        return f"{'#' * int(tag[1])} {text}"
    return f"- {text}" if tag == "li" else text


def _extract_markdown(
    trafilatura: ModuleType, tree: HtmlElement, limits: HtmlLimits, options: Mapping[str, Any] | None = None
) -> str:
    from lxml import etree

    is_large = count_elements(tree) > _THOROUGH_ELEMENTS
    protect(tree, limits)
    try:
        markdown = trafilatura.extract(
            tree,
            output_format="markdown",
            include_comments=False,
            include_images=False,
            include_links=True,
            include_tables=True,
            **(options or {"fast": is_large}),
            # Its memory of earlier pages would make a page's text depend on those read before it.
            deduplicate=False,
            with_metadata=False,
            date_extraction_params=_NO_CLOCK,
        )
    except (etree.LxmlError, *_LIBRARY_ERRORS) as error:
        raise ExtractionFailed(f"trafilatura gave up with {type(error).__name__}") from error
    # \< and &lt; are the same character in Markdown; only the second cannot be taken for a tag by a reader
    # that looks for hidden elements, so a page that explains <template> is not hidden from there on.
    return _TAG_SHOWN_AS_TEXT.sub("&lt;", markdown or "").strip()
