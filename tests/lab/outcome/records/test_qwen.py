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

from steelyard.lab.outcome.records import qwen
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Candidate, Outcome
from steelyard.lab.outcome.records.qwen import Texts
from steelyard.lab.outcome.records.resolve import load
from steelyard.lab.outcome.records.rows import RecordsInvalid
from tests.lab.outcome.records import made
from tests.lab.outcome.records.made import ICE, SALT, TAR, jsonl, real, rows

SOURCES = {key: Candidate(key, text) for key, text in zip("012", (ICE, SALT, TAR), strict=True)}
TEXTS = {("scholarqa", "ab12"): Texts("when does the bay open", SOURCES)}


def test_a_record_gives_both_orders_and_every_run() -> None:
    found, _ = qwen.read(rows(made.qwen()), TEXTS)
    assert [(o.run, o.order, o.shown) for o in found] == [
        ("forced", FORWARD, (0, 1, 2)),
        ("forced", REVERSED, (2, 1, 0)),
        ("greedy", FORWARD, (0, 1, 2)),
        ("sample-1", FORWARD, (0, 1, 2)),
    ]
    assert {o.sources for o in found} == {
        (
            Candidate("2", "Tar is boiled behind", relevance=0.1),
            Candidate("0", "Ice closes the bay", relevance=0.2),
            Candidate("1", "The harbour sells salt", relevance=0.3),
        )
    }
    assert {o.tags for o in found} == {("scholarqa",)}


def test_shares_undo_the_order_in_which_the_sources_were_shown() -> None:
    """Reversed, [1] is the last source, salt, and [2] ice; two sentences of three words, weights 1 and 1/e."""
    forward, backward, greedy, sample = qwen.read(rows(made.qwen()), TEXTS)[0]
    assert forward.shares("strict") == (1.0, 0.0, 0.0)
    first = 1 / (1 + math.exp(-1))
    assert backward.shares("strict") == pytest.approx((0.0, 1 - first, first))
    assert greedy.shares("strict") is None
    assert greedy.shares("geo") == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert sample.shares("strict") == (0.0, 1.0, 0.0)


def test_probabilities_stand_in_the_order_of_the_sources_too() -> None:
    forward, backward, greedy, _ = qwen.read(rows(made.qwen()), TEXTS)[0]
    assert forward.probabilities == ((0.7, 0.2, 0.1),)
    assert backward.probabilities == ((0.1, 0.3, 0.6), (0.0, 0.8, 0.2))
    assert greedy.probabilities == ()


@given(st.permutations(range(5)), st.lists(st.integers(1, 5), min_size=1, max_size=8))
def test_an_engine_that_cites_by_content_gets_the_same_shares_in_any_order(shown: list[int], cited: list[int]) -> None:
    sources = tuple(Candidate(str(i), f"Text {i}") for i in range(5))
    place = {source: number for number, source in enumerate(shown, start=1)}

    def answer(name: dict[int, int]) -> str:
        return " ".join(f"Something is said here [{name[source - 1]}]." for source in cited)

    plain = Outcome("d", "q", "q", "e", sources, (0, 1, 2, 3, 4), answer=answer({i: i + 1 for i in range(5)}))
    other = replace(plain, shown=tuple(shown), answer=answer(place))
    assert other.shares("strict") == pytest.approx(plain.shares("strict"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "zz"}, "mine:1: the texts of query 'zz' of 'scholarqa' are in none of the files beside it"),
        ({"query": "another"}, "mine:1: query 'ab12' is another one in the file with the sources"),
        ({"source_keys": ["0", "9"]}, "mine:1: source '9' is not among the 3 of query 'ab12'"),
        ({"source_keys": ["0", "0", "1"]}, "mine:1: `source_keys` must be some different keys"),
        ({"source_keys": []}, "mine:1: `source_keys` must be some different keys"),
        ({"words_per_source": 0}, "mine:1: `source_keys` must be some different keys, and `words_per_source` above 0"),
        ({"llm_relevance": [1.0]}, "mine:1: `llm_relevance` has 1 entries, and must have 3"),
        ({"forced": {"forward": {"answer": "x"}}}, "mine:1, forced: `reversed` is missing"),
        ({"runs": {"forced": "x"}}, "mine:1, runs: a run is named 'forced'"),
        ({"runs": {"greedy": 3}}, "mine:1, runs: `greedy` is a int"),
    ],
)
def test_a_wrong_record_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordsInvalid, match=message):
        qwen.read(rows(made.qwen(**changes)), TEXTS)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([[0.5, 0.5]], r"`cite_probs\[0\]` has 2 entries, and must have 3"),
        ([[0.5, 0.5, 0], [0.5, 0.5, 2]], r"`cite_probs\[1\]\[2\]` is 2, and a share lies between 0 and 1"),
        ([3], r"`cite_probs\[0\]` is a int, and must be a list"),
    ],
)
def test_wrong_probabilities_are_refused(probabilities: list[Any], message: str) -> None:
    forced = made.qwen()["forced"] | {"forward": {"answer": "x", "cite_probs": probabilities}}
    with pytest.raises(RecordsInvalid, match=rf"mine:1, forced, forward: {message}"):
        qwen.read(rows(made.qwen(forced=forced)), TEXTS)


