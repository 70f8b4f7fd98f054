"""Advice: what an editor would say of a page, and the classes of advice that were wrong and must not come back."""

from __future__ import annotations

import re
import time
from datetime import date
from typing import NamedTuple

import pytest

from steelyard import languages
from steelyard.advice.advise import find_improvements, suggest
from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.phrases import LETTERS, load_phrases, split_phrase
from steelyard.advice.prose import make_sentences
from steelyard.advice.rules import ORDER, RULES
from steelyard.advice.words import count_long_sentence, load_words
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import analyse, score_text
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.text.document import Document

AS_OF = date(2026, 7, 1)


class Kind(NamedTuple):
    name: str
    certain: bool = True


class Dates(NamedTuple):
    published: date | None = None
    updated: date | None = None


class Reading(NamedTuple):
    confidence: str


def open_page(text: str, language: str = "en", edition: str = "2026", **known: object) -> Context:
    loaded = editions.load(edition)
    score = score_text(text, as_of=AS_OF, language=language, edition=loaded)
    return Context(score, loaded.open(text, language), **known)  # type: ignore[arg-type]


def find(
    text: str, language: str = "en", edition: str = "2026", *, uncertain: bool = False, **known: object
) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in find_improvements(open_page(text, language, edition, **known), uncertain=uncertain):
        found.setdefault(finding.rule, []).append(finding)
    return found


# Where nobody is quoted by nature, or where a name would hurt somebody.
UNQUOTED = {
    "label": "Take one tablet with water in the morning. Do not take more than four tablets in a day. Keep it dry.",
    "recipe": "Boil the rice until it is 80% done. Then add the peas, stir it well, and let it stand for ten minutes.",
    "tutorial": "Open the file in an editor. I found that the second line has to be changed before the first.",
    "encyclopaedia": "Oak is a tree of the northern hemisphere. It grows slowly, and its wood is hard and heavy.",
    "legal": "The lessee pays the rent on the first day of a month. The lessor repairs what is not the lessee's fault.",
    "weather": "The village claimed the coldest temperature of the year. Snow lay on the roads until the evening.",
    "crime": "A man was arrested after a 9 year old girl was abducted near her school. Police said her mother called.",
}


@pytest.mark.parametrize("name", UNQUOTED)
@pytest.mark.parametrize("edition", editions.NAMES)
def test_nobody_is_asked_for_a_quotation_a_name_or_a_source_that_a_page_does_not_have_by_nature(
    name: str, edition: str
) -> None:
    context = open_page(UNQUOTED[name], "en", edition)
    rules = {f.rule for f in find_improvements(context, uncertain=True)}
    assert not rules & {"quotable_density", "entity_density", "citation_f1", "statistic_density"}, rules


def test_a_report_is_asked_to_quote_only_if_it_is_one_and_hurts_nobody() -> None:
    report = (
        "Mayor Anna Weir said that the old crane is not safe. Captain Jo Lee warned that it could fall on the quay. "
        "Kim Roe insisted that it stands."
    )
    assert "quotable_density" in find(report, kind=Kind("news"))
    for kind in (None, Kind("reference"), Kind("how-to"), Kind("legal"), Kind("product")):
        assert "quotable_density" not in find(report, kind=kind), kind
    accident = f"{report} A boy of nine was killed, and the family of the victim was told."
    assert "quotable_density" not in find(accident, kind=Kind("news"))


@pytest.mark.parametrize(
    "text",
    [
        "It takes four hours to paint a boat of this size, and nobody should do it in the rain.",
        "This guide shows how to paint a boat of oak, from the first coat to the last, in dry weather.",
        "These days most boats are made of steel, and the yards that work with oak have become few.",
    ],
)
def test_an_opening_that_needs_nothing_before_it_is_no_finding(text: str) -> None:
    page = f"# Boats\n\nOak lasts for sixty years in salt water.\n\n## Work\n\n{text}"
    assert "self_containment" not in find(page)


