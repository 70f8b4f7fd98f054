"""Known agents, directives, and what a robots.txt says to each of them."""

from __future__ import annotations

from datetime import date

import pytest

from steelyard.site.access.agents import PURPOSES, find_date, load_agents, recognise
from steelyard.site.access.directives import Directive, read_directives
from steelyard.site.crawl.links import forbids_following
from steelyard.site.crawl.robots import describe_robots, list_forbidden, parse_for_agents

HOST = "http://a.example"


def test_every_agent_has_an_owner_a_purpose_and_a_source() -> None:
    agents = load_agents()
    assert len({agent.name.lower() for agent in agents}) == len(agents) > 20
    assert date.fromisoformat(find_date()).year >= 2026
    for agent in agents:
        assert agent.owner, agent
        assert agent.purpose in PURPOSES, agent
        assert agent.source.startswith("https://"), agent
        assert not agent.instead or agent.instead in {other.name for other in agents}, agent


def test_an_agent_is_recognised_by_its_whole_name() -> None:
    for text, name in {
        "Mozilla/5.0 AppleWebKit/537.36; compatible; GPTBot/1.1; +https://openai.com/gptbot": "GPTBot",
        "mozilla/5.0 (compatible; CLAUDEBOT/1.0)": "ClaudeBot",
        "Claude-User/1.0": "Claude-User",
        "Googlebot": "Googlebot",
        "meta-externalagent/1.1 (+https://developers.facebook.com/docs)": "meta-externalagent",
    }.items():
        agent = recognise(text)
        assert agent is not None, text
        assert agent.name == name, text
    others = ("", "-", "Googlebot-Image/1.0", "notgptbot/1", "GPTBotX", "Google-Extended", "Mozilla/5.0 Chrome/120.0")
    assert [recognise(text) for text in others] == [None] * len(others)


@pytest.mark.parametrize(
    ("text", "directives"),
    [
        ("noindex, nofollow", [("", "noindex", ""), ("", "nofollow", "")]),
        (
            "max-snippet:0,max-video-preview:-1, nofollow",
            [("", "max-snippet", "0"), ("", "max-video-preview", "-1"), ("", "nofollow", "")],
        ),
        ("googlebot: noindex, nosnippet", [("googlebot", "noindex", ""), ("googlebot", "nosnippet", "")]),
        ("googlebot: max-snippet: 0", [("googlebot", "max-snippet", "0")]),
        ("*: none", [("", "none", "")]),
        (
            "unavailable_after: 25 Jun 2010 15:00:00 PST, noindex",
            [("", "unavailable_after", "25 jun 2010 15:00:00 pst"), ("", "noindex", "")],
        ),
        (" , ,", []),
    ],
)
def test_directives_are_read_with_their_agent(text: str, directives: list[tuple[str, str, str]]) -> None:
    assert list(read_directives(text)) == [Directive(*one) for one in directives]


def test_a_preview_of_videos_is_no_agent() -> None:
    assert forbids_following("max-video-preview: -1, nofollow", "steelyard")


def test_robots_rules_are_told_for_each_agent_by_its_own_name() -> None:
    body = b"""
    User-agent: *
    Disallow: /private/
    User-agent: GPTBot
    User-agent: ccbot
    Disallow: /
    User-agent: Googlebot
    Disallow: /for-others/
    User-agent: Google
    Disallow: /
    """
    rules = parse_for_agents(body)
    assert set(list_forbidden(rules, f"{HOST}/page")) == {"GPTBot", "CCBot"}
    assert set(list_forbidden(rules, f"{HOST}/for-others/")) == {"GPTBot", "CCBot", "Googlebot", "Applebot"}
    allowed = {agent.name for agent in load_agents()} - set(list_forbidden(rules, f"{HOST}/private/"))
    assert allowed == {"Googlebot", "Applebot"}  # whose own rules are the only ones, Applebot's by those of Googlebot
    facts = describe_robots(HOST, rules)
    assert set(facts.named) == {"GPTBot", "CCBot", "Googlebot", "Applebot"}
    assert facts.unclear == ()


def test_an_empty_file_allows_everything_and_too_many_wildcards_are_said() -> None:
    assert list_forbidden(parse_for_agents(b""), f"{HOST}/page") == ()
    many = "".join(f"Disallow: /*{n}*x\n" for n in range(5_000))
    facts = describe_robots(HOST, parse_for_agents(f"User-agent: GPTBot\n{many}".encode()))
    assert facts.unclear == ("GPTBot",)
