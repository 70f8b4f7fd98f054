"""Domains ranked, with what the ranks are worth."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from steelyard import __version__
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.gaming.displacement import Leaderboard as Snapshot
from steelyard.lab.gaming.displacement import inflate_all_pages
from steelyard.scoring.domains import rank_domains
from steelyard.settings import Settings
from steelyard.site.domain_pages import Domain, KeptPage, Sample
from steelyard.site.leaderboard import build, pages_to_separate, rank
from steelyard.site.leaderboard_html import render_html
from steelyard.site.leaderboard_listing import render_csv, render_markdown, render_terminal
from steelyard.site.model import DUPLICATE, SCORED, Link, Visit
from steelyard.site.store import Audit, Store, open_store
from tests.conftest import ROOT, run_here

Begin = Callable[..., Audit]
Score = Callable[..., dict[str, Any]]
Call = Callable[..., str]
SCORES = {"a.org": [80.0, 82, 84, 86, 88], "b.org": [60.0, 61, 62, 63, 64], "c.org": [60.5, 61, 62, 63, 63.5]}
PAGE = KeptPage("text", "en", None)
TEXTS = [path.read_text() for path in sorted((ROOT / "examples" / "site" / "guides").glob("*.md"))[:4]]


def make_domains(scores: dict[str, list[float]] = SCORES, **others: Any) -> list[Domain]:
    return [Domain(name, "paper", "shipped", scores=list(values), **others) for name, values in scores.items()]


def test_ranks_are_those_of_the_shrunk_mean_and_ties_are_said() -> None:
    (board,) = rank(make_domains()).boards
    expected = rank_domains({"domain": d, "score": s} for d, scores in SCORES.items() for s in scores)
    assert [row.row for row in board.rows] == expected
    assert [(row.row.rank, row.separated) for row in board.rows] == [(1, True), (2, False), (2, None)]
    assert board.rows[1].notes == (
        "tied with 1 other domain", "not separated from the next: their intervals overlap",
    )  # fmt: skip
    assert board.rows[1].pages_note == "never: equal means"
    assert board.rows[0].notes == ()
    (board,) = rank(make_domains({"a.org": [90.0], "b.org": [50.0, 51.0]})).boards
    assert [len(row.notes) for row in board.rows] == [2, 1]  # small samples, the first without an interval
    assert (board.rows[0].pages_needed, board.rows[0].separated) == (None, None)


def test_the_pages_to_separate_two_domains_follow_the_formula() -> None:
    needed, _ = pages_to_separate([50.0, 60.0, 70.0], [52.0, 62.0, 72.0])
    assert needed == math.ceil((1.959964 + 0.841621) ** 2 * (100 + 100) / 2**2)
    assert pages_to_separate([50.0], [60.0, 70.0]) == (None, "one page has no deviation")
    assert pages_to_separate([50.0, 50.0], [60.0, 60.0])[0] == 2


def test_domains_of_another_edition_or_scoring_are_never_ranked_together() -> None:
    english, other = {("en", "source"): "1"}, {("en", "source"): "2"}
    french = {("fr", "source"): "3"}
    domains = [
        Domain("a.org", "paper", scores=[50.0], hashes=english), Domain("b.org", "2026", scores=[90.0]),
        Domain("c.org", "paper", scores=[60.0], hashes=other), Domain("d.org", "paper", scores=[70.0], hashes=french),
        Domain("e.org", "paper", "equal", scores=[95.0]), Domain("none.org", "paper"),
    ]  # fmt: skip
    found = rank(domains)
    names = [[row.row.domain for row in board.rows] for board in found.boards]
    assert names == [["d.org", "a.org"], ["b.org"], ["c.org"], ["e.org"]]
    assert "cannot be compared" in found.notes[0]


def test_very_many_scorings_are_refused_in_time() -> None:
    domains = [Domain(f"{n}.org", str(n), scores=[50.0]) for n in range(5_000)]
    with pytest.raises(Exception, match="more than 50 scorings"):
        rank(domains)


def test_the_rise_is_that_of_the_laboratorys_leaderboard() -> None:
    scores = {f"{n}.org": [40.0 + n * 3, 44.0 + n * 3] for n in range(12)}
    domains = make_domains(scores, kept=[PAGE])
    (board,) = rank(domains, measure=lambda page, domain: 7.0).boards
    snapshot = Snapshot.rank({"domain": d, "score": s} for d, values in scores.items() for s in values)
    for row in board.rows:
        expected = snapshot.move_domain(row.row, inflate_all_pages(scores[row.row.domain], 7.0)).positions
        assert row.rise == expected
    assert max(row.rise or 0 for row in board.rows) > 0
    assert board.rows[0].rise_note == "7.0 points a page, from 1 page"
    (board,) = rank(domains, measure=lambda page, domain: None).boards
    assert (board.rows[0].rise, board.rows[0].rise_note.startswith("no page of the sample")) == (None, True)
    (board,) = rank(make_domains(), measure=lambda page, domain: 7.0).boards
    assert board.rows[0].rise_note == "texts were not kept (--keep-texts)"


def test_the_sample_does_not_depend_on_the_order() -> None:
    one, other = Sample[int](), Sample[int]()
    for number in range(500):
        one.add(str(number), number)
        other.add(str(499 - number), 499 - number)
    assert one.list_items() == other.list_items()
    assert len(set(one.list_items())) == 20


def fill(begin: Begin, score: Score, store: Store, site: str, texts: list[str], *, keep: bool) -> None:
    audit = begin(site, of=store, keep_texts=keep)
    for number, text in enumerate(texts):
        page = score(text, f"https://{site}/{number}")
        audit.finish(Visit(Link(f"https://{site}/{number}"), SCORED, content=f"{number:064}", page=page))
    page = score(texts[0])
    audit.finish(Visit(Link(f"https://{site}/twin"), SCORED, content=f"{0:064}", page={**page, "score": 0.0}))
    audit.finish(Visit(Link(f"https://{site}/copy"), DUPLICATE, "the same", content="x", page={**page, "score": 0.0}))
    audit.end("done", {})


def test_the_sites_of_a_store_are_ranked_each_page_once(begin: Begin, score: Score, store: Store) -> None:
    fill(begin, score, store, "a.org", TEXTS, keep=True)
    fill(begin, score, store, "b.org", TEXTS[:1], keep=False)
    begin("running.org").finish(Visit(Link("https://running.org/"), SCORED, content="c", page=score(TEXTS[0])))
    (board,) = build(store).boards
    assert sorted((row.row.domain, row.row.n) for row in board.rows) == [("a.org", len(TEXTS)), ("b.org", 1)]
    found = next(row for row in board.rows if row.row.domain == "a.org")
    assert found.row.mean == pytest.approx(mean([score(text)["score"] for text in TEXTS]))
    assert found.manipulation == 0.0
    assert found.rise_note.startswith("not measured here")


def test_flagged_pages_stand_beside_those_that_were_examined(begin: Begin, score: Score, store: Store) -> None:
    audit = begin("a.org")
    for number, text in enumerate(TEXTS):
        page = score(text, f"https://a.org/{number}")
        if number == 0:
            page["manipulation"] = None  # as of a page that was read doubtfully
        elif number == 1:
            page["manipulation"]["flagged"] = True
        audit.finish(Visit(Link(f"https://a.org/{number}"), SCORED, content=f"{number:064}", page=page))
    audit.end("done", {})
    (board,) = (leaderboard := build(store)).boards
    assert (board.rows[0].row.n, board.rows[0].flagged_of) == (len(TEXTS), f"1 of {len(TEXTS) - 1}")
    assert f"1 of {len(TEXTS) - 1}" in "".join(text for text, _ in render_terminal(leaderboard))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_command_attacks_kept_texts_and_prints_every_format(
    begin: Begin, score: Score, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "board.sqlite")
    with open_store(url) as store:
        fill(begin, score, store, "a.org", TEXTS[:2], keep=True)
        fill(begin, score, store, "b<script>.org", TEXTS[:1], keep=False)
    (board,) = json.loads(call("leaderboard", "--store", url, "--format", "json"))["boards"]
    domains = {row["domain"]: row for row in board["domains"]}
    assert isinstance(domains["a.org"]["ranks_gained_by_attack"], int)
    assert " points a page, from 2 pages" in domains["a.org"]["attack"]
    assert domains["b<script>.org"]["ranks_gained_by_attack"] == {"undefined": "texts were not kept (--keep-texts)"}
    monkeypatch.setattr("steelyard.lab.gaming.climbing.measure_gain", lambda *page, words: 5.0)
    page = call("leaderboard", "--store", url, "--format", "html")
    assert "<script" not in page
    assert "b&lt;script&gt;.org" in page
    assert "default-src 'none'" in page
    assert "not a forecast of citations" in call("leaderboard", "--store", url)


def test_a_file_of_scores_is_ranked_with_its_texts(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def measure(text: str, title: str | None, settings: Settings, *, words: int) -> float:
        asked.append(text)
        return 5.0

    monkeypatch.setattr("steelyard.lab.gaming.climbing.measure_gain", measure)
    shop = ROOT / "examples" / "site" / "shop"
    monkeypatch.chdir(shop)
    pages = call("score", ".", "--format", "jsonl", "--detect").splitlines()
    rows = [{**json.loads(line), "url": f"https://{'ab'[n % 2]}.org/{n}"} for n, line in enumerate(pages)]
    outside = {"url": "https://c.org/", "score": 50, "source": "../index.md"}
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, outside]))
    done = call("leaderboard", str(path), "--texts", str(shop), "--format", "csv")
    table = {row["domain"]: row for row in csv.DictReader(io.StringIO(done))}
    assert {name: row["table"] for name, row in table.items()} == {"a.org": "1", "b.org": "1", "c.org": "2"}
    assert table["a.org"]["attack"].startswith("5.0 points a page, from ")
    assert sorted(asked) == sorted((shop / row["source"]).read_text() for row in rows)
    assert float(table["a.org"]["flagged"]) >= 0
    assert table["c.org"]["attack"] == f"no page of it is in {shop}"
    assert "undefined: no texts were given (--texts DIR)" in call("leaderboard", str(path))
    for wrong in ([str(path), "--store", "x"], ["--texts", str(shop)]):
        with pytest.raises(click.UsageError):
            call("leaderboard", *wrong)


def test_hostile_names_stay_text_in_every_format() -> None:
    found = rank([Domain("=cmd|'x'!a\x1b[2J<b>", "paper", scores=[50.0, 60.0])])
    assert "\x1b" not in "".join(text for text, _ in render_terminal(found))
    assert "<b>" not in render_html(found)
    assert "\\<b\\>" in render_markdown(found)
    (row,) = csv.DictReader(io.StringIO(render_csv(found)))
    assert row["domain"].startswith("'=cmd")


def test_the_page_to_publish_has_its_method_and_folds_a_long_list() -> None:
    domains = [Domain(f"site-{n}.org", "paper", scores=[40.0 + n / 2, 42.0 + n / 2, 41.0]) for n in range(60)]
    shown = render_html(rank([*domains, Domain("once.org", "paper", scores=[90.0])]))
    for words in ("<h2>Method</h2>", "not a forecast", "decided by who made the list", "few", __version__):
        assert words in shown, words
    assert "11 more domains, to rank 61" in shown
    assert shown.count('<td class="domain">') == 61
    assert re.search(r'aria-label="\d+\.\d to \d+\.\d"', shown)
    assert 'aria-label="undefined"' in shown
    assert '<th scope="col" class="n more">rise</th>' not in shown  # which no domain has


@pytest.mark.full
def test_the_page_to_publish_fits_every_screen_and_axe_finds_nothing(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "board.html"
    page.write_text(run_here("leaderboard", ROOT / "examples" / "leaderboard.csv", "--format", "html").stdout, "utf-8")
    for width in (400, 1400):
        for scheme in ("light", "dark"):
            looking = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
            looking.goto(page.as_uri())
            root = "document.documentElement"
            assert looking.evaluate(f"{root}.scrollWidth") == width
            assert looking.evaluate(f"{root}.scrollHeight") < 8_000
            looking.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            found = import_module("axe_playwright_python.sync_playwright").Axe().run(looking).response
            assert not found["violations"], [v["id"] for v in found["violations"]]
            looking.close()
