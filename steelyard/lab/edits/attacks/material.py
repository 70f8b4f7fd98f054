"""What the attacks write, as data: one file per language, and one for the markup that all languages share."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard import languages
from steelyard.lab.edits.phrasebook import PhrasesInvalid, words

_SLOT = re.compile(r"\{([a-z0-9_]*)\}")
TOPIC, OTHER = "topic", "other"
_LATER = {"", "anchor", "address", "question", "answer"}  # what an attack puts in by itself


@dataclass(frozen=True, slots=True)
class Material:
    """The texts of every attack by section and list, and what may stand in their slots."""

    language: str
    sections: Mapping[str, Mapping[str, tuple[str, ...]]]
    slots: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[int, int]]
    synonyms: Mapping[str, tuple[str, ...]]

    def list(self, section: str, name: str) -> tuple[str, ...]:
        return self.sections[section][name]

    def filled(self, form: str, rng: random.Random, pair: Sequence[str] = ("", "")) -> str:
        """The form with a value in each slot, none twice; {topic} and {other} are the pair, two words of the page."""
        used: set[tuple[str, str]] = set()

        def value(match: re.Match[str]) -> str:
            slot = match[1]
            if slot in {TOPIC, OTHER}:
                return pair[slot == OTHER]
            if slot in _LATER:
                return match[0]
            drawn = self._drawn(slot, rng)
            while (slot, drawn) in used:
                drawn = self._drawn(slot, rng)
            used.add((slot, drawn))
            return drawn

        return _SLOT.sub(value, form)

    def _drawn(self, slot: str, rng: random.Random) -> str:
        return rng.choice(self.slots[slot]) if slot in self.slots else str(rng.randint(*self.numbers[slot]))


@cache
def load(language: str) -> Material:
    """The material of a language, read and checked once per process."""
    markup = resources.files("steelyard.lab.edits").joinpath("attacks", "markup.toml").read_text("utf-8")
    return parse(language, languages.read_toml(language, "edits", "attacks.toml") | {"markup": tomllib.loads(markup)})


def parse(language: str, data: Mapping[str, Any]) -> Material:
    """Check that no list repeats itself, that every slot is known, and that no synonym is its own."""
    slots = {name: tuple(values) for name, values in data["slots"].items()}
    numbers = {name: (low, high) for name, (low, high) in data["numbers"].items()}
    special = {"slots", "numbers", "synonyms"}
    sections = {
        section: {name: tuple(values) for name, values in lists.items()}
        for section, lists in data.items()
        if section not in special
    }
    named = [(f"{s}.{n}", values) for s, lists in sections.items() for n, values in lists.items()]
    for where, values in (*named, *((f"slots.{name}", values) for name, values in slots.items())):
        if len(set(values)) != len(values):
            raise PhrasesInvalid(f"{language}: {where}", "a text stands in it twice")
    for where, values in named:
        unknown = {m[1] for text in values for m in _SLOT.finditer(text)} - {*slots, *numbers, *_LATER, TOPIC, OTHER}
        if unknown:
            raise PhrasesInvalid(f"{language}: {where}", f"unknown slot {{{min(unknown)}}}")
    return Material(language, sections, slots, numbers, _both_ways(language, data["synonyms"]["pairs"]))


def _both_ways(language: str, pairs: Iterable[Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Every word of a pair leads to the other; a word in several pairs to all of them, in the file's order."""
    table: dict[str, tuple[str, ...]] = {}
    for first, second in pairs:
        if first == second or second in table.get(first, ()):
            raise PhrasesInvalid(f"{language}: synonyms", f"{first} = {second} says nothing or says it again")
        table[first] = (*table.get(first, ()), second)
        table[second] = (*table.get(second, ()), first)
    return table


@cache
def vocabulary(language: str) -> frozenset[str]:
    """Every word of the material, in lower case."""
    own = load(language)
    texts = [t for lists in own.sections.values() for values in lists.values() for t in values]
    texts += [t for values in own.slots.values() for t in values] + list(own.synonyms)
    return frozenset(word for text in texts for word in words(_SLOT.sub(" ", text)))
