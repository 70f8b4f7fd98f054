"""Answers with numbered sources: which number is which source."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.pawc import measure_shares
from steelyard.lab.outcome.records import scholarqa
from steelyard.lab.outcome.records.base import Outcome
from steelyard.lab.outcome.records.load import load_records
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import ICE, SALT, TAR, real, rows


def test_where_only_cited_sources_are_listed_they_stand_in_the_order_of_their_numbers() -> None:
    [outcome], notes = scholarqa.read(rows(samples.scholarqa()))
    assert outcome.answer == "The bay opens in March [1]. Salt goes out first [2], then tar [1, 3]."
    assert [(s.key, s.text, s.relevance) for s in outcome.sources] == [
        ("0", ICE, 2.5),
        ("1", SALT, -1.0),
        ("2", TAR, None),
    ]
    assert notes == ["every answer cites as many numbers as it has sources: read as the cited sources, in that order"]
    assert (outcome.dataset, outcome.query_id, outcome.engine, outcome.run) == ("scholarqa", "ab12", "some-engine", "1")
    # Two sentences of 4 and 6 words (opens: The bay opens March; Salt goes out first then tar), weights 1 and 1/e.
    later = 6 * math.exp(-1) / 3
    assert outcome.shares("strict") == pytest.approx([(4 + later) / (4 + 3 * later), *[later / (4 + 3 * later)] * 2])


@pytest.mark.parametrize("first", [0, 1])
def test_elsewhere_a_number_is_a_key_whether_it_counts_from_0_or_1(first: int) -> None:
    sources = [{"key": str(first + place), "text": text} for place, text in enumerate((ICE, SALT, TAR))]
    answer = f"The bay opens in March [{first}]. Nothing else is known of it [{first + 7}]."
    [outcome], notes = scholarqa.read(rows(samples.scholarqa(sources=sources, answer=answer)))
    assert outcome.answer == "The bay opens in March [1]. Nothing else is known of it [4]."
    assert outcome.shares("strict") == outcome.shares("geo") == (1.0, 0.0, 0.0)
    assert measure_shares(outcome.answer, 3, "strict").out_of_range == 1
    assert notes == ["1 number cited is no source's key: out of range in every mode"]


def test_one_answer_that_leaves_a_source_out_decides_for_the_file() -> None:
    plain = samples.scholarqa(id="x", answer="Ice [0].")
    found, _ = scholarqa.read(rows(samples.scholarqa(), plain))
    assert found[0].answer == "The bay opens in March [4]. Salt goes out first [4], then tar [4, 4]."
    assert found[1].answer == "Ice [1]."


def test_keys_in_any_order_are_numbers_where_every_number_is_a_key() -> None:
    sources = [{"key": "2", "text": SALT}, {"key": "1", "text": ICE}]
    [outcome], notes = scholarqa.read(rows(samples.scholarqa(sources=sources, answer="The bay opens [1]. Salt [2].")))
    assert outcome.answer == "The bay opens [2]. Salt [1]."
    assert not notes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[^9]", "[^2]"),
        ("[4; 9]", "[1; 2]"),
        ("[Reference 4, Reference 12]", "[Reference 1, Reference 3]"),
        ("[^7]", "[^4]"),  # a number that nothing plain cites has no source
        ("[4-12]", "[1-3]"),
        ("[2020]", "[4]"),  # a year is no citation
        ("A[i]", "A[i]"),
        ("[GBT84]", "[GBT84]"),
    ],
)
def test_rarer_forms_are_renumbered_too(written: str, expected: str) -> None:
    answer = samples.scholarqa()["answer"]
    [outcome], _ = scholarqa.read(rows(samples.scholarqa(answer=f"{answer} More {written}.")))
    assert outcome.answer is not None
    assert outcome.answer.endswith(f" More {expected}.")


@given(st.lists(st.integers(0, 99), min_size=1, max_size=12), st.integers(0, 900))
def test_the_order_of_the_numbers_is_all_that_matters(numbers: list[int], more: int) -> None:
    sources = [{"key": str(place), "text": f"Text {place}"} for place in range(len(set(numbers)))]

    def answer(shift: int) -> str:
        return " ".join(f"Something is said here [{number + shift}]." for number in numbers)

    near, far = (
        scholarqa.read(rows(samples.scholarqa(sources=sources, answer=answer(shift))))[0][0] for shift in (0, more)
    )
    assert near.answer == far.answer
    cited = {int(n) for n in re.findall(r"\d+", near.answer or "")}
    assert cited == set(range(1, len(sources) + 1))


def test_a_query_answered_again_is_another_run() -> None:
    found, _ = scholarqa.read(rows(samples.scholarqa(), samples.scholarqa(), samples.scholarqa(engine="other")))
    assert [o.run for o in found] == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sources": [{"key": "0", "text": ICE}] * 2}, "mine:1: two of its `sources` have the same `key`"),
        ({"sources": [{"key": "0", "text": ""}]}, r"mine:1, sources\[0\]: `text` is empty"),
        ({"sources": [{"key": "a", "text": ICE}]}, "mine:1: the key 'a' is not a number"),
        ({"answer": None}, "mine:1: `answer` is null"),
        ({"sources": [{"key": 0, "text": ICE, "llm_relevance": "high"}]}, r"sources\[0\]: `llm_relevance` is \"high\""),
    ],
)
def test_a_wrong_record_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        scholarqa.read(rows(samples.scholarqa(**changes)))


def test_the_real_answers_cite_every_source_and_all_but_four_numbers_have_one() -> None:
    loaded = load_records(real("outcomes/scholarqa_gpt4o.jsonl"))
    assert (loaded.dataset, loaded.mode, len(loaded.outcomes)) == ("scholarqa", "strict", 100)
    assert (min(map(_n, loaded.outcomes)), max(map(_n, loaded.outcomes))) == (6, 15)
    assert sum(measure_shares(o.answer or "", _n(o), "strict").out_of_range for o in loaded.outcomes) == 4
    assert all(min(o.shares("strict") or [0]) > 0 for o in loaded.outcomes)


def test_the_real_sentences_are_most_like_the_sources_they_cite() -> None:
    """Of 100 sentences that cite one source more than half have most rare words in common with it."""
    hits = total = 0
    for outcome in load_records(real("outcomes/scholarqa_gpt4o.jsonl")).outcomes:
        words = [set(re.findall(r"[a-z]{4,}", s.text.lower())) for s in outcome.sources]
        rare = {w: math.log(len(words) / sum(w in other for other in words)) for w in set().union(*words)}
        for sentence in re.split(r"(?<=[.\]])\s+(?=[A-Z*\n])", outcome.answer or ""):
            cited = set(re.findall(r"\[(\d+)\]", sentence))
            said = set(re.findall(r"[a-z]{4,}", sentence.lower()))
            common = [math.fsum(sorted(rare[w] for w in said & source)) for source in words]
            if len(cited) == 1 and max(common) >= 3:
                total += 1
                hits += common.index(max(common)) == int(cited.pop()) - 1
    assert total > 1500
    assert hits / total > 0.5


def _n(outcome: Outcome) -> int:
    return len(outcome.sources)
