"""The contract of a page's score: a reader with the JSON alone can recompute every step of it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import date, datetime
from typing import Any

import pytest

import steelyard
from steelyard.components import NAMES
from steelyard.errors import InvalidDate, UnknownName, UnsupportedLanguage
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse_or_error
from steelyard.scoring import editions, weighting
from steelyard.scoring.page import PageScore, blend, contributions, final_score
from steelyard.settings import Settings
from tests.contract.shared import (
    AS_OF,
    LANGUAGES,
    PROSE,
    PROSE_FR,
    STRUCTURED,
    TEXTS,
    assert_inside,
    environment,
    score_text,
)

GIBBERISH = "xqzv wrtk plmn zzgh qwrt bnmv xcvb hjkl dfgh rtyp " * 4
HALF_GIBBERISH = "the xqzv of wrtk plmn and zzgh qwrt is it bnmv to " * 4
SALAD = "harbour gauge ledger tide keeper mark board century record town " * 5
PAGES = {**TEXTS, "gibberish": GIBBERISH, "half gibberish": HALF_GIBBERISH, "salad": SALAD}
GUARD_SCORES = {"near-empty": {5.0}, "gibberish": {5.0, 10.0}, "word-salad": {10.0}}

each_language = pytest.mark.parametrize("language", LANGUAGES)


def as_json(text: str, *, language: str = "en", weights: str = "shipped") -> dict:
    """Return the page's entry in the JSON output, after a round trip through JSON."""
    settings = Settings.resolve(as_of=date.fromisoformat(AS_OF), weights=weights, language=language)
    result = analyse_or_error(PageRef("page.md", text=text), settings)
    assert isinstance(result, PageResult)
    loaded: dict = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    return loaded


def recompute(page: dict[str, Any]) -> float:
    """Compute the score from the JSON alone: weights, values, g, blend, cap, guard."""
    content = sum(c["weight"] * 100 * math.sqrt(c["value"] / 100) for c in page["components"].values())
    blended = 0.92 * content + 0.08 * page["freshness"]
    if page["guard"] is not None:
        (score,) = {float(page["score"])} & GUARD_SCORES[page["guard"]]
        return score
    return float(blended if page["cap"] is None else min(page["cap"], blended))


@each_language
def test_the_score_can_be_recomputed_from_the_json_alone(language: str):
    for text in PAGES.values():
        for weights in ("shipped", "prior", "equal"):
            check_arithmetic(as_json(text, language=language, weights=weights))


def check_arithmetic(page: dict[str, Any]) -> None:
    assert page["score"] == pytest.approx(recompute(page), abs=1e-9)
    points = [c["points"] for c in page["components"].values()]
    assert sum(points) == pytest.approx(page["content"], abs=1e-9)
    assert math.fsum(c["weight"] for c in page["components"].values()) == pytest.approx(1, abs=1e-12)
    for c in page["components"].values():
        assert c["transformed"] == pytest.approx(100 * math.sqrt(c["value"] / 100), abs=1e-9)
        assert c["points"] == pytest.approx(c["weight"] * c["transformed"], abs=1e-9)
    terms = page["freshness_terms"]
    fresh = 0.40 * terms["date"] + 0.20 * terms["temporal"] + 0.25 * terms["refs"] + 0.15 * terms["updates"]
    assert page["freshness"] == pytest.approx(fresh, abs=1e-9)


@pytest.mark.parametrize("edition", editions.NAMES)
def test_every_figure_of_a_page_is_in_range_and_all_evidence_is_inside_its_text(edition: str):
    for name, text in PAGES.items():
        page = score_text(text, language="en", edition=edition)
        for figure in (page.score, page.content, page.freshness):
            assert math.isfinite(figure), name
            assert 0.0 <= figure <= 100.0, name
        assert tuple(page.readings) == tuple(page.contributions) == NAMES, name
        assert sum(page.contributions.values()) == pytest.approx(page.content, abs=1e-9), name
        steps = 35.0 if page.words < 100 else 50.0 if page.words < 200 else 65.0 if page.words < 300 else None
        assert page.cap == steps if edition == "paper" else page.cap is None or 20.0 <= page.cap < 100.0, name
        assert page.guard is None or page.score in GUARD_SCORES[page.guard], name
        for evidence in (*page.fresh.evidence, *(e for r in page.readings.values() for e in r.evidence)):
            assert_inside(evidence, text)


def test_a_guard_sets_the_score_and_hides_no_reading():
    for text, guard, score in (
        ("", "near-empty", 5.0),
        ("Only four words here.", "near-empty", 5.0),
        (GIBBERISH, "gibberish", 5.0),
        (HALF_GIBBERISH, "gibberish", 10.0),
        (SALAD, "word-salad", 10.0),
    ):
        page = score_text(text, language="en")
        assert (page.guard, page.score) == (guard, score), text
        assert page.guard_reason
        assert tuple(page.readings) == NAMES
        assert sum(page.contributions.values()) == pytest.approx(page.content, abs=1e-9)
    for word in ("a", "de", "die", "y el no", "水", "שלום", "1"):  # whatever language it may be in
        assert score_text(word).guard == "near-empty", word


