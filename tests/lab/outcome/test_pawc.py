"""Shares of sources in an answer: every mode and trap by hand, hostile text, real answers against the bare formula."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import UnknownName
from steelyard.lab.outcome.citations import renumber_markers
from steelyard.lab.outcome.pawc import MODES, count_words, measure_shares, sentence_starts, shares
from tests.hostile.pages import within
from tests.lab.outcome.records.sample_records import real

REPEATABLE = settings(deadline=None, derandomize=True, max_examples=60)
each_mode = pytest.mark.parametrize("mode", MODES)
HALF, LAST = math.exp(-1 / 2), math.exp(-1)  # the weights of the second and the third of three sentences

# 5 words, 5 words, 3 words.
TIDES = "Tides rise twice every day [1]. Ships wait for high water [2]. Fog delays them [1]."


def near(*values: float):
    return pytest.approx(values, abs=1e-12)


def of(*credits: float):
    """Credits as shares."""
    return near(*(credit / sum(credits) for credit in credits))


# The formula


@pytest.mark.parametrize("mode", ["geo", "strict"])
def test_the_shares_of_a_plain_answer_are_those_computed_by_hand(mode: str):
    found = measure_shares(TIDES, 3, mode)
    assert found.shares == of(5 + 3 * LAST, 5 * HALF, 0)
    assert (found.citations, found.out_of_range) == (3, 0)
    assert shares(TIDES, 3, mode) == list(found.shares or ())


def test_positions_count_through_the_paragraphs():
    assert shares(TIDES.replace(". ", ".\n\n"), 3) == shares(TIDES, 3)


# Where the modes part. Every answer ends with "Ships wait long [2].", three words that weigh exp(-1).


@pytest.mark.parametrize(
    ("first", "geo", "zero_based", "strict"),
    [
        # Repeats: 3 words in thirds, two of them for [1]; once each in strict.
        ("Tides rise too [1][1][2].", (2, 1 + 3 * LAST, 0), (0, 2, 1 + 3 * LAST), (3 / 2, 3 / 2 + 3 * LAST, 0)),
        # Lists, ranges, labels and other brackets: seen in strict only. "Source" is a word to the original.
        ("Tides rise twice daily [1, 3].", (0, 1, 0), (0, 0, 1), (2, 3 * LAST, 2)),
        ("Tides rise twice daily [1-3].", (0, 1, 0), (0, 0, 1), (4 / 3, 4 / 3 + 3 * LAST, 4 / 3)),
        ("Tides rise twice daily [Source 1].", (0, 1, 0), (0, 0, 1), (4, 3 * LAST, 0)),
        ("Tides rise twice daily 【1†source】.", (0, 1, 0), (0, 0, 1), (4, 3 * LAST, 0)),
        ("Tides rise [source 1, 3] twice daily [1].", (5, 3 * LAST, 0), (0, 5, 3 * LAST), (2, 3 * LAST, 2)),
        # [0] is the last source to the original, the first to the other harness, none in strict.
        ("Tides rise twice daily [0].", (0, 3 * LAST, 4), (4, 0, 3 * LAST), (0, 1, 0)),
        # A number above n earns nothing, and takes its half of the sentence except in strict.
        ("Tides rise twice daily [1][9].", (2, 3 * LAST, 0), (0, 2, 3 * LAST), (4, 3 * LAST, 0)),
        # [3] is the first number out of range when counting starts at 0.
        ("Tides rise twice daily [3].", (0, 3 * LAST, 4), (0, 0, 1), (0, 3 * LAST, 4)),
        # A marker after the full stop: the original gives it the sentence that follows, of 3 words, in halves.
        ("Tides rise twice daily. [1]", (3 / 2, 3 / 2, 0), (0, 3 / 2, 3 / 2), (4, 3 * LAST, 0)),
        ("Tides rise twice daily.[1]", (3 / 2, 3 / 2, 0), (0, 3 / 2, 3 / 2), (4, 3 * LAST, 0)),
    ],
)  # fmt: skip
def test_where_the_modes_part(first: str, geo: tuple, zero_based: tuple, strict: tuple):
    for mode, expected in zip(MODES, (geo, zero_based, strict), strict=True):
        assert measure_shares(f"{first} Ships wait long [2].", 3, mode).shares == of(*expected), mode


@pytest.mark.parametrize("answer", ["", " \n\n ", "Tides rise twice daily.", "Tides rise twice daily [9]."])
def test_without_a_citation_geo_shares_evenly_and_strict_not_at_all(answer: str):
    assert shares(answer, 4) == shares(answer, 4, "zero_based") == [0.25] * 4
    assert shares(answer, 4, "strict") is None
    assert measure_shares(answer, 4).fallback
    found = measure_shares(answer, 4, "strict")
    assert (found.shares, found.citations, found.fallback) == (None, 0, False)


def test_a_citation_without_words_earns_nothing():
    found = measure_shares("[2]", 2, "strict")
    assert (found.shares, found.citations) == (None, 1)
    # To the original a last marker after its full stop is a sentence of no words: all is even again.
    even = measure_shares("Tides rise twice daily. [2]", 2)
    assert (even.shares, even.citations, even.fallback) == ((0.5, 0.5), 1, True)
    assert shares("Tides rise twice daily. [2]", 2, "strict") == [0.0, 1.0]
    # Evenly earned is not even by default.
    assert not measure_shares("Tides rise twice daily [1][2].", 2).fallback


def test_citations_and_those_out_of_range_are_counted():
    answer = "Tides rise [1][1][0]. Ships wait [2, 7], [3-99], [8-9] and [5000]."

    def counts(mode: str):
        found = measure_shares(answer, 3, mode)
        return found.citations, found.out_of_range

    assert counts("geo") == (3, 1)  # [1] twice, [0]; [5000]
    assert counts("zero_based") == (3, 1)
    assert counts("strict") == (3, 5)  # 1, 2, 3; 0, 7, and a part of [3-99], [8-9], 5000


def test_a_footnotes_definition_cites_nothing_and_is_no_sentence():
    answer = "Tides rise twice daily.[^1] Ships wait long.[^2]\n\n[^1]: Tide tables of the northern harbours, 1871\n"
    found = measure_shares(answer, 2, "strict")
    assert found.shares == of(4, 3 * LAST)


def test_in_strict_a_line_is_a_statement_and_a_marker_on_its_own_belongs_to_the_line_before():
    items = "1. Tides rise twice daily [1]\n2. Ships wait long\n[2]\n\n---\n[3] says that fog delays them"
    # 4, 3 and 5 words ("says that fog delays them"); neither the numbers nor the rule are sentences.
    assert measure_shares(items, 3, "strict").shares == of(4, 3 * HALF, 5 * LAST)


# Sentences and words


@pytest.mark.parametrize(
    "text",
    [
        "Ships wait, e.g. for water.| Tides rise.",
        "Dr. Gray met J. R. Finch at 5 p.m. on Monday.| They left.",
        "It rose by 3.5 m in 1871.| The keeper wrote it down.",
        "Gray et al. (2020) agree, cf. Fig. 3, i.e. the tide etc. and so on.| Fog came.",
        "It is in the U.S. Senate.| It is in the U.S.| The tide rises.",
        "Really?!| Yes!| (It is.)| “So it is.”| Well... perhaps.| So...| Fine.",
        "He asked “Why?” | She left.",
        "**Bold.** |Next [1].| Then [2].",
        "1.| **Kambala** is a race.| 2.| Next",
        "One line\nand its second.| Another",
        "He stopped.| [1] She left.|[2] They (all.)| left",
        "a.b.c and www.example.org/a.html?b=c! |end",
        "Read vol. 2 of it.| Fog",
    ],
)
def test_sentences_end_after_a_stop_that_is_not_an_abbreviations(text: str):
    parts = [part.strip() for part in text.split("|")]
    whole = text.replace("|", "")
    starts = sentence_starts(whole)
    assert [whole[a:b].strip() for a, b in pairwise([*starts, len(whole)])] == parts


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("The cat sat on the mat.", 5),  # not "on"
        ("We don't, they'll, it's, cannot.", 5),  # n't; they 'll; -; can not
        ("It costs $1,000 at 10:30, 50% off", 4),  # costs 1,000 10:30 off
        ('A well-known (so-called) "state-of-the-art" tool — really [12].', 5),
        ("See https://example.org/a for it...", 5),  # See https //example.org/a for ...
        ("Smith et al. said: yes", 4),  # Smith al. said yes
        ("**Bold** and *plain*", 3),
        ("don’t ‘quote’ him", 3),  # don quote him
        ("[1] [2]. --", 0),
        ("", 0),
    ],
)
def test_words_are_tokens_of_more_than_two_characters(sentence: str, count: int):
    assert count_words(sentence) == count


# What is refused, and what must not be


def test_no_sources_and_unknown_modes_are_refused():
    for n in (0, -3):
        with pytest.raises(ValueError, match=f"{n} sources: .* at least one"):
            shares("Tides rise [1].", n)
    with pytest.raises(UnknownName, match="did you mean 'strict'"):
        shares("Tides rise [1].", 2, "strickt")


HOSTILE = {
    "open brackets": "[" * 400_000,
    "nested brackets": "[" * 50_000 + "1" + "]" * 50_000,
    "cut markers": "[1" * 40_000,
    "endless list": "[" + "1," * 100_000,
    "blanks in a marker": "[source" + " " * 100_000,
    "endless number": "Tides [" + "7" * 200_000 + "].",
    "endless ranges": "Tides rise [1-999999999]. " * 8_000,
    "full stops": ". " * 40_000 + "." * 40_000,
    "stops and brackets": ".[" * 40_000,
    "abbreviations": "Dr. " * 40_000,
    "surrogates": "Tides \ud800 rise [\udfff1] \udc00[2]. ",
    "NUL": "Tides\x00 rise [1\x00]. \x00[2]",
    "marks of direction": "\u202eTides\u200f rise [\u200f1\u200e]. \u2067[2]\u2069",
}


@pytest.mark.parametrize("mode", ["geo", "strict"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_measured_in_bounded_time(name: str, mode: str):
    with within(60):
        found = shares(HOSTILE[name], 7, mode)
    assert found is None or math.fsum(found) == pytest.approx(1)


@each_mode
def test_an_answer_cut_anywhere_is_an_answer(mode: str):
    answer = "Tides rise [1, 2]. Ships [Source 3] wait【1†source】.\n\n- Fog, e.g. at 3.5 km [1–3].[^2]\n\n[^2]: Gray\n"
    before = 0
    for end in range(len(answer) + 1):
        found = measure_shares(answer[:end], 3, mode)
        assert found.shares is None or math.fsum(found.shares) == pytest.approx(1)
        assert found.citations >= before or answer[:end].endswith(":")  # a footnote becomes its definition
        before = found.citations


@pytest.mark.parametrize("cut", ["[1", "[1, ", "[1, 2", "【2", "【2†sou", "[Source 2", "[^2"])
def test_a_marker_cut_off_counts_nothing(cut: str):
    whole = "Tides rise twice [3]. Ships wait long [1] as was found"
    assert measure_shares(f"{whole} {cut}", 3, "strict") == measure_shares(whole, 3, "strict")
    assert measure_shares(f"{whole} {cut}", 3, "geo").citations == 2


# Properties

WORDS = st.sampled_from(["tide", "ships", "of", "the", "Dr.", "fog", "water.", "high!", "\n\n", "\n", "- it"])
MARKS = st.sampled_from(["[1]", "[2]", "[3][1]", "[2, 3]", "[1-3]", "[Source 2]", "【3】", "[^1]", "[0]", "[9]"])
ANSWERS = st.lists(st.one_of(WORDS, MARKS), max_size=40).map(" ".join)


@each_mode
@REPEATABLE
@given(ANSWERS)
def test_each_share_is_of_a_whole(mode: str, answer: str):
    found = measure_shares(answer, 3, mode)
    assert found.shares is None or (math.fsum(found.shares) == pytest.approx(1) and min(found.shares) >= 0)
    if mode != "strict":
        assert found.shares is not None


@REPEATABLE
@given(ANSWERS.filter(lambda answer: "-3" not in answer))
def test_other_numbers_for_the_sources_are_other_places_for_their_shares(answer: str):
    found = shares(answer, 3, "strict")
    for order in permutations((1, 2, 3)):
        moved = shares(renumber_markers(answer, dict(zip((1, 2, 3), order, strict=True))), 3, "strict")
        assert (moved and [moved[place - 1] for place in order]) == found  # exactly: sums do not depend on order


@REPEATABLE
@given(st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(0, 5), max_size=4)), max_size=8))
def test_geo_is_the_bare_formula_on_sentences_made_to_measure(plan: list[tuple[int, list[int]]]):
    """So many words and these citations each; [0] is the last of four sources, [5] is none."""
    answer = " ".join("Tide " * count + "".join(f"[{k}]" for k in cited) + "." for count, cited in plan)
    assert shares(answer, 4) == bare([(count, cited) for count, cited in plan], 4)


# Real answers


def bare(sentences: list[tuple[int, list[int]]], n: int):
    """The formula and nothing else, on the words and citations of each sentence."""
    scores = [0.0] * n
    for i, (count, cited) in enumerate(sentences):
        for number in cited:
            if number <= n:
                decay = math.exp(-i / (len(sentences) - 1)) if len(sentences) > 1 else 1
                scores[number - 1] += count * decay / len(cited)
    total = sum(scores)
    return near(*(score / total if total else 1 / n for score in scores))


def real_answers(name: str) -> Iterator[tuple[str, int]]:
    path = real(name)
    text = path.read_text(encoding="utf-8")
    for row in json.loads(text) if path.suffix == ".json" else map(json.loads, text.splitlines()):
        if "edits" in row:
            yield row["baseline_response"], 5
            yield from ((edit["response"], 5) for edit in row["edits"].values())
        elif "forced" in row:
            yield from ((forced["answer"], 5) for forced in row["forced"].values())
            yield from ((run, 5) for run in row["runs"].values())
        else:
            yield row["answer"], len(row["sources"])


GEO_BENCH = "geo_bench_rows.json"


def test_geo_gives_the_shares_of_the_originals_own_tokenizers():
    """Computed once from the two untouched answers with NLTK's word_tokenize and Punkt's English abbreviations."""
    first, second = (answer for i, (answer, _) in enumerate(real_answers(GEO_BENCH)) if i in (0, 11))
    assert shares(first, 5) == pytest.approx([0, 0.696164462, 0.303835538, 0, 0], abs=1e-8)
    assert shares(second, 5) == pytest.approx([0.094320752, 0.334258004, 0, 0.130898723, 0.440522522], abs=1e-8)


@pytest.mark.parametrize(
    "name",
    [
        GEO_BENCH,
        pytest.param("outcomes/scholarqa_gpt4o.jsonl", marks=pytest.mark.full),
        pytest.param("outcomes/qwen_answers.jsonl", marks=pytest.mark.full),
    ],
)
def test_geo_is_the_bare_formula_on_real_answers(name: str):
    for answer, n in real_answers(name):
        sentences = []
        for paragraph in answer.split("\n\n"):
            for start, end in pairwise([*sentence_starts(paragraph), len(paragraph)]):
                sentence = paragraph[start:end]
                cited = [int(k) for k in re.findall(r"\[[^\w\s]*(\d+)[^\w\s]*\]", sentence)]
                sentences.append((count_words(sentence), cited))
        assert shares(answer, n) == bare(sentences, n)
