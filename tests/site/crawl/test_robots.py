"""robots.txt is obeyed, and a host that says it is busy is left alone."""

from __future__ import annotations

import pytest

from steelyard.site.crawl.robots_file import MAX_WILDCARDS
from steelyard.site.crawl.summary import ROBOTS, WILDCARDS
from steelyard.site.model import EXCLUDED, FAILED, SCORED
from tests.hostile.pages import within
from tests.site.crawl.crawling import Crawled
from tests.site.trap_site import Reply, TrapSite, html, redirect


def measure_delay(site: TrapSite) -> float:
    """Return the mean seconds between requests, from the first that knew the rules."""
    times = [one.when for one in site.log if one.path != "/robots.txt"]
    return (times[-1] - times[0]) / (len(times) - 1)


@pytest.mark.parametrize(
    ("rule", "delay"),
    [("Crawl-delay: 0.15", 0.15), ("Request-rate: 4/1s", 0.25), ("Crawl-delay: 0.15\nRequest-rate: 50/1", 0.15)],
)
def test_delays_are_kept_whatever_the_concurrency(rule: str, delay: float) -> None:
    with TrapSite(generated=6, traps=False).serving() as site:
        site.robots = f"User-agent: *\n{rule}\n"
        crawled = Crawled(f"{site.url}/", concurrency=8)
        assert len(crawled.paths(SCORED)) == 6
        assert measure_delay(site) >= delay * 0.7  # a busy machine may note the first request late
        assert crawled.end.delays == {site.url.removeprefix("http://"): delay}
        assert not crawled.end.shortened_delays


def test_rules_for_us_come_before_rules_for_all() -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        site.robots = "User-agent: *\nDisallow: /\n\nUser-agent: Steelyard\nDisallow: /g/b\nCrawl-delay: 0.01\n"
        crawled = Crawled(f"{site.url}/")
        assert crawled.paths(EXCLUDED) == {"/g/b"}
        assert len(crawled.paths(SCORED)) == 4


def test_a_long_delay_is_shortened_and_reported() -> None:
    with TrapSite(traps=False).serving() as site:
        site.robots = "User-agent: *\nCrawl-delay: 3600\nDisallow: /\n"
        crawled = Crawled(f"{site.url}/", use_sitemaps=False)
        host = site.url.removeprefix("http://")
        assert (crawled.end.delays, crawled.end.shortened_delays) == ({host: 60.0}, {host: 3600.0})


def test_absurd_rates_are_no_fault() -> None:
    with TrapSite(traps=False).serving() as site:
        site.robots = f"User-agent: *\nRequest-rate: 1/{'9' * 400}\nDisallow: /\n"
        assert Crawled(f"{site.url}/", use_sitemaps=False).end.delays == {site.url.removeprefix("http://"): 60.0}


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_site_whose_rules_cannot_be_read_is_not_visited(status: int) -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        site.robots = status
        crawled = Crawled(f"{site.url}/", retries=1)
        (visit,) = crawled.visits.values()
        assert visit.state == FAILED
        assert "robots.txt could not be read" in visit.reason
        assert str(status) in visit.reason
        assert site.paths() == {"/robots.txt"}


def test_an_answer_to_robots_txt_that_never_ends_is_no_answer() -> None:
    with TrapSite().serving() as site:
        site.pages["/x"] = html()
        site.robots = None
        find = site.find
        site.find = lambda handler: (  # type: ignore[method-assign]
            site.pages["/drip-body"](handler) if handler.path == "/robots.txt" else find(handler)  # type: ignore[operator]
        )
        (visit,) = Crawled(f"{site.url}/x", timeout=0.5).visits.values()
        assert visit.state == FAILED
        assert "robots.txt could not be read (timed out after 0.5 s)" in visit.reason


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_site_without_rules_allows_everything(status: int) -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        site.robots = status
        assert len(Crawled(f"{site.url}/").paths(SCORED)) == 5


def test_rules_may_be_elsewhere_but_not_on_private_hosts_that_nobody_typed() -> None:
    for target, paths in (("/rules", {"/"}), ("http://127.0.0.2:1/robots.txt", set())):
        with TrapSite(generated=5, traps=False).serving() as site:
            find = site.find

            def reply(handler: object, find: object = find, target: str = target) -> Reply:
                return redirect(target) if handler.path == "/robots.txt" else find(handler)  # type: ignore[attr-defined, operator]

            site.find = reply  # type: ignore[method-assign]
            site.pages["/rules"] = Reply(b"User-agent: *\nDisallow: /g/", headers={"Content-Type": "text/plain"})
            crawled = Crawled(f"{site.url}/")
            assert crawled.paths(SCORED) == paths
            if not paths:
                assert crawled.visits["/"].state == EXCLUDED
                assert "private address" in crawled.visits["/"].reason


def test_only_the_beginning_of_long_rules_is_read() -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        site.robots = "User-agent: *\nDisallow: /g/b\n" + "# filler\n" * 100_000 + "Disallow: /g/c\n"
        crawled = Crawled(f"{site.url}/")
        assert crawled.paths(EXCLUDED) == {"/g/b"}
        assert [(limit.kind, limit.example) for limit in crawled.end.limits] == [(ROBOTS, f"{site.url}/robots.txt")]


def test_thousands_of_names_over_thousands_of_rules_hold_nothing_up() -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        names, rules = (f"User-agent: a{n}\n" for n in range(6_000)), (f"Disallow: /r{n}\n" for n in range(6_000))
        site.robots = "".join(["User-agent: *\n", *names, *rules, "Disallow: /g/b\n"])
        with within(20):  # it took minutes
            assert Crawled(f"{site.url}/").paths(EXCLUDED) == {"/g/b"}


def test_too_many_wildcards_forbid_more_and_are_reported() -> None:
    with TrapSite(generated=5, traps=False).serving() as site:
        rules = "".join(f"Disallow: /x*{n}\n" for n in range(MAX_WILDCARDS))
        site.robots = f"User-agent: *\n{rules}Disallow: /g/b*.pdf\n"
        crawled = Crawled(f"{site.url}/")
        assert crawled.paths(EXCLUDED) == {"/g/b"}
        assert [limit.kind for limit in crawled.end.limits] == [WILDCARDS]


def test_a_redirect_to_a_forbidden_page_is_not_followed() -> None:
    with TrapSite().serving() as site:
        site.pages["/way-in"] = redirect("/forbidden/page.html")
        crawled = Crawled(f"{site.url}/way-in", use_sitemaps=False)
        assert crawled.visits["/way-in"].state == EXCLUDED
        assert "forbidden by robots.txt" in crawled.visits["/way-in"].reason
        assert not site.asked("/forbidden/page.html")


def test_robots_txt_can_be_ignored_on_request() -> None:
    with TrapSite().serving() as site:
        site.pages["/forbidden/page.html"] = html()
        crawled = Crawled(f"{site.url}/forbidden/page.html", obey_robots=False, use_sitemaps=False)
        assert crawled.paths(SCORED) == {"/forbidden/page.html"}
        assert not site.asked("/robots.txt")


def test_x_robots_tag_stops_following() -> None:
    with TrapSite(traps=False).serving() as site:
        site.pages |= {"/": html("/x"), "/x": html()}
        site.pages["/"].headers["X-Robots-Tag"] = "noindex, nofollow"  # type: ignore[union-attr]
        assert Crawled(f"{site.url}/").paths() == {"/"}