def test_the_best_page_there_can_be_scores_100_and_not_more():
    for weights in weighting.NAMED:
        points = contributions(dict.fromkeys(NAMES, 100.0), weighting.load(weights).weights)
        for fresh in (0.0, 50.0, 100.0):
            assert 0.0 <= final_score(sum(points.values()), fresh, None, None) <= 100.0, weights
    assert blend(100.0, 100.0) <= 100.0


def test_score_stays_a_function_when_the_package_scoring_is_imported():
    program = (
        "import steelyard\n"
        "first = steelyard.score('', as_of='2026-07-01').score\n"
        "import steelyard.scoring.page\n"
        "from steelyard import score\n"
        "print(first, steelyard.score('', as_of='2026-07-01').score, score('', as_of='2026-07-01').score)\n"
    )
    line = [sys.executable, "-c", program]
    done = subprocess.run(line, capture_output=True, text=True, env=environment(), check=False)
    assert done.stdout == "5.0 5.0 5.0\n", done.stderr


def test_many_pages_score_as_each_of_them_alone():
    texts = [PROSE, "", STRUCTURED, SALAD]
    together = steelyard.score_many(texts, as_of=AS_OF)
    with_evidence = steelyard.score_many(texts, as_of=AS_OF, evidence=True)
    for text, bare, full in zip(texts, together, with_evidence, strict=True):
        alone = score_text(text)
        assert figures(bare) == figures(full) == figures(alone)
        assert all(r.evidence == () for r in bare.readings.values())
        assert [r.evidence for r in full.readings.values()] == [r.evidence for r in alone.readings.values()]


def figures(page: PageScore) -> tuple:
    values = {n: (r.value, r.degenerate, r.parts) for n, r in page.readings.items()}
    return page.score, page.content, page.freshness, page.words, page.cap, page.guard, page.language, page.title, values


def test_the_date_may_be_given_as_a_date_a_time_or_a_string(monkeypatch: pytest.MonkeyPatch):
    given: list[date | str] = [AS_OF, date(2026, 7, 1), datetime(2026, 7, 1, 12)]
    assert {steelyard.score(STRUCTURED, as_of=d).as_of for d in given} == {date(2026, 7, 1)}
    monkeypatch.setenv("STEELYARD_AS_OF", "2026-07-01")
    assert figures(steelyard.score(STRUCTURED)) == figures(steelyard.score(STRUCTURED, as_of=AS_OF))
    assert steelyard.score("", as_of="2024-01-02").as_of == date(2024, 1, 2), "the argument comes first"
    with pytest.raises(InvalidDate, match="YYYY-MM-DD"):
        steelyard.score("", as_of="yesterday")
    monkeypatch.setenv("STEELYARD_AS_OF", "soon")
    with pytest.raises(InvalidDate, match="STEELYARD_AS_OF: 'soon' is not a date"):
        steelyard.score("")


def test_a_language_that_is_not_supported_is_refused_unless_it_is_asked_for():
    german = "Der Hund und die Katze sind nicht im Haus, und das ist auch gut für den Garten und für die Vögel. " * 3
    with pytest.raises(UnsupportedLanguage, match="'de'"):
        score_text(german, edition="paper")
    page = score_text(german, language="en")
    assert (page.language, page.detected, page.guard) == ("en", "de", None), "guards need word lists"
    with pytest.raises(UnsupportedLanguage, match="edition 2026 has it"):
        score_text(german, language="de", edition="paper")
    assert score_text(german, edition="2026").language == "de"
    assert score_text(PROSE_FR).language == "fr"
    with pytest.raises(UnknownName, match="language"):
        score_text(german, language="nl")


def test_the_title_is_the_argument_else_the_front_matter_else_the_first_heading():
    assert score_text(STRUCTURED, title="Mine").title == "Mine"
    assert score_text(STRUCTURED).title == "How a harbour reads its tide"
    assert score_text("## Second\n\ntext\n\n# First\n\ntext").title == "First"
    assert score_text(PROSE).title is None
    assert score_text(STRUCTURED, title="").title is None


def test_every_link_is_shown_on_its_own_line():
    text = (
        "See [the ledger](https://a.example/) now.\n\nOne [gauge][1] and another [gauge][2].\n\n"
        "An <a href='https://b.example/'>anchor</a> here.\n\n[1]: https://c.example/\n[2]: https://d.example/"
    )
    for page in (text, text.replace("\n", "\r\n")):
        evidence = score_text(page).readings["citation_f1"].evidence
        assert [e.line for e in evidence if e.pattern == "link"] == [1, 5, 7, 8]
