"""What another extractor takes for the main text: resiliparse, which chooses by rules of its own and is fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.errors import MissingExtra
from steelyard.text.html.blocks import split_words

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def ask_second(tree: HtmlElement) -> list[str]:
    """Return the words of the main text as the other extractor sees it, of a tree without what is hidden.

    Raises:
        MissingExtra: resiliparse is not installed.
    """
    try:
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        raise MissingExtra(extra="html", package="resiliparse") from error
    from lxml import etree

    source = etree.tostring(tree, encoding="unicode", method="html")
    return split_words(extract_plain_text(source, main_content=True, list_bullets=False, alt_texts=False))
