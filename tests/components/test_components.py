"""What each component counts, on texts small enough to check by hand."""

from __future__ import annotations

import pytest

from steelyard.components import COMPONENTS
from steelyard.components.base import Reading
from steelyard.languages.language import load
from steelyard.text.document import Document
from steelyard.text.source import Source

BY_NAME = {c.name: c for c in COMPONENTS}
FILLER = "the old harbour wall keeps out the sea in winter and the boats lie quiet behind it until spring comes round "


def read(name: str, text: str, *, title: str | None = None, language: str = "en") -> Reading:
    return BY_NAME[name].read(Document(Source(text), load(language), title))


def padded(text: str, words: int = 100) -> str:
    """`text` in a page of exactly `words` words that add nothing but length."""
    need = words - len(text.split())
    return f"{text} {' '.join((FILLER * 20).split()[:need])}."


def test_repeated_keywords_cost_entropy() -> None:
    varied = read("shannon_entropy", padded("", 300)).value
    stuffed = read("shannon_entropy", padded("harbour boats harbour boats " * 30, 300)).value
    assert stuffed < varied


def test_information_density_is_seventy_percent_entropy() -> None:
    reading = read("information_density", padded("", 100))
    parts = reading.parts
    assert parts["S_sem"] == 50.0
    assert reading.value == pytest.approx(0.7 * parts["f_shannon"] + 0.2 * parts["S_lex"] + 0.1 * 50)


@pytest.mark.parametrize(
    ("q", "n_s", "value"),
    [(0, 20, 0.0), (1, 40, 25.0), (1, 20, 50.0), (3, 40, 75.0), (2, 20, 100.0), (10, 100, 100.0), (10, 200, 50.0)],
)
def test_quotable_density_follows_the_papers_lines(q: int, n_s: int, value: float) -> None:
    assert BY_NAME["quotable_density"].value({"q": q, "n_s": n_s}) == pytest.approx(value)


def test_the_same_quotation_counts_once() -> None:
    quote = '"We lost two whole harvests to that frost," said Mara Lindqvist. '
    once, twice = (read("quotable_density", padded(quote * n)).parts["q"] for n in (1, 2))
    assert once == twice == 1


def test_the_same_quotation_counts_once_whatever_stands_before_it() -> None:
    quote = '"We lost two whole harvests to that frost," said Mara Lindqvist. '
    assert read("quotable_density", padded(f"And yet {quote} After all {quote}")).parts["q"] == 1


def test_definitions_are_told_apart_by_their_sentence() -> None:
    terms = ("A covenant", "A lien", "An easement")
    three = " ".join(f"{term} is defined as a right that binds the owner of some land." for term in terms)
    assert read("quotable_density", padded(three)).parts["q"] == 3
    assert read("quotable_density", padded(f"{three} {three}")).parts["q"] == 3


def test_a_long_page_cannot_count_more_than_ten_quotable_sentences() -> None:
    text = " ".join(f'"This is the quotation with the number {n} in it," said Mara Lindqvist.' for n in range(30))
    assert read("quotable_density", text).parts["q"] == 10


@pytest.mark.parametrize(("e", "value"), [(0.0, 0.0), (0.5, 17.5), (1.0, 35.0), (1.5, 50.0), (2.0, 65.0), (3.5, 100.0)])
def test_entity_density_follows_the_papers_lines(e: float, value: float) -> None:
    assert BY_NAME["entity_density"].value({"E": e * 2, "W": 200, "F": 0}) == pytest.approx(value)


def test_entities_are_unique_longest_and_stripped() -> None:
    reading = read("entity_density", padded("The Harrow Institute and the Harrow Institute met Anna Weir in May 2020."))
    assert reading.parts["E"] == 3
    assert [e.pattern for e in reading.evidence] == ["name", "name", "date"]


def test_percentages_and_measures_are_statistics_and_no_entities() -> None:
    text = padded("In 2020 the wall lost 38% of its 12 kg stones, or 40 miles of them.")
    assert read("entity_density", text).parts["E"] == 1


def test_ten_links_to_one_site_are_one_entity_and_ten_citations() -> None:
    links = " ".join(f"[x](https://example.org/{n})" for n in range(10))
    assert read("entity_density", padded(links)).parts["E"] == 1
    assert read("citation_f1", padded(links)).parts["C"] == 10


def test_the_length_bonus_needs_800_words_and_20_entities() -> None:
    value = BY_NAME["entity_density"].value
    assert value({"E": 24, "W": 800, "F": 0}) == pytest.approx(value({"E": 24, "W": 799, "F": 0}) + 6, abs=0.1)


@pytest.mark.parametrize(("s", "value"), [(0.0, 0.0), (0.4, 25.0), (0.8, 50.0), (1.5, 100.0)])
def test_statistic_density_follows_the_papers_lines(s: float, value: float) -> None:
    assert BY_NAME["statistic_density"].value({"S": s * 5, "W": 500, "D": 0}) == pytest.approx(value)


def test_a_statistic_is_dated_by_a_year_outside_it() -> None:
    assert read("statistic_density", padded("In 2024, 38% of boats stayed in.")).parts["D"] == 1
    assert read("statistic_density", padded("More than 2,024 boats stayed in.")).parts["D"] == 0


