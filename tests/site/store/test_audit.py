"""An audit as a frontier in the store, and what is read back from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from steelyard.site.model import (
    DUPLICATE,
    EXCLUDED,
    FAILED,
    LINK,
    LISTED,
    NOT_MEASURED,
    SCORED,
    SITEMAP,
    START,
    Link,
    Visit,
)
from steelyard.site.store import Audit, Store
from steelyard.site.store.audit import _NEXT
from tests.site.crawl.crawling import FileFrontier

Begin = Callable[..., Audit]
Score = Callable[..., dict[str, Any]]
HOME = "https://a.org/"
TEXT = "# Weighing\n\n" + "The master of the weighhouse kept a book of every load. " * 20 + "Last updated: 2026-06-01."


def link(path: str, depth: int = 1, origin: str = LINK) -> Link:
    return Link(HOME + path, depth, origin, HOME if origin == LINK else None)


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_addresses_are_handed_out_by_depth_and_alphabet_as_in_memory(begin: Begin) -> None:
    audit, memory = begin(), FileFrontier()
    for frontier in (audit, memory):
        frontier.add([Link(HOME), link("sitemap-only", 1, SITEMAP), link("Z"), link("é"), link("a"), link("deep", 2)])
    for most in (5, 1, 2, 9, 9):
        taken = audit.take(most)
        assert taken == memory.take(most)
        for one in taken:
            more = [link(f"{one.url[-1]}{n}", one.depth + 1) for n in range(3)]
            assert audit.count() == memory.count()
            audit.finish(Visit(one, FAILED, "timed out"), more)
            memory.finish(Visit(one, FAILED, "timed out"), more)
    assert audit.count() == memory.count()
    assert audit.measure_bytes() == memory.measure_bytes() > 0
    audit.release()
    assert begin().measure_bytes() == memory.measure_bytes()


def test_a_deeper_address_waits_for_those_under_way(begin: Begin) -> None:
    audit = begin()
    audit.add([Link(HOME)])
    (home,) = audit.take(4)
    audit.add([link("later")])
    assert audit.take(4) == []
    audit.finish(Visit(home, FAILED, "timed out"))
    assert [one.url for one in audit.take(4)] == [f"{HOME}later"]


def test_a_known_address_is_added_once_and_a_link_makes_it_no_orphan(begin: Begin, store: Store) -> None:
    audit = begin()
    audit.add([Link(HOME), link("both", 1, SITEMAP), link("orphan", 1, SITEMAP), link("given", 0, LISTED)])
    (home, given) = audit.take(9)
    audit.finish(Visit(home, FAILED, "timed out"), [link("both", 3), link("both", 3), link("new"), Link(HOME, 1, LINK)])
    assert audit.count() == (1, 5)
    audit.finish(Visit(given, FAILED, "timed out"))
    for one in audit.take(9):
        audit.finish(Visit(one, FAILED, "timed out"))
    found = {visit.url: visit for visit in store.read_visits(audit.id)}
    assert {url: visit.linked for url, visit in found.items()} == {
        HOME: True, f"{HOME}both": True, f"{HOME}orphan": False, f"{HOME}given": False, f"{HOME}new": True,
    }  # fmt: skip
    assert found[f"{HOME}both"].link == link("both", 1, SITEMAP)  # as it was first found


def test_everything_of_a_visit_comes_back(begin: Begin, store: Store, score: Score) -> None:
    audit = begin(keep_texts=True)
    page = score(TEXT, HOME)
    full = Visit(Link(HOME, 0, START), SCORED, "", 200, HOME, "text/html", f"{HOME}c", "c" * 64, (1 << 64) - 5, page)
    moved = replace(full, link=link("old"), final_url=f"{HOME}new", page={**page, "source": f"{HOME}new", "url": None})
    others = [
        Visit(link("twice"), DUPLICATE, f"the same page as {HOME}", 200, f"{HOME}twice", content="c" * 64, simhash=7),
        Visit(link("shell"), NOT_MEASURED, "a script's shell", 200, f"{HOME}shell", "text/html"),
        Visit(link("gone"), FAILED, "status 404", 404, f"{HOME}gone"),
        Visit(link("robots"), EXCLUDED, "forbidden by robots.txt"),
    ]
    for visit in (full, moved, *others):
        audit.finish(visit)
    for visit in (full, moved, *others):
        found = store.read_page(audit.id, visit.link.url)
        assert found is not None
        assert as_json(found.page) == as_json(visit.page)
        assert replace(Visit(*(getattr(found, name) for name in Visit.__slots__)), page=None) == replace(
            visit, page=None
        )
    found = store.read_page(audit.id, HOME)
    assert found is not None
    assert [key for key in found.page or {} if key != "text"] == [key for key in page if key != "text"]
    assert store.read_page(audit.id, f"{HOME}unknown") is None


def test_visits_are_read_by_address_or_worst_first(begin: Begin, store: Store, score: Score) -> None:
    audit = begin()
    page = score(TEXT)
    scores = {f"{HOME}{n:03}": float((n * 37) % 100) for n in range(450)}
    for url, points in scores.items():
        audit.finish(Visit(Link(url), SCORED, content="c" * 64, page={**page, "score": points}))
    audit.finish(Visit(link("broken"), FAILED, "timed out"))
    audit.add([link("waiting")])
    by_url = [visit.url for visit in store.read_visits(audit.id)]
    assert by_url == sorted([*scores, f"{HOME}broken"])
    worst_first = [visit.url for visit in store.read_visits(audit.id, order="score")]
    assert worst_first == [*sorted(scores, key=lambda url: (scores[url], url)), f"{HOME}broken"]
    first = next(iter(store.read_visits(audit.id, order="score")))  # leaving early must not block the store
    assert first.score == 0.0
    audit.finish(Visit(link("waiting"), FAILED, "timed out"))


def test_texts_are_kept_only_on_request(begin: Begin, store: Store, score: Score) -> None:
    for site, keep in (("with.org", True), ("without.org", False)):
        audit = begin(site, keep_texts=keep)
        audit.finish(Visit(Link(HOME), SCORED, content=site.ljust(64, "0"), page=score(TEXT)))
        found = store.read_page(audit.id, HOME)
        assert found is not None
        assert (found.page or {}).get("text") == (TEXT if keep else None)
        (listed,) = store.read_visits(audit.id)
        assert "text" not in (listed.page or {})
        (listed,) = store.read_visits(audit.id, with_text=True)
        assert ("text" in (listed.page or {})) is keep


def test_an_unchanged_page_is_stored_once_even_at_another_date(begin: Begin, store: Store, score: Score) -> None:
    for day in (date(2026, 7, 1), date(2027, 7, 1)):
        audit = begin(as_of=day)
        audit.finish(Visit(Link(HOME), SCORED, content="c" * 64, page=score(TEXT, as_of=day)))
        audit.end("done", {})
    first, second = (store.read_page(row.id, HOME) for row in store.list_audits("a.org"))
    assert first is not None
    assert second is not None
    assert first.page != second.page  # a cited year is a year older
    assert as_json(second.page) == as_json({k: v for k, v in score(TEXT, as_of=day).items() if k != "text"})
    with store._database.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM readings").scalar() == 1


def test_one_content_with_two_readings_keeps_both(begin: Begin, store: Store, score: Score) -> None:
    """In the edition 2026 a link counts only where it leads to another site, so equal pages of two sites differ."""
    text = TEXT + "\n\nSee [the records](https://a.org/records) of the town."
    pages = {}
    for site in ("a.org", "b.org"):
        audit = begin(site, edition="2026")
        pages[audit.id] = score(text, f"https://{site}/", edition="2026")
        audit.finish(Visit(Link(f"https://{site}/"), SCORED, content="c" * 64, page=pages[audit.id]))
    values = []
    for number, page in pages.items():
        (visit,) = store.read_visits(number)
        assert as_json(visit.page) == as_json({k: v for k, v in page.items() if k != "text"})
        values.append(page["components"]["citation_f1"]["value"])
    assert values[0] != values[1]


def test_hostile_characters_are_stored(begin: Begin, store: Store, score: Score) -> None:
    audit = begin(keep_texts=True)
    page = score("# \x00Nul \ud800 half\n\n" + TEXT + "\x00\udfff")
    page["title"] = "\x00 \ud800 title"
    audit.finish(Visit(Link(HOME), SCORED, "a\x00b\ud800", content="c" * 64, page=page), [link("x\x00y\ud800")])
    found = store.read_page(audit.id, HOME)
    assert found is not None
    assert as_json(found.page) == as_json(page)
    assert found.reason == "a\ufffdb\ufffd"
    assert [one.url for one in audit.take(9)] == [f"{HOME}x\ufffdy\ufffd"]


def test_an_address_too_long_for_an_index_is_left_out_and_its_neighbours_are_not(begin: Begin) -> None:
    audit = begin()
    audit.add([link("a"), link("x" * 2_500), link("y" * 1_900), link("z")])
    assert [len(one.url) for one in audit.take(9)] == [len(HOME) + 1, len(HOME) + 1_900, len(HOME) + 1]


def test_a_visit_finished_twice_is_one_visit(begin: Begin, store: Store) -> None:
    audit = begin()
    links = [link(f"{n:05}") for n in range(5_000)]
    audit.finish(Visit(Link(HOME), FAILED, "timed out"), links)
    audit.finish(Visit(Link(HOME), FAILED, "status 500", 500), links)
    assert audit.count() == (1, 5_001)
    (visit,) = store.read_visits(audit.id)
    assert visit.reason == "status 500"


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_next_addresses_are_found_by_their_index(begin: Begin, store: Store) -> None:
    begin()
    with store._database.engine.connect() as connection:
        compiled = _NEXT.compile(store._database.engine)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", (1, 8, 0)).fetchall()
    assert [row[-1] for row in plan] == ["SEARCH addresses USING INDEX queue (audit=?)"]


def test_duplicates_are_marked_anew_when_an_audit_goes_on(begin: Begin, store: Store, score: Score) -> None:
    audit = begin()
    for path in ("a", "b", "c"):
        audit.finish(Visit(link(path), SCORED, status=200, content="c" * 64, page=score(TEXT, HOME + path)))
    for kept, other in (("a", "b"), ("b", "a")):
        audit.mark_duplicates([(HOME + other, f"the same page as {HOME}{kept}")])
        states = {visit.url.removeprefix(HOME): (visit.state, visit.reason) for visit in store.read_visits(audit.id)}
        assert states == {kept: (SCORED, ""), other: (DUPLICATE, f"the same page as {HOME}{kept}"), "c": (SCORED, "")}
