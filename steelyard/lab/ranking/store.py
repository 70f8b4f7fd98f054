"""Trained models as plain files: LightGBM's text with a JSON manifest, both checked before they are used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard import __version__
from steelyard.errors import InvalidFile
from steelyard.lab.ranking.features import FEATURES
from steelyard.lab.ranking.models import LEAVES, RATE, TREES, import_lightgbm
from steelyard.scoring import editions, weighting
from steelyard.scoring.page import describe_scoring
from steelyard.support.artifacts import make_output_folder, write_artifact, write_text
from steelyard.support.regular_file import open_regular_file

SCHEMA = "steelyard.ranker/1"
MODEL, MANIFEST = "model.txt", "manifest.json"
MAX_BYTES = 50_000_000  # bytes


@dataclass(frozen=True)
class TrainedModel:
    """A checked model: the features it needs, in order, and its manifest."""

    booster: Any
    names: tuple[str, ...]
    manifest: Mapping[str, Any]

    def score(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        table = np.array([[row[name] for name in self.names] for row in rows], float)
        return [float(x) for x in self.booster.predict(table, num_threads=1)]


def hash_features() -> str:
    """Hash the features' names and meanings: another version may count differently under the same name."""
    text = "\n".join(f"{f.name}|{f.family}|{f.about}" for f in FEATURES)
    return hashlib.sha256(text.encode()).hexdigest()


def hash_scoring() -> str:
    """Hash the weighting and the language data that the content features depend on."""
    shipped, paper = weighting.load(weighting.DEFAULT), editions.load(editions.PAPER)
    return "+".join(describe_scoring(shipped.name, shipped.digest, paper, code).hash for code in paper.languages)


def _checked_entries(model: str) -> dict[str, str]:
    """Return the entries of a manifest that must be equal when the model is loaded."""
    return {
        "schema": SCHEMA,
        "model_sha256": hashlib.sha256(model.encode()).hexdigest(),
        "features_hash": hash_features(),
        "scoring_hash": hash_scoring(),
    }


def save_model(folder: str | Path, booster: Any, names: Sequence[str], *, data: Mapping[str, Any]) -> None:
    folder = Path(folder)
    text = booster.model_to_string()
    manifest = {
        **_checked_entries(text),
        "steelyard": __version__,
        "features": list(names),
        "settings": {"trees": TREES, "leaves": LEAVES, "learning_rate": RATE},
        "data": dict(data),
    }
    make_output_folder(folder)
    write_text(folder / MODEL, text)
    write_artifact(folder / MANIFEST, manifest)


def load_model(folder: str | Path) -> TrainedModel:
    """Load a model that is what its manifest says, made by a version whose features are the same.

    Raises:
        InvalidFile: A file is missing, too large, damaged, or of another version.
    """
    folder = Path(folder)
    manifest_text, text = _read(folder, MANIFEST), _read(folder, MODEL)
    expected = _checked_entries(text)
    try:
        manifest = json.loads(manifest_text)
        names = tuple(manifest["features"])
        claimed = {key: manifest[key] for key in expected}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unusable(folder, f"the manifest cannot be read ({error})") from error
    for key, value in expected.items():
        if claimed[key] != value:
            raise _unusable(folder, f"its {key} is {claimed[key]!r}, here it is {value!r}")
    known = {f.name for f in FEATURES}
    if not names or not all(isinstance(n, str) and n in known for n in names):
        raise _unusable(folder, "it needs features that pages alone do not have")
    lightgbm = import_lightgbm()
    try:
        booster = lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise _unusable(folder, f"{MODEL} is not a model ({error})") from error
    if tuple(booster.feature_name()) != names:
        raise _unusable(folder, "its features are not those of the manifest")
    return TrainedModel(booster, names, manifest)


def _read(folder: Path, name: str) -> str:
    path = folder / name
    try:
        with open_regular_file(path) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _unusable(folder, f"{name} is over {MAX_BYTES:,} bytes")
        return data.decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise _unusable(folder, f"{name} cannot be read ({reason})") from error


def _unusable(folder: Path, reason: str) -> InvalidFile:
    # A manifest may claim anything, at any length.
    short = reason if len(reason) < 300 else reason[:300] + "…"
    return InvalidFile(folder, f"{short}; train it again with `steelyard lab ranking train`")
