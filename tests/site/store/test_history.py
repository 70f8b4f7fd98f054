"""What changed between two audits, and why."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from steelyard.errors import InvalidDate, SteelyardError
from steelyard.site.access.page_access import PageAccess
from steelyard.site.history import compare_audits, find_pair, find_site
from steelyard.site.history_listing import draw_trend
from steelyard.site.model import DUPLICATE, FAILED, SCORED, Link, Visit
from steelyard.site.scorings import Scorings, Trend
from steelyard.site.store import Audit, NoSuchAudit, Store, StoreError, open_store

Begin = Callable[..., Audit]
Score = Callable[..., dict[str, Any]]
Call = Callable[..., str]
HOME = "https://a.org/"
OLD, NEW = date(2026, 1, 10), date(2026, 11, 10)
DATED = "# Loads\n\n" + "The master of the weighhouse kept a book of every load in the harbour. " * 20
DATED += "Last updated: 2026-01-05."
PLAIN = DATED.removesuffix("Last updated: 2026-01-05.")
BETTER = PLAIN + '\n\n"Every load was weighed twice," said Anna Berg, the master. In 2024 it weighed 12,000 tons.\n'


class Site:
    """Fills audits: `site.audit(OLD, {"page": text})`."""

    def __init__(self, begin: Begin, score: Score) -> None:
        self.begin, self.score = begin, score

    def audit(self, day: date, pages: dict[str, str], others: tuple[Visit, ...] = (), edition: str = "paper") -> int:
        audit = self.begin(as_of=day, edition=edition, scoring={"weights": edition})
        for name, text in pages.items():
            page = self.score(text, HOME + name, day, edition)
            audit.finish(Visit(Link(HOME + name), SCORED, "", 200, content=f"{hash(text):064x}"[-64:], page=page))
        for visit in others:
            audit.finish(visit)
        audit.end("done", {})
        return audit.id


@pytest.fixture
def site(begin: Begin, score: Score) -> Site:
    return Site(begin, score)


def test_pages_are_added_removed_improved_and_worsened(site: Site, store: Store) -> None:
    gone = Visit(Link(f"{HOME}gone"), FAILED, "status 404", 404)
    twin = Visit(Link(f"{HOME}twin"), DUPLICATE, f"the same page as {HOME}same", 200)
    a = site.audit(OLD, {"same": PLAIN, "up": PLAIN, "down": BETTER, "gone": PLAIN, "left": PLAIN}, (twin,))
    b = site.audit(OLD, {"same": PLAIN, "up": BETTER, "down": PLAIN, "new": PLAIN, "twin": PLAIN}, (gone,))
    diff = compare_audits(store, a, b)
    assert {page.source.removeprefix(HOME): (page.status, page.causes, page.note) for page in diff.pages} == {
        "up": ("improved", ("page",), ""),
        "down": ("worsened", ("page",), ""),
        "gone": ("removed", (), "failed: status 404"),
        "left": ("removed", (), "no longer found"),
        "new": ("added", (), ""),
        "twin": ("added", (), f"duplicate: the same page as {HOME}same"),
    }
    assert diff.counts == {"worsened": 1, "improved": 1, "removed": 2, "added": 2, "unchanged": 1}
    assert [page.status for page in diff.pages][:2] == ["worsened", "improved"]
    up = next(page for page in diff.pages if page.status == "improved")
    assert up.point_changes["quotable_density"] > 1
    assert up.due_to_date == 0.0
    assert diff.in_both == 3
    assert diff.mean_change == pytest.approx(0.0)
    assert compare_audits(store, a, b, threshold=100.0).counts["unchanged"] == 3


def test_the_same_page_grows_older_and_the_date_explains_all_of_it(site: Site, store: Store) -> None:
    a = site.audit(OLD, {"dated": DATED, "plain": PLAIN, "edited": DATED})
    b = site.audit(NEW, {"dated": DATED, "plain": PLAIN, "edited": BETTER + "Last updated: 2026-01-05."})
    diff = compare_audits(store, a, b, threshold=0.1)
    pages = {page.source.removeprefix(HOME): page for page in diff.pages}
    assert set(pages) == {"dated", "edited"}
    assert pages["dated"].causes == ("date",)
    assert pages["dated"].due_to_date == pages["dated"].change
    assert pages["dated"].find_most_moved(freshness=True) == "freshness"
    assert pages["dated"].point_changes["freshness"] == pytest.approx(pages["dated"].change)
    assert pages["edited"].causes == ("page", "date")
    assert pages["edited"].due_to_date is None
    back = compare_audits(store, b, a, threshold=0.1)
    assert {page.source.removeprefix(HOME): page.causes for page in back.pages}["dated"] == ("date",)


def test_access_and_resolved_suggestions_are_changes_where_no_score_moves(
    site: Site, store: Store, url: str, call: Call
) -> None:
    rules = [finding["rule"] for finding in site.score(PLAIN, HOME, OLD, "paper")["moves"]]
    assert len(rules) > 1

    def audit(*, fixed: bool) -> int:
        audit = site.begin(as_of=OLD)
        for name in ("a", "b", "c"):
            page = site.score(PLAIN, HOME + name, OLD, "paper")
            page["moves"] = page["moves"][2:] if fixed and name == "a" else page["moves"]
            hidden = {"index": "noindex for everybody in a robots meta tag"} if fixed and name == "b" else {}
            access = PageAccess(() if hidden else ("index",), hidden, ("ClaudeBot",) if fixed else ("GPTBot",))
            audit.finish(Visit(Link(HOME + name), SCORED, "", 200, content="0" * 64, page=page, access=access))
        audit.end("done", {})
        return audit.id

    diff = compare_audits(store, audit(fixed=False), audit(fixed=True))
    assert (diff.pages, diff.counts["unchanged"]) == ([], 3)
    a, b, c = diff.visits
    assert a.resolved == tuple(sorted(rules[:2]))
    assert (a.new, b.resolved, c.resolved) == ((), (), ())
    assert b.access[0] == "index: noindex for everybody in a robots meta tag"
    assert c.access == ("robots.txt forbids ClaudeBot", "robots.txt allows GPTBot again")
    back = compare_audits(store, diff.new.id, diff.old.id)
    assert back.visits[1].access[0] == "index: passes now"
    assert len(back.visits[0].new) == 2
    for form in ("human", "markdown"):
        shown = call("history", "diff", "a.org", "--store", url, "--format", form)
        assert "2 suggestions resolved, 0 new" in shown, form
        assert "index: noindex for everybody" in shown, form
        assert "robots.txt forbids ClaudeBot" in shown, form
    document = json.loads(call("history", "diff", "a.org", "--store", url, "--format", "json"))
    assert document["suggestions"] == {"resolved": 2, "new": 0}
    assert document["access_and_suggestions"][1]["access"] == list(b.access)


def test_a_flat_history_is_drawn_flat() -> None:
    audits = [SimpleNamespace(mean=mean) for mean in (72.004, 71.996, 72.0)]
    assert draw_trend(Trend(audits, 0)).startswith("▄▄▄ ")  # type: ignore[arg-type]


def test_pages_under_another_scoring_are_counted_and_not_compared(site: Site, store: Store) -> None:
    a = site.audit(OLD, {"same": BETTER, "edited": PLAIN, "gone": PLAIN})
    b = site.audit(OLD, {"same": BETTER, "edited": BETTER}, edition="2026")
    diff = compare_audits(store, a, b, threshold=0.0)
    assert {page.source.removeprefix(HOME): (page.status, page.causes, page.change) for page in diff.pages} == {
        "same": ("rescored", ("scoring",), None),
        "edited": ("rescored", ("page", "scoring"), None),
        "gone": ("removed", (), None),
    }
    assert diff.counts == {"worsened": 0, "improved": 0, "removed": 1, "added": 0, "unchanged": 0, "rescored": 2}
    assert (diff.in_both, diff.mean_change, diff.components) == (0, None, {})
    assert not any(diff.causes.values())
    assert "the edition changed from paper to 2026; `audit --edition paper` goes on with paper" in diff.notes
    assert any(note.startswith("2 pages were scored in another way") for note in diff.notes)
    assert [page.source.removeprefix(HOME) for page in diff.comparable] == ["gone"]


def test_other_language_data_under_the_same_edition_is_another_scoring(
    begin: Begin, store: Store, score: Score, site: Site
) -> None:
    a = site.audit(OLD, {"page": PLAIN, "other": BETTER})
    audit = begin(as_of=OLD, edition="paper", scoring={"weights": "paper"})
    for name, text in (("page", PLAIN), ("other", BETTER)):
        page = {**score(text, HOME + name, OLD), "hash": "0" * 16, "score": 1.0}
        audit.finish(Visit(Link(HOME + name), SCORED, content=name * 8, page=page))
    audit.end("done", {})
    b = site.audit(OLD, {"page": BETTER, "other": BETTER})
    assert compare_audits(store, a, audit.id).counts["rescored"] == 2
    assert compare_audits(store, a, b).counts["improved"] == 1
    trend = Scorings(store).find_trend(store.list_audits("a.org"))
    assert ([row.id for row in trend.audits], trend.left_out, trend.advice) == ([a, b], 1, "")


def test_a_translated_page_was_not_scored_in_another_way(site: Site, store: Store) -> None:
    french = "Le maître de la balance tenait un livre de chaque charge qui passait par le port de la ville. " * 20
    a = site.audit(OLD, {"same": PLAIN, "translated": PLAIN})
    b = site.audit(OLD, {"same": PLAIN, "translated": french})
    (page,) = compare_audits(store, a, b).pages
    assert page.causes == ("page",)
    assert page.status in ("improved", "worsened")


def test_a_date_in_the_html_outside_the_text_is_a_change_of_the_page(begin: Begin, store: Store, score: Score) -> None:
    numbers = []
    for day, freshness in ((OLD, 50.0), (OLD, 90.0), (NEW, 95.0)):
        audit = begin(as_of=day)
        page = {**score(PLAIN, HOME, day), "freshness": freshness, "score": 60.0 + freshness / 10}
        audit.finish(Visit(Link(HOME), SCORED, content="c" * 64, page=page))
        audit.end("done", {})
        numbers.append(audit.id)
    (page_of_same_day,) = compare_audits(store, numbers[0], numbers[1]).pages
    (page_of_later_day,) = compare_audits(store, numbers[1], numbers[2], threshold=0.1).pages
    assert page_of_same_day.causes == ("page",)
    assert page_of_later_day.causes == ("page", "date")


def test_a_cap_that_changes_is_named(begin: Begin, store: Store, score: Score) -> None:
    for cap, points in ((65.0, 65.0), (None, 75.0)):
        audit = begin(as_of=OLD)
        audit.finish(Visit(Link(HOME), SCORED, content=str(cap), page={**score(PLAIN), "cap": cap, "score": points}))
        audit.end("done", {})
    (page,) = compare_audits(store, *(row.id for row in store.list_audits("a.org"))).pages
    assert page.note == "cap 65 → none"


def test_an_unfinished_audit_is_said_to_be_one(site: Site, begin: Begin, store: Store) -> None:
    a = site.audit(OLD, {"same": PLAIN})
    running = begin(as_of=NEW)
    running.add([Link(HOME)])
    notes = compare_audits(store, a, running.id).notes
    assert notes == [
        f"audit {running.id} is running with 1 known address not visited, so pages may seem removed or added"
    ]


def test_the_two_audits_are_found_in_every_way_of_saying_them(site: Site, store: Store) -> None:
    a, b, c = (site.audit(day, {"same": PLAIN}) for day in (OLD, date(2026, 5, 1), NEW))
    ways = {
        ("a.org",): (b, c), ("a.org", str(a)): (a, c), ("a.org", "2026-01-31", "2026-06-01"): (a, b),
        ("https://www.a.org/page", "previous", "latest"): (b, c), (str(a), str(b)): (a, b), (str(a),): (a, c),
        ("a.org@2026-02-01", "a.org@previous"): (a, b), ("a.org@latest", str(a)): (c, a),
    }  # fmt: skip
    for way, expected in ways.items():
        old, new = find_pair(store, way)
        assert (old.id, new.id) == expected, way
    assert find_site(store, "WWW.A.ORG") == "a.org"
    with pytest.raises(NoSuchAudit, match=r"b\.org"):
        find_pair(store, ("b.org",))


@pytest.fixture
def filled(tmp_path: Path, begin: Begin, score: Score) -> str:
    """A store in a file: two audits of one site, and audits of another under two editions, of pages nobody edited."""
    url = str(tmp_path / "filled.sqlite")
    with open_store(url) as store:
        site = Site(partial(begin, of=store), score)
        site.audit(OLD, {"same": PLAIN, "=up": PLAIN, "gone<b>": DATED})
        site.audit(NEW, {"same": PLAIN, "=up": BETTER, "new": PLAIN})
        other = Site(partial(begin, "b.org", of=store), score)
        for edition in ("paper", "paper", "2026", "2026"):
            other.audit(OLD, {"a": BETTER, "b": PLAIN, "c": DATED}, edition=edition)
    return url


SQLITE_ONLY = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@SQLITE_ONLY
def test_the_command_lists_sites_and_audits(call: Call, filled: str) -> None:
    listed = call("history", "--store", filled)
    assert listed.splitlines()[1].split()[:6] == ["a.org", "2", "2", "2026-11-10", "done", "3"]
    assert "not a forecast of citations" in call("history", "a.org", "--store", filled)
    rows = list(csv.DictReader(io.StringIO(call("history", "a.org", "--store", filled, "--format", "csv"))))
    assert [(row["audit"], row["pages"], row["change"] == "") for row in rows] == [("1", "3", True), ("2", "3", False)]
    document = json.loads(call("history", "a.org", "--store", filled, "--format", "json"))
    assert [audit["as_of"] for audit in document["audits"]] == ["2026-01-10", "2026-11-10"]
    with pytest.raises(NoSuchAudit, match=r"c\.org: there is no such audit \(there is: a\.org, b\.org\)"):
        call("history", "c.org", "--store", filled)


@SQLITE_ONLY
def test_the_command_compares_audits(call: Call, filled: str) -> None:
    shown = call("history", "diff", "a.org", "--store", filled)
    assert "a.org: audit 1 of 2026-01-10 → audit 2 of 2026-11-10" in shown
    assert "1 improved, 1 removed, 1 added, 1 unchanged; mean change +" in shown
    document = json.loads(call("history", "diff", "1", "2", "--store", filled, "--format", "json"))
    assert document["counts"]["improved"] == 1
    assert document["pages"][0]["causes"] == ["page"]
    text = call("history", "diff", "a.org", "--store", filled, "--format", "markdown")
    assert "gone\\<b\\>" in text
    assert "<b>" not in text
    rows = list(csv.DictReader(io.StringIO(call("history", "diff", "1", "2", "--store", filled, "--format", "csv"))))
    assert {row["status"] for row in rows} == {"improved", "removed", "added"}


@SQLITE_ONLY
def test_the_command_never_says_that_a_page_worsened_when_only_the_scoring_changed(call: Call, filled: str) -> None:
    between = ("history", "diff", "4", "5", "--store", filled, "--threshold", "0")
    for form in ("human", "markdown"):
        shown = call(*between, "--format", form)
        assert "3 rescored" in shown
        assert not any(f"{n} {status}" in shown for status in ("worsened", "improved") for n in (1, 2, 3))
        assert "mean change" not in shown
        assert f"{HOME}a" not in shown
    document = json.loads(call(*between, "--format", "json"))
    assert document["counts"]["rescored"] == 3
    assert {page["status"] for page in document["pages"]} == {"rescored"}
    assert {page["change"] for page in document["pages"]} == {None}
    within = json.loads(call("history", "diff", "5", "6", "--store", filled, "--format", "json"))
    assert (within["counts"]["unchanged"], "rescored" in within["counts"]) == (3, False)


@SQLITE_ONLY
def test_a_trend_has_only_audits_under_the_scoring_of_the_newest(call: Call, filled: str) -> None:
    for form in ("human", "markdown"):
        shown = call("history", "b.org", "--store", filled, "--format", form)
        trend = "over 2 finished audits; 2 audits under other scorings are left out of the trend; `audit --edition "
        assert trend in shown.replace("\\", "")


@SQLITE_ONLY
def test_the_command_removes_and_exports(call: Call, filled: str, tmp_path: Path) -> None:
    target = tmp_path / "all.parquet"
    assert call("history", "export", str(target), "--store", filled) == f"wrote 18 rows to {target}\n"
    with pytest.raises(click.UsageError, match="say what to remove"):
        call("history", "prune", "--store", filled)
    with pytest.raises(InvalidDate, match="--before"):
        call("history", "prune", "--before", "soon", "--store", filled)
    assert call("history", "prune", "--keep", "1", "--store", filled).startswith("removed 4 audits, 12 visits")
    with pytest.raises(StoreError, match="there is no store yet"):
        call("history", "--store", str(tmp_path / "absent.sqlite"))
    assert "Compare two audits" in call("history", "diff", "--help")
    assert "  prune " in call("history", "--help")


def test_odd_references_are_refused(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.sqlite")) as store:
        for references in (("1", "nonsense"), ("@latest",), ("9" * 30, "1"), ("1", "2", "3"), ("x", "1", "2", "3")):
            with pytest.raises(SteelyardError):
                find_pair(store, references)
