"""From components to pages: weights, blend, caps, guards, freshness, what-if."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard import languages
from steelyard.advice.advise import find_improvements, suggest
from steelyard.advice.context import Context
from steelyard.advice.gains import gains_of_one_more
from steelyard.advice.rules import ORDER
from steelyard.components import COMPONENTS, NAMES
from steelyard.errors import InvalidWeights, UnknownName
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.caps import cap_for_length
from steelyard.scoring.freshness import parse_date
from steelyard.scoring.page import PageScore, contributions, transform

AS_OF = date(2026, 7, 1)
SENTENCE = "The harbour master of a small northern town keeps a careful record of every ship and its cargo. "


def page(text: str, **options: Any) -> PageScore:
    return score_text(text, as_of=AS_OF, **options)


def test_the_transform_pays_less_the_higher_a_value_is() -> None:
    assert [transform(value) for value in (0, 25, 100)] == [0, 50, 100]
    steps = [transform(v + 10) - transform(v) for v in range(0, 100, 10)]
    assert steps == sorted(steps, reverse=True)
    for k in (2, 3, 8):  # from the floor, dose k pays exactly the root of k
        assert transform(k * 10.0) / transform(10.0) == pytest.approx(math.sqrt(k), rel=1e-12)


def test_the_shipped_figures_are_the_printed_ones_and_are_normalised_once() -> None:
    shipped = weighting.load("shipped")
    assert math.fsum(shipped.printed.values()) == pytest.approx(1.001)
    assert math.fsum(shipped.weights.values()) == pytest.approx(1.0, abs=1e-12)
    assert tuple(shipped.weights) == NAMES
    assert shipped.weights["shannon_entropy"] == pytest.approx(0.246 / 1.001)
    for name in weighting.NAMED:
        assert math.fsum(weighting.load(name).weights.values()) == pytest.approx(1.0, abs=1e-12), name
    with pytest.raises(UnknownName, match="unknown weighting 'shiped'; did you mean 'shipped'"):
        weighting.load("shiped")


EQUAL = dict.fromkeys(NAMES, 1 / len(NAMES))


def test_a_users_weighting_is_checked_key_by_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    changes: list[tuple[dict[str, object], str]] = [
        ({"quotable_densty": 0.1}, "unknown component 'quotable_densty'; did you mean 'quotable_density'?"),
        ({"mmr_score": -0.1}, "the weight of mmr_score is -0.1; write a number from 0 to 1"),
        ({"mmr_score": math.inf}, "the weight of mmr_score is inf; write a number from 0 to 1"),
        ({"mmr_score": "much"}, "the weight of mmr_score is 'much'; write a number"),
        ({"mmr_score": True}, "the weight of mmr_score is True"),
        ({"mmr_score": 2.0}, "the weights sum to"),
    ]
    for change, message in changes:
        path.write_text(json.dumps({**EQUAL, **change}))
        with pytest.raises(InvalidWeights) as caught:
            weighting.load(str(path))
        assert message in str(caught.value)
        assert str(path) in str(caught.value)
    path.write_text(json.dumps({n: v for n, v in EQUAL.items() if n != "citation_f1"}))
    with pytest.raises(InvalidWeights, match="no weight for citation_f1; write 0 to leave a component out"):
        weighting.load(str(path))


def test_a_good_weighting_of_the_users_own_is_used(tmp_path: Path) -> None:
    path = tmp_path / "only-entropy.toml"
    path.write_text("[weights]\n" + "".join(f"{n} = {1.0 if n == 'shannon_entropy' else 0.0}\n" for n in NAMES))
    scored = steelyard.score(SENTENCE * 30, weights=str(path), as_of="2026-07-01")
    assert scored.content == pytest.approx(transform(scored.readings["shannon_entropy"].value))
    assert scored.scoring.weights == "only-entropy.toml"


def test_the_caps_hold_under_100_200_and_300_words() -> None:
    limits = {0: 35, 99: 35, 100: 50, 199: 50, 200: 65, 299: 65, 300: None}
    assert {words: cap_for_length(words) for words in limits} == limits


def test_words_behind_comments_and_hidden_elements_do_not_lift_a_cap() -> None:
    short = SENTENCE * 4
    hidden = f"<!-- {SENTENCE * 40} --><div hidden>{SENTENCE * 40}</div><p style='display:none'>{SENTENCE * 40}</p>"
    assert page(short + hidden).words == page(short).words
    assert page(short + hidden).cap == 35.0


def test_the_date_term_falls_with_age_and_ignores_the_future() -> None:
    assert page(SENTENCE * 20).freshness == 50.0, "without evidence"
    days = {"2026-06-20": 100.0, "2026-04-02": 90.0, "2025-07-01": 60.0, "2019-01-01": 5.0, "2027-01-01": 50.0}
    for day, points in days.items():
        assert page(f"---\ndate: {day}\n---\n{SENTENCE * 20}").fresh.terms["date"] == pytest.approx(points), day


def test_dates_are_read_from_english_and_french() -> None:
    for text, expected in {
        "Updated March 4, 2021": date(2021, 3, 4),
        "12 June 2019": date(2019, 6, 12),
        "mis à jour le 1er août 2023": date(2023, 8, 1),
        "2024-02-30": None,
        "in 2024": None,
        "May 2020": date(2020, 5, 1),
    }.items():
        assert parse_date(text, languages.load("en")) == expected, text


def test_one_more_is_the_components_own_formula_on_the_raised_count() -> None:
    scored = page(SENTENCE * 20 + "According to the Harrow Institute, 38% of ships were late in 2024. " * 2)
    by_name = {c.name: c for c in COMPONENTS}
    parts = dict(scored.readings["statistic_density"].parts)
    entity = dict(scored.readings["entity_density"].parts)
    quotable = dict(scored.readings["quotable_density"].parts)
    values = {n: r.value for n, r in scored.readings.items()}
    values["statistic_density"] = by_name["statistic_density"].value(
        {**parts, "S": parts["S"] + 1, "W": parts["W"] + 25}
    )
    values["entity_density"] = by_name["entity_density"].value({**entity, "W": entity["W"] + 25})
    values["quotable_density"] = by_name["quotable_density"].value({**quotable, "n_s": quotable["n_s"] + 1})
    content = sum(scored.weights[n] * transform(v) for n, v in values.items())
    assert gains_of_one_more(scored)["statistic"] == pytest.approx(
        0.92 * content + 0.08 * scored.freshness - scored.score
    )


def test_suggestions_come_in_the_order_of_the_rules_and_point_at_lines_of_the_page() -> None:
    text = "# Ships\n\n" + "\n\n".join([SENTENCE * 5] * 5)
    found = suggest(find_improvements(Context(page(text), editions.load().open(text, "en"))))
    assert found
    order = [rule.name for rule in ORDER]
    assert [m.rule for m in found] == sorted((m.rule for m in found), key=order.index)
    assert all(1 <= m.line <= text.count("\n") + 1 for m in found)


def test_a_value_missing_from_an_outside_record_counts_as_fifty() -> None:
    weights = weighting.load("equal").weights
    values = {n: 100.0 for n in NAMES if n != "mmr_score"}
    assert contributions(values, weights)["mmr_score"] == pytest.approx(transform(50) / len(NAMES))
    assert contributions({**values, "mmr_score": None}, weights) == contributions(values, weights)
