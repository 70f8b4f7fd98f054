"""Content and visibility within queries: by hand, against scipy, in simulations, and where nothing can be said."""

from __future__ import annotations

import random
from datetime import date

import pytest
from scipy import stats

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.outcome.query_shares import MEAN, MIN_QUERIES, Bootstrap, QueryShares
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.score_agreement import (
    ANOTHER_LANGUAGE,
    NO_WORDS,
    WEIGHTINGS,
    Sample,
    ScoredAnswer,
    build_sample,
    explain_snippets,
    measure_agreement,
    measure_concordance,
    measure_freshness,
    score_sources,
    weigh_content,
)
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import blend
from tests.conftest import SENTENCE

AS_OF = date(2026, 7, 1)
SPANISH = "El puerto de la ciudad está en el norte y los barcos que llegan por la noche esperan hasta la mañana. " * 3


def record(
    query: str, shares: list[float], shipped: list[float], prior: list[float] | None = None, **orders: list[float]
) -> ScoredAnswer:
    by_order = {"forward": tuple(shares), **{name: tuple(of) for name, of in orders.items()}}
    scores = dict.fromkeys((*WEIGHTINGS, "blended"), tuple(shipped)) | {"freshness": (50.0,) * len(shares)}
    return ScoredAnswer((query, ""), by_order, {**scores, "prior": tuple(prior or shipped)})


def sample(*records: ScoredAnswer, orders: tuple[str, ...] = ("forward",)) -> Sample:
    return Sample(records, orders, {})


def visible(query: str, sources: list[SourceRecord], shares: list[float], run: str = "") -> QueryShares:
    shown = {"forward": tuple(range(len(sources)))}
    return QueryShares("engine", run, query, query, "baseline", tuple(sources), shown, {"forward": tuple(shares)})


def found(result: Sample, draws: int = 0, seed: int = 0):
    return measure_agreement(result, Bootstrap(draws, random.Random(seed)))


def test_the_miniature_by_hand():
    # Spearman 1 and -0.5, so 0.25; three of three pairs and one of three alike, so 2/3.
    result = found(sample(record("a", [0.1, 0.3, 0.6], [50, 60, 70]), record("b", [0.2, 0.3, 0.5], [70, 50, 60])))
    shipped = result["by_order"]["forward"]["weightings"]["shipped"]
    assert shipped["spearman"]["mean"] == pytest.approx(0.25)
    assert shipped["spearman"]["n"] == 2
    assert shipped["concordance"]["mean"] == pytest.approx(2 / 3)
    assert (shipped["concordance"]["pairs"], shipped["concordance"]["tied_shares"]) == (6, 0)
    assert result["each"] == {"query": ["a", "b"], "spearman": {w: [1.0, -0.5] for w in WEIGHTINGS}}


def test_ties_in_visibility_are_left_out_and_ties_in_the_score_count_one_half():
    # Pairs of shares: (1, 2) alike; (1, 3) a tie in the score; (2, 3) a tie in visibility.
    assert measure_concordance([50, 60, 50], [0.2, 0.4, 0.4]) == (0.75, 2, 1, 1)
    assert measure_concordance([50, 60], [0.5, 0.5]) == (None, 0, 1, 0)
    assert measure_concordance([], []) == (None, 0, 0, 0)


def test_concordance_is_kendall_without_ties():
    rng = random.Random(1)
    scores, shares = [rng.random() for _ in range(12)], [rng.random() for _ in range(12)]
    tau = stats.kendalltau(scores, shares).statistic
    assert measure_concordance(scores, shares).share == pytest.approx((1 + tau) / 2)


def test_figures_agree_with_scipy():
    rng = random.Random(2)
    made = [record(str(i), [rng.random() for _ in range(5)], [rng.random() for _ in range(5)]) for i in range(30)]
    result = found(sample(*made))["by_order"]["forward"]["weightings"]["shipped"]["spearman"]
    values = [stats.spearmanr(r.scores["shipped"], r.shares["forward"]).statistic for r in made]
    assert result["mean"] == pytest.approx(sum(values) / 30)
    expected = stats.ttest_1samp(values, 0)
    assert (result["t"], result["p"]) == pytest.approx((expected.statistic, expected.pvalue))


