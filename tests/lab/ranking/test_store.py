"""Stored models: they come back as they were, and whatever is not what it says is refused in one line."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard
from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.ranking import models, store
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import FEATURES, LENGTH, LEXICAL, NAMES_OF, STRUCTURE, compute_features
from steelyard.lab.ranking.store import MANIFEST, MAX_BYTES, MODEL, load_model, save_model
from tests.lab.ranking.sample_data import invent_data

NAMES = (*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE], *NAMES_OF[LENGTH])
DATA = {"name": "invented", "groups": 40}


def booster(names: tuple[str, ...] = NAMES) -> Any:
    made = invent_data(40, signal={"q_bm25": 2.0}, names=names)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(models, "TREES", 10)
        return models.fit_booster(made.rows, made.truth, 0, names)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    save_model(folder, booster(), NAMES, data=DATA)
    return folder


@pytest.fixture
def folder(trained: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(trained, tmp_path / "copy"))


def claimed(folder: Path, **changes: Any) -> Path:
    """The same model under another manifest; None takes a key away."""
    manifest = json.loads((folder / MANIFEST).read_text("utf-8")) | changes
    (folder / MANIFEST).write_text(json.dumps({k: v for k, v in manifest.items() if v is not None}), "utf-8")
    return folder


def refused(folder: str | Path) -> str:
    with pytest.raises(InvalidFile) as said:
        load_model(folder)
    message = str(said.value)
    assert isinstance(said.value, SteelyardError)
    assert "\n" not in message
    assert len(message) < 700
    assert message.startswith(f"{folder}: ")
    assert message.endswith("; train it again with `steelyard lab ranking train`")
    return message.removeprefix(f"{folder}: ")


# There and back


def test_a_stored_model_predicts_as_before(trained: Path) -> None:
    rows = [
        dict(zip(NAMES, map(float, x), strict=True)) for x in np.random.default_rng(5).standard_normal((9, len(NAMES)))
    ]
    back = load_model(trained)
    table = np.array([[row[n] for n in NAMES] for row in rows])
    assert back.score(rows) == booster().predict(table, num_threads=1).tolist()
    assert len(set(back.score(rows))) > 1
    assert back.names == NAMES
    # The order of a mapping is not that of the features.
    assert back.score([dict(reversed(row.items())) for row in rows]) == back.score(rows)


def test_a_model_scores_the_features_of_pages(trained: Path) -> None:
    pages = [Candidate("a", "Salt is sold at the harbour."), Candidate("b", "")]
    rows = compute_features("where is salt sold", pages, as_of=date(2026, 7, 1))
    found = load_model(trained).score(rows)
    assert len(found) == 2
    assert all(type(x) is float for x in found)


def test_the_manifest_says_what_was_trained_on_what(trained: Path) -> None:
    manifest = load_model(trained).manifest
    assert manifest["schema"] == "steelyard.ranker/1"
    assert manifest["steelyard"] == steelyard.__version__
    assert manifest["features"] == list(NAMES)
    assert manifest["data"] == DATA
    assert manifest["model_sha256"] == hashlib.sha256((trained / MODEL).read_bytes()).hexdigest()


def test_the_same_model_is_stored_in_the_same_bytes(trained: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "deep" / "er", booster(), NAMES, data=DATA)
    assert sorted(p.name for p in (tmp_path / "deep" / "er").iterdir()) == [MANIFEST, MODEL]
    for name in (MODEL, MANIFEST):
        assert (tmp_path / "deep" / "er" / name).read_bytes() == (trained / name).read_bytes()


# Refusals


@pytest.mark.parametrize("seed", range(3))
def test_a_changed_byte_is_noticed(folder: Path, seed: int) -> None:
    data = bytearray((folder / MODEL).read_bytes())
    place = random.Random(seed).randrange(len(data))
    data[place] ^= 1
    (folder / MODEL).write_bytes(data)
    assert refused(folder).startswith("its model_sha256 is '")


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:-1], lambda d: d + b"\n", lambda d: b"", lambda d: d.replace(b"\n", b"\r\n")]
)
def test_a_longer_or_shorter_model_is_noticed(folder: Path, spoil: Any) -> None:
    (folder / MODEL).write_bytes(spoil((folder / MODEL).read_bytes()))
    assert refused(folder).startswith("its model_sha256 is '")


@pytest.mark.parametrize("key", ["features_hash", "scoring_hash", "schema", "model_sha256"])
@pytest.mark.parametrize("value", ["0" * 64, {}])
def test_another_claim_is_refused(folder: Path, key: str, value: Any) -> None:
    assert refused(claimed(folder, **{key: value})).startswith(f"its {key} is {value!r}, here it is '")


@pytest.mark.parametrize("function", ["features_hash", "scoring_hash"])
def test_a_version_that_counts_differently_refuses_older_models(
    trained: Path, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, function, lambda: "another")
    assert refused(trained).startswith(f"its {function} is '")


def test_the_hash_of_the_features_is_of_their_meanings_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.features_hash()
    first, *others = FEATURES
    monkeypatch.setattr(store, "FEATURES", (replace(first, about="something else"), *others))
    assert store.features_hash() != before


@pytest.mark.parametrize("name", [MODEL, MANIFEST])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert refused(folder).startswith(f"{name} cannot be read (No such file or directory)")


def test_what_is_no_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "(Not a directory)" in refused(folder / MODEL)
    assert "(No such file or directory)" in refused(tmp_path / "nowhere")
    assert "embedded null" in refused("a\0b")
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).mkdir()
    assert "(Is a directory)" in refused(folder)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"3",
        b'"text"',
        b"{}",
        b"\xff\xfe",
        b"\0",
        b"[" * 200_000,
        b'{"features": ' + b"9" * 9999,
    ],
)
def test_a_broken_manifest_is_refused(folder: Path, data: bytes) -> None:
    (folder / MANIFEST).write_bytes(data)
    assert "manifest" in refused(folder)
    assert "cannot be read (" in refused(folder)


@pytest.mark.parametrize("key", ["features", "schema", "model_sha256", "features_hash", "scoring_hash"])
def test_a_manifest_without_a_key_is_refused(folder: Path, key: str) -> None:
    assert refused(claimed(folder, **{key: None})).startswith(f"the manifest cannot be read ('{key}')")


def test_a_model_that_is_not_utf_8_is_not_blamed_on_the_manifest(folder: Path) -> None:
    (folder / MODEL).write_bytes(b"\xff" + (folder / MODEL).read_bytes())
    assert refused(folder).startswith("model.txt cannot be read ('utf-8' codec")


@pytest.mark.parametrize(
    "wanted",
    [["leak_position"], ["x_logit", *NAMES], ["c_content"], [], [1, 2], [["q_bm25"]], "q_bm25", {"q_bm25": 1, "no": 2}],
)
def test_a_model_may_need_only_features_that_pages_have(folder: Path, wanted: Any) -> None:
    """Above all not the place where an engine saw a source."""
    assert refused(claimed(folder, features=wanted)).startswith("it needs features that pages alone do not have")


@pytest.mark.parametrize("wanted", [NAMES[::-1], NAMES[:-1], (*NAMES, "c_citation_f1")])
def test_features_in_another_order_are_refused(folder: Path, wanted: tuple[str, ...]) -> None:
    assert refused(claimed(folder, features=list(wanted))).startswith("its features are not those of the manifest")


@pytest.mark.parametrize("text", ["", "no model", "tree\nversion=v4\nnum_class=1\n"])
def test_a_text_that_is_no_model_is_refused_though_its_hash_is_right(folder: Path, text: str) -> None:
    (folder / MODEL).write_text(text)
    claimed(folder, model_sha256=hashlib.sha256(text.encode()).hexdigest())
    assert refused(folder).startswith("model.txt is not a model (")


@pytest.mark.parametrize("name", [MODEL, MANIFEST])
def test_a_huge_file_is_not_read(folder: Path, name: str) -> None:
    os.truncate(folder / name, MAX_BYTES + 1)
    assert refused(folder).startswith(f"{name} is over 50,000,000 bytes")


def test_a_long_claim_is_cut(folder: Path) -> None:
    assert "…" in refused(claimed(folder, schema="x\n" * 100_000))


# No code in a model


PICKLES = re.compile(
    r"^\s*(?:import|from)\s+(?:_?pickle|dill|cloudpickle|joblib|marshal|shelve)\b|allow_pickle", re.MULTILINE
)


def test_nothing_from_a_file_or_a_server_is_ever_unpickled() -> None:
    assert PICKLES.search("import json\n    from pickle import loads\n")
    package = Path(steelyard.__file__).parent
    for path in package.rglob("*.py"):
        if path != package / "support" / "children.py":  # between a process and the child it has started
            assert not PICKLES.search(path.read_text("utf-8")), path


def test_a_model_is_text(trained: Path) -> None:
    (trained / MODEL).read_text("ascii")
    manifest: Mapping[str, Any] = json.loads((trained / MANIFEST).read_text("ascii"))
    assert manifest["settings"].keys() == {"trees", "leaves", "learning_rate"}
