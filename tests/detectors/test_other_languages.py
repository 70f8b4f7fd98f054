"""Detectors in German and Spanish: a capital is no name where every noun has one, and plain pages are left alone."""

from __future__ import annotations

import pytest

from steelyard.detectors import BY_NAME
from steelyard.detectors.base import Measurement, PageWords
from steelyard.detectors.false_positives import load_false_positives
from steelyard.detectors.layered_filter import detect_manipulation, load_thresholds
from steelyard.scoring import editions
from tests.lab.edits.pages import demo, document

LANGUAGES = ("de", "es")
HOLLOW = {
    "de": "Im Jahr 2023 waren es bei uns 41 Prozent. Etwa 75 Prozent sagen es so wie wir. Im Jahr 2021 waren es "
    "dann 28 Prozent. Im Jahr 2019 waren es auch 33 Prozent. Etwa 62 Prozent sagen es so wie wir. " * 2,
    "es": "En 2023, era el 41 %. Cerca del 75 % lo dice. En 2021, era el 28 %. En 2019, era el 33 %. "
    "Cerca del 62 % lo dice. En 2018, era el 19 %. " * 2,
}
PRAISED = {
    "de": "5 von 5 Ich liebe es, einfach perfekt! – Anna. 5 von 5 Super, ich empfehle es! – Tom. ",
    "es": "5 de 5 Me encanta, sencillamente perfecto. – Ana. 5 de 5 Genial, lo recomiendo. – Luis. ",
}


def measure(name: str, text: str, language: str) -> Measurement:
    return BY_NAME[name].measure(PageWords(document(text, language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plain_page_is_seen_by_no_detector(language: str):
    for page in demo(language):
        for text in (page.text, page.flattened):
            report = detect_manipulation(document(text, language))
            assert [name for name, signal in report.signals.items() if signal.flagged] == [], page.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_thresholds_are_those_of_the_edition_that_reads_the_page(language: str):
    report = detect_manipulation(document(demo(language)[0].text, language))
    frozen = load_thresholds("2026")
    assert {name: signal.threshold for name, signal in report.signals.items()} == frozen["thresholds"]
    expected = load_false_positives("2026")[report.length]
    assert (report.false_positive_rate, report.false_positive_pages) == (expected.rate, expected.pages)
    assert expected != load_false_positives("paper")[report.length]
    assert set(editions.load("2026").languages) == {origin.split()[0] for origin in frozen["left_out"]}


def test_a_german_noun_says_something_and_a_name_does_not():
    empty = "Im Jahr 2023 waren es bei uns 41 Prozent."
    full = "Im Jahr 2023 waren es bei uns 41 Prozent der Gerste aus den Dörfern am Oberlauf des Baches."
    named = "Im Jahr 2023 waren es bei uns 41 Prozent wie bei Mara Lindqvist."
    alone, said, of_whom = (measure("hollow_evidence", text, "de").statistic for text in (empty, full, named))
    assert said < alone / 2
    assert of_whom == pytest.approx(alone, rel=0.1)
    words = PageWords(document("Gestern kam Mara Lindqvist mit dem schweren Korb wieder bis zur Mühle.", "de"))
    names = [word for word, is_name in zip(words.originals, words.is_name, strict=True) if is_name]
    assert names == ["Mara", "Lindqvist"]


def test_german_sentences_of_one_build_about_other_things_are_no_template():
    rows = "Der Müller prüft die Steine vor dem Winter. Die Bäckerin sucht den Kuchen nach der Messe. " * 2
    assert measure("templates", rows, "de").statistic == 0


def test_the_polite_form_is_told_from_they_by_its_capital():
    asking = "Bitte nennen Sie bei jeder Bestellung Ihre Adresse und Ihre Wünsche. " * 6
    telling = "Bitte nennen sie bei jeder Bestellung ihre Adresse und ihre Wünsche. " * 6
    assert measure("boilerplate", asking, "de").statistic > measure("boilerplate", telling, "de").statistic


@pytest.mark.parametrize("language", LANGUAGES)
def test_ratings_and_hollow_figures_are_read_in_their_language(language: str):
    assert measure("testimonials", PRAISED[language], language).parts["ratings"] == 2
    assert measure("hollow_evidence", HOLLOW[language], language).statistic > 1.5
