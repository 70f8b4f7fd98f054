"""The ranker's inputs by category: what each holds, whether it changes with the query, whether it needs a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from steelyard.lab.ranking import features as f
from steelyard.lab.ranking.signals.base import CROSS_FEATURES, EMBEDDING_FEATURES
from steelyard.lab.ranking.signals.resolve import CROSS_ENCODERS, EMBEDDERS, model_kinds


@dataclass(frozen=True, slots=True)
class Category:
    """Features of one kind; those that are `blind` are the same for every query."""

    name: str
    about: str
    features: tuple[str, ...]
    blind: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


_CONTENT, _LENGTH = f.NAMES_OF[f.CONTENT], f.NAMES_OF[f.LENGTH]
STACK: tuple[Category, ...] = (
    Category(f.CONTENT, "components of the score that vary on plain passages", _CONTENT, _CONTENT),
    Category(f.LEXICAL, "words that query and source share, and where they stand", f.NAMES_OF[f.LEXICAL]),
    Category(f.STRUCTURE, "the kind of answer that is asked for, near a word of the query", f.NAMES_OF[f.STRUCTURE]),
    Category(f.LENGTH, "how long the source is", _LENGTH, _LENGTH),
    Category(
        "embedding",
        "nearness in meaning, by an embedder",
        EMBEDDING_FEATURES,
        ("e_redundancy",),
        model_kinds(EMBEDDERS),
    ),
    Category(
        "cross-encoder",
        "relevance read from query and source together",
        CROSS_FEATURES,
        (),
        model_kinds(CROSS_ENCODERS),
    ),
)


def describe_stack() -> dict[str, Any]:
    """Return the categories for an artifact, with what is deliberately not a feature."""
    return {
        "categories": [{**asdict(category), "regex_only": not category.models} for category in STACK],
        "constant": list(f.DEGENERATE),
        "baseline": f.FIXED,
        "leak": f.leak_position.__name__,
    }
