"""Dates written in text and Markdown, in front matter and in addresses."""

from __future__ import annotations

import time
from datetime import date

from steelyard.languages.dates import load_date_words
from steelyard.text.dates import UNDATED, DateWords, PageDates, find_address_date
from steelyard.text.text_dates import read_text_dates

WORDS = load_date_words()
PROSE = "The keeper of the gauge wrote the level of the tide into the ledger, which is kept in the town hall. " * 3
DAY = date(2021, 3, 4)


def read(text: str, address: str | None = None) -> PageDates:
    return read_text_dates(text, WORDS, address, lambda: False)


def test_dates_are_read_in_every_language_and_order() -> None:
    for text in (
        "2021-03-04", "2021/03/04", "2021-03-04T10:15", "4 March 2021", "March 4th, 2021", "Mar. 4 2021", "4 mars 2021",
        "4. März 2021", "4 de marzo de 2021", "4 marzo, 2021", "04.03.2021", "4/3/2021", "2021年3月4日",
        "March 4 10:15 2021", "Thu, Mar 4 20217:05 AM",
    ):  # fmt: skip
        assert [one.day for one in WORDS.find_dates(text, month_first=False)] == [DAY], text
    for text in (
        "4 March",
        "March 2021",
        "2021",
        "31 February 2021",
        "4/13/21/5",
        "1.2.3",
        "192.168.10.12",
        "4 marchers 2021",
    ):
        assert not list(WORDS.find_dates(text, month_first=False)), text
    assert [one.day for one in WORDS.find_dates("3/4/2021", month_first=True)] == [DAY]
    assert not list(WORDS.find_dates("3/4/2021")), "nobody knows the order"


def test_words_cross_to_another_process_whole() -> None:
    assert DateWords.from_json(WORDS.to_json()) == WORDS


def test_front_matter_comes_first() -> None:
    matter = "---\ntitle: Tide\ndate: 2021-03-04\nlastmod: 5 May 2021\n---\n"
    assert read(f"{matter}Published 1 January 2020\n\n{PROSE}") == PageDates(DAY, date(2021, 5, 5), "front matter")
    assert read(f"---\nupdated: 2021-03-04\n---\n{PROSE}") == PageDates(None, DAY, "front matter")


def test_text_shows_its_date_at_its_top_or_with_a_label() -> None:
    for top in (
        "# The tide\n\n*Published on 4 March 2021 by Ann Ferrow*\n\n", "# The tide\n\nThursday 4 March 2021\n\n",
        "The tide\nAnn Ferrow ann@example.org | Jueves 4 marzo, 2021\n", "OBERAU, 4. März 2021 – ",
        "Oberau, (04.03.2021). ",
        "04.03.2021 – ", "La Unión (Oberau), 4 de marzo de 2021. – ", "# La marée\n\nPublié le 4 mars 2021\n\n",
    ):  # fmt: skip
        assert read(top + PROSE) == PageDates(DAY, None, "visible text"), top
    assert read(f"# Tide\n\n{PROSE}\n\nLast updated: 4 March 2021\n") == PageDates(None, DAY, "visible text")


def test_text_that_only_mentions_a_date_has_none() -> None:
    for text in (
        f"On 4 March 2021 the gauge was moved. {PROSE}", "Le 4 mars 2021, Anne Ferrow ouvre avec le maire le quai.",
        "# What happened on 4 March 2021\n\n" + PROSE, "The flood of 4 March 2021\n\n" + PROSE,
        "- 4 March 2021: gauge moved\n- 5 March 2021: gauge back\n", "| 4 March 2021 | 3.2 m |\n",
        PROSE + "\n\n© 2021 Harbour News", PROSE + "\n\nAccessed 4 March 2021", "Ann (@ferrow) 4 March 2021\n" + PROSE,
        "The tide\nLe décret du 4 mars 2021\n" + PROSE, "The tide\nOrder of 4 March 2021\n" + PROSE,
        f"{PROSE}\n\nAn article published on 4 March 2021 says that the gauge, which had been moved, is back.",
    ):  # fmt: skip
        assert read(text) == UNDATED, text


def test_the_day_in_an_address_counts_where_the_page_shows_none() -> None:
    for path, day in (
        ("2021/03/04/tide", DAY), ("news/2021-03-04-tide", DAY), ("tide-20210304", DAY), ("2021/mar/04/tide", DAY),
        ("x/tide_20210304101500-nt.html", DAY), ("tide-24-03-2021-X.php", date(2021, 3, 24)), ("2021/03/tide", None),
        ("20219999", None), ("tide-04-03-2021", None), ("item/120210304", None), ("a?day=2021-03-04", None),
    ):  # fmt: skip
        assert find_address_date(f"https://www.example.org/{path}") == day, path
    assert find_address_date("https://2021-03-04.example.org/") is None
    assert read(PROSE, "https://example.org/2021/03/04/") == PageDates(DAY, None, "URL")
    assert read(f"Published 5 March 2021\n{PROSE}", "https://example.org/2021/03/04/").source == "visible text"


def test_a_change_is_later_than_the_publication() -> None:
    assert PageDates.of(DAY, DAY, "meta") == PageDates(DAY, None, "meta")
    assert PageDates.of(None, None, "meta") == UNDATED
    for dates in (UNDATED, PageDates(DAY, date(2021, 3, 5), "meta")):
        assert PageDates.from_dict(dates.to_dict()) == dates


def test_hostile_texts_are_read_in_bounded_time() -> None:
    for text in (
        "2020 " * 300_000,
        "3 March 2020 " * 100_000,
        "1-1-" * 300_000,
        "last updated " * 100_000 + "\n2020-03-04",
        "\n" * 10**6,
    ):
        start = time.process_time()
        read(text, "https://example.org/" + text[:100_000])
        assert time.process_time() - start < 3, text[:20]
