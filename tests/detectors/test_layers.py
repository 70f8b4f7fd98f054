"""The layered filter: flagged when one detector passes its threshold, with the lines, and never in the score."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

import steelyard
from steelyard.detectors import NAMES
from steelyard.detectors import layered_filter as layers
from steelyard.detectors.base import AT_THRESHOLD, Measurement
from steelyard.detectors.false_positives import LENGTHS, load_false_positives
from steelyard.detectors.layered_filter import ManipulationReport, load_thresholds
from steelyard.errors import SteelyardError
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.scoring import editions
from tests.contract.shared import AS_OF, PROSE, STRUCTURED, document
from tests.detectors.one_detector import ENGLISH, demo

STUFFED = "Cheap flights, cheap flights to Rome, book cheap flights online, cheap flights today. " * 12
HIDDEN = "<!-- " + "cheap flights to Rome " * 20 + "-->"
MANIPULATED = {
    "stuffed": f"{ENGLISH}\n\n{STUFFED}",
    "said twice": f"{ENGLISH}\n\n{ENGLISH}",
    "hidden": f"{ENGLISH}\n\n{HIDDEN}",
    "links": f"{ENGLISH}\n\n" + " ".join(f"https://site{n}.example/page" for n in range(20)),
}


def assert_consistent(report: ManipulationReport, text: str) -> None:
    assert tuple(report.signals) == NAMES
    assert report.suspicion == max(s.suspicion for s in report.signals.values())
    assert report.flagged == any(s.flagged for s in report.signals.values())
    for name, signal in report.signals.items():
        assert signal.detector == name
        assert 0 <= signal.suspicion < 1
        assert signal.threshold == load_thresholds()["thresholds"][name]
        assert signal.flagged == (signal.statistic > signal.threshold)
        assert (signal.suspicion > report.threshold) == signal.flagged
        found = [e for e in report.evidence if e.detector == name]
        if signal.flagged:
            assert found or any(part > 0 for part in signal.parts.values())
        else:
            assert not found
    assert report.flagged == (report.suspicion > report.threshold)
    for place in report.evidence:
        assert 0 <= place.start < place.end <= len(text)
        assert place.line == text.count("\n", 0, place.start) + 1


# The report


# The one page of the demo that is stuffed on purpose, and what real pages look like that are full of figures.
STUFFED_ON_PURPOSE = "shop/noise-cancelling-headphones.md"
FLAGGED_THOUGH_CLEAN = 3


def test_the_reports_of_the_demo_agree_with_themselves_and_the_stuffed_page_is_flagged_and_few_others_are():
    flagged = []
    for page in (*demo("en"), *demo("fr")):
        report = steelyard.detect(page.text, language=page.language)
        assert_consistent(report, page.text)
        flagged += [page.id] * report.flagged
    assert STUFFED_ON_PURPOSE in flagged
    assert len(flagged) - 1 <= FLAGGED_THOUGH_CLEAN, flagged


def test_a_manipulated_page_is_flagged_and_its_report_agrees_with_itself():
    for name, text in MANIPULATED.items():
        report = steelyard.detect(text)
        assert report.flagged, name
        assert report.suspicion > AT_THRESHOLD, name
        assert_consistent(report, text)


def test_the_report_states_its_rate_its_threshold_and_what_it_does_not_see():
    report = steelyard.detect(PROSE)
    measured = load_false_positives()["under 400 words"]
    assert (report.length, report.false_positive_rate, report.false_positive_interval) == (
        measured.length, measured.rate, measured.interval
    )  # fmt: skip
    assert report.false_positive_pages == measured.pages
    assert 0 < load_thresholds()["rate"] <= 0.05
    assert all(0 <= rate <= 0.05 for rate in load_thresholds()["left_out"].values())
    assert len(report.honest_kinds) > 2
    assert report.threshold == AT_THRESHOLD
    assert len(report.evades) > 2
    assert all(sentence.strip() for sentence in report.evades)


def test_the_rate_is_that_of_pages_as_long_as_this_one():
    for words, length in ((1, 0), (399, 0), (400, 1), (1500, 1), (1501, 2), (40_000, 2)):
        report = steelyard.detect("stone " * words, language="en")
        measured = load_false_positives()[LENGTHS[length]]
        assert (report.length, report.false_positive_rate) == (LENGTHS[length], measured.rate), words
        assert report.false_positive_interval == measured.interval


def test_every_edition_states_rates_of_every_length_with_intervals_that_hold_them():
    for edition in editions.NAMES:
        rates = load_false_positives(edition)
        assert tuple(rates) == LENGTHS
        for row in rates.values():
            assert row.rate == pytest.approx(row.flagged / row.pages, abs=1e-8)
            assert row.interval == pytest.approx(wilson_interval(row.flagged, row.pages), abs=1e-8)


def test_a_page_without_words_is_not_flagged():
    for text in ("", " \n", "<!-- -->", "…"):
        report = steelyard.detect(text, language="en")
        assert not report.flagged
        assert report.suspicion == 0
        assert report.evidence == ()


def test_an_unknown_language_is_refused_as_by_the_score_and_the_title_changes_nothing():
    german = (
        "Der alte Müller stand an der Tür und wartete auf den Wagen, der das Mehl in die Stadt bringen sollte. " * 4
    )
    with pytest.raises(SteelyardError):
        steelyard.detect(german)
    assert steelyard.detect(german, language="en").signals
    assert steelyard.detect(STRUCTURED, title="Cheap flights " * 50) == steelyard.detect(STRUCTURED)


# The boundary


def report_for(statistics: Mapping[str, float], monkeypatch: pytest.MonkeyPatch) -> ManipulationReport:
    """Return the report of a page on which every detector has the given statistic."""
    measured = {name: Measurement(statistic, {"n": 1.0}, ((0, 3),)) for name, statistic in statistics.items()}
    monkeypatch.setattr(layers, "measure_page", lambda doc: measured)
    return layers.detect_manipulation(document(PROSE))


@pytest.mark.parametrize("name", NAMES)
def test_a_statistic_at_the_threshold_is_not_flagged_and_the_next_larger_is(name: str, monkeypatch: pytest.MonkeyPatch):
    usual, threshold = dict(load_thresholds()["usual"]), load_thresholds()["thresholds"][name]

    at, over, clear = (
        report_for(usual | {name: statistic}, monkeypatch)
        for statistic in (threshold, math.nextafter(threshold, math.inf), threshold * (1 + 1e-9))
    )
    assert not at.flagged
    assert at.suspicion == AT_THRESHOLD
    assert at.evidence == ()
    assert over.flagged
    assert over.suspicion >= AT_THRESHOLD  # one unit in the last place may round to one half
    assert [e.detector for e in over.evidence] == [name]
    assert clear.flagged
    assert clear.suspicion > AT_THRESHOLD


def test_one_signal_is_enough_and_many_small_doubts_do_not_add_up(monkeypatch: pytest.MonkeyPatch):
    report = report_for(load_thresholds()["usual"] | {"links": 1000.0}, monkeypatch)
    assert [name for name, s in report.signals.items() if s.flagged] == ["links"]
    assert all(s.suspicion == 0 for name, s in report.signals.items() if name != "links")
    report = report_for(load_thresholds()["thresholds"], monkeypatch)
    assert (report.flagged, report.suspicion) == (False, AT_THRESHOLD)


# Lines


def test_the_evidence_is_on_the_line_of_a_block_planted_into_a_page_with_marks():
    lines = STRUCTURED.split("\n")
    at = lines.index("#### What it leaves out")
    for end in ("\n", "\r\n"):
        text = end.join([*lines[:at], STUFFED.strip(), "", *lines[at:]])
        report = steelyard.detect(text)
        assert report.signals["repetition"].flagged
        (place,) = (e for e in report.evidence if e.detector == "repetition")
        assert place.line == at + 1
        assert text[place.start : place.end] in STUFFED


def test_the_line_of_a_copied_paragraph_is_that_of_the_copy():
    text = f"# The mill\n\n{ENGLISH}\n\n## Again\n\n{ENGLISH}\n"
    report = steelyard.detect(text)
    lines = {e.line for e in report.evidence if e.detector == "duplication"}
    assert min(lines) == text[: text.rindex("The old mill")].count("\n") + 1


def test_markup_around_a_passage_does_not_move_its_evidence():
    bold = " ".join(f"**{word}**" if i % 3 == 0 else word for i, word in enumerate(STUFFED.split()))
    text = f"# The [mill](/mill)\n\n{ENGLISH}\n\n> {bold}\n"
    (place,) = (e for e in steelyard.detect(text).evidence if e.detector == "repetition")
    assert text.index(bold) <= place.start < place.end <= text.index(bold) + len(bold)


# Beside the score


def test_the_score_is_the_same_before_and_after_detection():
    for text in (PROSE, STRUCTURED, *MANIPULATED.values()):
        before, first = steelyard.score(text, as_of=AS_OF), steelyard.detect(text)
        assert steelyard.score(text, as_of=AS_OF) == before
        assert steelyard.detect(text) == first


def test_the_detectors_leave_the_document_as_it_is():
    doc, fresh = document(STRUCTURED), document(STRUCTURED)
    layers.detect_manipulation(doc)
    assert doc.segments == fresh.segments
    assert doc.tokens == fresh.tokens
    for family in ("quotable", "statistic", "citation"):
        assert doc.find(family) == fresh.find(family)
