"""The pipeline: from captured values to the score itself, by the product's own steps."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.scorers.base import Passage
from steelyard.lab.scorers.own import NO_CAP, NO_GUARD, OwnScorer, recompute_score
from steelyard.lab.study.studies.full_score import ROWS, study_full_score
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.support.artifacts import round_floats
from tests.lab.protocol.synthetic import AS_OF

SITE = Path(__file__).resolve().parents[3] / "examples" / "site"
ENGLISH = (SITE / "science" / "city-noise.md").read_text("utf-8")
FRENCH = next(SITE.glob("fr/**/*.md")).read_text("utf-8")
PASSAGES = {
    "english": (ENGLISH, "en"),
    "french": (FRENCH, "fr"),
    "long": (f"{ENGLISH}\n\n{ENGLISH}\n\nUpdated on 2026-06-20.", "en"),
    "short": (" ".join(ENGLISH.split()[20:80]), "en"),
    "shorter than 300 words": (" ".join(ENGLISH.split()[:250]), "en"),
    "short and french": (" ".join(FRENCH.split()[10:140]), "fr"),
    "nearly empty": ("Nothing here.", "en"),
    "gibberish": ("xqzv wvrk plmf zzgh qwrt bnmx " * 60, "en"),
    "word salad": ("harbour market morning visit fish boats stalls price crates ropes " * 40, "en"),
}


def test_captured_values_give_the_score_of_the_page() -> None:
    for text, language in PASSAGES.values():
        for weights in weighting.NAMED:
            chosen = weighting.load(weights)
            page = score_text(text, as_of=AS_OF, title="", language=language, weights=chosen, evidence=False)
            with OwnScorer(as_of=AS_OF).open() as session:
                values = session.score(Passage(text, language))
            assert recompute_score(values, chosen.weights) == pytest.approx(page.score, abs=1e-9)


def test_the_passages_reach_every_cap_and_guard() -> None:
    with OwnScorer(as_of=AS_OF).open() as session:
        values = {name: session.score(Passage(*passage)) for name, passage in PASSAGES.items()}
    assert {v["cap"] for v in values.values()} >= {35.0, 50.0, 65.0, NO_CAP}
    assert values["long"]["guard"] == NO_GUARD
    assert {n: v["guard"] for n, v in values.items() if v["guard"] != NO_GUARD} == {
        "nearly empty": 5.0,
        "gibberish": 5.0,
        "word salad": 10.0,
    }


def test_every_captured_row_gives_its_own_score_again(english: Capture, french: Capture) -> None:
    shipped = weighting.load("shipped").weights
    for captured in (english, french):
        for row in captured.rows:
            assert recompute_score(row["values"], shipped) == pytest.approx(row["values"]["score"], abs=1e-9)


def test_without_caps_only_capped_pages_score_more(english: Capture) -> None:
    shipped = weighting.load("shipped").weights
    rows = [row["values"] for row in english.rows]
    lifted = [recompute_score(v, shipped, capped=False) - recompute_score(v, shipped) for v in rows]
    assert max(lifted) > 1
    assert all(points == 0 for points, v in zip(lifted, rows, strict=True) if v["cap"] == NO_CAP)


def test_the_raw_rows_weigh_values_as_they_are(english: Capture) -> None:
    prior = weighting.load("prior").weights
    values = next(r["values"] for r in english.rows if r["values"]["cap"] == NO_CAP)
    content = math.fsum(prior[n] * values[n] for n in prior)
    expected = 0.92 * content + 0.08 * values["freshness"]
    assert recompute_score(values, prior, "raw") == pytest.approx(expected, abs=1e-9)


def test_every_row_is_measured_on_the_final_score(english: Capture, french: Capture) -> None:
    captures = {"en": english, "fr": french}
    found = study_full_score(captures)
    assert round_floats(found) == round_floats(study_full_score(captures))
    score = english.responses(lambda values: values["score"])
    shipped = found["en"]["shipped"]
    assert shipped["sources"] == len(score)
    for edit, response in shipped["responses"].items():
        assert response == pytest.approx(score.delta(edit, 1), abs=1e-9)
    assert shipped["stuffing_dose_8"] == pytest.approx(score.delta("keyword_stuffing", 8), abs=1e-9)
    over = {f"dose {dose}": mean(score.gain(f"keyword_stuffing-{dose}")) for dose in (1, 8)}
    assert shipped["stuffing_over_untouched"] == pytest.approx(over, abs=1e-9)
    for row in (row for rows in found.values() for row in rows.values()):
        assert row["stuffing_dose_8"] < row["responses"]["keyword_stuffing"] < 0


def test_the_prior_is_linear_and_ranks_are_of_the_papers_three_levers(english: Capture) -> None:
    assert {row: transform for row, _, transform in ROWS} == {"shipped": "sqrt", "prior": "raw", "prior, sqrt": "sqrt"}
    for row in study_full_score({"en": english})["en"].values():
        responses = [row["responses"][lever] for lever in LEVERS]
        assert len(set(responses)) == 3
        # Anchors fall from the first lever to the last: 1 for the same order, -1 for the reverse.
        places = [sorted(responses, reverse=True).index(r) for r in responses]
        assert row["lever_spearman"] == pytest.approx(1 - sum((p - i) ** 2 for i, p in enumerate(places)) / 4)
