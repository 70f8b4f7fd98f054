"""Soft shares: forced citations divided by the model's probabilities, its own citations as written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.pawc import STRICT, measure_shares
from steelyard.lab.outcome.records.base import Outcome, SourceRecord
from steelyard.lab.outcome.soft_shares import (
    ForcedCitations,
    compute_soft_shares,
    is_probability_file,
    read_probabilities,
    soften,
)

CERTAIN = [0.0, 1.0, 0.0]
ANSWER = "Salt is traded at the harbour in spring [2]. Timber is traded in the autumn market there [2]."


def test_a_certain_model_has_the_shares_of_its_written_citations() -> None:
    assert compute_soft_shares(ANSWER, 3, [CERTAIN, CERTAIN]) == measure_shares(ANSWER, 3, STRICT).shares


def test_credit_is_divided_by_the_probabilities() -> None:
    assert compute_soft_shares("Salt is traded here [2].", 3, [[0.2, 0.7, 0.1]]) == pytest.approx((0.2, 0.7, 0.1))
    # Probabilities over the sources need not sum to one: the rest went to other words.
    assert compute_soft_shares("Salt is traded here [2].", 3, [[0.1, 0.35, 0.05]]) == pytest.approx((0.2, 0.7, 0.1))


def test_a_citation_of_the_models_own_keeps_its_credit() -> None:
    answer = "Salt is traded here in spring [1]. Salt is traded here in autumn [2]."
    own, forced = compute_soft_shares(answer, 2, [[0.4, 0.6]]), compute_soft_shares(answer, 2, [[1.0, 0.0], [0.4, 0.6]])
    assert own == forced


def test_probabilities_that_do_not_fit_the_citations_give_no_shares() -> None:
    assert compute_soft_shares(ANSWER, 3, [CERTAIN] * 3) is None
    assert compute_soft_shares(ANSWER, 3, [[0.9, 0.1, 0.0]]) is None  # the likeliest source is cited nowhere
    assert compute_soft_shares(ANSWER, 2, [CERTAIN]) is None
    assert compute_soft_shares(ANSWER, 3, [[0.0, 0.0, 0.0]]) is None


def test_shares_come_back_by_source_and_not_by_place_in_the_prompt() -> None:
    sources = tuple(SourceRecord(str(i), f"source {i}") for i in range(3))
    outcome = Outcome("run", "q", "query", "engine", sources, (2, 0, 1), "Salt is traded here [1].", order="rotated 2")
    (found,) = soften([outcome], {"q|baseline|rotated 2": ForcedCitations(((0.7, 0.2, 0.1),), 0)})
    assert found.answer is None
    assert found.given == pytest.approx((0.2, 0.1, 0.7))
    assert soften([outcome], {}) == []


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_file_of_probabilities_is_read_by_call(tmp_path: Path) -> None:
    one = {"set": "s", "call": "q|baseline|forward", "cite_probs": [[0.5, 0.5]], "native": 2}
    path = written(tmp_path / "p.jsonl", one, {"call": "q|canary|forward", "cite_probs": []})
    assert is_probability_file(path)
    found = read_probabilities(path)
    assert found["q|baseline|forward"] == ForcedCitations(((0.5, 0.5),), 2)
    assert found["q|canary|forward"] == ForcedCitations((), 0)
    with pytest.raises(InvalidFile, match=r"p\.jsonl:2: the call .* occurs twice"):
        read_probabilities(written(path, one, one))
    with pytest.raises(InvalidFile, match=r"p\.jsonl:1: .*must be a number"):
        read_probabilities(written(path, {"call": "a", "cite_probs": [["x"]]}))
    for wrong in (-0.1, 1.5, 1e308):
        with pytest.raises(InvalidFile, match=r"p\.jsonl:1: .*no probability"):
            read_probabilities(written(path, {"call": "a", "cite_probs": [[wrong, 0.5]]}))
    assert not is_probability_file(written(path, {"query": "q"}))


@pytest.mark.parametrize("data", [b"", b"\0" * 40, b"[1, 2]", b"\x1f\x8bdamaged", b"not json"])
def test_a_file_that_cannot_be_read_is_none_of_probabilities_and_stops_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.jsonl").write_bytes(data)
    assert not is_probability_file(tmp_path / "bad.jsonl")
