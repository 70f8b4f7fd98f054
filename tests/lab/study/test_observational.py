"""Observational calibration: noise fits well in sample and not at all left out; a bad record names its line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.components import NAMES
from steelyard.errors import InvalidFile
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import Array, read_component_values
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.study.studies import observational as study
from steelyard.lab.study.studies.observational import (
    FEW,
    MIN_SOURCES,
    Outcomes,
    fit_to_outcomes,
    read_outcomes,
    sample_outcomes,
    simulate_outcomes,
)
from steelyard.pipeline import score_text
from steelyard.support.artifacts import round_floats
from tests.lab.protocol.synthetic import AS_OF

PAGE = "The harbour keeps a record of every ship, and the market opens at seven in the morning. " * 6


@pytest.fixture(scope="module")
def base(english: Capture) -> Array:
    return read_component_values(english).base


@pytest.fixture(scope="module")
def found(base: Array) -> dict[str, Any]:
    return study.study_outcomes(simulate_outcomes(base, 0))


# ── overfitting ──


def test_shuffled_outcomes_fit_in_sample_and_not_left_out(found: dict[str, Any]) -> None:
    shuffled = found["shuffled"]
    assert shuffled["in_sample_mean"] > 0.2
    assert abs(shuffled["leave_one_out_mean"]) < 0.2
    assert shuffled["in_sample_p95"] > shuffled["in_sample_mean"] > shuffled["leave_one_out_mean"] + 0.2


def test_noise_fits_better_in_sample_than_left_out(found: dict[str, Any]) -> None:
    assert found["in_sample_spearman"] > found["leave_one_out_spearman"]
    assert (found["simulated"], found["n"], found["weights"]) == (True, FEW, len(NAMES))
    low, high = found["fisher_interval"]
    assert -1 < low < found["in_sample_pearson"] < high < 1


def test_an_outcome_the_pages_do_decide_is_found_left_out_too(base: Array) -> None:
    wanted = base[:, NAMES.index("quotable_density")] + 0.2 * base[:, NAMES.index("entity_density")]
    known = study.study_outcomes(Outcomes(base, tuple(wanted.tolist())))
    assert known["in_sample_pearson"] == pytest.approx(1.0, abs=1e-6)
    assert known["leave_one_out_spearman"] > 0.99
    assert known["strongest_component"]["name"] == "quotable_density"


def test_leave_one_out_never_sees_the_page_it_predicts(base: Array) -> None:
    rng = random.Random(0)
    outcome = [rng.random() for _ in base]
    predicted = study.predict_left_out(base, outcome)
    for i in (0, 7, len(outcome) - 1):
        changed = [*outcome]
        changed[i] += 100.0
        assert study.predict_left_out(base, changed)[i] == pytest.approx(predicted[i], abs=1e-9)
        assert study.predict_left_out(base, changed)[i - 1] != pytest.approx(predicted[i - 1], abs=1e-9)


def test_the_free_fit_is_least_squares_with_an_intercept(base: Array) -> None:
    rng = np.random.default_rng(0)
    outcome = rng.normal(size=len(base))
    residual = outcome - study.fit_and_predict(base, outcome.tolist(), base)
    design = np.column_stack([np.ones(len(base)), base / 100])
    assert design.T @ residual == pytest.approx(np.zeros(len(NAMES) + 1), abs=1e-8)


def test_single_components_are_rank_correlations_and_none_where_one_never_varies(
    base: Array, found: dict[str, Any]
) -> None:
    chosen = simulate_outcomes(base, 0)
    for i, name in enumerate(NAMES):
        assert found["components"][name] == spearman(chosen.values[:, i].tolist(), list(chosen.outcome))
    assert found["components"]["mmr_score"] is None
    strongest = found["strongest_component"]
    assert abs(strongest["spearman"]) == max(abs(v) for v in found["components"].values() if v is not None)


# ── refits ──


def test_a_refit_has_no_negative_weight_and_sums_to_one(base: Array) -> None:
    chosen = simulate_outcomes(base, 3)
    for ridge in (0.0, 1.0, 10.0):
        weights = fit_to_outcomes(chosen.values, chosen.outcome, ridge)
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1)


def test_a_strong_pull_gives_the_prior_and_so_does_an_outcome_without_spread(base: Array) -> None:
    chosen = simulate_outcomes(base, 3)
    assert fit_to_outcomes(chosen.values, chosen.outcome, 1e9) == pytest.approx(fit.load_weights("prior"), abs=1e-6)
    assert fit_to_outcomes(base, [1.0] * len(base), 0.0) == pytest.approx(fit.load_weights("prior"))


# ── drawing ──


def test_simulated_outcomes_do_not_look_at_the_page(base: Array) -> None:
    first, second = simulate_outcomes(base, 0), simulate_outcomes(base[:, ::-1] * 0 + 1, 0)
    assert first.outcome == second.outcome
    assert simulate_outcomes(base, 0).outcome == first.outcome
    assert simulate_outcomes(base, 1).outcome != first.outcome
    assert len(first) == FEW
    assert len(simulate_outcomes(base[:15], 0)) == 15


def test_as_few_as_the_prior_had_are_sampled(base: Array) -> None:
    many = Outcomes(base, tuple(float(i) for i in range(len(base))))
    few = sample_outcomes(many, 0, 20)
    assert len(few) == 20
    assert all((few.values[i] == base[int(o)]).all() for i, o in enumerate(few.outcome))
    assert sample_outcomes(many, 0, 20).outcome == few.outcome
    assert sample_outcomes(many, 1, 20).outcome != few.outcome
    assert sample_outcomes(many, 0, len(many)) is many


# ── records ──


def write(path: Path, records: list[Any]) -> str:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), "utf-8")
    return str(path)


def good(count: int = MIN_SOURCES) -> list[Any]:
    return [{"text": f"{PAGE} Page {i}.", "outcome": i % 4} for i in range(count)]


def test_records_are_read_as_flattened_untitled_pages(tmp_path: Path) -> None:
    records = good()
    records[0]["text"] = "# A title\n\n" + records[0]["text"]
    found = read_outcomes(write(tmp_path / "outcomes.jsonl", records), AS_OF)
    assert found.outcome == tuple(float(i % 4) for i in range(MIN_SOURCES))
    assert not found.simulated
    page = score_text(" ".join(records[0]["text"].split()), as_of=AS_OF, title="", language="en", evidence=False)
    assert found.values[0].tolist() == [page.readings[n].value for n in NAMES]


def test_a_bad_record_is_refused_with_its_line(tmp_path: Path) -> None:
    german = "Der Hafen führt Buch über jedes Schiff und seine Ladung, und der Markt öffnet. " * 5
    for bad in (
        "{not json",
        "[]",
        {"outcome": 1},
        {"text": PAGE},
        {"text": PAGE, "outcome": "many"},
        {"text": PAGE, "outcome": [1]},
        {"text": 5, "outcome": 1},
        {"text": PAGE, "outcome": float("nan")},
        {"text": PAGE, "outcome": float("inf")},
        {"text": german, "outcome": 1},
    ):
        path = write(tmp_path / "outcomes.jsonl", [*good(4), bad, *good()])
        with pytest.raises(InvalidFile, match=r"outcomes\.jsonl:5: "):
            read_outcomes(path, AS_OF)


def test_too_few_outcomes_or_values_are_refused(tmp_path: Path) -> None:
    for records in ([], good(MIN_SOURCES - 1), [{**r, "outcome": i % 2} for i, r in enumerate(good())]):
        with pytest.raises(InvalidFile, match=f"{len(records)} outcomes; give {MIN_SOURCES} or more"):
            read_outcomes(write(tmp_path / "outcomes.jsonl", records), AS_OF)
    for path in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(InvalidFile, match="cannot be read"):
            read_outcomes(str(path), AS_OF)


def test_a_separator_inside_a_text_does_not_break_its_line(tmp_path: Path) -> None:
    records = [*good(), json.dumps({"text": PAGE + "\u2028\x85 more.", "outcome": 2}, ensure_ascii=False)]
    assert len(read_outcomes(write(tmp_path / "outcomes.jsonl", records), AS_OF)) == MIN_SOURCES + 1


def test_the_study_holds_no_nan_and_is_the_same_the_second_time(base: Array, found: dict[str, Any]) -> None:
    assert round_floats(study.study_outcomes(simulate_outcomes(base, 0))) == round_floats(found)
    assert study.study_outcomes(simulate_outcomes(base, 0), seed=1)["shuffled"] != found["shuffled"]
