"""Editions: what selects them, what they print, and what a later one changes."""

from __future__ import annotations

import itertools
import json
from datetime import date
from pathlib import Path

import pytest

import steelyard
from steelyard.components.citation_f1 import find_named
from steelyard.components.links import find_external, names_site
from steelyard.errors import UnknownName
from steelyard.scoring import editions, weighting
from steelyard.scoring.caps import CONTENT_CAPS, cap_for_prose
from steelyard.scoring.freshness import measure_freshness
from steelyard.text.document import Document, Match, drop_overlapping, keep_near
from steelyard.text.prose import Prose
from steelyard.text.source import Source
from tests.lab.outcome.experiment_fixtures import steelyard as steelyard_command

DAY = date(2026, 7, 1)
PAGE = "# Salt\n\nThe harbour trades salt. In 2019 it sold 4,512 tonnes, according to the Harbour Board."


def read(text: str, edition: str = "2026", language: str = "en", site: str = "") -> Document:
    return Document(Source(text), editions.load(edition).load_language(language), None, site)


def test_every_file_of_an_edition_or_a_weighting_has_its_name_in_the_list() -> None:
    folder = Path(editions.__file__).parent
    assert {path.stem for path in folder.glob("*.toml")} == set(editions.NAMES)
    assert {path.stem for path in (folder.parent / "weights").glob("*.toml")} == set(weighting.NAMED)
    assert {editions.load(name).weights for name in editions.NAMES} <= set(weighting.NAMED)


def test_an_edition_is_selected_by_name_and_printed() -> None:
    scorings = [steelyard.score(PAGE, edition=name, as_of=DAY).scoring for name in editions.NAMES]
    assert tuple(scoring.edition for scoring in scorings) == editions.NAMES
    assert len({scoring.hash for scoring in scorings}) == len(editions.NAMES)
    assert steelyard.score(PAGE, as_of=DAY).scoring.edition == editions.DEFAULT
    with pytest.raises(UnknownName, match="unknown edition '2025'"):
        steelyard.score(PAGE, edition="2025")


def test_every_edition_has_its_file_and_is_named_where_users_choose_one() -> None:
    files = {path.stem for path in Path(editions.__file__).parent.glob("*.toml")}
    assert files == set(editions.NAMES)
    names = " or ".join(f'"{name}"' for name in editions.NAMES)
    for described in (steelyard.score, steelyard.Scorer):
        assert f"edition: {names}: the patterns" in (described.__doc__ or ""), described


def test_evidence_carries_its_family() -> None:
    text = 'Salt is a mineral that keeps food. "We sold all of it before the spring," said Anna Weir. ' + PAGE * 3
    for name in editions.NAMES:
        found = steelyard.score(text, edition=name, as_of=DAY).readings["quotable_density"].evidence
        assert {"quotation", "definition"} <= {e.family for e in found}, name


def test_the_cap_has_no_steps_and_repetition_does_not_lift_it() -> None:
    def limit(words: int, share: float) -> float:
        cap = cap_for_prose(Prose(words=4 * words, share=share, content_words=words))
        return 100.0 if cap is None else cap

    for share in (0.0, 0.3, 0.9):
        limits = [limit(words, share) for words in range(400)]
        assert limits[0] == CONTENT_CAPS[0][1]
        assert limits[-1] == 100.0
        assert all(0 <= after - before <= 0.65 for before, after in itertools.pairwise(limits))
    shares = [limit(100, share / 100) for share in range(101)]
    assert all(0 <= after - before <= 1.2 for before, after in itertools.pairwise(shares))
    short = "The harbour master of the old town writes every evening which ships came in with the tide. "
    assert read(short).prose.content_words == read(short * 6).prose.content_words > 5


