"""Ranking features: by hand, under changes that must not matter, on hostile input, and in time."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import time
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import languages
from steelyard.components import NAMES
from steelyard.lab.ranking import features as module
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import (
    CONTENT,
    FAMILIES,
    FEATURES,
    FIXED,
    LENGTH,
    LEXICAL,
    NAMES_OF,
    STRUCTURE,
    ContentCache,
    compute_features,
    leak_position,
)
from steelyard.lab.ranking.lexical import (
    ParsedSource,
    char_dice,
    find_entities,
    find_names,
    find_phrases,
    longest_run,
    parse_query,
    parse_source,
    proximity,
    split_words,
)
from steelyard.lab.ranking.structure import defines_term, find_kinds, find_requested_kind
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore
from tests.hostile.pages import GROWING

AS_OF = date(2026, 7, 1)
SET_RELATIVE = {"q_bm25", "q_tfidf_cos"}
QUERY = "How tall is the Harrow Point lighthouse?"
TOWER = "The Harrow Point lighthouse is a stone tower. It rises 41 metres above the sea."
PAINTER = "In 1871 Anna Weir painted harbours near Calder."
PAGE = "The keeper of the gauge wrote the level of the tide into the ledger in 1871. " * 25

REPEATABLE = settings(deadline=None, derandomize=True, database=None, max_examples=25)
PIECES = [
    "tide", "Tide", "marée", "mare\u0301e", "l'eau", "d’où", "the", "is a", "in Calder", "1871", "41", "...", "?",
    "\n", "\n\n", "# ", "<!-- tide -->", "<div hidden>", "\0", "\ud800", "\u202e", "שלום", "水", "İ", "ﬁ", "'", "_",
    "😀", "first", "because",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))


def rows(query: str, *texts: str, title: str = "") -> list[dict[str, float]]:
    return compute_features(query, [Candidate(str(i), t, title) for i, t in enumerate(texts)])


def row(query: str, text: str, title: str = "") -> dict[str, float]:
    return rows(query, text, title=title)[0]


def source(text: str) -> ParsedSource:
    return parse_source(Candidate("a", text))


def contents(language: str = "en") -> ContentCache:
    return ContentCache(as_of=AS_OF, language=language)


def test_every_feature_of_a_small_example_is_computed_by_hand():
    tower, painter = rows(QUERY, TOWER, PAINTER)
    # Terms: tall harrow point lighthouse. The tower: 15 words, 10 terms (three of the query's), the painter 7.
    length = 1 - 0.75 + 0.75 * 10 / 8.5
    assert tower == pytest.approx(
        {
            "q_bm25": 3 * math.log(2) * 2.5 / (1 + 1.5 * length),
            "q_tfidf_cos": 3 / math.sqrt(3 * 10),  # tall is in no source; all other weights are equal
            "q_coverage": 3 / 4,
            "q_jaccard": 3 / 11,
            "q_tf_sum": math.log(4),
            "q_tf_max": math.log(2),
            "q_ngram": 3 / 4,
            "q_proximity": 1.0,
            "q_lead_overlap": 3 / 4,
            "q_first_pos_frac": 1 / 15,
            "q_char_dice": tower["q_char_dice"],  # below
            "q_phrase": 1.0,
            "q_entity": 2 / 4,  # Harrow, Point
            "a_year": 0.0,
            "a_number": 1.0,
            "a_name": 0.0,  # no name but the query's own
            "a_place": 0.0,
            "a_match": 1.0,
            "a_definition": 1.0,
            "src_len": math.log(16),
        }
    )
    nothing = dict.fromkeys(tower, 0.0) | {"q_first_pos_frac": 1.0, "src_len": math.log(9)}
    assert painter == pytest.approx(nothing | {"q_char_dice": painter["q_char_dice"]})
    assert tower["q_char_dice"] > painter["q_char_dice"]


def test_char_dice_compares_pairs_of_letters_with_the_best_sentence_of_the_lead():
    # tide: ti id de. tide tidy: ti id de "e " " t" dy.
    assert char_dice(parse_query("the tide"), source("The tidy tide? Sea.")) == pytest.approx(6 / 9)
    assert char_dice(parse_query("tide"), source("Sea. Tide. Gauge.")) == 1.0
    assert char_dice(parse_query("tide"), source("sea " * 50 + "\nTide.")) == 0.0
    assert char_dice(parse_query("tides"), source("Tide.")) > 0.8  # what a stemmer would see


def test_proximity_and_ngram_are_those_of_trying_every_stretch():
    for seed in range(8):
        rng = random.Random(seed)
        text, asked_for = rng.choices("abcdefgh", k=40), rng.choices("abcd", k=5)
        query, passage = parse_query(" ".join(w * 2 for w in asked_for)), source(" ".join(w * 2 for w in text))
        spans = [(i, j) for i in range(40) for j in range(i + 1, 41)]
        present = set(asked_for) & set(text)
        shortest = min(j - i for i, j in spans if present <= set(text[i:j]))
        assert proximity(query, passage) == (len(present) / shortest if len(present) > 1 else 0.0), seed
        runs = [j - i for i in range(5) for j in range(i + 1, 6) if "".join(asked_for[i:j]) in "".join(text)]
        assert longest_run(query, passage) == max(runs, default=0) / 5, seed
    assert proximity(parse_query("tide gauge ledger"), source("tide tide tide")) == 0.0


def test_features_of_one_source_by_example():
    capital = "What is the capital of France?"
    for query, text, feature, expected in [
        ("capital of Calder", "The capital and Calder", "q_ngram", 1.0),  # stop words do not break a run
        ("capital of Calder", "capitals, Calder", "q_ngram", 0.5),  # words are found whole
        (capital, "Paris, capital of France.", "q_phrase", 1.0),
        (capital, "France has a capital.", "q_phrase", 0.0),
        ("the who", "The Who played.", "q_phrase", 1.0),  # a query of stop words keeps them
        ("tide", "sea " * 49 + "tide", "q_lead_overlap", 1.0),  # the lead is 50 words
        ("tide", "sea " * 50 + "tide", "q_lead_overlap", 0.0),
        ("anna weir", "Yesterday the keeper met Anna Weir.", "q_entity", 1.0),
        ("when was the mole built", "The mole was built in 1871.", "a_match", 1.0),
        ("who built the mole", "The mole was built in 1871.", "a_match", 0.0),  # something else is asked for
        ("mole built", "The mole was built in 1871.", "a_match", 0.0),  # nothing is asked for
        ("mole built", "The mole was built in 1871.", "a_year", 1.0),
    ]:
        assert row(query, text)[feature] == expected, (query, text)


def test_the_phrases_of_a_query_are_found_word_by_word():
    for query, expected in [
        ("What is the capital of France?", [("capital", "of", "france")]),
        (
            "best tide gauge for a harbour",
            [("best", "tide", "gauge", "for", "a", "harbour"), ("best", "tide", "gauge")],
        ),
        ("tide", [("tide",)]),
        ("who are you", [("who", "are", "you"), ("who", "are", "you")]),
        ("", []),
    ]:
        assert find_phrases(parse_query(query)) == expected


def test_the_first_position_is_inside_the_source_and_not_among_the_sources():
    same = rows("tide", "sea sea sea tide", "sea sea sea tide", "sea")
    assert [r["q_first_pos_frac"] for r in same] == [0.75, 0.75, 1.0]
    moved = [Candidate(str(i), "sea tide", position=place) for i, place in enumerate((9.0, 1.0, None))]
    first, second, third = compute_features("tide", moved)
    assert first == second == third


def test_names_are_capitals_inside_a_sentence_and_a_heading_has_none():
    assert find_names("The keeper Anna Weir saw the WHO in Calder") == ["anna", "weir", "who", "calder"]
    assert find_names("How To Read A Tide Gauge") == []
    assert find_names("How to Read a Tide Gauge at Sea") == []
    assert find_names("I think I saw it") == []
    assert find_entities(source("We met Anna in 1871. Tide 3b.")) == {"anna", "1871", "3b"}


def test_the_title_is_read_first_and_once_and_hidden_words_match_nothing():
    titled = row("tide", "The gauge is old.", title="Tide")
    assert (titled["q_first_pos_frac"], titled["q_coverage"]) == (0.0, 1.0)
    assert row("tide", "Tide tables are old.", title="Tide tables") == row("tide", "Tide tables are old.")
    assert row("tide", "The gauge. <!-- tide tide -->") == row("tide", "The gauge.")


def test_text_is_split_into_words_without_case_accents_and_elisions():
    for text, expected in [
        ("L’eau, d'ici: qu'il s'agit", ["eau", "ici", "il", "agit"]),
        ("The keeper's log isn't here", ["the", "keeper", "log", "isn", "here"]),
        ("Marée MARE\u0301E maree", ["maree"] * 3),
        ("vitamin C, snake_case, 5G, 1,200", ["vitamin", "c", "snake", "case", "5g", "1", "200"]),
        ("\ud800 \0 ... \u0301", []),
        ("Straße ﬁsh İstanbul", ["strasse", "fish", "istanbul"]),
    ]:
        assert split_words(text) == expected


def test_a_query_of_stop_words_keeps_them_and_a_long_one_is_cut():
    assert parse_query("Who is it?").terms == {"who", "is", "it"}
    assert parse_query("Who is Anna?").terms == {"anna"}
    assert len(parse_query("tide " * 10_000).words) == 200


def test_what_a_query_asks_for():
    for query, kind in [
        ("who built the mole", "name"),
        ("Qui a construit le môle ?", "name"),
        ("When was the mole built?", "year"),
        ("in which year was it built", "year"),
        ("Quand le môle fut-il construit ?", "year"),
        ("where is Calder", "place"),
        ("which country is Calder in", "place"),
        ("Où se trouve Calder ?", "place"),
        ("how many steps has the tower", "number"),
        ("average cost of a gauge", "number"),
        ("Combien coûte un marégraphe ?", "number"),
        ("Quelle est la population de Calder ?", "number"),
        ("why do tides turn", "reason"),
        ("Pourquoi la mer monte-t-elle ?", "reason"),
        ("How to read a gauge", "steps"),
        ("Comment lire une échelle de marée ?", "steps"),
        ("what is a neap tide", "definition"),
        ("What's a mole?", "definition"),
        ("neap tide definition", "definition"),
        ("what does neap mean", "definition"),
        ("Qu’est-ce qu’une marée ?", "definition"),
        ("C'est quoi une marée ?", "definition"),
        ("what is the capital of Calder", None),
        ("what happens when tides turn", None),
        ("Est-ce que la mer monte ?", None),
        ("tide gauge calder", None),
        ("", None),
    ]:
        assert find_requested_kind(parse_query(query)) == kind, query


def test_what_a_source_holds_near_the_query():
    for text, expected in [
        ("The mole is here. It was built in 1871.", {"year"}),
        ("The mole is 1,871 feet long.", {"number"}),
        ("The mole of 1990 is old.", set()),  # the query's own year
        ("Mole. Sea. It was built in 1871.", set()),  # two sentences on
        ("The mole was built by Anna Weir.", {"name"}),
        ("The mole lies in Calder.", {"name", "place"}),
        ("The mole opened in May.", {"name"}),
        ("The mole is near the city.", {"place"}),
        ("Le môle se trouve à Calder.", {"name", "place"}),
        ("The mole has twelve lamps.", {"number"}),
        ("The mole broke because of a storm.", {"reason"}),
        ("Le môle a cédé en raison du vent.", {"reason"}),
        ("First climb the mole, then turn.", {"steps"}),
        ("Then the mole broke.", set()),
        ("D'abord le môle, ensuite le quai.", {"steps"}),
        ("", set()),
    ]:
        assert find_kinds(parse_query("môle 1990"), source(text)) == expected, text


def test_a_definition_stands_in_the_lead_and_has_a_query_term_for_its_subject():
    for text, expected in [
        ("A neap tide is a tide of small range.", True),
        ("# Neap tide\n\nMany ask. A neap tide is a small tide.", True),
        ("Une marée (tide) est une oscillation.", True),
        ("Tide refers to the rise of the sea.", True),
        ("A gauge is a tool for the tide.", False),
        ("The tide rises.", False),
        ("One. Two. Three. A tide is a rise.", False),
    ]:
        assert defines_term(parse_query("what is a neap tide"), source(text)) is expected, text


def test_every_language_has_the_same_entries():
    first, *others = (languages.read_toml(code, "ranking.toml") for code in languages.CODES)
    for other in others:
        assert other.keys() == first.keys()
        assert other["asks"].keys() == first["asks"].keys()


def test_content_is_eight_components_and_the_fixed_score_is_no_feature():
    candidate = Candidate("a", PAGE, "The tide ledger")
    (found,) = compute_features("tide", [candidate], contents())
    page = score_text(PAGE, title="The tide ledger", language="en", as_of=AS_OF)
    left_out = {"mmr_score", "ndcg_score", "semantic_redundancy"}
    expected = {f"c_{name}": r.value for name, r in page.readings.items() if name not in left_out}
    assert len(expected) == len(NAMES) - len(left_out)
    assert {name: found[name] for name in NAMES_OF[CONTENT]} == expected
    assert FIXED not in found
    assert contents().read(candidate)[FIXED] == page.content


def test_a_text_is_scored_once(monkeypatch: pytest.MonkeyPatch):
    scored: list[str] = []

    def counted(text: str, **more: Any) -> PageScore:
        scored.append(text)
        return score_text(text, **more)

    monkeypatch.setattr(module, "score_text", counted)
    cache = contents()
    pages = [Candidate("a", PAGE), Candidate("b", PAGE), Candidate("c", "Another page.")]
    assert compute_features("tide", pages, cache) == compute_features("tide", pages, cache)
    assert cache.read(pages[0]) == cache.read(pages[1])
    assert scored == [PAGE, "Another page."]
    compute_features("tide", pages)
    assert len(scored) == 2, "none for the words alone"


def test_a_source_in_another_language_has_content_too():
    spanish = Candidate("a", "El puerto es muy antiguo y los barcos de la ciudad están en el agua por la noche. " * 10)
    french = Candidate("b", "Le port est très ancien et les bateaux de la ville sont dans le bassin. " * 10)
    for language in ("en", "fr", "auto"):
        for found in compute_features("puerto", [spanish, french], contents(language)):
            assert all(0.0 <= found[name] <= 100.0 for name in NAMES_OF[CONTENT])


EXAMPLES = ["The tide gauge of Calder is a tube.", "Calder wrote a ledger, and the tide rose.", TOWER, PAINTER, ""]


def test_another_order_of_the_candidates_moves_the_rows_and_nothing_else():
    found = rows("tide gauge in Calder", *EXAMPLES)
    for seed in range(5):
        order = random.Random(seed).sample(range(len(EXAMPLES)), len(EXAMPLES))
        assert rows("tide gauge in Calder", *(EXAMPLES[i] for i in order)) == [found[i] for i in order]


def test_an_irrelevant_source_changes_only_what_depends_on_the_set():
    before, after = rows("tide gauge", *EXAMPLES), rows("tide gauge", *EXAMPLES, "Bread and butter.")
    for old, new in zip(before, after[:-1], strict=True):
        assert {n: v for n, v in old.items() if n not in SET_RELATIVE} == {
            n: v for n, v in new.items() if n not in SET_RELATIVE
        }
    assert before[0]["q_bm25"] != after[0]["q_bm25"]


def test_case_and_punctuation_do_not_matter_to_shared_words():
    wanted = [n for n in NAMES_OF[LEXICAL] if n != "q_entity"]  # names are known by their capitals
    for text in EXAMPLES:
        plain = row("tide gauge of Calder", text)
        for other in (text.upper(), text.lower(), text.replace(",", " —"), text.replace(" ", " - "), f"«{text}»"):
            for query in ("TIDE gauge of calder??", "“Tide gauge” of Calder"):
                assert {n: row(query, other)[n] for n in wanted} == {n: plain[n] for n in wanted}


def test_identical_candidates_have_identical_rows_and_one_alone_is_defined():
    first, second = rows("tide gauge", EXAMPLES[0], EXAMPLES[0])
    assert first == second
    assert rows("tide gauge", EXAMPLES[0])[0]["q_bm25"] > 0
    assert compute_features("tide", [], contents()) == []


def test_an_empty_query_shares_nothing():
    for query in ("", "   ", "?!", "\0"):
        for found in rows(query, *EXAMPLES):
            assert {n: v for n, v in found.items() if v and n != "src_len"} == {"q_first_pos_frac": 1.0}, query


def test_the_table_of_features():
    every = [f.name for f in FEATURES]
    assert len(set(every)) == len(every) == 28
    assert list(compute_features("tide", [Candidate("a", PAGE)], contents())[0]) == every
    assert tuple(NAMES_OF) == FAMILIES
    assert sum(map(len, NAMES_OF.values())) == 28
    for family, prefix in ((CONTENT, "c_"), (LEXICAL, "q_"), (STRUCTURE, "a_"), (LENGTH, "src_")):
        assert all(name.startswith(prefix) for name in NAMES_OF[family])
    assert all(f.about for f in FEATURES)


def assert_in_range(found: dict[str, float]) -> None:
    unbounded = {"q_bm25", "q_tf_sum", "q_tf_max", "src_len"}
    for name, value in found.items():
        top = 100.0 if name.startswith("c_") else math.inf if name in unbounded else 1.0
        assert math.isfinite(value), name
        assert 0.0 <= value <= top, (name, value)


@REPEATABLE
@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_any_query_and_any_sources_have_every_feature_in_range_and_twice_the_same(
    query: str, sources: list[tuple[str, str]]
):
    pages = [Candidate(str(i), text, title) for i, (text, title) in enumerate(sources)]
    found = compute_features(query, pages, contents())
    for of_page in found:
        assert_in_range(of_page)
    assert compute_features(query, pages, contents()) == found


@REPEATABLE
@given(TEXTS)
def test_a_source_that_is_the_query_has_all_of_it(text: str):
    if parse_query(text).terms and "<" not in text:
        found = row(text, "", title=text)
        assert (found["q_coverage"], found["q_ngram"], found["q_phrase"]) == (1.0, 1.0, 1.0)
        assert found["q_tfidf_cos"] == pytest.approx(1.0)


def test_three_hundred_sources_of_400_words_take_less_than_a_second():
    rng = random.Random(5)
    vocabulary = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 9))) for _ in range(3_000)]
    pages = [Candidate(str(i), " ".join(rng.choices(vocabulary, k=400))) for i in range(300)]
    started = time.process_time()
    found = compute_features(" ".join(vocabulary[:12]), pages)
    assert time.process_time() - started < 6
    assert len(found) == 300


def test_the_time_is_linear_in_the_text():
    query = "the level of the tide " * 40

    def seconds(name: str, size: int) -> float:
        started = time.process_time()
        (found,) = compute_features(query, [Candidate("a", GROWING[name](size))])
        assert_in_range(found)
        return time.process_time() - started

    for name in ("no space", "digits", "one huge line", "thousands of names", "combining marks on one letter"):
        seconds(name, 1_000)
        small = min(seconds(name, 50_000) for _ in range(2))
        assert seconds(name, 500_000) <= 40 * small + 1.0, f"{name}: ten times the text; a square would be a hundred"


def test_the_position_is_a_leak_with_a_name_that_says_so():
    places = [Candidate("a", "x", position=2.5), Candidate("b", "x"), Candidate("c", "x", position=1.0)]
    assert leak_position(places) == [-2.5, -3.5, -1.0]
    assert leak_position([Candidate("a", "x")]) == [-1.0]
    assert not any("position" in f.name or "relevance" in f.name for f in FEATURES)


def test_features_load_nothing_that_knows_outcomes():
    code = "import sys, steelyard.lab.ranking.features\n"
    code += "print(*[m for m in sys.modules if m.startswith('steelyard.lab.outcome')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