def test_a_second_row_of_a_query_is_refused() -> None:
    with pytest.raises(RecordsInvalid, match="mine:2: query 'ab12' of 'scholarqa' stands in an earlier row"):
        qwen.read(rows(made.qwen(), made.qwen()), TEXTS)


# The files beside


def asked_of_msmarco() -> dict[str, Any]:
    return made.qwen(id="77", set="msmarco", query="who boils tar")


def test_texts_are_found_in_the_folder_and_the_one_above(tmp_path: Path) -> None:
    folder = tmp_path / "outcomes"
    folder.mkdir()
    answers = jsonl(folder / "answers.jsonl", [made.qwen(), asked_of_msmarco()])
    jsonl(folder / "long.jsonl", [made.scholarqa()])
    jsonl(tmp_path / "short.jsonl.gz", [made.msmarco(), made.msmarco(query_id=78, query="not asked")])
    jsonl(folder / "unrelated.jsonl", [{"text": "a page"}])
    (folder / "broken.jsonl").write_bytes(b"\0\1\2")
    (folder / "folder.jsonl").mkdir()
    loaded = load(answers)
    assert list(loaded.inputs) == ["answers.jsonl", "long.jsonl", "short.jsonl.gz"]
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("qwen", "strict", 8)
    assert [s.text for s in loaded.outcomes[4].sources] == [
        "Tar is boiled behind", "The harbour sells salt", "Ice closes the bay",
    ]  # fmt: skip
    assert len(loaded.digest) == 64
    assert loaded.digest not in loaded.inputs.values()


def test_texts_may_be_named(tmp_path: Path) -> None:
    for name in ("answers", "texts", "other"):
        (tmp_path / name).mkdir()
    answers = jsonl(tmp_path / "answers" / "a.jsonl", [made.qwen()])
    texts = jsonl(tmp_path / "texts" / "a.jsonl", [made.scholarqa()])
    with pytest.raises(RecordsInvalid, match=r"a\.jsonl:1: the texts of query 'ab12' .* are in none of the files"):
        load(answers)
    for beside in (texts, str(texts.parent), [tmp_path / "other", texts]):
        assert list(load(answers, beside=beside).inputs) == ["a.jsonl", "a.jsonl#2"]


def test_a_named_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    answers = jsonl(tmp_path / "a.jsonl", [made.qwen()])
    (tmp_path / "b").write_text("{")
    with pytest.raises(RecordsInvalid, match="b:1: not JSON"):
        load(answers, beside=tmp_path / "b")


def test_two_files_that_disagree_are_refused(tmp_path: Path) -> None:
    answers = jsonl(tmp_path / "a.jsonl", [made.qwen()])
    jsonl(tmp_path / "b.jsonl", [made.scholarqa()])
    jsonl(tmp_path / "c.jsonl", [made.scholarqa()])
    assert len(load(answers).outcomes) == 4
    jsonl(tmp_path / "d.jsonl", [made.scholarqa(sources=[{"key": "0", "text": TAR}])])
    with pytest.raises(RecordsInvalid, match=r"d\.jsonl: other sources for query 'ab12' than in .*b\.jsonl"):
        load(answers)


def test_the_real_answers() -> None:
    loaded = load(real("outcomes/qwen_answers.jsonl"))
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("qwen", "strict", 6600)
    assert list(loaded.inputs) == ["qwen_answers.jsonl", "scholarqa_gpt4o.jsonl", "candidates_msmarco.jsonl"]
    assert Counter(o.order for o in loaded.outcomes) == {FORWARD: 5500, REVERSED: 1100}
    assert Counter(o.tags for o in loaded.outcomes) == {("msmarco",): 6000, ("scholarqa",): 600}
    assert max(len(s.text.split()) for o in loaded.outcomes for s in o.sources) == 260
    for outcome in loaded.outcomes:
        for sentence in outcome.probabilities:
            assert math.fsum(sentence) == pytest.approx(1, abs=0.001)


def test_the_real_model_gives_what_it_cites_the_highest_probability() -> None:
    """In both orders: probabilities and citations went through the same change of order."""
    forced = [o for o in load(real("outcomes/qwen_answers.jsonl")).outcomes if o.run == "forced"]
    for order in (FORWARD, REVERSED):
        one = [o for o in forced if o.order == order and len(o.probabilities) == 1]
        assert len(one) > 100
        agree = sum(
            (o.shares("strict") or ()).index(1.0) == o.probabilities[0].index(max(o.probabilities[0])) for o in one
        )
        assert agree / len(one) > 0.95
