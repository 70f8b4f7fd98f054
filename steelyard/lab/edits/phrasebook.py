"""The phrase books: what the edits write, as data, checked when it is loaded."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from steelyard import languages
from steelyard.errors import SteelyardError

TOPICS = ("topic1", "topic2", "topic3")
_SLOT = re.compile(r"\{([a-z0-9_]+)\}")


class PhrasesInvalid(SteelyardError):
    """A phrase book breaks a rule; the message names edit, sentence and rule."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The sentences of every edit, and what may stand in their slots."""

    language: str
    block_words: int
    slots: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[int, int]]
    sentences: Mapping[str, tuple[tuple[str, ...], ...]]

    def blocks(self, edit: str, number: int, topics: Sequence[str], rng: random.Random) -> tuple[str, ...]:
        """Blocks of one sentence from each list of the edit, no sentence used again before its list is used up.

        Each time round a list is shifted by its place, so that sentences do not meet the same ones again.
        """
        orders = [rng.sample(position, len(position)) for position in self.sentences[edit]]
        rounds = (
            [order[(at + at // len(order) * place) % len(order)] for place, order in enumerate(orders)]
            for at in range(number)
        )
        return tuple(self.filled(sentences, topics, rng) for sentences in rounds)

    def filled(self, sentences: Sequence[str], topics: Sequence[str], rng: random.Random) -> str:
        """The sentences with their slots filled; no name and no number is used twice in a block."""
        used: set[tuple[str, str]] = set()

        def fill(match: re.Match[str]) -> str:
            slot = match[1]
            if slot in TOPICS:
                return topics[TOPICS.index(slot)]
            value = self._drawn(slot, rng)
            while (slot, value) in used:
                value = self._drawn(slot, rng)
            used.add((slot, value))
            return value

        return " ".join(_SLOT.sub(fill, sentence) for sentence in sentences)

    def _drawn(self, slot: str, rng: random.Random) -> str:
        return rng.choice(self.slots[slot]) if slot in self.slots else str(rng.randint(*self.numbers[slot]))


def words(text: str) -> list[str]:
    """Runs of letters in lower case."""
    return re.findall(r"[^\W\d_]+", text.lower())


@cache
def vocabulary(language: str) -> frozenset[str]:
    """Every word that can stand in a block without being the page's own, in lower case."""
    book = load(language)
    texts = [s for edit in book.sentences.values() for position in edit for s in position]
    texts += [value for values in book.slots.values() for value in values]
    return frozenset(word for text in texts for word in words(_SLOT.sub(" ", text)))


@cache
def load(language: str) -> Phrasebook:
    """The phrase book of a language, read and checked once per process."""
    return parse(language, languages.read_toml(language, "edits", "blocks.toml"))


def parse(language: str, data: Mapping[str, Any]) -> Phrasebook:
    """Check that every block of every edit has the same number of words whatever is drawn."""
    slots = {name: tuple(values) for name, values in data["slots"].items()}
    for name, values in slots.items():
        if len({len(v.split()) for v in values}) != 1 or len(set(values)) != len(values):
            raise PhrasesInvalid(f"{language}: slot {name}", "its values repeat or differ in their number of words")
    book = Phrasebook(
        language=language,
        block_words=data["block_words"],
        slots=slots,
        numbers={name: (low, high) for name, (low, high) in data["numbers"].items()},
        sentences={
            name: tuple(tuple(position) for position in entry["sentences"])
            for name, entry in data.items()
            if isinstance(entry, dict) and "sentences" in entry
        },
    )
    for edit, positions in book.sentences.items():
        total = sum(_words_of(book, edit, position) for position in positions)
        if total != book.block_words:
            raise PhrasesInvalid(f"{language}: {edit}", f"a block has {total} words, not {book.block_words}")
        _enough_values(book, edit, positions)
    return book


def _enough_values(book: Phrasebook, edit: str, positions: Sequence[Sequence[str]]) -> None:
    """No value is used twice in a block, so a slot that is used more often than it has values would draw for ever."""
    for slot in (*book.slots, *book.numbers):
        used = sum(max(sentence.count(f"{{{slot}}}") for sentence in position) for position in positions)
        low, high = book.numbers.get(slot, (1, 0))
        values = len(book.slots.get(slot, ())) + high - low + 1
        if used > values:
            raise PhrasesInvalid(
                f"{book.language}: {edit}", f"slot {slot} is used {used} times and has {values} values"
            )


def _words_of(book: Phrasebook, edit: str, position: Sequence[str]) -> int:
    """The number of words of a list of sentences, which must be the same for each."""
    counts = {sentence: _filled_words(book, edit, sentence) for sentence in position}
    if len(set(counts.values())) != 1:
        listed = "; ".join(f"{n}: {s[:40]}…" for s, n in counts.items())
        raise PhrasesInvalid(f"{book.language}: {edit}", f"sentences of one list differ in words: {listed}")
    return next(iter(counts.values()))


def _filled_words(book: Phrasebook, edit: str, sentence: str) -> int:
    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        if slot in TOPICS or slot in book.numbers:
            return "1"
        if slot not in book.slots:
            raise PhrasesInvalid(f"{book.language}: {edit}", f"unknown slot {{{slot}}} in {sentence!r}")
        return book.slots[slot][0]

    filled = _SLOT.sub(fill, sentence)
    if "{" in filled or "}" in filled:
        raise PhrasesInvalid(f"{book.language}: {edit}", f"a brace that is no slot in {sentence!r}")
    return len(filled.split())
