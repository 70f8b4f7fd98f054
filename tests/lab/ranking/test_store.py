"""Stored models: they come back as they were, and whatever is not what it says is refused in one line."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
from dataclasses import replace
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


def change_manifest(folder: Path, **changes: Any) -> Path:
    """The same model under another manifest; None takes a key away."""
    manifest = json.loads((folder / MANIFEST).read_text("utf-8")) | changes
    (folder / MANIFEST).write_text(json.dumps({k: v for k, v in manifest.items() if v is not None}), "utf-8")
    return folder


def refuse(folder: str | Path) -> str:
    with pytest.raises(InvalidFile) as said:
        load_model(folder)
    message = str(said.value)
    assert isinstance(said.value, SteelyardError)
    assert "\n" not in message
    assert len(message) < 700
    assert message.startswith(f"{folder}: ")
    assert message.endswith("; train it again with `steelyard lab ranking train`")
    return message.removeprefix(f"{folder}: ")


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
    rows = compute_features("where is salt sold", pages)
    found = load_model(trained).score(rows)
    assert len(found) == 2
    assert all(type(x) is float for x in found)


def test_the_manifest_says_what_was_trained_on_what_and_both_files_are_text(trained: Path) -> None:
    (trained / MODEL).read_text("ascii")
    assert json.loads((trained / MANIFEST).read_text("ascii")) == {
        "schema": "steelyard.ranker/1",
        "steelyard": steelyard.__version__,
        "features": list(NAMES),
        "data": DATA,
        "model_sha256": hashlib.sha256((trained / MODEL).read_bytes()).hexdigest(),
        "features_hash": store.hash_features(),
        "scoring_hash": store.hash_scoring(),
        "settings": {"trees": models.TREES, "leaves": 15, "learning_rate": 0.03},
    }


def test_the_same_model_is_stored_in_the_same_bytes(trained: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "deep" / "er", booster(), NAMES, data=DATA)
    assert sorted(p.name for p in (tmp_path / "deep" / "er").iterdir()) == [MANIFEST, MODEL]
    for name in (MODEL, MANIFEST):
        assert (tmp_path / "deep" / "er" / name).read_bytes() == (trained / name).read_bytes()


def test_a_changed_model_is_noticed(folder: Path) -> None:
    whole = (folder / MODEL).read_bytes()
    places = [random.Random(seed).randrange(len(whole)) for seed in range(3)]
    flipped = [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in places]
    for changed in (*flipped, whole[:-1], whole + b"\n", b"", whole.replace(b"\n", b"\r\n")):
        (folder / MODEL).write_bytes(changed)
        assert refuse(folder).startswith("its model_sha256 is '")


def test_another_claim_is_refused_and_a_manifest_without_it(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    for key in ("features_hash", "scoring_hash", "schema", "model_sha256"):
        claims: tuple[Any, ...] = ("0" * 64, {})
        for claim in claims:
            spoilt = change_manifest(folder, **{**manifest, key: claim})
            assert refuse(spoilt).startswith(f"its {key} is {claim!r}, here it is '")
    for key in ("features", "schema", "model_sha256", "features_hash", "scoring_hash"):
        spoilt = change_manifest(folder, **{**manifest, key: None})
        assert refuse(spoilt).startswith(f"the manifest cannot be read ('{key}')")
    assert "…" in refuse(change_manifest(folder, **{**manifest, "schema": "x\n" * 100_000})), "a long claim is cut"


def test_a_version_that_counts_differently_refuses_older_models(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.hash_features()
    first, *others = FEATURES
    monkeypatch.setattr(store, "FEATURES", (replace(first, about="something else"), *others))
    assert store.hash_features() != before, "the hash is of their meanings too"
    assert refuse(trained).startswith("its features_hash is '")
    monkeypatch.undo()
    monkeypatch.setattr(store, "hash_scoring", lambda: "another")
    assert refuse(trained).startswith("its scoring_hash is '")


def test_a_folder_is_refused_that_is_none_or_has_a_file_missing_or_too_large(folder: Path, tmp_path: Path) -> None:
    assert "(Not a directory)" in refuse(folder / MODEL)
    assert "(No such file or directory)" in refuse(tmp_path / "nowhere")
    assert "embedded null" in refuse("a\0b")
    for name in (MODEL, MANIFEST):
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        assert refuse(folder).startswith(f"{name} cannot be read (No such file or directory)")
        (folder / name).mkdir()
        assert refuse(folder).startswith(f"{name} cannot be read (Is a directory)")
        (folder / name).rmdir()
        (folder / name).write_bytes(content)
        os.truncate(folder / name, MAX_BYTES + 1)
        assert refuse(folder).startswith(f"{name} is over 50,000,000 bytes")
        (folder / name).write_bytes(content)


def test_a_broken_manifest_is_refused(folder: Path) -> None:
    broken = [b"", b"{", b"[]", b"null", b"3", b'"text"', b"{}", b"\xff\xfe", b"\0", b"[" * 200_000]
    for data in (*broken, b'{"features": ' + b"9" * 9999):
        (folder / MANIFEST).write_bytes(data)
        assert re.search(r"manifest.* cannot be read \(", refuse(folder)), data[:20]


def test_a_model_that_is_not_utf_8_is_not_blamed_on_the_manifest(folder: Path) -> None:
    (folder / MODEL).write_bytes(b"\xff" + (folder / MODEL).read_bytes())
    assert refuse(folder).startswith("model.txt cannot be read ('utf-8' codec")


def test_a_model_may_need_only_features_that_pages_have_in_its_order(folder: Path) -> None:
    """Above all not the place where an engine saw a source."""
    unknown = [["leak_position"], ["x_logit", *NAMES], ["c_content"], [], [1, 2], [["q_bm25"]], "q_bm25", {"no": 2}]
    for names in unknown:
        assert refuse(change_manifest(folder, features=names)).startswith(
            "it needs features that pages alone do not have"
        )
    for names in (NAMES[::-1], NAMES[:-1], (*NAMES, "c_citation_f1")):
        assert refuse(change_manifest(folder, features=list(names))).startswith(
            "its features are not those of the manifest"
        )


def test_a_text_that_is_no_model_is_refused_though_its_hash_is_right(folder: Path) -> None:
    for text in ("", "no model", "tree\nversion=v4\nnum_class=1\n"):
        (folder / MODEL).write_text(text)
        change_manifest(folder, model_sha256=hashlib.sha256(text.encode()).hexdigest())
        assert refuse(folder).startswith("model.txt is not a model ("), text


PICKLES = re.compile(
    r"^\s*(?:import|from)\s+(?:_?pickle|dill|cloudpickle|joblib|marshal|shelve)\b|allow_pickle", re.MULTILINE
)


def test_nothing_from_a_file_or_a_server_is_ever_unpickled() -> None:
    assert PICKLES.search("import json\n    from pickle import loads\n")
    package = Path(steelyard.__file__).parent
    for path in package.rglob("*.py"):
        if path != package / "support" / "children.py":  # between a process and the child it has started
            assert not PICKLES.search(path.read_text("utf-8")), path
