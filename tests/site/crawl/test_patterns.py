"""Calendars and filters end."""

from __future__ import annotations

from steelyard.site.crawl.patterns import PatternLimits
from steelyard.site.crawl.summary import DIGITS, QUERIES
from steelyard.site.model import EXCLUDED, LINK, SCORED, SITEMAP, START, Link, Visit


def test_addresses_that_differ_only_in_digits_are_limited() -> None:
    limits = PatternLimits(3, 2)
    admitted = [n for n in range(10) if limits.admit(Link(f"http://a/calendar/2026/{n}", 1, LINK)) is None]
    assert admitted == [0, 1, 2]
    assert limits.admit(Link("http://a/calendar/2027/x", 1, LINK)) is None
    assert limits.admit(Link("http://a/calendar/100/07", 1, LINK)) is not None
    (limit,) = limits.list_limits()
    assert (limit.kind, limit.most, limit.left, limit.example) == (DIGITS, 3, 8, "http://a/calendar/100/07")


def test_queries_of_one_path_are_limited() -> None:
    limits = PatternLimits(100, 2)
    admitted = [n for n in "abcd" if limits.admit(Link(f"http://a/shop?filter={n}", 1, LINK)) is None]
    assert admitted == ["a", "b"]
    assert limits.admit(Link("http://a/shop", 1, LINK)) is None
    assert limits.admit(Link("http://a/other?x", 1, LINK)) is None
    assert [(limit.kind, limit.left) for limit in limits.list_limits()] == [(QUERIES, 2)]


def test_what_somebody_named_is_not_limited() -> None:
    limits = PatternLimits(1, 1)
    for origin in (SITEMAP, START):
        assert all(limits.admit(Link(f"http://a/{n}?x={n}", 1, origin)) is None for n in range(5))
    assert not limits.list_limits()


def test_a_crawl_that_goes_on_counts_what_it_visited_before() -> None:
    limits = PatternLimits(2, 2)
    for n in range(2):
        limits.restore(Visit(Link(f"http://a/{n}", 1, LINK), SCORED), was_asked=True)
    reason = limits.admit(Link("http://a/7", 1, LINK))
    assert reason is not None
    limits.restore(Visit(Link("http://a/5", 1, LINK), EXCLUDED, reason), was_asked=False)
    limits.restore(Visit(Link("http://a/4", 1, LINK), EXCLUDED, "forbidden by robots.txt"), was_asked=False)
    assert [(limit.left, limit.example) for limit in limits.list_limits()] == [(2, "http://a/5")]
