"""The phrase books: the sentences the edits write, as data with {slots}, checked when they are loaded."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from steelyard import languages
from steelyard.errors import InvalidFile

SLOT = re.compile(r"\{([a-z0-9_]*)\}")
_MARK = re.compile(r"#{1,6}|[-|]+")  # of a heading, a list item, a table


@dataclass(frozen=True, slots=True)
class Slots:
    """What may replace a slot: one of its values, or an integer of its range."""

    values: Mapping[str, tuple[str, ...]]
    ranges: Mapping[str, tuple[int, int]]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.values, *self.ranges)

    def count(self, slot: str) -> int:
        """Return how many different values a slot has."""
        low, high = self.ranges.get(slot, (1, 0))
        return len(self.values.get(slot, ())) + high - low + 1

    def fill(self, template: str, rng: random.Random, fixed: Mapping[str, str]) -> str:
        """Fill every slot, with its `fixed` value or a drawn one; no value is drawn twice for the same slot."""
        used: set[tuple[str, str]] = set()

        def choose(match: re.Match[str]) -> str:
            slot = match[1]
            if slot in fixed:
                return fixed[slot]
            value = self._draw(slot, rng)
            while (slot, value) in used:
                value = self._draw(slot, rng)
            used.add((slot, value))
            return value

        return SLOT.sub(choose, template)

    def _draw(self, slot: str, rng: random.Random) -> str:
        return rng.choice(self.values[slot]) if slot in self.values else str(rng.randint(*self.ranges[slot]))


def parse_slots(where: str, data: Mapping[str, Any]) -> Slots:
    """Read the tables `slots` and `numbers` of a language file; no slot may have a value twice."""
    slots = Slots(
        {name: tuple(values) for name, values in data["slots"].items()},
        {name: (low, high) for name, (low, high) in data["numbers"].items()},
    )
    for name, values in slots.values.items():
        check_unique(f"{where}: slots.{name}", values)
    return slots


def check_unique(where: str, texts: Iterable[str]) -> None:
    listed = list(texts)
    if len(set(listed)) != len(listed):
        raise InvalidFile(where, "the same text is listed twice; remove one")


def count_words(text: str) -> int:
    """Return the number of words between white space; Markdown marks of headings, lists and tables are none."""
    return sum(_MARK.fullmatch(word) is None for word in text.split())


def split_words(text: str) -> list[str]:
    """Return the runs of letters, in lower case."""
    return re.findall(r"[^\W\d_]+", text.lower())


def collect_vocabulary(templates: Iterable[str], slots: Slots) -> frozenset[str]:
    """Return every word, in lower case, that filled templates can contain, apart from the page's own."""
    texts = chain(templates, *slots.values.values())
    return frozenset(word for text in texts for word in split_words(SLOT.sub(" ", text)))


def capitalise(text: str) -> str:
    """Begin with a capital, unless that letter would come back in lower case as another one (ſ, ı, ß)."""
    first = text[:1]
    return (first.upper() if first.upper().lower() == first else first) + text[1:]


LANGUAGES = languages.list_with("edits")
TOPICS = ("topic1", "topic2", "topic3")
Positions = tuple[tuple[str, ...], ...]  # for each sentence of a block, the templates to choose from


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The sentences of every edit, and what may replace their slots."""

    block_words: int
    slots: Slots
    sentences: Mapping[str, Positions]

    def write_blocks(
        self, edit: str, number: int, topics: Sequence[str], rng: random.Random, *, between: str = " ", mark: str = ""
    ) -> tuple[str, ...]:
        """Write blocks of one sentence from each list of the edit; no sentence returns before its list is used up.

        In a block, `between` separates the sentences and `mark` begins each of them. Each time round, a list is
        shifted by its position, so that the same sentences are not combined again.
        """
        orders = [rng.sample(position, len(position)) for position in self.sentences[edit]]
        rounds = (
            [mark + order[(at + at // len(order) * place) % len(order)] for place, order in enumerate(orders)]
            for at in range(number)
        )
        return tuple(self.fill(between.join(sentences), topics, rng) for sentences in rounds)

    def fill(self, template: str, topics: Sequence[str], rng: random.Random) -> str:
        """Fill the slots; no name and no number is used twice."""
        return self.slots.fill(template, rng, dict(zip(TOPICS, topics, strict=False)))


@cache
def load(language: str) -> Phrasebook:
    """Read and check the phrase book of a language, once per process."""
    return parse(language, languages.read_toml(language, "edits", "blocks.toml"))


@cache
def load_vocabulary(language: str) -> frozenset[str]:
    """Return every word, in lower case, that can be in a block without being the page's own."""
    book = load(language)
    templates = [text for edit in book.sentences.values() for position in edit for text in position]
    return collect_vocabulary(templates, book.slots)


def parse(language: str, data: Mapping[str, Any]) -> Phrasebook:
    """Check that every block of every edit has the same number of words, whatever is drawn."""
    slots = parse_slots(language, data)
    for name, values in slots.values.items():
        if len({len(v.split()) for v in values}) != 1:
            raise InvalidFile(f"{language}: slots.{name}", "its values differ in their number of words")
    sentences = {
        name: tuple(_read_list(f"{language}: {name}", data, *listed) for listed in enumerate(entry["sentences"]))
        for name, entry in data.items()
        if isinstance(entry, dict) and "sentences" in entry
    }
    for edit, positions in sentences.items():
        where = f"{language}: {edit}"
        total = sum(_count_list_words(where, position, slots) for position in positions)
        if total != data["block_words"]:
            raise InvalidFile(where, f"a block has {total} words, not {data['block_words']}")
        _check_enough_values(where, positions, slots)
    return Phrasebook(data["block_words"], slots, sentences)


def _read_list(where: str, data: Mapping[str, Any], place: int, listed: str | Sequence[str]) -> tuple[str, ...]:
    """Return the sentences of a list; the name of an edit in its place stands for the list at that place there."""
    if not isinstance(listed, str):
        return tuple(listed)
    if listed not in data:
        raise InvalidFile(where, f"no edit {listed!r} whose sentences could be taken")
    return tuple(data[listed]["sentences"][place])


def _check_enough_values(where: str, positions: Positions, slots: Slots) -> None:
    """Refuse a slot used more often than it has values: no block uses a value twice, so it would draw for ever."""
    for slot in slots.names:
        used = sum(max(sentence.count(f"{{{slot}}}") for sentence in position) for position in positions)
        if used > slots.count(slot):
            raise InvalidFile(where, f"slot {slot} is used {used} times and has {slots.count(slot)} values")


def _count_list_words(where: str, position: Sequence[str], slots: Slots) -> int:
    """Return the number of words of the sentences of one list, which must be the same for all."""
    fixed = dict.fromkeys((*TOPICS, *slots.ranges), "1") | {slot: v[0] for slot, v in slots.values.items()}
    counts = {}
    for sentence in position:
        unknown = {match[1] for match in SLOT.finditer(sentence)} - fixed.keys()
        if unknown:
            raise InvalidFile(where, f"unknown slot {{{min(unknown)}}} in {sentence!r}")
        filled = SLOT.sub(lambda match: fixed[match[1]], sentence)
        if "{" in filled or "}" in filled:
            raise InvalidFile(where, f"a brace that is no slot in {sentence!r}")
        counts[sentence] = count_words(filled)
    if len(set(counts.values())) != 1:
        listed = "; ".join(f"{n}: {s[:40]}…" for s, n in counts.items())
        raise InvalidFile(where, f"sentences of one list differ in words: {listed}")
    return next(iter(counts.values()))
