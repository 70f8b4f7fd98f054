"""A data set with its features as arrays, their categories, and the arms: the sets that models are compared on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.lab.ranking import features
from steelyard.lab.ranking.dataset import Dataset
from steelyard.lab.ranking.features import FIXED, NAMES_OF, POSITION
from steelyard.lab.ranking.predict import BLENDED, blend_signals
from steelyard.lab.ranking.signals.base import (
    CROSS_FEATURES,
    EMBEDDING_FEATURES,
    CrossEncoder,
    Embedder,
    compute_cross_features,
    compute_embedding_features,
)
from steelyard.lab.ranking.signals.resolve import CROSS_ENCODERS, EMBEDDERS
from steelyard.support.progress import show_progress


@dataclass(frozen=True, slots=True)
class Category:
    """Features of one kind; those that are `blind` are the same for every query."""

    name: str
    about: str
    features: tuple[str, ...]
    blind: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


_CONTENT, _LENGTH = NAMES_OF[features.CONTENT], NAMES_OF[features.LENGTH]
_LEXICAL, _STRUCTURE = NAMES_OF[features.LEXICAL], NAMES_OF[features.STRUCTURE]
STACK: tuple[Category, ...] = (
    Category(features.CONTENT, "components of the score that vary on plain passages", _CONTENT, _CONTENT),
    Category(features.LEXICAL, "words that query and source share, and where they stand", _LEXICAL),
    Category(features.STRUCTURE, "the kind of answer that is asked for, near a word of the query", _STRUCTURE),
    Category(features.LENGTH, "how long the source is", _LENGTH, _LENGTH),
    Category(
        "embedding", "nearness in meaning, by an embedder", EMBEDDING_FEATURES, ("e_redundancy",), tuple(EMBEDDERS)
    ),
    Category(
        "cross-encoder",
        "relevance read from query and source together",
        CROSS_FEATURES,
        models=tuple(CROSS_ENCODERS),
    ),
)


def describe_stack() -> dict[str, Any]:
    """Return the categories for an artifact, with what is deliberately not a feature."""
    return {
        "categories": [{**asdict(category), "regex_only": not category.models} for category in STACK],
        "constant": list(features.DEGENERATE),
        "baseline": features.FIXED,
        "leak": features.leak_position.__name__,
    }


Array = NDArray[np.float64]
CONTENT_ONLY, QUERY_REGEX, QUERY_ONLY = "content only", "query only, regex", "query only"
REGEX_ONLY = "regex only"
EMBEDDING, CROSS, FULL = "+ embedding", "+ cross-encoder", "full"


@dataclass(frozen=True)
class PreparedData:
    """`rows[g]` has a row for every candidate of group g and a column for every name."""

    data: Dataset
    names: tuple[str, ...]
    rows: tuple[Array, ...]
    truth: tuple[Array, ...]

    def select_columns(self, names: Sequence[str]) -> list[Array]:
        """Return the rows of every group, reduced to these columns."""
        columns = [self.names.index(name) for name in names]
        return [rows[:, columns] for rows in self.rows]


def prepare(
    data: Dataset,
    *,
    as_of: date,
    embedder: Embedder | None = None,
    cross_encoder: CrossEncoder | None = None,
    language: str = "en",
    quiet: bool = True,
) -> PreparedData:
    """Compute every feature of every candidate, and the baselines and the leak under names of their own."""
    contents = features.ContentCache(as_of=as_of, language=language)
    rows: list[Array] = []
    names: tuple[str, ...] = ()
    for group in show_progress(data.groups, total=len(data.groups), noun="groups", quiet=quiet):
        computed = features.compute_features(group.query, group.candidates, contents)
        parts = [computed]
        if embedder is not None:
            query, *sources = embedder.embed([group.query, *(c.text for c in group.candidates)])
            parts.append(compute_embedding_features(query, sources))
        if cross_encoder is not None:
            parts.append(compute_cross_features(cross_encoder.logits(group.query, group.candidates)))
        parts.append([{POSITION: position} for position in features.leak_position(group.candidates)])
        parts.append([{BLENDED: blended} for blended in blend_signals(computed)])
        parts.append([{FIXED: contents.read(candidate)[FIXED]} for candidate in group.candidates])
        merged = [{k: v for part in row for k, v in part.items()} for row in zip(*parts, strict=True)]
        names = tuple(merged[0])
        rows.append(np.array([list(row.values()) for row in merged], np.float64))
    return PreparedData(data, names, tuple(rows), tuple(np.array(g.visibility, np.float64) for g in data.groups))


def select_arms(prepared: PreparedData) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return the features of each arm of the paper's ablation, and for each missing arm the reason.

    Content enters only if the texts are long enough. Query only is everything that changes with the query, as in the
    paper with an embedding and a cross-encoder; its regex version is without them.
    """
    query = (*_LEXICAL, *_STRUCTURE)
    blind = {name for category in STACK for name in category.blind}
    embedding, cross = (tuple(n for n in prepared.names if n.startswith(prefix)) for prefix in ("e_", "x_"))
    too_short = prepared.data.content_undefined
    regex = (*(() if too_short else _CONTENT), *query, *_LENGTH)
    arms = {
        CONTENT_ONLY: _CONTENT,
        QUERY_REGEX: query,
        QUERY_ONLY: (*query, *(n for n in (*embedding, *cross) if n not in blind)),
        REGEX_ONLY: regex,
        EMBEDDING: (*regex, *embedding),
        CROSS: (*regex, *cross),
        FULL: (*regex, *embedding, *cross),
    }
    lacks_one = None if embedding and cross else "it needs an embedding and a cross-encoder"
    reasons = {
        CONTENT_ONLY: too_short,
        QUERY_ONLY: lacks_one,
        EMBEDDING: None if embedding else "no model was given",
        CROSS: None if cross else "no model was given",
        FULL: lacks_one,
    }
    undefined = {arm: reason for arm, reason in reasons.items() if reason}
    return {arm: names for arm, names in arms.items() if arm not in undefined}, undefined