def test_differences_are_paired_and_need_both_weightings():
    result = found(
        sample(
            record("a", [0.1, 0.3, 0.6], [50, 60, 70], [70, 60, 50]),
            record("b", [0.1, 0.3, 0.6], [50, 60, 70], [50, 60, 70]),
            record("c", [0.1, 0.3, 0.6], [50, 60, 70], [50, 50, 50]),
        )
    )
    assert result["differences"] == ["shipped - prior", "shipped - equal", "prior - equal"]
    difference = result["by_order"]["forward"]["differences"]["shipped - prior"]
    assert (difference["n"], difference["mean"]) == (2, pytest.approx(1.0))
    assert result["by_order"]["forward"]["weightings"]["prior"]["concordance"]["n"] == 2


@pytest.mark.parametrize(
    "flat",
    [
        record("single", [1.0], [60]),
        record("none", [], []),
        record("equal shares", [0.5, 0.5], [60, 70]),
        record("equal scores", [0.4, 0.6], [60, 60]),
    ],
)
def test_a_query_without_variance_on_both_sides_is_no_value(flat: ScoredAnswer):
    shipped = found(sample(flat), draws=10)["by_order"]["forward"]["weightings"]["shipped"]
    assert (shipped["spearman"]["n"], shipped["concordance"]["n"]) == (0, 0)
    assert {shipped["spearman"][key] for key in ("mean", "interval", "t", "p")} == {None}


def test_several_answers_to_one_query_are_one_value():
    bootstrap = Bootstrap(0, random.Random(0))
    once = bootstrap.average_queries([("a", ""), ("b", "")], [0.2, 0.6])
    often = bootstrap.average_queries([("a", "")] * 50 + [("b", "")] * 50, [0.2] * 50 + [0.6] * 50)
    assert {**often, "records": 2} == pytest.approx(once)
    assert (often["n"], often["records"]) == (2, 100)


def test_too_few_queries_have_a_mean_and_no_interval():
    bootstrap = Bootstrap(50, random.Random(0))
    queries = [(str(i), "") for i in range(MIN_QUERIES)]
    few, enough = (bootstrap.average_queries(of, [0.1 * i for i in range(len(of))]) for of in (queries[1:], queries))
    assert few["interval"] is None
    assert few["t"] is not None
    assert enough["interval"][0] < enough["mean"] < enough["interval"][1]
    alone = bootstrap.average_queries([("a", "")], [0.4])
    assert (alone["n"], alone["mean"], alone["interval"], alone["t"]) == (1, 0.4, None, None)


def test_the_interval_of_a_mean_is_that_of_the_statistic_to_the_last_bit():
    rng = random.Random(4)
    values = [rng.gauss(0, 0.12) for _ in range(60)]
    one, other = (Bootstrap(200, random.Random("x")) for _ in range(2))
    assert one.interval_of_mean(values) == other.interval(60, lambda drawn: mean([values[i] for i in drawn]))


def test_the_last_reading_is_the_average_over_orders():
    two = record("a", [0.1, 0.9], [50, 60], reversed=[0.9, 0.1], mean=[0.5, 0.5])
    result = found(sample(two, record("b", [0.1, 0.9], [50, 60]), orders=("forward", "reversed")))
    assert result["readings"] == ["forward", "reversed", MEAN]
    n = [result["by_order"][key]["weightings"]["shipped"]["spearman"]["n"] for key in result["readings"]]
    assert n == [2, 1, 0]  # the second has one order, the first no variance left


def test_content_that_follows_the_place_is_reported():
    made = sample(*(record(str(i), [0.6, 0.3, 0.1], [70, 60, 50]) for i in range(3)))
    assert found(made)["with_place"]["mean"] == pytest.approx(1.0)


def simulated(rng: random.Random, queries: int, slope: float) -> Sample:
    """Queries of five sources whose share is `slope` times the content, and noise."""
    records = []
    for number in range(queries):
        scores = [rng.gauss(0, 1) for _ in range(5)]
        records.append(record(str(number), [slope * s + rng.gauss(0, 1) for s in scores], scores))
    return sample(*records)