def test_a_speaker_who_is_named_is_not_asked_for() -> None:
    text = '"The road is closed until the evening," said Lt. Matt Harris of the county police.'
    assert find(text, uncertain=True).keys() <= {"freshness", "missing_title"}


def test_length_is_advised_only_from_a_real_shortfall_on_a_page_that_needs_substance() -> None:
    words = [f"The {a} of the {b} stands beside the water." for a in ("mast", "crane", "lamp") for b in _NOUNS]
    short, nearly = " ".join(words[:16]), " ".join(words[:25])
    assert "cap" in find(short, edition="paper", kind=Kind("reference"))
    for kind in (Kind("listing"), Kind("news"), Kind("reference", certain=False), None):
        assert "cap" not in find(short, edition="paper", kind=kind), kind
    assert "cap" not in find(short, edition="paper", kind=Kind("reference"), reading=Reading("doubtful"))
    assert len(nearly.split()) > 180
    assert "cap" not in find(nearly, edition="paper", kind=Kind("reference")), "a few words more are no advice"


_NOUNS = ("harbour", "quay", "yard", "island", "castle", "market", "school", "mill", "bridge", "tower")


def test_a_page_that_repeats_itself_hears_of_that_first_and_not_of_its_length() -> None:
    passage = (
        "The ferry leaves the old harbour every morning at seven and comes back in the evening. In January, when the "
        "ice in the bay is too thick for it, a bus leaves at the same times, studies show."
    )
    found = find(f"{passage}\n\nTickets are sold on board.\n\n{passage}", kind=Kind("reference"), edition="paper")
    assert next(iter(found)) == "duplicate_text"
    assert "on line 1" in found["duplicate_text"][0].why
    assert found["duplicate_text"][0].line == 5
    assert "cap" not in found
    assert [f.line for f in found["citation_f1"]] == [1], "what is said of the passage is said once"
    html = find(f"Boats go at noon.\n\n{passage}\n\nTickets are sold on board.\n\n{passage}", extracted=True)
    assert html["duplicate_text"][0].why.endswith("already stand after “Boats go at noon.”"), (
        "nobody can open its lines"
    )


def test_a_page_of_repeated_words_is_a_duplicate_and_not_short() -> None:
    found = find("buy cheap boats here today " * 3_000, edition="paper")
    assert "cap" not in found
    assert list(found)[:1] == ["duplicate_text"]
    assert not {"missing_headings", "long_paragraph", "long_sentence"} & found.keys()


def test_findings_come_in_the_order_in_which_an_editor_acts() -> None:
    page = (
        "Studies show that oak lasts longer than steel in salt water. The yard was moved last week, and the the gate "
        "is still open.\n\nFor the prices of boats click here."
    )
    found = list(find(page))
    order = [rule.name for rule in ORDER]
    assert found == sorted(found, key=order.index)
    assert found[:2] == ["citation_f1", "freshness"]
    assert {"typing_error", "vague_link"} < set(found)


def test_what_is_not_certain_is_given_on_request() -> None:
    page = "A boat of oak lasts long. It has to be painted in the spring by somebody who knows how this is done."
    assert "freshness" not in find(page)
    (finding,) = find(page, uncertain=True)["freshness"]
    assert not finding.certain
    result = analyse(PageRef("a.md", text=page), Settings.resolve(as_of=AS_OF, uncertain=True))
    assert any(not move["certain"] for move in result.to_dict()["moves"])


def test_a_suggestion_has_its_rule_its_place_and_the_address_of_its_page() -> None:
    result = analyse(PageRef("a.md", text="# A\n\nStudies show that oak lasts longer."), Settings.resolve(as_of=AS_OF))
    (move,) = [m for m in result.to_dict()["moves"] if m["rule"] == "citation_f1"]
    assert move["component"] == "citation_f1"
    assert move["help"].endswith("/docs/rules/citation_f1.md")
    assert (move["line"], move["column"], move["span"]) == (3, 1, (5, 39))
    assert move["message"] == move["why"]


