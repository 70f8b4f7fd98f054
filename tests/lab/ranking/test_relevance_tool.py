"""The comparison of single signals: relevance is taken from other records, and a model is set against each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.ranking.sample_data import make_groups, write_groups
from tools import relevance


def test_a_model_is_compared_with_every_other_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = make_groups(10)
    judged = [g | {"sources": [s | {"relevance": 1.0 * i} for i, s in enumerate(g["sources"])]} for g in groups]
    (tmp_path / "outcomes").mkdir()
    for name, rows in (("plain.jsonl", groups), ("judged.jsonl", judged)):
        write_groups(tmp_path / "outcomes" / name, rows)
    monkeypatch.setattr(relevance, "data_folder", lambda: tmp_path)
    monkeypatch.setitem(relevance.SETS, "mine", ("plain.jsonl", "judged.jsonl"))
    found = relevance.measure("mine", "wordllama")
    assert set(found["signals"]) == {"bm25", "given", "wordllama"}
    assert set(found["less"]) == {"bm25", "given"}
    assert found["queries"] == found["less"]["given"]["n"] == 10
    assert set(found["inputs"]) == {"plain.jsonl", "judged.jsonl"}
