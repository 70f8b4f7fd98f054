"""The ceiling: its estimators against what they estimate, and which runs are compared with which."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.ceiling import (
    MIN_PAIRS,
    MISSING,
    ComparedPair,
    bound_ceiling,
    measure_ceiling,
    score_content,
)
from steelyard.lab.outcome.co_occurrences import KINDS, cluster_queries, identify_sources, name_instructions
from steelyard.lab.outcome.records.base import FORWARD, REVERSED, Outcome, SourceRecord
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.outcome.score_agreement import MIN_SOURCE_WORDS
from steelyard.pipeline import score_text
from tests.lab.outcome.records.sample_records import real

BETA = 0.6875  # E max(p, 1 - p) of the beta distribution of 2 and 2: 1/2 + 3/16


def sources(*names: str) -> tuple[SourceRecord, ...]:
    return tuple(SourceRecord(name, f"Text of {name}.", url=f"https://{name}.example/") for name in names)


def outcome(query: str, shares: Mapping[str, float], **changes: Any) -> Outcome:
    """Shares by source; the record reports them itself."""
    listed = sources(*shares)
    plain = Outcome("d", query, query, "e", listed, tuple(range(len(listed))), given=tuple(shares.values()))
    return replace(plain, **changes)


def loaded(outcomes: Iterable[Outcome], name: str = "a.jsonl", mode: str = "strict") -> RecordFile:
    return RecordFile("d", tuple(outcomes), mode, {name: f"digest of {name}"})


def measured(*files: RecordFile | Sequence[Outcome], **options: Any) -> dict[str, Any]:
    each = [f if isinstance(f, RecordFile) else loaded(f) for f in files]
    return measure_ceiling(each, options.pop("mode", "strict"), **{"draws": 50, **options})


def won(query: str, first: bool, names: tuple[str, str] = ("x", "y"), **changes: Any) -> Outcome:
    return outcome(query, dict(zip(names, (0.75, 0.25) if first else (0.25, 0.75), strict=True)), **changes)


def value(comparison: Mapping[str, Any], name: str) -> float:
    found: float = comparison["figures"][name]["value"]
    return found


# The estimators


def test_the_figures_of_a_pair_are_those_of_counting_them_out() -> None:
    for first, second in [(a, b) for a in range(7) for b in range(7) if a + b > 1]:
        runs = [True] * first + [False] * second
        right = 0.0
        for i, run in enumerate(runs):
            others = runs[:i] + runs[i + 1 :]
            ayes = sum(others)
            right += 0.5 if 2 * ayes == len(others) else float((2 * ayes > len(others)) == run)
        pair = ComparedPair(("x", "y"), "q", first, second)
        assert pair.lower == pytest.approx(right / len(runs))
        alike = [a == b for a, b in combinations(runs, 2)]
        assert pair.agreement == pytest.approx(sum(alike) / len(alike))
        assert pair.upper == max(sum(runs), len(runs) - sum(runs)) / len(runs)


def expected(p: float, n: int, figure: str) -> float:
    """The expectation over n runs that are won with the probability p."""
    each = (math.comb(n, k) * p**k * (1 - p) ** (n - k) * getattr(ComparedPair(("x", "y"), "q", k, n - k), figure)
            for k in range(n + 1))  # fmt: skip
    return math.fsum(each)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.35, 0.5, 0.8, 1.0])
def test_the_ceiling_lies_between_the_expectations_and_more_runs_bring_them_nearer(p: float) -> None:
    true = max(p, 1 - p)
    lower, upper = ([expected(p, n, figure) for n in range(2, 30)] for figure in ("lower", "upper"))
    assert all(low <= true + 1e-12 and high >= true - 1e-12 for low, high in zip(lower, upper, strict=True))
    assert lower == pytest.approx(sorted(lower))
    assert upper == pytest.approx(sorted(upper, reverse=True))
    assert lower[0] == pytest.approx(lower[1]), "three runs tell no more than two: two others may tie"
    assert lower[0] == pytest.approx(p**2 + (1 - p) ** 2)
    assert expected(p, 5, "agreement") == pytest.approx(p**2 + (1 - p) ** 2), "has no bias"


def test_no_ceiling_with_an_agreement_is_above_its_bound_and_one_reaches_it() -> None:
    rng = random.Random(3)
    for _ in range(200):
        shape = rng.choice((0.1, 0.5, 2.0, 9.0))
        ps = [rng.betavariate(shape, shape) for _ in range(30)]
        true = sum(max(p, 1 - p) for p in ps) / 30
        agreement = sum(p * p + (1 - p) ** 2 for p in ps) / 30
        assert agreement <= true <= bound_ceiling(agreement) + 1e-12
        assert bound_ceiling(agreement) <= sum(expected(p, 2, "upper") for p in ps) / 30 + 1e-12
    assert bound_ceiling(0.3**2 + 0.7**2) == pytest.approx(0.7), "where p is 0.3 or 0.7 everywhere"
    assert (bound_ceiling(1.0), bound_ceiling(0.5), bound_ceiling(0.2)) == (1.0, 0.5, 0.5)


# Through the whole study, with p known


def drawn(p: Sequence[float], runs: int, rng: random.Random) -> list[Outcome]:
    """Every pair has sources and queries of its own; whether x wins depends on the query."""
    return [
        won(f"pair {i} query {k}", rng.random() < of_pair, (f"x{i}", f"y{i}"))
        for i, of_pair in enumerate(p)
        for k in range(runs)
    ]


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_few_queries_put_the_plug_in_above_the_true_ceiling_and_the_left_out_below(runs: int) -> None:
    rng = random.Random(runs)
    p = [rng.betavariate(2, 2) for _ in range(600)]
    (found,) = measured(drawn(p, runs, rng))["query_ceiling"]
    assert (found["pairs"], found["clusters"], found["queries"]) == (600, 600, 600 * runs)
    assert value(found, "upper") > BETA + 0.05
    assert value(found, "lower") < BETA - 0.02
    assert value(found, "bound") == pytest.approx(bound_ceiling(0.6), abs=0.04), "E(p² + (1 - p)²) is 0.6"
    for figure in ("upper", "lower"):
        wanted = sum(expected(each, runs, figure) for each in p) / len(p)
        assert value(found, figure) == pytest.approx(wanted, abs=0.035)


def test_the_interval_of_dependent_pairs_covers_as_often_as_it_says() -> None:
    """Three pairs of a query that are won and lost together: pairs are not independent, queries are."""
    p, covered = 0.8, 0
    for seed in range(60):
        rng = random.Random(seed)
        answers = [
            outcome(f"q{i}", {"a": 0.4, "b": 0.3, "c": 0.2} if rng.random() < p else {"a": 0.2, "b": 0.3, "c": 0.4},
                    run=run)
            for i in range(50) for run in ("1", "2")
        ]  # fmt: skip
        (found,) = measured(answers, draws=200)["engine_ceiling"]["repeats"]
        low, high = found["figures"]["lower"]["interval"]
        covered += low <= p**2 + (1 - p) ** 2 <= high
    assert 51 <= covered <= 60


# What is compared with what


def many(make: Any, n: int = MIN_PAIRS) -> list[Outcome]:
    return [made for i in range(n) for made in make(f"q{i}")]


def test_one_answer_for_every_query_leaves_both_undefined() -> None:
    found = measured(many(lambda q: [won(q, True, (f"x {q}", f"y {q}"))]))
    assert found["query_ceiling"] == {"undefined": "no two sources meet in two or more distinct queries of one engine"}
    assert found["engine_ceiling"] == {"undefined": "no query has two answers that cite anything"}


def test_answers_of_one_query_are_no_distinct_queries() -> None:
    answers = [won("a b", True, run="1"), won("A  b", False, run="2"), won("a b", True, run="3", engine="f")]
    assert "undefined" in measured(answers)["query_ceiling"]


def test_one_query_in_two_spellings_is_averaged_where_the_run_has_one_name() -> None:
    answers = [outcome("a b", {"x": 1.0, "y": 0.0}, run="1"), won("A b", False, run="1"), won("a b", True, run="2")]
    (found,) = measured(answers)["engine_ceiling"]["repeats"]
    assert found["tally"] == [{"runs": 2, "majority": 2, "pairs": 1}]


def test_a_query_counts_once_however_often_it_is_asked() -> None:
    """In the first query x loses twice and wins once by far; in the mean it is the more visible one."""
    names = ("x", "y")
    first = [outcome("q1", dict(zip(names, s, strict=True)), run=run)
             for s, run in (((0.4, 0.6), "1"), ((0.45, 0.55), "2"), ((1.0, 0.0), "3"))]  # fmt: skip
    (found,) = measured([*first, won("q2", True)])["query_ceiling"]
    assert found["tally"] == [{"runs": 2, "majority": 2, "pairs": 1}]
    assert (found["met"], found["pair_runs"], found["queries"]) == (1, 2, 2)


def test_pairs_meet_only_within_one_engine() -> None:
    assert "undefined" in measured([won("q1", True), won("q2", True, engine="f")])["query_ceiling"]


def test_too_few_pairs_have_counts_and_no_figures() -> None:
    (found,) = measured([won("q1", True), won("q2", False)])["query_ceiling"]
    assert found["figures"] == {
        "undefined": f"two queries or more order 1 of the 1 pairs that meet in them, {MIN_PAIRS} are needed"
    }
    assert found["tally"] == [{"runs": 2, "majority": 1, "pairs": 1}]


def test_a_source_without_address_is_known_by_its_text() -> None:
    def nameless(query: str, text: str) -> Outcome:
        made = won(query, True)
        return replace(made, sources=(SourceRecord("0", text), SourceRecord("1", "Other text.")))

    (found,) = measured([nameless("q1", "One text."), nameless("q2", "One text.")])["query_ceiling"]
    assert found["met"] == 1
    assert "undefined" in measured([nameless("q1", "One text."), nameless("q2", "Another.")])["query_ceiling"]


def test_a_source_that_is_listed_twice_is_left_out() -> None:
    listed = sources("x", "x", "y", "z")
    twice = Outcome("d", "q", "q", "e", listed, (0, 1, 2, 3), given=(0.1, 0.6, 0.2, 0.1), run="1")
    (found,) = measured([twice, replace(twice, run="2")])["engine_ceiling"]["repeats"]
    assert found["met"] == 1, "y and z"


@pytest.mark.parametrize(
    ("run", "name"),
    [("sample-1", "sample"), ("sample-2", "sample"), ("1", ""), ("", ""), ("greedy", "greedy"), ("t-0.7", "t-0.7"),
     ("zero shot 3", "zero shot"), ("run_12", "run"), ("gpt4", "gpt4"), ("a\nb-1", "a\nb")],
)  # fmt: skip
def test_runs_that_differ_in_a_number_have_the_same_instructions(run: str, name: str) -> None:
    assert name_instructions(run) == name


def design(query: str) -> list[Outcome]:
    """Two samples that disagree, one run in two orders that disagree, and an engine of another kind."""
    return [
        won(query, True, run="sample-1"),
        won(query, False, run="sample-2"),
        won(query, True, run="forced"),
        won(query, False, run="forced", order=REVERSED),
        won(query, False, engine="f"),
    ]


def test_repeats_orders_instructions_and_engines_stand_apart() -> None:
    found = measured(many(design))["engine_ceiling"]
    assert found["order"] == list(KINDS)
    assert {kind: [(c["engines"], c["instructions"], c["compared"]) for c in found[kind]] for kind in KINDS} == {
        "repeats": [(["e"], "sample", ["sample-1", "sample-2"])],
        "orders": [(["e"], "forced", [FORWARD, REVERSED])],
        "instructions": [(["e"], "", ["sample", "forced"])],
        "engines": [(["e", "f"], "", ["e", "f"])],
    }
    (repeats,) = found["repeats"]
    assert value(repeats, "lower") == 0.0
    assert value(repeats, "upper") == 0.5
    assert repeats["figures"]["bound"] == {
        "undefined": "the runs agree less often than coins: they are no independent draws"
    }
    # The samples' mean is a tie, and so is the mean of forced over its orders.
    (told,) = found["instructions"]
    assert (told["pairs"], told["ties"]) == (0, 0.5), "only forward, the order that all have: forced is no tie there"
    (engines,) = found["engines"]
    assert (engines["pairs"], engines["ties"]) == (0, 0.5)


def test_what_there_is_no_second_of_says_so() -> None:
    found = measured(many(lambda q: [won(q, True), won(q, True, engine="f")]))["engine_ceiling"]
    assert {kind: found[kind] for kind in KINDS[:3]} == {kind: {"undefined": MISSING[kind]} for kind in KINDS[:3]}
    assert value(found["engines"][0], "lower") == 1.0


def test_instructions_are_compared_in_the_orders_that_all_have() -> None:
    def answers(query: str) -> list[Outcome]:
        backward = outcome(query, {"x": 0.0, "y": 1.0}, run="forced", order=REVERSED)
        return [won(query, True, run="free"), won(query, True, run="forced"), backward]

    (found,) = measured(many(answers))["engine_ceiling"]["instructions"]
    assert value(found, "lower") == 1.0
    no_order = [replace(o, order="other") if o.run == "free" else o for o in many(answers)]
    assert measured(no_order)["engine_ceiling"]["instructions"] == {"undefined": MISSING["instructions"]}


def test_collections_are_never_pooled() -> None:
    """One format holds queries of two others, whose names are its tags."""
    pair = [won("q1", True, dataset="qwen", run=run, tags=("scholarqa",)) for run in ("1", "2")]
    pair += [won("q2", True, dataset="qwen", run=run, tags=("msmarco",)) for run in ("1", "2")]
    found = measured(pair, loaded([won("q1", True, dataset="scholarqa", engine="f")], "b.jsonl"))["engine_ceiling"]
    assert [c["collection"] for c in found["repeats"]] == ["scholarqa", "msmarco"]
    assert [(c["collection"], c["engines"]) for c in found["engines"]] == [("scholarqa", ["e", "f"])]


def test_engines_are_compared_by_who_was_asked_not_by_who_cites() -> None:
    """The third engine cites nothing in the second query; the fourth was asked neither."""
    shares = {"x": 0.75, "y": 0.25}
    answers = [outcome(q, shares, engine=e) for q in ("q1", "q2") for e in ("e", "f", "g")]
    answers[-1] = replace(answers[-1], given=(0.0, 0.0))
    answers += [outcome("q3", shares, engine=e) for e in ("e", "h")]
    result = measured(answers)
    assert [(c["engines"], c["answered"]) for c in result["engine_ceiling"]["engines"]] == [
        (["e", "f", "g"], 2),
        (["e", "h"], 1),
    ]
    assert result["records"][0]["left_out"] == {"cites nothing": 1}


def test_engines_with_other_lists_are_compared_on_what_they_share() -> None:
    def answers(query: str) -> list[Outcome]:
        return [outcome(query, {"x": 0.5, "y": 0.3, "z": 0.2}), outcome(query, {"y": 0.2, "x": 0.8}, engine="f")]

    (found,) = measured(many(answers))["engine_ceiling"]["engines"]
    assert (found["met"], found["same_sources"], found["answered"]) == (MIN_PAIRS, 0, MIN_PAIRS)
    assert value(found, "lower") == 1.0


def test_engines_without_a_common_source_have_nothing_to_compare() -> None:
    answers = many(lambda q: [won(q, True), won(q, True, ("v", "w"), engine="f")])
    (found,) = measured(answers)["engine_ceiling"]["engines"]
    assert found["figures"] == {"undefined": "no two sources meet in two runs"}
    assert found["ties"] is None


def test_a_text_that_was_cut_for_one_engine_is_the_same_source() -> None:
    long = " ".join(f"word{i}" for i in range(90))
    whole, part = SourceRecord("0", long), SourceRecord("0", long[: long.index(" word60")])
    short, begun = SourceRecord("1", "Another"), SourceRecord("2", "Another text begins so.")
    names = identify_sources([whole, part, short, begun])
    assert names[whole] == names[part]
    assert len(set(names.values())) == 3, "few words are no beginning of a text"
    assert identify_sources([replace(whole, url="https://a.example/"), part])[part] != "https://a.example/"


def test_ties_are_counted_and_left_out() -> None:
    def answers(query: str) -> list[Outcome]:
        even = outcome(query, {"x": 0.5, "y": 0.5 - 1e-12}, run="3")
        return [won(query, True, run="1"), won(query, True, run="2"), even]

    (found,) = measured(many(answers))["engine_ceiling"]["repeats"]
    assert found["ties"] == pytest.approx(1 / 3)
    assert found["tally"] == [{"runs": 2, "majority": 2, "pairs": MIN_PAIRS}]


def test_nothing_but_ties_is_undefined() -> None:
    answers = many(lambda q: [outcome(q, {"x": 0.5, "y": 0.5}, run=run) for run in ("1", "2")])
    (found,) = measured(answers)["engine_ceiling"]["repeats"]
    assert found["ties"] == 1.0
    assert found["figures"]["undefined"].startswith(f"two runs or more order 0 of the {MIN_PAIRS} pairs")


def test_edited_answers_do_not_enter() -> None:
    edited = [replace(won("q", True, run="1"), arm="quotation"), won("q", False, run="1")]
    result = measured(edited)
    assert (result["records"][0]["answers"], result["records"][0]["edited"]) == (1, 1)
    assert "undefined" in result["engine_ceiling"]


def test_the_mode_is_the_users_or_the_files_and_given_shares_have_none() -> None:
    """[1, 2] is a citation in strict mode only; in geo mode nothing is cited, and so everything tied."""
    cited = replace(won("q", True), given=None, answer="Salt is sold here [1, 2]. And ice [2].")
    files = (loaded([cited], mode="geo"), loaded([won("q", True, engine="f")], "b.jsonl", mode="given"))
    for mode, reading in (("strict", "strict"), ("recommended", "geo"), ("zero_based", "zero_based")):
        assert [r["mode"] for r in measured(*files, mode=mode)["records"]] == [reading, "given"]


def test_a_file_named_twice_is_refused() -> None:
    file = loaded([won("q", True)])
    with pytest.raises(SteelyardError, match=r"a\.jsonl: given twice"):
        measured(file, file)


# Intervals


def test_linked_queries_are_one_cluster() -> None:
    assert cluster_queries([("a", "b"), ("c", "d"), ("e", "f"), ("b", "c")]) == {
        **dict.fromkeys("abcd", cluster_queries([("a", "b"), ("c", "d"), ("b", "c")])["a"]),
        **dict.fromkeys("ef", "e"),
    }
    assert cluster_queries([]) == {}


def test_pairs_that_all_meet_in_the_same_queries_have_no_interval() -> None:
    names = [f"s{i}" for i in range(6)]
    answers = [outcome(q, {name: (i + 1) / 21 for i, name in enumerate(names)}) for q in ("q1", "q2")]
    (found,) = measured(answers)["query_ceiling"]
    assert (found["pairs"], found["clusters"]) == (15, 1)
    assert found["figures"]["lower"] == {"value": 1.0, "interval": None}
    assert found["figures"]["bound"] == {"value": 1.0, "interval": None}


def test_equal_records_have_equal_figures_whatever_stands_beside_them() -> None:
    rng = random.Random(5)
    noisy = many(lambda q: [won(q, rng.random() < 0.7, run=run) for run in ("1", "2", "3")], 30)
    alone = measured(noisy)
    beside = measured(loaded([won("other", True, engine="f"), won("other", True, engine="g")], "b.jsonl"), noisy)
    assert alone == measured(noisy)
    assert beside["engine_ceiling"]["repeats"] == alone["engine_ceiling"]["repeats"]
    assert measured(noisy, seed=1)["engine_ceiling"] != alone["engine_ceiling"]
    low, high = alone["engine_ceiling"]["repeats"][0]["figures"]["lower"]["interval"]
    assert low < value(alone["engine_ceiling"]["repeats"][0], "lower") < high


# The score beside it


def long_sources(outcomes: Iterable[Outcome], words: int = MIN_SOURCE_WORDS) -> list[Outcome]:
    return [
        replace(o, sources=tuple(replace(s, text=f"{s.key} " + "word " * (words - 1)) for s in o.sources))
        for o in outcomes
    ]


def by_name(source: SourceRecord) -> dict[str, float]:
    """A scorer that puts x above y, one that puts it below, and one that cannot tell."""
    rank = float(source.key.startswith("x"))
    return {"shipped": rank, "prior": -rank, "equal": 1.0}


def test_the_score_is_defined_for_full_texts_alone_and_half_right_where_it_cannot_tell() -> None:
    sure = drawn([1.0] * 12, 2, random.Random(0))
    snippets = {"undefined": "snippets: the median source has 149 words of 150"}
    for words, score, expected in (
        (MIN_SOURCE_WORDS, by_name, {"shipped": 1.0, "prior": 0.0, "equal": 0.5}),
        (MIN_SOURCE_WORDS, lambda source: {}, {"shipped": 0.5, "prior": 0.5, "equal": 0.5}),
        (MIN_SOURCE_WORDS - 1, by_name, snippets),
    ):
        (found,) = measured(long_sources(sure, words), score=score)["query_ceiling"]
        content = found["figures"]["content"]
        assert content == (
            expected if expected is snippets else {k: {"value": v, "interval": [v, v]} for k, v in expected.items()}
        )


def test_content_is_the_products() -> None:
    text = "In 2024 the bay exported 1,200 tonnes of salt, says the harbour office. " * 5
    page = score_text(text, as_of=date(2026, 7, 1), title="Salt", evidence=False)
    assert score_content(SourceRecord("0", text, title="Salt"))["shipped"] == page.content
    assert score_content(SourceRecord("0", "Соль продают в порту бочками, и лед закрывает бухту в январе. " * 9)) == {}


# The real files


@pytest.mark.full
def test_the_real_engines() -> None:
    """Frozen, because a change in how citations are read would change them unseen."""
    names = ("scholarqa_gpt4o", "google_ai_answers", "qwen_answers")
    files = [load_records(real(f"outcomes/{name}.jsonl")) for name in names]
    result = measure_ceiling(files, "strict", draws=20, score=lambda source: {})
    assert [(c["engines"], c["met"], c["pairs"]) for c in result["query_ceiling"] if c["met"]] == [
        (["google-ai-mode"], 7, 2)
    ]
    found = result["engine_ceiling"]
    shown = {
        (kind, c["collection"]): (c["pairs"], round(value(c, "lower"), 2))
        for kind in found["order"]
        for c in found[kind]
    }
    assert shown == {
        ("repeats", "scholarqa"): (87, 0.61),
        ("repeats", "msmarco"): (1917, 0.66),
        ("orders", "scholarqa"): (448, 0.34),
        ("orders", "msmarco"): (4961, 0.44),
        ("instructions", "scholarqa"): (471, 0.73),
        ("instructions", "msmarco"): (5763, 0.73),
        ("engines", "scholarqa"): (937, 0.5),
        ("engines", "google-ai"): (530, 0.79),
    }