def test_a_rule_without_a_formula_has_no_gain_and_is_suggested_all_the_same() -> None:
    (finding,) = suggest(find("The boats come back to the the harbour when the evening begins.")["typing_error"])
    assert (finding.gain, finding.cost, finding.headline) == (None, None, "typing")


def test_the_lines_of_other_findings_stand_with_the_first() -> None:
    claim = "Studies show that oak lasts longer than any other wood."
    (finding,) = suggest(find(f"{claim}\n\nIt is heavy wood, too.\n\n{claim.replace('oak', 'teak')}")["citation_f1"])
    assert (finding.line, finding.more) == (1, (5,))


def test_old_pages_are_stale_only_where_pages_age() -> None:
    text = "The yard currently builds two boats a year, and it has room for a third one beside the old crane."
    old = Dates(published=date(2019, 5, 1))
    assert "stale_date" in find(text, kind=Kind("product"), dates=old)
    assert "stale_date" not in find(text, kind=Kind("news"), dates=old)
    assert "stale_date" not in find(text, kind=Kind("product"), dates=Dates(published=date(2025, 12, 1)))


def test_a_doubtful_reading_is_no_reason_to_speak_of_length_and_form() -> None:
    wall = " ".join(f"The {a} of the {b} stands beside the water." for a in _NOUNS for b in _NOUNS)
    assert {"long_paragraph"} <= find(wall).keys()
    assert not {"long_paragraph", "missing_headings", "cap"} & find(wall, reading=Reading("doubtful")).keys()


def test_a_short_recipe_is_not_told_to_be_longer_and_a_short_reference_is() -> None:
    text = "# Cake\n\n" + " ".join(make_sentences(5))
    assert "cap" not in find(text, edition="paper", kind=Kind("how-to"))
    assert "cap" in find(text, edition="paper", kind=Kind("how-to"), uncertain=True)
    assert "cap" in find(text, edition="paper", kind=Kind("reference"))


def test_a_letter_that_names_something_is_no_article() -> None:
    assert "typing_error" not in find("The soil has lost its A and E horizons to the rain of a hundred years.")
    assert "typing_error" in find("The soil has lost its a horizon to the rain, say the people of the harbour.")


def test_news_without_a_date_needs_one_and_other_pages_do_not() -> None:
    text = "The council has closed the old bridge. Buses turn at the mill until the arch is mended by the town."
    assert "freshness" in find(text, kind=Kind("news"))
    assert "freshness" not in find(text, kind=Kind("reference"))
    for written in ("am 26. Januar 2021", "26 de enero del 2021", "(11.01.2021)", "26/01/2021", "May 4, 2021"):
        middle = " ".join(["The ferry is late."] * 80)
        language = "es" if " de " in written else "de" if "am " in written else "en"
        dated = f"{middle}\n\n{text} It was {written}.\n\n{middle}"
        assert "freshness" not in find(dated, kind=Kind("news"), language=language), written
    assert "freshness" not in find(text, kind=Kind("news"), dates=Dates(published=date(2024, 5, 4)))
    weekday = "The council closed the old bridge on Tuesday, and buses turn at the mill until the arch is mended."
    assert "on Tuesday" in find(weekday, kind=Kind("news"))["freshness"][0].why


def test_marks_and_letters_that_are_right_are_no_typing_errors() -> None:
    for text in (
        "The paint is 80% done at 10 a.m. and the rest follows, i.e. the deck and the cabin of the boat.",
        "Boats (and their crews) wait here; see the list of the harbour, which is kept by hand.",
        "The loop runs while i is less than n, and it ends when i reaches n or the list is empty.",
        "What a day! The boats that had had a coat of paint came back before the evening.",
    ):
        assert "typing_error" not in find(text), text


def test_a_headline_in_a_list_of_links_is_no_paragraph() -> None:
    page = "\n".join(f"- [The {noun} of the town](https://town.example/{noun})" for noun in _NOUNS)
    assert find(page, kind=Kind("listing")).keys() <= {"missing_title"}