def test_no_date_is_worth_less_than_none() -> None:
    def measure(text: str) -> float:
        return measure_freshness(read(text), DAY, one_sided=True).value

    for written in ("2026-06-20", "2021-06-20", "1999-01-01"):
        assert measure(f"Published: {written}\n\n{PAGE}") >= measure(PAGE)
        assert measure(f"Last updated: {written}\n\n{PAGE}") >= measure(f"Last updated\n\n{PAGE}")


def test_links_to_the_pages_own_site_are_no_sources() -> None:
    text = "[a](https://www.example.org/a) and [b](https://shop.example.org/b) and [c](https://other.net/c). " + PAGE
    result = steelyard.score_html(f"<p>{PAGE}</p>", url="https://example.org/x", edition="2026", as_of=DAY)
    assert result.page.scoring.edition == "2026"
    assert [link.url for link in find_external(read(text, site="example.org"), [])] == ["https://other.net/c"]
    assert len(find_external(read(text), [])) == 3


def test_a_page_that_names_its_own_site_names_no_source() -> None:
    text = "She told the Harrow Times that eels are late. According to the Leeds Gazette, they are early."
    named = [read(text).matched_text(m) for m in find_named(read(text, site="www.harrowtimes.com"))]
    assert [m for m in named if "harrow" in m] == []
    assert any("leeds gazette" in m for m in named)
    assert names_site("told the BBC", "www.bbc.co.uk")
    assert names_site("the Guardian reports", "theguardian.com")
    assert not names_site("the company said", "example.com")
    assert not names_site("researchers who found", "who.int")
    assert not names_site("a study in Nature Medicine", "in.example.com")
    assert not names_site("the first time", "time.com")


def test_the_address_can_be_given_on_the_command_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](https://www.example.org/a) is a list of our own pages. " + PAGE * 4)
    command = ("score", page, "--edition", "2026", "--format", "json", "--as-of", "2026-07-01")
    shown = [steelyard_command(*command, *more).stdout for more in ((), ("--url", "https://example.org/x"))]
    cited = [len(json.loads(text)["pages"][0]["components"]["citation_f1"]["evidence"]) for text in shown]
    assert cited[0] == cited[1] + 1


def match(start: int, end: int) -> Match:
    return Match("f", 0, start, end)


def test_matches_are_dropped_over_others_or_kept_near_them_in_the_same_paragraph() -> None:
    matches = [match(0, 4), match(5, 9), match(12, 20)]
    assert drop_overlapping(matches, [match(3, 5), match(19, 30)]) == [match(5, 9)]
    assert drop_overlapping(matches, [match(0, 100)]) == []
    assert drop_overlapping(matches, []) == matches
    text = "0123456789\n\n2345678901234567890123456789"
    for kept, (one, others, within) in (
        (True, (match(0, 3), [match(5, 8)], 2)),
        (False, (match(0, 3), [match(6, 8)], 2)),
        (False, (match(14, 18), [match(5, 9)], 9)),  # a blank line between
        (True, (match(20, 24), [match(15, 19)], 2)),
        (False, (match(20, 24), [], 2)),
    ):
        assert keep_near([one], others, within, text) == [one] * kept


def test_what_is_no_running_text_is_no_evidence_in_2026() -> None:
    others = (
        "40 people. $310. [1]. 12 of 40.",
        "\n\nTop 10 Boats | 25 Best Yards | Ferry Times 2026\n",
        "\n\n- Harbour Lights 40% Off\n- New York Boats $310\n",
    )
    sentence = " The survey of the harbour asked 40 people."

    def count(text: str, name: str, family: str) -> int:
        return len(Document(Source(text), editions.load(name).load_language("en")).find(family))

    for other in others:
        for family in ("statistic", "entity"):
            assert count(f"{PAGE} {other}", "2026", family) == count(PAGE, "2026", family), other
        assert count(f"{PAGE} {other}", "paper", "entity") > count(PAGE, "paper", "entity"), other
    assert count(PAGE + sentence, "2026", "statistic") > count(PAGE, "2026", "statistic")
