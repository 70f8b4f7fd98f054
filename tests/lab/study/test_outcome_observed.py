"""Tables and lines of what was observed: from the artifact alone, plain, narrow, and silent where nothing is known."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from steelyard.lab.study.outcome_observed import lines, tables
from steelyard.support.artifacts import rounded, to_json
from tests.lab.outcome.test_observed import answer, found


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    names = ("a-very-long-name-of-an-engine-1.5b-instruct-q4_k_m, greedy-zero-shot", "two")
    answers = [answer(q, name, orders=o) for name, o in zip(names, (1, 2), strict=True) for q in range(40)]
    made: dict[str, Any] = rounded(found(*answers, *(answer(q, "short", words=20) for q in range(40, 50))))
    return made


def shown(result: dict[str, Any]) -> str:
    parts = [*lines(result)]
    for titled in tables(result):
        parts += [titled.title, *titled.table.to_terminal(), titled.note]
    return "\n".join(parts)


def test_the_artifact_alone_makes_the_same_page_and_is_left_alone(result: dict[str, Any]):
    before = copy.deepcopy(result)
    assert shown(json.loads(to_json(result, sort_keys=True))) == shown(result)
    assert result == before


def test_the_page_is_plain_narrow_and_promises_nothing(result: dict[str, Any]):
    text = shown(result)
    assert not re.search(r"\bcited\b|predicts?\b|forecast|will rank", text)
    assert not re.search(r"\bnan\b|\binf\b|None|True|False|−0\.0+\b", text)
    for titled in tables(result):
        assert max(map(len, titled.table.to_terminal())) <= 120, titled.title
        assert not re.search(r"(?<!\w)-\d", "\n".join(titled.table.to_terminal())), "a hyphen for a minus"


def test_every_block_has_its_table(result: dict[str, Any]):
    titles = [t.title for t in tables(result)]
    assert len(titles) == 8
    for word in ("Place", "share by place", "Content", "Concordant", "Weightings", "freshness", "dispersion", "flag"):
        assert any(word in title for title in titles), word
    assert all("strict" in titles[i] for i in (0, 1, 2))


def test_figures_stand_beside_their_n_and_the_pool_last(result: dict[str, Any]):
    content = next(t.table for t in tables(result) if t.title.startswith("Content and visibility"))
    assert [c.name for c in content.columns][3:] == ["n", "Spearman", "interval", "t", "p"]
    assert content.rows[-1][:3] == ["pooled", "mean of orders", "equal"]
    assert len(content.rows) == 3 + 9 + 9  # one order, two and their mean, and the pool; no snippets


def test_undefined_blocks_are_named_with_their_reason_and_have_no_rows(result: dict[str, Any]):
    told = [line for line in lines(result) if line.startswith("short: ")]
    assert len(told) == 2
    assert re.search(r"undefined \(snippets: median source has \S+ words, 150 are needed\)", told[1])
    assert not any("short" in row for t in tables(result)[2:] for row in t.table.rows)


def test_one_order_and_several_are_told_apart(result: dict[str, Any]):
    told = lines(result)
    assert "one order only, so that content cannot be told from place" in told[0]
    balanced = next(line for line in told if line.startswith("two: Spearman"))
    assert "averaged over the orders place is left with" in balanced


def test_a_flag_prints_its_verdict(result: dict[str, Any]):
    flags = [line for line in lines(result) if "as a flag of confidence" in line]
    assert len(flags) == 6
    assert all(re.search(r": (confirmed|not confirmed): held out|: undefined \(", line) for line in flags)


def test_one_group_has_no_row_for_the_pool():
    alone = found(*(answer(q) for q in range(10)))
    assert "pooled" not in shown(alone)
    assert "quartiles of dispersion are undefined (10 queries, 32 are needed)" in shown(alone)


def test_nothing_observed_is_one_line():
    nothing = found()
    assert lines(nothing) == ["no baseline answer allocates anything: nothing is observed"]
    assert tables(nothing) == []


def test_one_answer_is_printed_without_what_it_lacks():
    text = shown(found(answer(0)))
    assert "–%" not in text
    assert "p = –" not in text
