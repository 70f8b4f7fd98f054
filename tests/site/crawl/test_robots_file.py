"""A robots.txt is read as the standard says, and none takes long, to read or to ask."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from protego import Protego

from steelyard.site.addresses import normalise
from steelyard.site.crawl.robots_file import (
    MAX_BYTES,
    MAX_SECONDS,
    MAX_SITEMAPS,
    MAX_WILDCARDS,
    PathRules,
    RobotsFile,
    parse_robots,
)
from tests.conftest import ROOT
from tests.hostile.pages import within


def parse(text: str, product: str = "steelyard") -> RobotsFile:
    return parse_robots(text.encode(), product)


GROUPS = [  # the paths that are forbidden
    ("User-agent: *\nDisallow: /all\n\nUser-agent: Steelyard\nDisallow: /us", ["/us"]),
    ("User-agent: steelyard/2.0\nDisallow: /us\n\nUser-agent: *\nDisallow: /all", ["/us"]),
    ("User-agent: steel\nDisallow: /part\n\nUser-agent: steelyard\nDisallow: /us", ["/us"]),
    ("User-agent: yard\nDisallow: /other\n\nUser-agent: *\nDisallow: /all", ["/all"]),
    ("User-agent: other\nDisallow: /other\n\nUser-agent: *\nDisallow: /all", ["/all"]),
    ("User-agent: other\nUser-agent: steelyard\n\nSitemap: /s\nDisallow: /us", ["/us"]),
    ("User-agent: a\nCrawl-delay: 1\nUser-agent: *\nDisallow: /all", ["/all"]),
    ("Disallow: /nobody\nUser-agent: *\nDisallow: /all", ["/all"]),
    ("user agent *\r\rdissalow /all # all of it", ["/all"]),
    ("\ufeffUser-agent: *\nDisallow: /all", ["/all"]),
    ("User-agent: steelyard\nDisallow: /us\n\nUser-agent: x\n\nUser-agent: STEELYARD\nDisallow: /new", ["/us", "/new"]),
    ("User-agent: *\nDisallow: /\n\nUser-agent: steelyard\nDisallow:\n", []),
]


def test_the_group_that_is_ours_decides() -> None:
    paths = ("/all", "/us", "/part", "/new", "/other", "/nobody")
    for text, forbidden in GROUPS:
        assert [path for path in paths if not parse(text).allow(f"https://a.example{path}")] == forbidden, text
    news = parse("User-agent: steelyard\nDisallow: /us\n\nUser-agent: steelyard-news\nDisallow: /new", "steelyard-news")
    assert [path for path in paths if not news.allow(f"https://a.example{path}")] == ["/new"]
    assert not parse("User-agent: *\nDisallow: /all", "").allow("https://a.example/all")


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        (["-/a"], "/a", False), (["-/a"], "/abc?d", False), (["-/a"], "/b", True), (["-/a"], "/", True),
        (["-/", "+/a"], "/a", True), (["-/a", "+/a"], "/a", True), (["+/a", "-/ab"], "/abc", False),
        (["-/*.pdf$"], "/x.pdf", False), (["-/*.pdf$"], "/x.pdf?y", True), (["-/*.pdf"], "/x.pdf?y", False),
        (["-/a*"], "/a", False), (["-*b"], "/ab", False), (["-/a*c*e"], "/abcde", False), (["-/a*c*e"], "/aec", True),
        (["-/a*a$"], "/a", True), (["-/a*a$"], "/aa", False), (["-/a*ab$"], "/aab", False), (["-/$"], "/", False),
        (["-/$"], "/a", True), (["-/a$b"], "/a$b", False), (["-/a$"], "/a$", False), (["-/a$"], "/a$b", False),
        (["-/%61"], "/a", False), (["-/é"], "/%C3%A9", False), (["-/%c3%a9"], "/%C3%A9", False),
        (["-/", "+/x/index.html"], "/x/", True), (["-/", "+/x/index.html"], "/x/y", False),
        (["-/a*b", "+/abc"], "/abcb", True), (["-/a*bc", "+/abc"], "/abc", False), (["-a"], "/a", True),
        (["-/a", "+/a*"], "/a", True), (["-/"], "/robots.txt", True),
        (["-/**", "+/a"], "/a", False),
    ],
)  # fmt: skip
def test_the_longest_rule_decides(rules: list[str], path: str, allowed: bool) -> None:
    lines = [f"{'Allow' if rule[0] == '+' else 'Disallow'}: {rule[1:]}" for rule in rules]
    assert parse("\n".join(["User-agent: *", *lines])).allow(f"https://a.example{path}") is allowed


@pytest.mark.parametrize("seed", range(300))
def test_another_reader_of_such_files_agrees(seed: int) -> None:
    luck = random.Random(seed)

    def make_path() -> str:
        return "/" + "".join(
            luck.choices(["a", "b", "/", "*", "%61", "é", ".html", "index.html"], k=luck.randint(0, 5))
        )

    lines = []
    for _ in range(luck.randint(1, 30)):
        name = luck.choice(["User-agent", "Disallow", "Allow", "Disallow", "Sitemap", "Crawl-delay", "Noindex", "# x"])
        values = {"User-agent": luck.choice(["*", "steelyard", "steel", "other", "", "Steelyard*"]), "Crawl-delay": "2"}
        lines.append(f"{name}: {values.get(name) or make_path() + luck.choice(['', '', '$'])}")
    text = luck.choice(["\n", "\r\n", "\r"]).join(lines)
    other, ours = Protego.parse(text), parse(text)
    for _ in range(50):
        url = normalise("https://a.example" + make_path().replace("*", ""))
        assert url is not None
        assert ours.allow(url) == other.can_fetch(url, "steelyard"), (text, url)
    assert ours.delay == (other.crawl_delay("steelyard") or 0.0)
    assert list(ours.sitemaps) == list(other.sitemaps)


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("Crawl-delay: 5", 5.0), ("Crawl-delay: .5", 0.5), ("Crawl-delay: x\nCrawl-delay: -1\nCrawl-delay: nan", 0.0),
        ("Crawl-delay: 1\nCrawl-delay: 2", 2.0), ("Crawl-delay: inf", MAX_SECONDS), ("Request-rate: 1/2m", 120.0),
        ("Request-rate: 4/1s 0900-1700", 0.25), ("Request-rate: 0/1\nRequest-rate: 1/0\nRequest-rate: /", 0.0),
        ("Crawl-delay: " + "9" * 100_000, MAX_SECONDS), ("Request-rate: 1/" + "9" * 100_000, MAX_SECONDS),
    ],
)  # fmt: skip
def test_delays_are_read(lines: str, delay: float) -> None:
    assert parse(f"User-agent: *\n{lines}\n").delay == delay
    assert parse(f"User-agent: other\n{lines}\n").delay == 0.0


def test_a_line_that_is_cut_says_nothing() -> None:
    text = "User-agent: *\nDisallow: /a\n"
    text += "#" * (MAX_BYTES - len(text) - 14) + "\nDisallow: /" + "bcd\n"
    found = parse(text)
    assert found.is_cut
    assert [found.allow(f"http://h/{path}") for path in ("a", "b", "x")] == [False, True, True]
    assert not parse(text[: MAX_BYTES - 10]).is_cut


def test_sitemaps_have_a_limit() -> None:
    found = parse("".join(f"Sitemap: /{n}\n" for n in range(MAX_SITEMAPS + 5)))
    assert (len(found.sitemaps), found.left_sitemaps) == (MAX_SITEMAPS, 5)


def test_rules_beyond_the_limit_of_wildcards_forbid_more_and_never_less() -> None:
    rules = [(f"/x*{n}", True) for n in range(MAX_WILDCARDS)]
    assert not PathRules([("/", False), *rules]).is_simplified
    found = PathRules([*rules, ("/docs/*.pdf$", False), ("/docs/*/open", True), ("/plain", False)])
    assert found.is_simplified
    paths = ("/docs/a.pdf", "/docs/a", "/docs/x/open", "/x1", "/plain", "/doc")
    assert [found.allow(path) for path in paths] == [False, False, False, True, False, True]


SIZE = 500_000


def count_up(line: str) -> str:
    return "".join(line.format(n) for n in range(SIZE // len(line) + 1))


ALL = "User-agent: *\n"
SHAPES = {
    "agents and rules in one group": count_up("User-agent: a{}\n")[: SIZE // 2] + count_up("\nAllow: /{}"),
    "everybody in a group of many": ALL + count_up("User-agent: a{}\n")[: SIZE // 2] + count_up("\nAllow: /{}"),
    "groups": count_up("User-agent: a{}\nDisallow: /a\n"),
    "groups of ours": count_up("User-agent: *\nDisallow: /{}\n"),
    "rules": ALL + count_up("Allow:/{}\n"),
    "one long rule": f"{ALL}Disallow: /" + "a" * SIZE,
    "long rules": ALL + count_up("Disallow: /" + "a" * 1_900 + "{}\n"),
    "rules of every length": ALL + "".join(f"Disallow: /{'a' * n}b\n" for n in range(980)),
    "short rules with wildcards": ALL + count_up("Allow:*{}$\n"),
    "many wildcards in a rule": ALL + count_up("Disallow: /" + "*a" * 900 + "*{}b\n"),
    "stars": f"{ALL}Disallow: /" + "*" * SIZE,
    "sitemaps": count_up("Sitemap: /{}\n"),
    "delays": ALL + "Crawl-delay: 5\nRequest-rate: 1/9s\n" * (SIZE // 30),
    "digits": f"{ALL}Crawl-delay: " + "9" * SIZE,
    "NULs": "\0" * SIZE,
    "lines": "\n" * SIZE,
    "carriage returns": (ALL + count_up("Disallow: /{}\n")).replace("\n", "\r"),
    "one line": "a" * SIZE,
    "words": "user agent " * (SIZE // 11),
    "letters": "a\n" * (SIZE // 2),
    "not ASCII": ALL + "Disallow: /é€\n" * (SIZE // 16),
    "bytes that are no text": ALL + "Disallow: /\udcff\udc80\n" * (SIZE // 14),
    "comments": "# x\n" * (SIZE // 4),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_file_takes_long_to_read_or_to_ask(shape: str) -> None:
    body = SHAPES[shape].encode("utf-8", "surrogateescape")[:MAX_BYTES]
    with within(20):  # none takes a second, and the files that this is about took minutes
        found = parse_robots(body, "steelyard")
    with within(20):
        for number in range(200):
            found.allow(f"http://h/{number}/" + "a" * 1_900)


CHILD = """
import resource, sys
from steelyard.site.crawl.robots_file import parse_robots
body = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
parse_robots(body, "steelyard")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="other systems count memory in another unit")
@pytest.mark.parametrize("shape", ["everybody in a group of many", "rules", "short rules with wildcards", "letters"])
def test_no_file_takes_much_memory(shape: str) -> None:
    body = SHAPES[shape].encode()[:MAX_BYTES]
    done = subprocess.run([sys.executable, "-c", CHILD], input=body, capture_output=True, cwd=ROOT, check=True)
    assert int(done.stdout) < 100_000  # kB
