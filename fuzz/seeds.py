"""The material that cases are made from: the example pages, the examples of the patterns, and the committed corpus."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from steelyard.scoring import editions

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
CORPUS = Path(__file__).resolve().parent / "corpus"


@cache
def load_pages() -> tuple[str, ...]:
    """Return the Markdown pages of the example site and the tutorial."""
    files = [*sorted((EXAMPLES / "site").rglob("*.md")), *sorted((EXAMPLES / "tutorial").glob("*.md"))]
    return tuple(file.read_text("utf-8") for file in files)


@cache
def load_html() -> tuple[str, ...]:
    """Return the example pages in HTML."""
    return tuple(file.read_text("utf-8") for file in sorted((EXAMPLES / "html").glob("*.html")))


@cache
def load_blocks() -> tuple[str, ...]:
    """Return the blocks of the example pages, which blank lines separate."""
    return tuple(block for page in load_pages() for block in re.split(r"\n\n+", page) if block.strip())


@cache
def load_sentences() -> tuple[str, ...]:
    """Return every example of every pattern, in all editions and languages."""
    examples = {
        text.replace("⟦", "").replace("⟧", "")
        for edition in map(editions.load, editions.NAMES)
        for code in edition.languages
        for family in edition.load_language(code).families.values()
        for pattern in family.patterns
        for text in (*pattern.must_match, *pattern.must_not_match)
    }
    return tuple(sorted(examples))


@cache
def load_corpus(kind: str) -> tuple[bytes, ...]:
    """Return the committed cases of a kind, each of which did something that none before it did."""
    return tuple(file.read_bytes() for file in sorted((CORPUS / kind).glob("*")))
