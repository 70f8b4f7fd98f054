"""Which page sooner: places and reasons, odd pages and odd queries, and how both forms of the output say it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

import pytest

from steelyard.lab.commands.predict import SCOPE
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import LENGTH, LEXICAL, NAMES_OF, STRUCTURE
from steelyard.lab.ranking.predict import (
    REASONS,
    SIGNALS,
    RankedPage,
    blend_signals,
    build_record,
    detect_main_language,
    explain_score,
    rank_pages,
    render_text,
    standardise,
)
from steelyard.support.artifacts import to_json

AS_OF = date(2026, 7, 1)
SALT = "Salt is a mineral. The harbour of Lund has sold salt from the northern pans since 1820."
ICE = "Ice closes the bay in January and opens it in late March."
SEL = "Le sel est un minéral. Le port vend le sel des marais du nord depuis longtemps, et la glace ferme la baie."
PUERTO = "El puerto de la ciudad es muy antiguo y los barcos que llegan por la noche no tienen donde ir. "
QUERY = "what is salt"


def pages(*texts: str) -> list[Candidate]:
    return [Candidate(f"page {i}", text) for i, text in enumerate(texts)]


def rank(query: str, *texts: str, scores: Sequence[float] | None = None) -> list[RankedPage]:
    return rank_pages(query, pages(*texts), scores)


def rows(**signals: Sequence[float]) -> list[dict[str, float]]:
    """Candidates with these signals, and the others all equal."""
    number = len(next(iter(signals.values())))
    return [{name: signals.get(name, [0.5] * number)[i] for name in SIGNALS} for i in range(number)]


def test_a_signal_is_measured_in_deviations_from_the_others() -> None:
    assert standardise([{"a": 1.0}, {"a": 2.0}, {"a": 6.0}], "a") == pytest.approx([
        -2 / (14 / 3) ** 0.5, -1 / (14 / 3) ** 0.5, 3 / (14 / 3) ** 0.5
    ])  # fmt: skip
    assert standardise([{"a": 7.0}] * 3, "a") == [0.0] * 3


def test_the_blend_is_the_mean_of_the_signals() -> None:
    assert len(SIGNALS) == 10
    assert blend_signals(rows(q_bm25=[0.0, 4.0])) == pytest.approx([-0.1, 0.1])
    assert blend_signals(rows(q_bm25=[0.0, 4.0], a_match=[0.0, 1.0], q_phrase=[1.0, 0.0])) == pytest.approx([-0.1, 0.1])
    assert blend_signals(rows(q_bm25=[3.0])) == [0.0]
    assert blend_signals([]) == []


def test_the_page_that_fits_comes_first_with_its_reasons() -> None:
    first, second = rank(QUERY, ICE, SALT)
    assert (first.name, first.place, second.name, second.place) == ("page 1", 1, "page 0", 2)
    assert first.score > 0 > second.score
    assert "the query's rarer words" in first.strengths
    assert first.weaknesses == second.strengths == ()
    assert first.features["q_coverage"] == 1.0


def test_equal_pages_share_a_place_and_keep_their_order() -> None:
    found = rank(QUERY, ICE, SALT, ICE, SALT, ICE)
    assert [(r.name, r.place) for r in found] == [
        ("page 1", 1), ("page 3", 1), ("page 0", 3), ("page 2", 3), ("page 4", 3)
    ]  # fmt: skip


def test_a_models_scores_decide_and_the_signals_give_the_reasons() -> None:
    found = rank(QUERY, ICE, SALT, ICE, SALT, scores=[2.0, -1.0, 2.0, 0.5])
    assert [(r.name, r.place, r.score) for r in found] == [
        ("page 0", 1, 2.0), ("page 2", 1, 2.0), ("page 3", 3, 0.5), ("page 1", 4, -1.0)
    ]  # fmt: skip
    assert "the query's rarer words" in found[2].strengths


def test_a_single_page_is_first_and_no_pages_give_no_ranking() -> None:
    (alone,) = rank(QUERY, SALT)
    assert (alone.place, alone.score, alone.strengths, alone.weaknesses) == (1, 0.0, (), ())
    assert rank(QUERY) == []


def test_a_query_that_no_page_answers_ranks_nothing() -> None:
    for query in ("", "  \n", "?!", "zebra quagga", "\ud800", "the of and"):
        found = rank(query, "Salt, ice, barley.", "Tar. Rope. Sail.", "")
        assert [(r.place, r.score, r.strengths, r.weaknesses) for r in found] == [(1, 0.0, (), ())] * 3, query


def test_hidden_words_win_nothing_and_an_empty_page_is_a_page() -> None:
    for first, third in ((f"{ICE} <!-- salt salt what is salt -->", ICE), ("", " \n\n")):
        found = rank(QUERY, first, SALT, third)
        assert [(r.name, r.place) for r in found] == [("page 1", 1), ("page 0", 2), ("page 2", 2)], first


def test_pages_of_several_languages_are_ranked_together() -> None:
    first, *_ = rank("qu'est-ce que le sel", ICE, SEL, SALT)
    assert first.name == "page 1"
    first, *_ = rank(QUERY, ICE, SEL, SALT)
    assert first.name == "page 2"


def test_the_order_of_the_pages_moves_no_score() -> None:
    texts = [ICE, SALT, SEL, "Salt.", ""]
    forward = {r.features["src_len"]: (r.place, r.score) for r in rank(QUERY, *texts)}
    backward = {r.features["src_len"]: (r.place, r.score) for r in rank(QUERY, *texts[::-1])}
    assert {k: p for k, (p, _) in forward.items()} == {k: p for k, (p, _) in backward.items()}
    assert {k: s for k, (_, s) in forward.items()} == pytest.approx({k: s for k, (_, s) in backward.items()})


def test_reasons_are_few_and_the_strongest_come_first() -> None:
    mine = dict.fromkeys(SIGNALS, 0.0) | {
        "q_bm25": 0.4, "q_phrase": 1.5, "q_ngram": 0.9, "a_match": 0.8, "q_entity": -0.31, "q_coverage": 0.29
    }  # fmt: skip
    strengths, weaknesses = explain_score(mine)
    assert strengths == tuple(SIGNALS[n] for n in ("q_phrase", "q_ngram", "a_match"))
    assert len(strengths) == REASONS
    assert weaknesses == (SIGNALS["q_entity"],)


def test_the_text_has_the_scope_first_and_says_when_no_page_is_better() -> None:
    lines = render_text(SCOPE, QUERY, rank(QUERY, ICE, SALT)).splitlines()
    assert lines[:3] == [SCOPE, f"query: {QUERY}", ""]
    message = "no page fits better than another"
    assert message in render_text(SCOPE, "", rank("", ICE, SALT))
    for texts in ((ICE, SALT), (SALT,)):
        assert message not in render_text(SCOPE, QUERY, rank(QUERY, *texts)), texts
    near_zero = render_text(SCOPE, QUERY, rank(QUERY, ICE, ICE, ICE, scores=[-0.001, 0.001, -1.5]))
    assert [line.split()[3] for line in near_zero.splitlines()[4:7]] == ["0.00", "0.00", "−1.50"]


def test_names_and_queries_are_shown_and_not_obeyed() -> None:
    name = "<script>|*bold*\x1b[31m\u202e\n.md"
    found = rank_pages("salt\x1b[2J\n\u202e", [Candidate(name, SALT), Candidate("b", ICE)])
    shown = render_text(SCOPE, "salt\x1b[2J\n\u202e", found)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "<script>|*bold*␛[31m⟨U+202E⟩ .md" in shown
    assert "query: salt␛[2J ⟨U+202E⟩" in shown
    assert len(shown.splitlines()) == 6
    data = json.loads(to_json(build_record(SCOPE, QUERY, found, AS_OF, None)))
    assert data["pages"][0]["source"] == name


def test_the_record_has_everything_in_order() -> None:
    data = json.loads(to_json(build_record(SCOPE, QUERY, rank(QUERY, ICE, SALT), AS_OF, None)))
    assert list(data) == ["schema_version", "scope", "query", "as_of", "model", "pages"]
    assert (data["scope"], data["query"], data["as_of"], data["model"]) == (SCOPE, QUERY, "2026-07-01", None)
    assert [(p["place"], p["source"]) for p in data["pages"]] == [(1, "page 1"), (2, "page 0")]
    assert list(data["pages"][0]) == ["place", "source", "score", "for", "against", "features"]
    assert set(data["pages"][0]["features"]) == {*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE], *NAMES_OF[LENGTH]}


def test_the_language_is_that_of_most_pages() -> None:
    for texts, language in (
        ([SALT * 3, ICE * 3, SEL * 3], "en"),
        ([SEL * 3, SEL * 3, SALT * 3], "fr"),
        ([SEL * 3, SALT * 3], "en"),
        ([PUERTO * 5, PUERTO * 6, SEL * 3], "en"),
        ([""], "en"),
    ):
        assert detect_main_language(pages(*texts)) == language, texts
