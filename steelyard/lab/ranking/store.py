"""Trained models as plain files: LightGBM's text beside a JSON manifest, both checked before they are used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__, languages
from steelyard.errors import SteelyardError
from steelyard.lab.ranking.features import FEATURES
from steelyard.lab.ranking.models import LEAVES, RATE, TREES, library
from steelyard.scoring import weighting
from steelyard.scoring.page import scoring
from steelyard.support.artifacts import write_artifact, write_text

SCHEMA = "steelyard.ranker/1"
MODEL, MANIFEST = "model.txt", "manifest.json"
LARGEST = 50_000_000


class ModelUnusable(SteelyardError):
    def __init__(self, folder: Path, reason: str) -> None:
        # A manifest may claim anything, at any length.
        short = reason if len(reason) < 300 else reason[:300] + "…"
        super().__init__(f"{folder}: {short}; train it again with `steelyard ranking train`")


@dataclass(frozen=True)
class Trained:
    """A checked model: the features it wants, in order, and what it was made from."""

    booster: Any
    names: tuple[str, ...]
    manifest: Mapping[str, Any]


def features_hash() -> str:
    """Of the features' names and meanings: another version may count differently under the same name."""
    text = "\n".join(f"{f.name}|{f.family}|{f.about}" for f in FEATURES)
    return hashlib.sha256(text.encode()).hexdigest()


def scoring_hash() -> str:
    """Of the weighting and the packs that the content features stand on."""
    shipped = weighting.load(weighting.DEFAULT)
    return "+".join(scoring(shipped.name, shipped.digest, code).hash for code in languages.CODES)


def save(folder: str | Path, booster: Any, names: Sequence[str], *, data: Mapping[str, Any]) -> dict[str, Any]:
    folder = Path(folder)
    text = booster.model_to_string()
    manifest = {
        "schema": SCHEMA,
        "steelyard": __version__,
        "model_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "features": list(names),
        "features_hash": features_hash(),
        "scoring_hash": scoring_hash(),
        "settings": {"trees": TREES, "leaves": LEAVES, "learning_rate": RATE},
        "data": dict(data),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / MODEL, text)
    write_artifact(folder / MANIFEST, manifest)
    return manifest


def load(folder: str | Path) -> Trained:
    """The model, if it is what its manifest says and this version counts as the one that trained it did."""
    folder = Path(folder)
    try:
        manifest = json.loads(_read(folder, MANIFEST))
        text = _read(folder, MODEL)
        names = tuple(manifest["features"])
        claimed = {key: manifest[key] for key in ("schema", "model_sha256", "features_hash", "scoring_hash")}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelUnusable(folder, f"the manifest cannot be read ({error})") from error
    there = {
        "schema": SCHEMA,
        "model_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "features_hash": features_hash(),
        "scoring_hash": scoring_hash(),
    }
    for key, value in there.items():
        if claimed[key] != value:
            raise ModelUnusable(folder, f"its {key} is {claimed[key]!r}, here it is {value!r}")
    known = {f.name for f in FEATURES}
    if not names or not all(isinstance(n, str) and n in known for n in names):
        raise ModelUnusable(folder, "it wants features that pages alone do not have")
    lightgbm = library()
    try:
        booster = lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise ModelUnusable(folder, f"{MODEL} is no model ({error})") from error
    if tuple(booster.feature_name()) != names:
        raise ModelUnusable(folder, "its features are not those of the manifest")
    return Trained(booster, names, manifest)


def scores(trained: Trained, rows: Sequence[Mapping[str, float]]) -> list[float]:
    import numpy as np

    table = np.array([[row[name] for name in trained.names] for row in rows], float)
    return [float(x) for x in trained.booster.predict(table, num_threads=1)]


def _read(folder: Path, name: str) -> str:
    path = folder / name
    try:
        if path.stat().st_size > LARGEST:
            raise ModelUnusable(folder, f"{name} is over {LARGEST:,} bytes")
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ModelUnusable(folder, f"{name} cannot be read ({error.strerror})") from error
    except ValueError as error:  # not UTF-8, or a NUL in the path
        raise ModelUnusable(folder, f"{name} cannot be read ({error})") from error
