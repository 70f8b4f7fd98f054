"""A data set with its features as arrays, made once and then only cut into columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from steelyard.lab.ranking.dataset import Dataset, Group
from steelyard.lab.ranking.features import FIXED, Contents, features, leak_position
from steelyard.lab.ranking.predict import BLENDED, blend
from steelyard.lab.ranking.signals.base import CrossEncoder, Embedder, cross_features, embedding_features
from steelyard.support.progress import tracked

Array = NDArray[np.float64]
POSITION = "leak_position"


@dataclass(frozen=True)
class Prepared:
    """`rows[g]` has a row per candidate of group g and a column per name."""

    data: Dataset
    names: tuple[str, ...]
    rows: tuple[Array, ...]
    truth: tuple[Array, ...]

    def columns(self, names: Sequence[str]) -> list[int]:
        place = {name: i for i, name in enumerate(self.names)}
        return [place[name] for name in names]

    def indices(self, groups: Iterable[Group]) -> list[int]:
        """Which groups of the data these are."""
        place = {id(group): i for i, group in enumerate(self.data.groups)}
        return [place[id(group)] for group in groups]


def prepare(
    data: Dataset,
    *,
    as_of: date,
    embedder: Embedder | None = None,
    cross_encoder: CrossEncoder | None = None,
    language: str = "en",
    quiet: bool = True,
) -> Prepared:
    """Every feature of every candidate; the place where the engine saw it beside them, under a name that says so."""
    contents = Contents(as_of=as_of, language=language)
    rows: list[Array] = []
    names: tuple[str, ...] = ()
    for group in tracked(data.groups, total=len(data.groups), noun="groups", quiet=quiet):
        found = features(group.query, group.candidates, language=language, as_of=as_of, contents=contents)
        for extra in _signals(group, embedder, cross_encoder):
            for row, more in zip(found, extra, strict=True):
                row.update(more)
        extras = zip(leak_position(group.candidates), blend(found), strict=True)
        for row, (place, blended), candidate in zip(found, extras, group.candidates, strict=True):
            row |= {POSITION: place, BLENDED: blended, FIXED: contents.fixed(candidate)}
        names = tuple(found[0])
        rows.append(np.array([[row[name] for name in names] for row in found], np.float64))
    return Prepared(data, names, tuple(rows), tuple(np.array(g.visibility, np.float64) for g in data.groups))


def _signals(
    group: Group, embedder: Embedder | None, cross_encoder: CrossEncoder | None
) -> list[list[dict[str, float]]]:
    texts = [c.text for c in group.candidates]
    found = []
    if embedder is not None:
        query, *sources = embedder.embed([group.query, *texts])
        found.append(embedding_features(query, sources))
    if cross_encoder is not None:
        found.append(cross_features(cross_encoder.logits(group.query, group.candidates)))
    return found
