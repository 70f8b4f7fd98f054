"""False positives by origin: no page is judged by limits that its own origin had a part in."""

from __future__ import annotations

from dataclasses import replace

from steelyard.detectors import DETECTORS
from steelyard.lab.corpus import STRUCTURED, TEST, TRAIN, CorpusPage
from steelyard.lab.gaming.benchmark import CLEAN, PageReadings
from steelyard.lab.gaming.readings import Reading
from steelyard.lab.gaming.run import MIN_ORIGIN_PAGES, count_left_out, fit_origins, group_by_origin, leave_out
from steelyard.lab.protocol.variants import DOSES, FILLER, variant_name

LOWEST = {d.name: d.lowest_threshold for d in DETECTORS}
VARIANTS = (CLEAN, STRUCTURED, *(variant_name(FILLER, dose) for dose in DOSES))


def pages(origin: str, number: int, *, dump: float = 0.0, language: str = "en") -> list[PageReadings]:
    """Pages whose every statistic is 0, apart from the dumps of this size."""
    reading: Reading = {**dict.fromkeys(LOWEST, 0.0), "dump": dump}
    made = []
    for at in range(number):
        page = CorpusPage(f"{origin}{at}", language, TRAIN if at % 2 else TEST, None, "", "")
        made.append(PageReadings(page, dict.fromkeys(VARIANTS, reading), {}, {}))
    return made


def test_pages_are_grouped_by_language_and_by_what_stands_before_the_colon():
    groups = group_by_origin(
        [*pages("a:", MIN_ORIGIN_PAGES), *pages("b:", MIN_ORIGIN_PAGES), *pages("c:", MIN_ORIGIN_PAGES, language="fr")]
    )
    assert {name: len(members) for name, members in groups.items()} == {
        "en a": MIN_ORIGIN_PAGES,
        "en b": MIN_ORIGIN_PAGES,
        "fr c": MIN_ORIGIN_PAGES,
    }


def test_small_origins_of_a_language_are_one_group():
    groups = group_by_origin(
        [*pages("a:", MIN_ORIGIN_PAGES), *pages("b:", 3), *pages("c:", 4), *pages("d:", 5, language="fr")]
    )
    assert {name: len(members) for name, members in groups.items()} == {"en": 7, "en a": MIN_ORIGIN_PAGES, "fr": 5}


def test_the_halves_of_a_single_origin_judge_each_other():
    groups = group_by_origin(pages("page-", 10))
    assert list(groups) == [TEST, TRAIN]


def test_an_origin_of_tables_raises_the_limit_for_all_and_is_flagged_when_it_is_left_out():
    much = 3 * LOWEST["dump"]
    all_pages = [*pages("prose:", MIN_ORIGIN_PAGES), *pages("tables:", MIN_ORIGIN_PAGES, dump=much)]
    groups = group_by_origin(all_pages)
    assert fit_origins(groups).thresholds["dump"] > much
    assert leave_out(groups)["en tables"].thresholds["dump"] == LOWEST["dump"]
    found = count_left_out(all_pages, groups)
    assert found["clean"]["flagged"] == found["structured"]["flagged"] == MIN_ORIGIN_PAGES
    assert found["neutral"]["flagged"] == len(DOSES) * MIN_ORIGIN_PAGES
    assert found["clean"]["of"] == 2 * MIN_ORIGIN_PAGES
    assert count_left_out(all_pages[:MIN_ORIGIN_PAGES], groups)["clean"]["flagged"] == 0


def test_the_line_breaks_of_a_page_can_flag_it_alone():
    loud = pages("a:", 1)[0]
    lines = {**loud.readings[CLEAN], "questions": 10 * LOWEST["questions"]}
    broken = replace(loud, readings={**loud.readings, STRUCTURED: lines})
    all_pages = [broken, *pages("b:", MIN_ORIGIN_PAGES)]
    found = count_left_out(all_pages, group_by_origin(all_pages))
    assert (found["clean"]["flagged"], found["structured"]["flagged"]) == (0, 1)
