"""Editions: everything besides the page that determines a score, named and frozen. One file per edition."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from steelyard import languages
from steelyard.errors import UnknownName
from steelyard.text.document import Document
from steelyard.text.language import Language
from steelyard.text.source import Source

PAPER = "paper"
NAMES = (PAPER, "2026")
DEFAULT = PAPER  # of `score`; the rule of `lab protocol editions` picks it


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition's choices; the components and their formulas are the same in all.

    Its patterns are in the directory of its name in each of its languages.
    """

    name: str
    about: str
    languages: tuple[str, ...]
    sentences: str  # stops: at every run of .!? | careful: not within figures, abbreviations and addresses
    tokens: str  # ascii | unicode
    evidence: str  # anywhere | prose: evidence counts only in running text
    caps: str  # words: steps by the number of words | running text: continuous in its amount and its share
    links: str  # all | other sites: those to the page's own site are no sources
    dates: str  # two-sided: an old date costs points | one-sided: no date is worth less than none
    weights: str

    @property
    def repairs(self) -> bool:
        """Whether accents of two characters are made one, and lines without blank lines between them paragraphs."""
        return self.tokens == "unicode"

    def choices(self) -> tuple[str, ...]:
        """Return what distinguishes its numbers besides patterns and weights."""
        # A later choice enters only where it differs from what was done before, so that older hashes hold.
        later = (self.evidence,) if self.evidence != "anywhere" else ()
        return (self.name, self.sentences, self.tokens, self.caps, self.links, self.dates, *later)

    def load_language(self, code: str) -> Language:
        """Load one of its languages."""
        return languages.load(code, self.name, self.sentences, self.tokens, evidence=self.evidence)

    def open(self, text: str, code: str) -> Document:
        """Return a text as the edition reads it in one of its languages."""
        return Document(Source(text, repaired=self.repairs), self.load_language(code))


def find_other(language: str) -> str | None:
    """Return the name of an edition that has a language, if any."""
    return next((name for name in NAMES if language in load(name).languages), None)


def find_for(language: str) -> Edition:
    """Return the first edition that has a language: the paper's, if it can.

    Raises:
        UnknownName: No edition has it.
    """
    name = find_other(language)
    if name is None:
        raise UnknownName("language", language, languages.CODES)
    return load(name)


@cache
def load(name: str = PAPER) -> Edition:
    """Load an edition; without a name the paper's, which the laboratory works with.

    Raises:
        UnknownName: There is no such edition.
    """
    if name not in NAMES:
        raise UnknownName("edition", name, NAMES)
    data = tomllib.loads(resources.files("steelyard.scoring.editions").joinpath(f"{name}.toml").read_text("utf-8"))
    return Edition(name, **{**data, "languages": tuple(data["languages"])})
