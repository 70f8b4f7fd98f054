"""Answers over sources whose texts stand in other files, in two orders of the sources."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.records import qwen
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Outcome, SourceRecord
from steelyard.lab.outcome.records.load import load_records
from steelyard.lab.outcome.records.qwen import QueryTexts
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import ICE, SALT, TAR, jsonl, real, rows

SOURCES = {key: SourceRecord(key, text) for key, text in zip("012", (ICE, SALT, TAR), strict=True)}
TEXTS = {("scholarqa", "ab12"): QueryTexts("when does the bay open", SOURCES)}


def test_a_record_gives_both_orders_and_every_run() -> None:
    found, _ = qwen.read(rows(samples.qwen()), TEXTS)
    assert [(o.run, o.order, o.shown) for o in found] == [
        ("forced", FORWARD, (0, 1, 2)),
        ("forced", REVERSED, (2, 1, 0)),
        ("greedy", FORWARD, (0, 1, 2)),
        ("sample-1", FORWARD, (0, 1, 2)),
    ]
    assert {o.sources for o in found} == {
        (
            SourceRecord("2", "Tar is boiled behind", relevance=0.1),
            SourceRecord("0", "Ice closes the bay", relevance=0.2),
            SourceRecord("1", "The harbour sells salt", relevance=0.3),
        )
    }
    assert {o.tags for o in found} == {("scholarqa",)}


def test_shares_undo_the_order_in_which_the_sources_were_shown() -> None:
    """Reversed, [1] is the last source, salt, and [2] ice; two sentences of three words, weights 1 and 1/e."""
    forward, backward, greedy, sample = qwen.read(rows(samples.qwen()), TEXTS)[0]
    assert forward.shares("strict") == (1.0, 0.0, 0.0)
    first = 1 / (1 + math.exp(-1))
    assert backward.shares("strict") == pytest.approx((0.0, 1 - first, first))
    assert greedy.shares("strict") is None
    assert greedy.shares("geo") == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert sample.shares("strict") == (0.0, 1.0, 0.0)


@given(st.permutations(range(5)), st.lists(st.integers(1, 5), min_size=1, max_size=8))
def test_an_engine_that_cites_by_content_gets_the_same_shares_in_any_order(shown: list[int], cited: list[int]) -> None:
    sources = tuple(SourceRecord(str(i), f"Text {i}") for i in range(5))
    place = {source: number for number, source in enumerate(shown, start=1)}

    def answer(name: dict[int, int]) -> str:
        return " ".join(f"Something is said here [{name[source - 1]}]." for source in cited)

    plain = Outcome("d", "q", "q", "e", sources, (0, 1, 2, 3, 4), answer=answer({i: i + 1 for i in range(5)}))
    other = replace(plain, shown=tuple(shown), answer=answer(place))
    assert other.shares("strict") == pytest.approx(plain.shares("strict"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "zz"}, "mine:1: the texts of query 'zz' of 'scholarqa' are not in any file next to it"),
        ({"query": "another"}, "mine:1: query 'ab12' is different in the file with the sources"),
        ({"source_keys": ["0", "9"]}, "mine:1: source '9' is not among the 3 of query 'ab12'"),
        ({"source_keys": ["0", "0", "1"]}, "mine:1: `source_keys` must be one or more different keys"),
        ({"source_keys": []}, "mine:1: `source_keys` must be one or more different keys"),
        (
            {"words_per_source": 0},
            "mine:1: `source_keys` must be one or more different keys, and `words_per_source` above 0",
        ),
        ({"llm_relevance": [1.0]}, "mine:1: `llm_relevance` has 1 entries, and must have 3"),
        ({"forced": {"forward": {"answer": "x"}}}, "mine:1, forced: `reversed` is missing"),
        ({"runs": {"forced": "x"}}, "mine:1, runs: a run is named 'forced'"),
        ({"runs": {"greedy": 3}}, "mine:1, runs: `greedy` is a int"),
    ],
)
def test_a_wrong_record_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        qwen.read(rows(samples.qwen(**changes)), TEXTS)


def test_a_second_row_of_a_query_is_refused() -> None:
    with pytest.raises(InvalidFile, match="mine:2: query 'ab12' of 'scholarqa' is in an earlier row"):
        qwen.read(rows(samples.qwen(), samples.qwen()), TEXTS)


# The files beside


def asked_of_msmarco() -> dict[str, Any]:
    return samples.qwen(id="77", set="msmarco", query="who boils tar")


def test_texts_are_found_in_the_folder_and_the_one_above(tmp_path: Path) -> None:
    folder = tmp_path / "outcomes"
    folder.mkdir()
    answers = jsonl(folder / "answers.jsonl", [samples.qwen(), asked_of_msmarco()])
    jsonl(folder / "long.jsonl", [samples.scholarqa()])
    jsonl(tmp_path / "short.jsonl.gz", [samples.msmarco(), samples.msmarco(query_id=78, query="not asked")])
    jsonl(folder / "unrelated.jsonl", [{"text": "a page"}])
    (folder / "broken.jsonl").write_bytes(b"\0\1\2")
    (folder / "folder.jsonl").mkdir()
    loaded = load_records(answers)
    assert list(loaded.inputs) == ["answers.jsonl", "long.jsonl", "short.jsonl.gz"]
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("qwen", "strict", 8)
    assert [s.text for s in loaded.outcomes[4].sources] == [
        "Tar is boiled behind", "The harbour sells salt", "Ice closes the bay",
    ]  # fmt: skip


def test_texts_that_are_nowhere_are_named(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    jsonl(tmp_path / "texts.jsonl", [samples.scholarqa()])
    answers = jsonl(tmp_path / "a" / "b" / "answers.jsonl", [samples.qwen()])
    with pytest.raises(InvalidFile, match=r"answers\.jsonl:1: the texts of query 'ab12' .* are not in any file"):
        load_records(answers)


def test_two_files_that_disagree_are_refused(tmp_path: Path) -> None:
    answers = jsonl(tmp_path / "a.jsonl", [samples.qwen()])
    jsonl(tmp_path / "b.jsonl", [samples.scholarqa()])
    jsonl(tmp_path / "c.jsonl", [samples.scholarqa()])
    assert len(load_records(answers).outcomes) == 4
    jsonl(tmp_path / "d.jsonl", [samples.scholarqa(sources=[{"key": "0", "text": TAR}])])
    with pytest.raises(InvalidFile, match=r"d\.jsonl: other sources for query 'ab12' than in .*b\.jsonl"):
        load_records(answers)


def test_the_real_answers() -> None:
    loaded = load_records(real("outcomes/qwen_answers.jsonl"))
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("qwen", "strict", 6600)
    assert list(loaded.inputs) == ["qwen_answers.jsonl", "scholarqa_gpt4o.jsonl", "candidates_msmarco.jsonl"]
    assert Counter(o.order for o in loaded.outcomes) == {FORWARD: 5500, REVERSED: 1100}
    assert Counter(o.tags for o in loaded.outcomes) == {("msmarco",): 6000, ("scholarqa",): 600}
    assert max(len(s.text.split()) for o in loaded.outcomes for s in o.sources) == 260
