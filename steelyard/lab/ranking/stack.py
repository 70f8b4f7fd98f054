"""The ranker's inputs by category: what each holds, whether it changes with the query, whether it needs a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.lab.ranking.features import (
    CONTENT,
    DEGENERATE,
    FIXED,
    LENGTH,
    LEXICAL,
    NAMES_OF,
    REGEX_ONLY,
    STRUCTURE,
    leak_position,
)
from steelyard.lab.ranking.signals.base import CROSS, EMBEDDING
from steelyard.lab.ranking.signals.resolve import CROSS_ENCODERS, EMBEDDERS


@dataclass(frozen=True, slots=True)
class Category:
    """Features of one kind; `blind` are those of them that are the same whatever is asked."""

    name: str
    about: str
    features: tuple[str, ...]
    blind: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "about": self.about,
            "features": list(self.features),
            "blind": list(self.blind),
            "models": list(self.models),
            "regex_only": self.name in REGEX_ONLY,
        }


def kinds(forms: Sequence[str]) -> tuple[str, ...]:
    """The word that each form of naming a model begins with."""
    return tuple(form.partition(",")[0].partition(":")[0] for form in forms)


STACK: tuple[Category, ...] = (
    Category(CONTENT, "components of the score that vary on plain passages", NAMES_OF[CONTENT], NAMES_OF[CONTENT]),
    Category(LEXICAL, "words that query and source share, and where they stand", NAMES_OF[LEXICAL]),
    Category(STRUCTURE, "the kind of answer that is asked for, near a word of the query", NAMES_OF[STRUCTURE]),
    Category(LENGTH, "how long the source is", NAMES_OF[LENGTH], NAMES_OF[LENGTH]),
    Category("embedding", "nearness in meaning, by an embedder", EMBEDDING, ("e_redundancy",), kinds(EMBEDDERS)),
    Category("cross-encoder", "relevance read from query and source together", CROSS, (), kinds(CROSS_ENCODERS)),
)


def record() -> dict[str, Any]:
    """The stack as it stands in an artifact, with what is kept out of it."""
    return {
        "categories": [category.record() for category in STACK],
        "constant": list(DEGENERATE),
        "baseline": FIXED,
        "leak": leak_position.__name__,
    }
