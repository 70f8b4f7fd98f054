"""Text of the source that no visitor sees until a script shows it: in hidden elements and in strings of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from steelyard.text.html.blocks import PROSE_WORDS, Block, list_blocks, split_words

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Every opening quote is the beginning of a match, so that no text is read twice.
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"?|\'((?:[^\'\\\n]|\\.)*+)\'?|`([^`]*+)`?', re.DOTALL)
_MARKUP = re.compile(r"<[^<>]{0,2000}>|\\u[0-9A-Fa-f]{4}|\\.", re.DOTALL)
_OPENED, _CLOSED = re.compile(r"\\u003c", re.IGNORECASE), re.compile(r"\\u003e", re.IGNORECASE)
_IN_SENTENCE = re.compile(r"[^\W\d_][,;:]? (?=[^\W\d_])")  # a word, a blank and a word
_MIN_IN_SENTENCE = 0.6  # of the words of a string: code and lists of names have fewer
_MIN_HIDDEN = 2 * PROSE_WORDS  # characters
_MIN_SCRIPT = 8 * PROSE_WORDS
_MAX_SCRIPTS = 2_000_000  # characters that are looked at


def list_hidden(elements: Iterable[HtmlElement]) -> list[Block]:
    """Return the paragraphs of elements that are hidden."""
    long = (element for element in elements if len(element.text_content()) >= _MIN_HIDDEN)
    return [block for element in long for block in list_blocks(element) if block.is_prose]


def list_scripts(tree: HtmlElement) -> list[str]:
    """Return the texts of the page's scripts that are long enough to hold one that is shown."""
    return [script.text for script in tree.iter("script") if script.text and len(script.text) >= _MIN_SCRIPT]


def list_scripted(scripts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each string of some scripts that is sentences."""
    room = _MAX_SCRIPTS
    for script in scripts:
        for string in _list_strings(script[:room]):
            words = split_words(string)
            if len(words) >= PROSE_WORDS and len(_IN_SENTENCE.findall(string)) >= _MIN_IN_SENTENCE * len(words):
                yield words
        room = max(0, room - len(script))


def _list_strings(text: str) -> Iterator[str]:
    for match in _STRING.finditer(text):
        string = match[match.lastindex or 1] or ""
        if string.count(" ") >= PROSE_WORDS - 1:
            yield _MARKUP.sub(" ", _CLOSED.sub(">", _OPENED.sub("<", string)))
