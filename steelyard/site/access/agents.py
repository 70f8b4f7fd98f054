"""The agents of AI products that are known by name, from their owners' documentation (agents.toml)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

Purpose = Literal["training", "search", "user"]
PURPOSES: dict[Purpose, str] = {"training": "training", "search": "search index", "user": "a user's request"}
_PART_OF_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that reads pages for an AI product.

    Attributes:
        name: Its name in robots.txt, in directives and in its user agent.
        owner: Whose it is.
        purpose: What it reads pages for.
        source: The page on which its owner documents it.
        sends: Whether it asks for pages under its name; otherwise it is only a name in robots.txt.
        instead: The agent whose rules it follows where robots.txt does not name it.
    """

    name: str
    owner: str
    purpose: Purpose
    source: str
    sends: bool = True
    instead: str = ""

    @property
    def aim(self) -> str:
        """Its purpose, in words."""
        return PURPOSES[self.purpose]


@cache
def load_agents() -> tuple[Agent, ...]:
    """Return all agents, those of one owner together."""
    return tuple(Agent(**entry) for entry in _load()["agents"])


@cache
def find_date() -> str:
    """Return the day on which the list was last compared with the documentation."""
    return str(_load()["as_of"])


@cache
def name_agents() -> dict[str, Agent]:
    """Return the agents by their names in lower case."""
    return {agent.name.lower(): agent for agent in load_agents()}


def recognise(user_agent: str) -> Agent | None:
    """Return the agent that a user agent names, which anybody can forge; None for browsers and others."""
    text = user_agent.lower()
    for name, agent in name_agents().items():
        start = text.find(name) if agent.sends else -1
        while start >= 0:
            end = start + len(name)
            if text[end : end + 1] not in _PART_OF_NAME and text[start - 1 : start] not in _PART_OF_NAME:
                return agent
            start = text.find(name, end)
    return None


@cache
def _load() -> dict[str, Any]:
    return tomllib.loads(resources.files("steelyard.site.access").joinpath("agents.toml").read_text("utf-8"))