def test_overlapping_statistics_count_once() -> None:
    assert read("statistic_density", padded("It was more than 40% of all boats.")).parts["S"] == 1


def test_one_citation_is_worth_at_least_62() -> None:
    assert read("citation_f1", padded("")).value == 0.0
    for m in (0, 5, 50, 500):
        assert BY_NAME["citation_f1"].value({"C": 1, "M": m, "c_bar": 0.6, "trusted": 1}) >= 62


def test_twenty_citations_are_the_most() -> None:
    links = " ".join(f"[x](https://example.org/{n})" for n in range(50))
    assert read("citation_f1", padded(links, 200)).parts["C"] == 20


@pytest.mark.parametrize(
    ("opening", "points"),
    [
        (
            "It is a quiet place where boats lie behind the wall all winter long and nobody asks them to move.",
            20.0,
        ),
        (
            "This approach keeps boats behind the wall all winter long and nobody asks them to move at all now.",
            20.0,
        ),
        (
            "Boats are kept behind the wall all winter long and nobody asks them to move at all before spring.",
            100.0,
        ),
        (
            "NATO keeps boats behind the wall all winter long and nobody asks them to move at all before spring.",
            100.0,
        ),
        ("Quietly, behind the wall, all winter long.", 40.0),
        ("Quietly, behind the wall, " + FILLER * 2, 82.0),
        ("Quietly, behind the wall, " + FILLER * 12, 65.0),
    ],
)
def test_a_paragraph_is_judged_by_its_opening_then_by_its_length(opening: str, points: float) -> None:
    assert read("self_containment", opening).parts["points"] == [points]


def test_headings_lists_code_and_tables_are_no_paragraphs() -> None:
    text = f"# {FILLER}\n\n- {FILLER}\n\n```\n{FILLER}\n```\n\n| {FILLER} |\n|---|\n"
    reading = read("self_containment", text)
    assert (reading.value, reading.degenerate) == (20.0, "no analyzable paragraph")


def blocks(*texts: str) -> str:
    return "\n\n".join(texts)


OTHER = (
    "A potter throws wet clay on her wheel, trims each bowl when dry, glazes them in blue and fires the kiln overnight "
    "so that by dawn every shelf is full of warm new pots for the market "
)


def test_repeated_blocks_are_redundant_and_different_ones_are_not() -> None:
    same, different = blocks(FILLER * 2, FILLER * 2), blocks(FILLER * 2, OTHER)
    assert read("semantic_redundancy", same).value < read("semantic_redundancy", different).value
    assert read("mmr_score", same).value < read("mmr_score", different).value
    assert read("semantic_redundancy", same).parts["cos"] == pytest.approx(1.0)


def test_one_block_leaves_the_structural_components_at_twenty() -> None:
    for name in ("mmr_score", "ndcg_score", "semantic_redundancy"):
        assert read(name, FILLER * 10).value == 20.0


def test_only_the_first_sixty_blocks_are_compared_and_parts_say_so() -> None:
    text = blocks(*(f"{OTHER} number {n}" for n in range(70)))
    parts = read("semantic_redundancy", text).parts
    assert (parts["blocks"], parts["compared"]) == (70, 60)


def test_a_jump_of_heading_levels_costs_hierarchy() -> None:
    flat = f"# One thing here\n\n{FILLER}\n\n## Two\n\n{FILLER}\n\n### Three\n\n{FILLER}"
    jump = flat.replace("## Two", "#### Two").replace("### Three", "# Three")
    assert read("ndcg_score", flat).parts["S_hier"] == 100.0
    assert read("ndcg_score", jump).parts["S_hier"] == 50.0


def test_the_dcg_ratio_is_kept_and_not_scored() -> None:
    component = BY_NAME["ndcg_score"]
    parts = {"S_rel": 50.0, "S_qual": 50.0, "S_hier": 50.0, "S_pos": 50.0}
    assert component.value({**parts, "dcg_ratio": 0.0}) == component.value({**parts, "dcg_ratio": 1.0}) == 50.0


def test_a_title_that_the_page_takes_up_raises_its_keyword_term() -> None:
    text = "The harbour wall keeps out the sea. " + FILLER * 5
    matched, foreign = (
        read("semantic_coherence", text, title=t).parts["K"] for t in ("The harbour wall", "Quantum chess")
    )
    assert matched > foreign


def test_without_a_title_its_terms_are_fifty() -> None:
    parts = read("semantic_coherence", FILLER * 5).parts
    assert (parts["T"], parts["K"]) == (50.0, 50.0)


def test_accented_letters_end_a_token() -> None:
    doc = Document(Source("La caféine agit"), load("fr"))
    assert "caf" in doc.tokens.vocabulary
    assert "ine" in doc.tokens.vocabulary


def test_a_french_quotation_counts_in_french() -> None:
    text = "« Nous avons perdu deux récoltes à cause du gel », explique Mara Lindqvist. " + (
        "Le vieux mur du port arrête la mer en hiver. Les bateaux dorment derrière lui. Le printemps les réveille. " * 3
    )
    assert read("quotable_density", text, language="fr").parts["q"] == 1
