"""Invented ranking data: features without texts for the models, and files of texts for the commands."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.lab.ranking import models
from steelyard.lab.ranking import study as studies
from steelyard.lab.ranking.dataset import Candidate, Dataset, Group
from steelyard.lab.ranking.features import CONTENT, FEATURES, FIXED, NAMES_OF, POSITION
from steelyard.lab.ranking.models import Model, Predict
from steelyard.lab.ranking.predict import BLENDED
from steelyard.lab.ranking.prepare import Array, PreparedData
from steelyard.lab.ranking.signals.base import CROSS_FEATURES, EMBEDDING_FEATURES
from steelyard.support.artifacts import round_floats

NAMES = (*(f.name for f in FEATURES), POSITION, BLENDED, FIXED)
BLIND = NAMES_OF[CONTENT][0]  # a feature that needs no query
LONG = "word " * 160  # from 150 words on, content says something


def group(name: str, shares: Sequence[float] | Array, engine: str = "one", text: str = LONG, **changes: Any) -> Group:
    candidates = tuple(Candidate(str(i), text, position=i + 1.0) for i in range(len(shares)))
    plain = Group(name, f"what is {name}", engine, candidates, tuple(map(float, shares)))
    return replace(plain, **changes)


def data(groups: Iterable[Group]) -> Dataset:
    return Dataset("invented", tuple(groups), {}, {"invented.jsonl": "0" * 64})


def prepared(groups: Sequence[Group], rows: Sequence[Any], names: Sequence[str] = ("a",)) -> PreparedData:
    """Groups with the features that they are said to have."""
    truth = tuple(np.array(g.visibility, np.float64) for g in groups)
    return PreparedData(data(groups), tuple(names), tuple(np.array(r, np.float64) for r in rows), truth)


def invent_data(
    queries: int,
    engines: int = 1,
    *,
    sources: int = 5,
    signal: Mapping[str, float] | None = None,
    common: float = 0.0,
    own: float = 1.0,
    names: Sequence[str] = NAMES,
    text: str = LONG,
    seed: int = 0,
) -> PreparedData:
    """Every engine is asked every query, over the same sources.

    How visible a source is comes from its features by `signal`, from a taste for it that all engines share and nothing
    explains (`common`), and from a whim of each engine (`own`).
    """
    rng = np.random.default_rng(seed)
    groups, rows = [], []
    for q in range(queries):
        x = rng.standard_normal((sources, len(names)))
        said = sum((w * x[:, names.index(n)] for n, w in (signal or {}).items()), np.zeros(sources))
        taste = rng.standard_normal(sources)
        for e in range(engines):
            shares = np.exp(said + common * taste + own * rng.standard_normal(sources))
            groups.append(
                group(f"q{q}", shares / shares.sum(), f"engine {e}", text, tags=("odd" if q % 2 else "even",))
            )
            rows.append(x)
    return prepared(groups, rows, names)


# Models that cost nothing


def fit_memory(rows: Sequence[Array], truth: Sequence[Array], seed: int) -> Predict:
    """Perfect memory and no understanding: the visibility of the nearest source that was seen."""
    known, visible = np.concatenate(list(rows)), np.concatenate(list(truth))

    def predict(new: Array) -> Array:
        nearest = ((new[:, None, :] - known[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
        return np.asarray(visible[nearest])

    return predict


MEMORY = Model("memory", fit_memory)


class Linear:
    """In the place of a booster."""

    def __init__(self, predict: Predict) -> None:
        self._predict = predict

    def predict(self, new: Array, num_threads: int, num_iteration: int | None = None) -> Array:
        assert num_threads == 1
        return self._predict(new)


def linear(rows: Sequence[Array], truth: Sequence[Array], seed: int, **sizes: Any) -> Linear:
    return Linear(models.fit_ridge(rows, truth, seed))


@cache
def run_sample_study(kind: str = "whole") -> dict[str, Any]:
    """A study's result as it goes into the artifact, with ridge in the place of all trees but those of importance.

    `whole` has every arm, three engines and both kinds of tags; `bare` has snippets, one engine and nothing more.
    """
    names = (*NAMES, *EMBEDDING_FEATURES, *CROSS_FEATURES) if kind == "whole" else NAMES
    signal = {"q_bm25": 1.0, BLIND: 0.5} | ({"x_logit": 1.2} if kind == "whole" else {})
    made = invent_data(30, 3, signal=signal, common=0.2, own=0.2, names=names, sources=4)
    if kind == "bare":
        made = invent_data(12, signal=signal, text="a snippet", sources=4)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(models, "TREES", 10)
        small.setattr(models, "fit_booster", linear)
        cheap = tuple(
            (Model(m.name, models.fit_ridge if m is models.GBM_MODEL else m.fit), arms) for m, arms in studies.GRID
        )
        small.setattr(studies, "GRID", cheap)
        found = round_floats(studies.run_study(made, draws=50, seeds=(0, 1)))
    assert isinstance(found, dict)
    return found


# Files

_WORDS = (
    "salt timber barley copper linen amber candle herring leather pottery harbour quay crane ledger merchant spring "
    "cargo market customs winter pilot anchor barrel rope sail mast timber wharf tide storm lantern keeper"
).split()
TOWNS = ("Skane", "Narva", "Visby", "Turku", "Stade", "Ribe", "Lund")


def page(rng: random.Random, words: int) -> str:
    """So many words in sentences, with a number, a name or a quotation now and then."""
    said: list[str] = []
    while len(said) < words:
        sentence = rng.choices(_WORDS, k=rng.randint(6, 14))
        if rng.random() < 0.3:
            sentence.insert(3, f"{rng.randint(2, 99)}%")
        if rng.random() < 0.3:
            sentence.insert(5, rng.choice(TOWNS))
        said += [sentence[0].capitalize(), *sentence[1:-1], f"{sentence[-1]}."]
    return " ".join(said)


def make_groups(
    queries: int, engines: Sequence[str] = ("one", "two"), *, sources: int = 4, agree: bool = True, seed: int = 0,
    words: tuple[int, int] = (20, 60),
) -> list[dict[str, Any]]:  # fmt: skip
    """Groups in the documented form; what is visible has nothing to do with the texts, but engines may agree on it."""
    rng = random.Random(seed)
    found = []
    for q in range(queries):
        texts = [page(rng, rng.randint(*words)) for _ in range(sources)]
        shares = _shares(rng, sources)
        for engine in engines:
            mine = shares if agree else _shares(rng, sources)
            found.append(
                {
                    "query": f"Where is {_WORDS[q % len(_WORDS)]} of {TOWNS[q % len(TOWNS)]} sold ({q})?",
                    "engine": engine,
                    "sources": [
                        {"text": text, "share": share, "position": place}
                        for place, (text, share) in enumerate(zip(texts, mine, strict=True), start=1)
                    ],
                }
            )  # fmt: skip
    return found


def _shares(rng: random.Random, n: int) -> list[float]:
    drawn = [rng.random() for _ in range(n)]
    return [x / sum(drawn) for x in drawn]


def write_groups(path: Path, groups: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(g, ensure_ascii=False) + "\n" for g in groups), "utf-8")
    return path
