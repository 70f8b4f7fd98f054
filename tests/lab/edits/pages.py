"""Pages to edit in every language and both views: a few of the demo's, and our own where it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

from steelyard.lab.corpus import FLATTENED, STRUCTURED, CorpusPage, loading
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.phrasebook import LANGUAGES
from steelyard.lab.edits.topics import open_text
from steelyard.text.document import Document

VIEWS = (FLATTENED, STRUCTURED)
TEXTS = Path(__file__).parent / "texts"  # in the languages that the demo does not have
# Where the careful way to end sentences sees one more: after a heading and a table's head.
MORE_ENDS = re.compile(r"^## |^\|---", re.MULTILINE)

__all__ = ["LANGUAGES", "count_more_ends", "demo", "document", "find_matches", "lower", "targets"]


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    own = TEXTS / language
    return loading.load_corpus(str(own) if own.is_dir() else loading.DEMO).pages_in(language)


@cache
def targets(language: str, number: int = 3) -> tuple[Target, ...]:
    """Evenly chosen demo pages, each in both views."""
    pages = demo(language)
    chosen = [pages[i * len(pages) // number] for i in range(number)]
    return tuple(Target(page.view(view), language) for page, view in product(chosen, VIEWS))


def lower(words: Iterable[str]) -> list[str]:
    """Words as `split_words` returns them: German nouns have a capital."""
    return [word.lower() for word in words]


def document(text: str, language: str) -> Document:
    return open_text(text, language)


def count_more_ends(text: str, language: str) -> int:
    """How many more sentences than full stops at its sentences' ends the language's edition sees in a block."""
    return len(MORE_ENDS.findall(text)) if document("", language).language.sentences == "careful" else 0


def find_matches(text: str, language: str, family: str) -> list[str]:
    """The matches of a family, as they stand in the text; none of a family that the language's edition lacks."""
    doc = document(text, language)
    return [doc.text[m.start : m.end] for m in doc.find(family)] if family in doc.language.families else []