def test_a_planted_relation_is_found():
    result = found(simulated(random.Random(8), 60, 0.7), draws=200)["by_order"]["forward"]["weightings"]["shipped"]
    assert result["spearman"]["interval"][0] > 0.2
    assert result["concordance"]["interval"][0] > 0.55
    assert result["spearman"]["p"] < 0.001


# Sources


def test_sources_of_too_few_words_are_undefined_and_never_a_number():
    short = visible("q", [SourceRecord("0", "salt " * 140), SourceRecord("1", "ice " * 159)], [0.4, 0.6])
    assert explain_snippets([short]) == {"undefined": "snippets: median source has 149.5 words, 150 are needed"}
    assert explain_snippets([visible("q", [SourceRecord("0", "salt " * 150)], [1.0])]) is None
    assert explain_snippets([]) == {"undefined": "no answers"}


def test_every_text_is_scored_once_as_the_product_scores_it(monkeypatch: pytest.MonkeyPatch):
    calls = []

    def counted(text: str, **options):
        calls.append((text, options["title"]))
        return score_text(text, **options)

    monkeypatch.setattr("steelyard.lab.outcome.score_agreement.score_text", counted)
    sources = [
        SourceRecord("0", SENTENCE * 10),
        SourceRecord("1", SENTENCE * 10),
        SourceRecord("2", SENTENCE * 10, title="Ships"),
    ]
    known = score_sources([visible("a", sources, [0.2, 0.3, 0.5]), visible("b", sources, [0.2, 0.3, 0.5])], AS_OF)
    assert calls == [(SENTENCE * 10, ""), (SENTENCE * 10, "Ships")]
    page = score_text(SENTENCE * 10, as_of=AS_OF, title="", evidence=False)
    values = known["", SENTENCE * 10]
    assert not isinstance(values, str)
    assert (values["shipped"], values["blended"], values["freshness"]) == (page.content, page.blended, page.freshness)
    assert len({values[w] for w in WEIGHTINGS}) == 3


def test_prior_and_equal_weights_are_linear_as_in_the_paper():
    page = score_text(SENTENCE * 10, as_of=AS_OF, title="", evidence=False)
    found = weigh_content(page)
    assert found["shipped"] == page.content
    for name in ("prior", "equal"):
        weights = weighting.load(name).weights
        linear = sum(weights[n] * reading.value for n, reading in page.readings.items())
        assert found[name] == pytest.approx(min(100.0, linear)), name


def test_a_source_that_cannot_be_scored_leaves_its_query_and_is_counted():
    sources = [
        SourceRecord("0", SPANISH),
        SourceRecord("1", SENTENCE * 3),
        SourceRecord("2", " \n"),
        SourceRecord("3", SENTENCE),
    ]
    made = visible("q", sources, [0.1, 0.2, 0.3, 0.4])
    result = build_sample([made], score_sources([made], AS_OF))
    assert result.left_out == {ANOTHER_LANGUAGE: 1, NO_WORDS: 1}
    assert result.records[0].shares == {"forward": (0.2, 0.4)}
    assert len(result.records[0].scores["shipped"]) == 2


def test_sources_stand_in_the_order_of_the_prompt():
    texts = [SENTENCE, SENTENCE * 2, SENTENCE * 3]
    sources = tuple(SourceRecord(str(i), text) for i, text in enumerate(texts))
    orders = {"forward": (2, 0, 1), "reversed": (1, 0, 2)}
    shares = {"forward": (0.1, 0.2, 0.7), "reversed": (0.3, 0.4, 0.5)}
    made = QueryShares("e", "", "q", "q", "baseline", sources, orders, shares)
    result = build_sample([made], score_sources([made], AS_OF))
    assert result.records[0].shares == {
        "forward": (0.7, 0.1, 0.2),
        "reversed": (0.5, 0.3, 0.4),
        MEAN: pytest.approx((0.6, 0.2, 0.3)),
    }
    assert result.readings == ("forward", "reversed", MEAN)


