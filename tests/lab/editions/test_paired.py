"""Attackers under two editions: pairs of the same pages, Student's intervals by hand, the correction."""

from __future__ import annotations

import math

import pytest

from steelyard.lab.editions.attackers import ATTACKERS, Gains
from steelyard.lab.editions.paired import compare_gains

T_2 = 4.302653  # Student's quantile at 97.5% with 2 degrees of freedom
T_37_OF_2 = 2.336  # at 1 − 0.05 / 2 / 2 with 37


def repeat(points: float, pages: int) -> Gains:
    return {f"p{n}": points + n % 2 for n in range(pages)}


def test_the_interval_of_three_pages_by_hand() -> None:
    first, second = {"a": 3.0, "b": 5.0, "c": 7.0, "x": 90.0}, {"c": 4.0, "b": 3.0, "a": 2.0, "y": -90.0}
    row = compare_gains({"en": ({"table": first}, {"table": second})})["en"]["table"]
    assert (row["n"], row["first"], row["second"], row["difference"]) == (3, 5.0, 3.0, 2.0)  # differences 1, 2, 3
    half = T_2 * 1.0 / math.sqrt(3)
    assert row["interval"] == pytest.approx([2 - half, 2 + half], abs=1e-5)
    assert row["corrected"] is None, "three pages do not count"


def test_the_correction_is_for_all_attackers_that_count_in_all_languages() -> None:
    ours = {"table": repeat(1.0, 38), "quotation": repeat(1.0, 37)}
    theirs = {name: dict.fromkeys(gains, 0.0) for name, gains in ours.items()}
    found = compare_gains({"en": (ours, theirs), "fr": (ours, theirs)})
    row = found["fr"]["table"]
    spread = math.sqrt(38 / 37 * 0.25)  # of 19 ones and 19 twos
    assert row["difference"] == 1.5
    assert row["corrected"] == pytest.approx(
        [1.5 - T_37_OF_2 * spread / math.sqrt(38), 1.5 + T_37_OF_2 * spread / math.sqrt(38)], abs=1e-3
    )
    assert row["corrected"][0] < row["interval"][0], "wider than the interval of one attacker alone"
    assert (found["en"]["quotation"]["n"], found["en"]["quotation"]["corrected"]) == (37, None)


def test_what_only_one_edition_measured_has_no_pair_and_equal_differences_no_width() -> None:
    gains = {f"p{n}": float(n) for n in range(40)}
    more = {page: points + 0.5 for page, points in gains.items()}
    found = compare_gains({"en": ({"table": more, "quotation": gains}, {"table": gains})})["en"]
    assert found["table"]["corrected"] == [0.5, 0.5]
    assert (found["quotation"]["n"], found["quotation"]["difference"]) == (0, None)
    assert set(found) == set(ATTACKERS)
