"""What the attacks write, as data: one file per language, and one for the markup that all languages share."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard import languages
from steelyard.errors import InvalidFile
from steelyard.lab.edits.phrasebook import SLOT, Slots, check_unique, collect_vocabulary, parse_slots

# Slots that an attack replaces by itself: they stay as they are when the others are filled.
_LEFT_OPEN = {slot: f"{{{slot}}}" for slot in ("", "anchor", "address", "question", "answer", "rating", "text")}
_OF_THE_PAGE = ("topic", "other")


@dataclass(frozen=True, slots=True)
class AttackTexts:
    """The templates of every attack by section and list, what may replace their slots, and the synonyms."""

    lists: Mapping[str, Mapping[str, tuple[str, ...]]]
    slots: Slots
    synonyms: Mapping[str, tuple[str, ...]]

    def fill(self, template: str, rng: random.Random, pair: Sequence[str]) -> str:
        """Fill a template; {topic} and {other} are the pair."""
        return self.slots.fill(template, rng, _LEFT_OPEN | dict(zip(_OF_THE_PAGE, pair, strict=True)))


@cache
def load_texts(language: str) -> AttackTexts:
    """Read and check the texts of a language, once per process."""
    markup = resources.files("steelyard.lab.edits").joinpath("attacks", "markup.toml").read_text("utf-8")
    return parse(language, languages.read_toml(language, "edits", "attacks.toml") | {"markup": tomllib.loads(markup)})


def parse(language: str, data: Mapping[str, Any]) -> AttackTexts:
    """Check that no list has a text twice, that every slot is known, and that every synonym is another word."""
    slots = parse_slots(language, data)
    lists = {
        section: {name: tuple(texts) for name, texts in named.items()}
        for section, named in data.items()
        if section not in {"slots", "numbers", "synonyms"}
    }
    known = {*slots.names, *_LEFT_OPEN, *_OF_THE_PAGE}
    for section, named in lists.items():
        for name, texts in named.items():
            where = f"{language}: {section}.{name}"
            check_unique(where, texts)
            unknown = {match[1] for text in texts for match in SLOT.finditer(text)} - known
            if unknown:
                raise InvalidFile(where, f"unknown slot {{{min(unknown)}}}")
    return AttackTexts(lists, slots, _pair_synonyms(f"{language}: synonyms", data["synonyms"]["pairs"]))


def _pair_synonyms(where: str, pairs: Iterable[Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Map each word of a pair to the other, and a word in several pairs to all of them in the file's order."""
    table: dict[str, tuple[str, ...]] = {}
    for first, second in pairs:
        if first == second or second in table.get(first, ()):
            raise InvalidFile(where, f"{first} = {second} is a word and itself, or a pair listed twice")
        table[first] = (*table.get(first, ()), second)
        table[second] = (*table.get(second, ()), first)
    return table


@cache
def load_vocabulary(language: str) -> frozenset[str]:
    """Return every word of the attacks' texts, in lower case."""
    texts = load_texts(language)
    templates = [t for named in texts.lists.values() for listed in named.values() for t in listed]
    return collect_vocabulary([*templates, *texts.synonyms], texts.slots)