# For each language a page that several rules find something on.
FOUND = {
    "en": (
        "In today's fast-paced world everybody needs a boat.\n\nStudies show that oak lasts long. The yard was moved "
        "last week. We are few, and our team offers world-class service to our guests.\n\nLeave a comment"
    ),
    "fr": (
        "Depuis la nuit des temps on fait des bateaux.\n\nDes études montrent que le chêne dure longtemps. Le chantier "
        "a déménagé la semaine dernière. Nous sommes petits, et notre atelier est leader mondial, c'est notre "
        "fierté.\n\nLaisser un commentaire"
    ),
    "de": (
        "In der heutigen Zeit braucht jeder ein Boot.\n\nStudien zeigen, dass Eiche am längsten hält. Die Werft zog "
        "letzte Woche um. Wir sind klein, und unsere Werft bietet Boote auf höchstem Niveau für unsere "
        "Gäste.\n\nKommentar schreiben"
    ),
    "es": (
        "Desde tiempos inmemoriales se hacen barcos.\n\nLos estudios demuestran que el roble dura mucho. El astillero "
        "se mudó la semana pasada. Nosotros somos pocos, y nuestro taller es líder mundial, para nuestros "
        "clientes.\n\nDejar un comentario"
    ),
}


@pytest.mark.parametrize("language", languages.CODES)
def test_every_language_finds_the_same_mistakes(language: str) -> None:
    found = find(FOUND[language], language)
    assert {"filler", "citation_f1", "freshness", "unsupported_praise"} <= found.keys(), list(found)


def test_the_lists_of_all_languages_have_the_same_names_and_whole_phrases() -> None:
    english = languages.read_toml("en", "suggestions.toml")
    for code in languages.CODES:
        data = languages.read_toml(code, "suggestions.toml")
        assert data.keys() == english.keys(), code
        assert data["phrases"].keys() == english["phrases"].keys(), code
        assert count_long_sentence(code) > 30
        names = {"articles", "doubled", "known", "negations", "never_last", "numbers", "pointing", "years"}
        assert load_words(code).keys() == names
        for kind, lines in data["phrases"].items():
            phrases = [tuple(split_phrase(line)) for line in lines.strip().splitlines()]
            assert len(set(phrases)) == len(phrases), (code, kind)
            for words in phrases:
                assert all(word == word.lower() and re.fullmatch(r"[^\W_]+\*?|_", word) for word in words), (
                    code,
                    words,
                )
                assert not words[0].endswith("*") or len(words[0]) > LETTERS, (code, words)
        assert load_phrases(code)


def test_every_place_is_on_the_page_and_quotes_it() -> None:
    for language, text in FOUND.items():
        context = open_page(text, language)
        for finding in find_improvements(context, uncertain=True):
            assert 0 <= finding.start <= finding.end <= len(text)
            assert text[finding.start : finding.end].startswith(finding.quote[:10])


HOSTILE = {
    "one line": "word " * 40_000,
    "quotation marks": '"“ ' * 30_000,
    "brackets": "( a. " * 30_000,
    "headings": "# a\n\n" * 20_000,
    "phrases": "studies show yesterday " * 10_000,
    "capitals": "ABC XYZ. " * 20_000,
    "lines": "The boat is here.\n" * 8_000,
    "links": "[here](https://a.example) " * 6_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_takes_bounded_time(name: str) -> None:
    text = HOSTILE[name]
    score = score_text("A boat of oak. " * 20, as_of=AS_OF, edition=editions.load("2026"))
    doc: Document = editions.load("2026").open(text, "en")
    context = Context(score, doc)
    started = time.perf_counter()
    for rule in ORDER:
        if rule.name not in ("self_containment", "missing_headings"):  # which need the readings of this very page
            list(rule.find(context))
    assert time.perf_counter() - started < 20
    assert set(RULES) >= {rule.name for rule in ORDER}
