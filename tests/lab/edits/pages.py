"""Pages to edit: a few of the demo's in both languages and both views."""

from __future__ import annotations

from functools import cache
from itertools import product

from steelyard import languages
from steelyard.lab.corpus import loading
from steelyard.lab.corpus.corpus import FLATTENED, STRUCTURED, CorpusPage
from steelyard.lab.edits.base import Target
from steelyard.text.document import Document, Source

LANGUAGES = ("en", "fr")
VIEWS = (FLATTENED, STRUCTURED)


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    return loading.load_corpus(loading.DEMO).pages_in(language)


@cache
def targets(language: str, number: int = 3) -> tuple[Target, ...]:
    """Evenly chosen demo pages, each in both views."""
    pages = demo(language)
    chosen = [pages[i * len(pages) // number] for i in range(number)]
    return tuple(Target(page.view(view), language) for page, view in product(chosen, VIEWS))


def document(text: str, language: str) -> Document:
    return Document(Source(text), languages.load(language))


def found(text: str, language: str, family: str) -> list[str]:
    """The matches of a family, as they stand in the text."""
    doc = document(text, language)
    return [doc.text[m.start : m.end] for m in doc.find(family)]