def test_the_same_seed_gives_the_same_result():
    made = simulated(random.Random(9), 20, 0.3)
    assert found(made, draws=50, seed=4) == found(made, draws=50, seed=4)
    assert found(made, draws=50, seed=4) != found(made, draws=50, seed=5)


# Freshness: the blend against content on the same queries


def dated_record(query: str, shares: list[float], content: list[float], fresh: list[float]) -> ScoredAnswer:
    blended = tuple(blend(c, f) for c, f in zip(content, fresh, strict=True))
    scores = {"shipped": tuple(content), "blended": blended, "freshness": tuple(fresh)}
    return ScoredAnswer((query, ""), {"forward": tuple(shares)}, scores)


def measured(*records: ScoredAnswer, draws: int = 0):
    return measure_freshness(Sample(records, ("forward",), {}), Bootstrap(draws, random.Random(0)))


def test_freshness_by_hand():
    # In `a` freshness lifts the first source over the second, and the order is that of the shares: 0.5 to 1.
    moved = dated_record("a", [0.3, 0.2, 0.5], [60.0, 60.5, 70.0], [90.0, 50.0, 50.0])
    result = measured(moved, dated_record("b", [0.1, 0.2, 0.7], [50.0, 60.0, 70.0], [50.0, 50.0, 60.0]))
    of = result["by_order"]["forward"]
    assert (of["content"]["mean"], of["blended"]["mean"]) == (pytest.approx(0.75), pytest.approx(1.0))
    assert (of["difference"]["mean"], of["difference"]["n"], of["moved"]) == (pytest.approx(0.25), 2, 1)
    assert (result["sources"], result["with_evidence"], result["records"]) == (6, 2, 2)


def test_without_evidence_of_age_the_difference_is_exactly_zero_and_has_no_test():
    made = [dated_record(str(i), [0.1, 0.3, 0.6], [50.0 + i, 60.0, 57.0], [50.0] * 3) for i in range(9)]
    of = measured(*made, draws=20)["by_order"]["forward"]
    assert (of["difference"]["mean"], of["difference"]["interval"], of["moved"]) == (0.0, [0.0, 0.0], 0)
    assert (of["difference"]["t"], of["difference"]["p"]) == (None, None)


def test_all_three_figures_are_of_the_same_queries():
    # Contents tie and the blend does not: no pair, so neither side counts.
    of = measured(
        dated_record("tied", [0.1, 0.9], [60.0, 60.0], [50.0, 90.0]),
        dated_record("b", [0.1, 0.9], [50.0, 60.0], [50.0, 50.0]),
    )["by_order"]["forward"]
    assert [of[name]["n"] for name in ("content", "blended", "difference")] == [1, 1, 1]


def test_a_planted_effect_of_freshness_is_found_and_t_is_that_of_scipy():
    rng = random.Random(1)
    made = []
    for number in range(60):
        content = [rng.gauss(60, 1) for _ in range(5)]
        fresh = [rng.choice((20.0, 50.0, 95.0)) for _ in range(5)]
        made.append(dated_record(str(number), [f + rng.gauss(0, 10) for f in fresh], content, fresh))
    of = measured(*made, draws=200)["by_order"]["forward"]
    assert of["difference"]["interval"][0] > 0.2
    assert of["difference"]["p"] < 0.001
    values = [
        stats.spearmanr(r.scores["blended"], r.shares["forward"]).statistic
        - stats.spearmanr(r.scores["shipped"], r.shares["forward"]).statistic
        for r in made
    ]
    assert of["difference"]["t"] == pytest.approx(stats.ttest_1samp(values, 0).statistic)


def test_no_freshness_comes_of_nothing():
    result = measured(draws=10)
    assert (result["sources"], result["with_evidence"]) == (0, 0)
    assert result["by_order"]["forward"]["difference"]["n"] == 0
    single = measured(dated_record("a", [1.0], [60.0], [90.0]), draws=10)
    assert single["by_order"]["forward"]["difference"]["mean"] is None
