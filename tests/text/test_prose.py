"""Running text told from the rest of a page, and lines that are paragraphs."""

from __future__ import annotations

import pytest

from steelyard.scoring import editions
from steelyard.text.document import Document

RUNNING = {
    "en": "The boats come back to the harbour in the evening, when the tide is high.",
    "fr": "Les bateaux rentrent au port le soir, quand la marée est haute et que le vent tombe.",
    "de": "Die Boote kommen am Abend in den Hafen zurück, wenn die Flut hoch ist.",
    "es": "Los barcos vuelven al puerto por la tarde, cuando la marea está alta.",
}
REST = (
    "Home | About Us | Contact",
    "Harbour Tours Boat Rental Fishing Trips Island Ferry Night Cruise Diving School",
    "boats, harbour, ferry, tide, island, crew, sails, ropes, lamps, crane, quay, mast.",
    "The Best Harbour In The North And All Of Its Boats.",
    "Photo of the harbour in the evening by Ann Smith",
    "1 2 3 4 5 6 7 8.",
    "See also: the tide",
)


def read(text: str, language: str = "en") -> Document:
    return editions.load("2026").open(text, language)


@pytest.mark.parametrize("language", RUNNING)
def test_sentences_are_running_text_in_every_language(language: str) -> None:
    text = RUNNING[language]
    prose = read(f"{text} {text}", language).prose
    assert prose.words == 2 * len(text.split())
    assert prose.share == 1.0
    assert 3 <= prose.content_words <= 12


def test_menus_titles_tags_captions_and_numbers_are_not() -> None:
    for rest in REST:
        doc = read(f"{RUNNING['en']}\n\n{rest}\n\n{RUNNING['en']}")
        assert doc.prose.words == 2 * len(RUNNING["en"].split()), rest


def test_steps_answers_and_entries_that_are_sentences_are_running_text() -> None:
    """What recipes, lists of questions, glossaries and references of programs say in sentences counts."""
    for text in (
        "1. Mix the flour with the sugar and the salt in a large bowl.",
        "- Is there a ferry on Sundays in the winter? No, but there is a bus.",
        "**Keel**: the beam that runs along the bottom of a boat and holds it upright.",
        "`open(path)` returns the file at the path, or an error if there is none.",
        "> The harbour master wrote that the lamp was out on the night of the storm.",
    ):
        assert read(text).prose.share > 0.7, text


def test_a_sentence_with_its_mark_inside_quotation_marks_or_before_a_list_is_whole() -> None:
    for text in (
        "He said that “the boats come back to the harbour in the evening.”",
        "In the evening there are three ways to come back to the harbour:",
        "The boats come back (when the tide is high and the wind is low).",
    ):
        assert read(text).prose.words == len(text.split()), text


@pytest.mark.parametrize("mark", ["", "**The** "])
def test_lines_of_text_have_blocks_paragraphs_and_sentences_of_their_own(mark: str) -> None:
    lines = ["The ferry", RUNNING["en"] * 3, "Prices", f"{mark}{RUNNING['en']}"]
    by_lines, blank = read("\n".join(lines)), read("\n\n".join(lines))
    assert len(by_lines.structure.blocks) == len(blank.structure.blocks) == 4
    assert len(by_lines.structure.paragraphs) == 4
    assert by_lines.prose == blank.prose
    assert len(by_lines.segments) == len(blank.segments)
    paper = editions.load("paper").open("\n".join(lines), "en")
    assert len(paper.structure.blocks) == 1


def test_a_list_below_a_line_of_text_stays_one_block() -> None:
    doc = read("The ferry goes to three islands in the bay every day of the week.\n- Ell\n- Ull\nIt is blue.")
    assert [doc.text[a:b] for a, b in doc.structure.blocks][1:] == ["Ell\nUll", "It is blue."]


def test_a_list_a_table_or_a_heading_costs_a_page_next_to_nothing() -> None:
    import steelyard

    page = "\n\n".join(RUNNING["en"].replace("boats", noun) for noun in NOUNS)
    before = steelyard.score(page, edition="2026", language="en", as_of="2026-07-01")
    for more in (
        "\n\n" + "\n".join(f"- {noun} rope" for noun in NOUNS),
        "\n\n| name | metres |\n| --- | --- |\n" + "\n".join(f"| {noun} | 12 |" for noun in NOUNS),
        "\n\n## The Boats Of Port Ellis",
    ):
        after = steelyard.score(page + more, edition="2026", language="en", as_of="2026-07-01")
        for name in ("entity_density", "statistic_density", "quotable_density", "self_containment"):
            assert after.readings[name].value >= before.readings[name].value, (name, more)


NOUNS = ("boats", "crews", "lamps", "cranes", "masts", "nets", "tugs", "sails", "pilots", "ferries")
