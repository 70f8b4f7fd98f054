"""What each component counts, on texts small enough to check by hand."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from steelyard import components
from steelyard.components import COMPONENTS, Component
from steelyard.components.base import Reading, select_longest
from steelyard.components.entity_density import find_names
from steelyard.languages.language import load
from steelyard.scoring import editions
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


@pytest.mark.parametrize(
    ("name", "parts", "values"),
    [
        ("quotable_density", lambda r: {"q": r, "n_s": 200}, {0: 0, 5: 25, 10: 50, 15: 75, 20: 100, 40: 100}),
        ("entity_density", lambda e: {"E": 2 * e, "W": 200, "F": 0},
         {0: 0, 0.5: 17.5, 1: 35, 1.5: 50, 2: 65, 3.5: 100}),
        ("statistic_density", lambda s: {"S": 5 * s, "W": 500, "D": 0}, {0: 0, 0.4: 25, 0.8: 50, 1.5: 100}),
    ],
)  # fmt: skip
def test_a_density_follows_the_papers_lines(name, parts, values: dict[float, float]) -> None:
    for density, value in values.items():
        assert BY_NAME[name].value(parts(density)) == pytest.approx(value), density


QUOTE = '"We lost two whole harvests to that frost," said Mara Lindqvist. '
DEFINITIONS = " ".join(
    f"{term} is defined as a right that binds the owner of some land."
    for term in ("A covenant", "A lien", "An easement")
)
QUOTES = " ".join(f'"This is the quotation with the number {n} in it," said Mara Lindqvist.' for n in range(30))
LINKS = " ".join(f"[x](https://example.org/{n})" for n in range(50))
OTHER = (
    "A potter throws wet clay on her wheel, trims each bowl when dry, glazes them in blue and fires the kiln overnight "
    "so that by dawn every shelf is full of warm new pots for the market "
)
LEVELS = f"# One thing here\n\n{FILLER}\n\n## Two\n\n{FILLER}\n\n### Three\n\n{FILLER}"
COUNTED: dict[str, tuple[str, str, dict[str, float]]] = {
    "a quotation": ("quotable_density", padded(QUOTE), {"q": 1}),
    "the same quotation": ("quotable_density", padded(QUOTE * 2), {"q": 1}),
    "whatever is before it": ("quotable_density", padded(f"And yet {QUOTE} After all {QUOTE}"), {"q": 1}),
    "definitions, told apart by their sentence": ("quotable_density", padded(DEFINITIONS), {"q": 3}),
    "the same definitions": ("quotable_density", padded(f"{DEFINITIONS} {DEFINITIONS}"), {"q": 3}),
    "thirty quotations": ("quotable_density", QUOTES, {"q": 10}),
    "percentages and measures are no entities": (
        "entity_density", padded("In 2020 the wall lost 38% of its 12 kg stones, or 40 miles of them."), {"E": 1}
    ),
    "links to one site are one entity": ("entity_density", padded(LINKS), {"E": 1}),
    "and at most twenty citations": ("citation_f1", padded(LINKS, 200), {"C": 20}),
    "a year outside a statistic dates it": ("statistic_density", padded("In 2024, 38% of boats stayed."), {"D": 1}),
    "a number is no year": ("statistic_density", padded("More than 2,024 boats stayed in."), {"D": 0}),
    "overlapping statistics": ("statistic_density", padded("It was more than 40% of all boats."), {"S": 1}),
    "only the first sixty blocks are compared": (
        "semantic_redundancy", "\n\n".join(f"{OTHER} number {n}" for n in range(70)), {"blocks": 70, "compared": 60}
    ),
    "levels of headings": ("ndcg_score", LEVELS, {"S_hier": 100.0}),
    "a jump of levels": (
        "ndcg_score", LEVELS.replace("## Two", "#### Two").replace("### Three", "# Three"), {"S_hier": 50.0}
    ),
    "no title": ("semantic_coherence", FILLER * 5, {"T": 50.0, "K": 50.0}),
}  # fmt: skip


def test_what_is_counted() -> None:
    for case, (name, text, parts) in COUNTED.items():
        found = read(name, text).parts
        assert {symbol: found[symbol] for symbol in parts} == parts, case


def test_repeated_keywords_cost_entropy() -> None:
    varied, stuffed = (read("shannon_entropy", padded(text, 300)).value for text in ("", "harbour boats " * 60))
    assert stuffed < varied


def test_information_density_is_seventy_percent_entropy() -> None:
    reading = read("information_density", padded("", 100))
    parts = reading.parts
    assert parts["S_sem"] == 50.0
    assert reading.value == pytest.approx(0.7 * parts["f_shannon"] + 0.2 * parts["S_lex"] + 0.1 * 50)


def test_entities_are_unique_longest_and_stripped() -> None:
    reading = read("entity_density", padded("The Harrow Institute and the Harrow Institute met Anna Weir in May 2020."))
    assert reading.parts["E"] == 3
    assert [e.pattern for e in reading.evidence] == ["name", "name", "date"]


def test_a_capital_alone_shows_no_name_in_the_newer_edition() -> None:
    edition = editions.load("2026")
    for text, names in {
        "Great Service And Friendly People are what you get here, says Mara Lindqvist of the quay.": ["Mara Lindqvist"],
        "The harbour of Penrith has its own tides, so Harbour Tides is what we call it.": ["Penrith"],
        "Yesterday Mara Lindqvist rowed to us, and the boat was ours again by noon.": ["Mara Lindqvist"],
        "WE MUST SEE THE BOAT, because NASA and Pellworth pay for all of it while it is here.": ["NASA", "Pellworth"],
        "It was the Board of our quay, not the Mayor, that paid at 8 PM on Tuesday.": [],
    }.items():
        doc = edition.open(text, "en")
        assert [doc.text[m.start : m.end] for m in select_longest(find_names(doc))] == names, text


def test_a_capitalised_word_is_a_name_in_french_and_spanish_too() -> None:
    for code, text, names in (
        ("fr", "La barque venue de Pellworth passe le quai, et le Conseil dort.", ["Pellworth"]),
        ("es", "La barca llegó de Pellworth al muelle, y el Consejo duerme.", ["Pellworth"]),
    ):
        doc = editions.load("2026").open(text, code)
        assert [doc.text[m.start : m.end] for m in select_longest(find_names(doc))] == names, code


def test_the_length_bonus_needs_800_words_and_20_entities() -> None:
    value = BY_NAME["entity_density"].value
    assert value({"E": 24, "W": 800, "F": 0}) == pytest.approx(value({"E": 24, "W": 799, "F": 0}) + 6, abs=0.1)


def test_one_citation_is_worth_at_least_62() -> None:
    assert read("citation_f1", padded("")).value == 0.0
    for m in (0, 5, 50, 500):
        assert BY_NAME["citation_f1"].value({"C": 1, "M": m, "c_bar": 0.6, "trusted": 1}) >= 62


def test_a_paragraph_is_judged_by_its_opening_then_by_its_length() -> None:
    rest = "behind the wall all winter long and nobody asks them to move at all before spring."
    for opening, points in {
        f"It is a quiet place where boats lie {rest}": 20.0,
        f"This approach keeps boats {rest}": 20.0,
        f"Boats are kept {rest}": 100.0,
        f"NATO keeps boats {rest}": 100.0,
        "Quietly, behind the wall, all winter long.": 40.0,
        "Quietly, behind the wall, " + FILLER * 2: 82.0,
        "Quietly, behind the wall, " + FILLER * 12: 65.0,
    }.items():
        assert read("self_containment", opening).parts["points"] == [points], opening


def test_headings_lists_code_and_tables_are_no_paragraphs() -> None:
    text = f"# {FILLER}\n\n- {FILLER}\n\n```\n{FILLER}\n```\n\n| {FILLER} |\n|---|\n"
    reading = read("self_containment", text)
    assert (reading.value, reading.degenerate) == (20.0, "no analyzable paragraph")


def test_repeated_blocks_are_redundant_and_different_ones_are_not() -> None:
    same, different = (f"{FILLER * 2}\n\n{second}" for second in (FILLER * 2, OTHER))
    assert read("semantic_redundancy", same).value < read("semantic_redundancy", different).value
    assert read("mmr_score", same).value < read("mmr_score", different).value
    assert read("semantic_redundancy", same).parts["cos"] == pytest.approx(1.0)


def test_one_block_leaves_the_structural_components_at_twenty() -> None:
    for name in ("mmr_score", "ndcg_score", "semantic_redundancy"):
        assert read(name, FILLER * 10).value == 20.0


def test_the_dcg_ratio_is_kept_and_not_scored() -> None:
    parts = dict.fromkeys(("S_rel", "S_qual", "S_hier", "S_pos"), 50.0)
    assert {BY_NAME["ndcg_score"].value({**parts, "dcg_ratio": ratio}) for ratio in (0.0, 1.0)} == {50.0}


def test_a_title_that_the_page_takes_up_raises_its_keyword_term() -> None:
    text = "The harbour wall keeps out the sea. " + FILLER * 5
    own, foreign = (read("semantic_coherence", text, title=t).parts["K"] for t in ("The harbour wall", "Quantum chess"))
    assert own > foreign


def test_a_french_quotation_counts_in_french() -> None:
    text = "« Nous avons perdu deux récoltes à cause du gel », explique Mara Lindqvist. " + (
        "Le vieux mur du port arrête la mer en hiver. Les bateaux dorment derrière lui. Le printemps les réveille. " * 3
    )
    assert read("quotable_density", text, language="fr").parts["q"] == 1


def test_every_component_that_has_a_file_is_listed() -> None:
    modules = [
        importlib.import_module(m.name) for m in pkgutil.iter_modules(components.__path__, "steelyard.components.")
    ]
    written = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Component) and each is not Component
    }
    assert written == {type(component) for component in COMPONENTS}
