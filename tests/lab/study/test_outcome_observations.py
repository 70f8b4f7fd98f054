"""Place, content, freshness and dispersion next to visibility: plain, narrow, and silent where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from steelyard.lab.study.findings import Findings
from steelyard.lab.study.studies.outcome_observations import list_lines, list_tables
from steelyard.support.artifacts import round_floats
from tests.lab.outcome.test_baseline_answers import answer, found
from tests.lab.study.presentation import check_presentation


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    names = ("a-very-long-name-of-an-engine-1.5b-instruct-q4_k_m, greedy-zero-shot", "two")
    answers = [answer(q, name, orders=o) for name, o in zip(names, (1, 2), strict=True) for q in range(40)]
    made: dict[str, Any] = round_floats(found(*answers, *(answer(q, "short", words=20) for q in range(40, 50))))
    return made


def present(result: Mapping[str, Any]) -> Findings:
    return Findings(list_lines(result), list_tables(result))


def test_the_observations_are_presented_from_the_artifact_alone(result: dict[str, Any]):
    check_presentation(present, result)


def test_undefined_blocks_are_named_with_their_reason_and_have_no_rows(result: dict[str, Any]):
    lines = [line for line in list_lines(result) if line.startswith("short: ")]
    assert len(lines) == 2
    assert re.search(r"undefined \(snippets: median source has \S+ words, 150 are needed\)", lines[1])
    assert not any("short" in row for t in list_tables(result)[2:] for row in t.table.rows)


def test_one_group_has_no_row_for_the_pool():
    alone = found(*(answer(q) for q in range(10)))
    assert "pooled" not in present(alone).to_terminal()
    assert "quartiles of dispersion are undefined (10 queries, 32 are needed)" in present(alone).to_terminal()


def test_nothing_observed_is_one_line():
    nothing = found()
    assert list_lines(nothing) == ["no baseline answer allocates anything: nothing is observed"]
    assert list_tables(nothing) == []


def test_one_answer_is_printed_without_what_it_lacks():
    text = present(found(answer(0))).to_terminal()
    assert "–%" not in text
    assert "p = –" not in text
