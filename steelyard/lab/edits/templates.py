"""Templates: texts with {slots}, and the values drawn for them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

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
