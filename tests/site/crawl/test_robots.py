"""robots.txt is obeyed, and a host that says it is busy is left alone."""

from __future__ import annotations

from steelyard.site.crawl.robots_file import MAX_SECONDS, MAX_WILDCARDS
from steelyard.site.crawl.summary import ROBOTS, WILDCARDS
from steelyard.site.model import EXCLUDED, FAILED, SCORED
from tests.site.crawl.crawling import Crawled
from tests.site.trap_site import Reply, TrapSite, html, redirect


def measure_delay(site: TrapSite) -> float:
    """Return the mean seconds between requests, from the first that knew the rules."""
    times = [one.when for one in site.log if one.path != "/robots.txt"]
    return (times[-1] - times[0]) / (len(times) - 1)


def test_delays_are_kept_whatever_the_concurrency() -> None:
    for rule, delay in (("Crawl-delay: 0.15", 0.15), ("Crawl-delay: 0.15\nRequest-rate: 4/1s", 0.25)):
        with TrapSite(generated=6, traps=False).serving() as site:
            site.robots = f"User-agent: *\n{rule}\n"
            crawled = Crawled(f"{site.url}/", concurrency=8)
            assert len(crawled.paths(SCORED)) == 6
            assert measure_delay(site) >= delay * 0.7  # a busy machine may note the first request late
            assert crawled.end.delays == {site.url.removeprefix("http://"): delay}
            assert not crawled.end.shortened_delays


def test_a_site_whose_rules_cannot_be_read_is_not_visited(trap_site: TrapSite) -> None:
    endless = trap_site.pages["/drip-body"]
    for rules, reason in ((500, "500"), (503, "503"), (429, "429"), (endless, "(timed out after 2 s)")):
        with TrapSite(generated=5, traps=False).serving() as site:
            if isinstance(rules, int):
                site.robots = rules
            else:
                site.pages["/robots.txt"] = rules
            (visit,) = Crawled(f"{site.url}/", retries=1, timeout=2.0).visits.values()
            assert visit.state == FAILED, reason
            assert "robots.txt could not be read" in visit.reason
            assert reason in visit.reason
            assert site.paths() == {"/robots.txt"}, reason


def test_a_site_without_rules_allows_everything(site: TrapSite) -> None:
    site.generated = 5
    for status in (401, 403, 404, 410):
        site.robots = status
        assert len(Crawled(f"{site.url}/").paths(SCORED)) == 5, status


def test_rules_may_be_elsewhere_but_not_on_private_hosts_that_nobody_typed(site: TrapSite) -> None:
    site.generated = 5
    site.pages["/rules"] = Reply(b"User-agent: *\nDisallow: /g/", headers={"Content-Type": "text/plain"})
    site.pages["/robots.txt"] = redirect("/rules")
    assert Crawled(f"{site.url}/").paths(SCORED) == {"/"}
    site.pages["/robots.txt"] = redirect("http://127.0.0.2:1/robots.txt")
    (visit,) = Crawled(f"{site.url}/").visits.values()
    assert (visit.state, "private address" in visit.reason) == (EXCLUDED, True)


def test_rules_are_for_us_and_their_limits_are_reported(site: TrapSite) -> None:
    site.generated = 5
    everybody = "User-agent: *\n"
    wildcards = "".join(f"Disallow: /x*{n}\n" for n in range(MAX_WILDCARDS))
    for rules, excluded, limits in (
        (f"{everybody}Disallow: /\n\nUser-agent: Steelyard\nDisallow: /g/b\nCrawl-delay: 0.01\n", {"/g/b"}, []),
        (f"{everybody}Disallow: /g/b\n" + "# filler\n" * 100_000 + "Disallow: /g/c\n", {"/g/b"}, [ROBOTS]),
        (f"{everybody}{wildcards}Disallow: /g/b*.pdf\n", {"/g/b"}, [WILDCARDS]),
    ):
        site.robots = rules
        crawled = Crawled(f"{site.url}/")
        assert crawled.paths(EXCLUDED) == excluded, limits
        assert len(crawled.paths(SCORED)) == 4
        assert [(limit.kind, limit.example) for limit in crawled.end.limits] == [
            (kind, f"{site.url}/robots.txt") for kind in limits
        ]


def test_a_long_delay_is_shortened_and_reported(site: TrapSite) -> None:
    host = site.url.removeprefix("http://")
    for rule, asked in (("Crawl-delay: 3600", 3_600.0), (f"Request-rate: 1/{'9' * 400}", MAX_SECONDS)):
        site.robots = f"User-agent: *\n{rule}\nDisallow: /\n"
        crawled = Crawled(f"{site.url}/", use_sitemaps=False)
        assert (crawled.end.delays, crawled.end.shortened_delays) == ({host: 60.0}, {host: asked})


def test_a_redirect_to_a_forbidden_page_is_not_followed(trap_site: TrapSite) -> None:
    trap_site.pages["/way-in"] = redirect("/forbidden/page.html")
    crawled = Crawled(f"{trap_site.url}/way-in", use_sitemaps=False)
    assert crawled.visits["/way-in"].state == EXCLUDED
    assert "forbidden by robots.txt" in crawled.visits["/way-in"].reason
    assert not trap_site.asked("/forbidden/page.html")


def test_robots_txt_can_be_ignored_on_request(trap_site: TrapSite) -> None:
    trap_site.pages["/forbidden/page.html"] = html()
    crawled = Crawled(f"{trap_site.url}/forbidden/page.html", obey_robots=False, use_sitemaps=False)
    assert crawled.paths(SCORED) == {"/forbidden/page.html"}
    assert not trap_site.asked("/robots.txt")


def test_x_robots_tag_stops_following(site: TrapSite) -> None:
    site.pages |= {"/": html("/x"), "/x": html()}
    site.pages["/"].headers["X-Robots-Tag"] = "noindex, nofollow"  # type: ignore[union-attr]
    assert Crawled(f"{site.url}/").paths() == {"/"}
