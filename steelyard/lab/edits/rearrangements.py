"""Rearrangements: levers that change a page's form and none of its words, each beside a control without the form.

The page's own sentences as a list, its own terms as sub-headings, its most informative sentence first, the sentence
with its date first. Each lever has four templates, which differ in their marks alone. The control of a list has the
lines without marks, that of headings the terms without marks, that of a sentence moved to the top another one there.
"""

from __future__ import annotations

import math
import random
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.lab.edits.base import BLANK_LINE, NothingToChange, PageChange, Target
from steelyard.lab.edits.phrasebook import capitalise, split_words
from steelyard.scoring import editions
from steelyard.text import sentences
from steelyard.text.document import Document
from steelyard.text.language import Language
from steelyard.text.source import Source

SENTENCES_FROM = "2026"  # the edition whose ends of sentences know abbreviations and figures
MIN_SENTENCES = 4  # fewer leave no choice of one to move, and no sections
HEADINGS = 3
LIST_MARKS = ("- ", "* ", "{n}. ", "• ")
HEADING_FORMS = ("## {}", "### {}", "# {}", "**{}**")
FIRST_FORMS = ("{}", "**{}**", "> {}", "*{}*")
FORM = re.compile(r"[-*+•] \S|[0-9]+[.)](?: |$)|#{1,6} \S|> ?\S|\||\*\*.*\*\*$|\*.*\*$")  # a line with a mark


@dataclass(frozen=True)
class Rearrangement(PageChange):
    """One template of a lever, or of its control."""

    template: int
    inert: bool
    lever = ""

    @property
    def name(self) -> str:
        return f"{self.lever}_{'control' if self.inert else 'lever'}_{self.template + 1}"

    def apply(self, target: Target, *, seed: int = 0) -> str:
        """Return the page in its new form.

        Raises:
            NothingToChange: The page has a form of its own, too few sentences, or nothing to move.
        """
        parts = split_sentences(target)
        if "*" in target.text or any(FORM.match(part) for part in parts):
            raise NothingToChange("the page has headings, lists, quotations or tables of its own")
        if len(parts) < MIN_SENTENCES:
            raise NothingToChange(f"the page has {len(parts)} sentences, and a rearrangement needs {MIN_SENTENCES}")
        return self.rearrange(target, parts, self.seed_rng(target, seed))

    def seed_rng(self, target: Target, seed: int, *more: str) -> random.Random:
        """The draws of a template are those of its lever, so that all its marks stand around the same words."""
        return random.Random(f"{seed}|{self.lever}|{target.digest}")

    @abstractmethod
    def rearrange(self, target: Target, parts: Sequence[str], rng: random.Random) -> str:
        """Write the sentences in another form."""


class OwnList(Rearrangement):
    """Every sentence is an item of a list; in the control, a line."""

    lever = "own_list"

    def rearrange(self, target: Target, parts: Sequence[str], rng: random.Random) -> str:
        mark = "" if self.inert else LIST_MARKS[self.template]
        return "\n".join(mark.replace("{n}", str(n)) + s for n, s in enumerate(parts, 1))


class OwnHeadings(Rearrangement):
    """Three sections, each under a term of the page; in the control the terms stand there without a mark."""

    lever = "own_headings"

    def rearrange(self, target: Target, parts: Sequence[str], rng: random.Random) -> str:
        form = "{}" if self.inert else HEADING_FORMS[self.template]
        size, blocks = math.ceil(len(parts) / HEADINGS), []
        for term, start in zip(target.topics, range(0, len(parts), size), strict=False):
            blocks += [form.replace("{}", capitalise(term)), " ".join(parts[start : start + size])]
        return BLANK_LINE.join(blocks)


class MovedSentence(Rearrangement):
    """One of the page's sentences stands before the others; in the control another one, in the same form."""

    def rearrange(self, target: Target, parts: Sequence[str], rng: random.Random) -> str:
        chosen = self.choose(target, parts)
        if self.inert:
            chosen = rng.choice([i for i in range(1, len(parts)) if i != chosen])
        first = FIRST_FORMS[self.template].replace("{}", parts[chosen])
        return BLANK_LINE.join((first, " ".join(s for i, s in enumerate(parts) if i != chosen)))

    @abstractmethod
    def choose(self, target: Target, parts: Sequence[str]) -> int:
        """Return the place of the sentence that the lever moves; never the first."""


class BestSentenceFirst(MovedSentence):
    """The sentence with the most of what the page is about: its content words' counts over its length's root."""

    lever = "best_sentence_first"

    def choose(self, target: Target, parts: Sequence[str]) -> int:
        stop = load_reader(target.language).stop
        content = [{w for w in split_words(s) if w not in stop} for s in parts]
        counts = Counter(w for s in parts for w in split_words(s) if w not in stop)
        worth = [sum(counts[w] for w in words) / math.sqrt(len(words) or 1) for words in content]
        return max(range(1, len(parts)), key=lambda i: (worth[i], -i))


class OwnDateFirst(MovedSentence):
    """The first sentence with a date."""

    lever = "own_date_first"

    def choose(self, target: Target, parts: Sequence[str]) -> int:
        for i, sentence in enumerate(parts):
            doc = Document(Source(sentence), load_reader(target.language))
            if doc.find("freshness_date"):
                if i == 0:
                    raise NothingToChange("the page's first sentence has its date already")
                return i
        raise NothingToChange("the page has no date")


def split_sentences(target: Target) -> list[str]:
    """Return the page's sentences with their full stops and single spaces."""
    lists = load_reader(target.language).lists
    starts = [a for a, _ in sentences.split(target.text, lists["abbreviations"], lists["after_ordinals"])]
    texts = (target.text[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True))
    return [sentence for text in texts if (sentence := " ".join(text.split()))]


def load_reader(language: str) -> Language:
    """Return a language as the edition reads it that knows where sentences end."""
    return editions.load(SENTENCES_FROM).load_language(language)


KINDS = (OwnList, OwnHeadings, BestSentenceFirst, OwnDateFirst)
_SHARED = (OwnList, OwnHeadings)  # whose control has no marks, so there is one of it
REARRANGEMENTS: tuple[Rearrangement, ...] = tuple(
    kind(template, inert)
    for kind in KINDS
    for template in range(len(FIRST_FORMS))
    for inert in (False, True)
    if not (inert and template and kind in _SHARED)
)
