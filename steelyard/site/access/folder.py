"""The robots.txt and the llms.txt of a site that is a directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import quote

from steelyard.site.access.site_access import ABSENT, READ, UNREADABLE, LlmsTxt, RobotsAccess, SiteAccess
from steelyard.site.addresses import normalise
from steelyard.site.crawl.robots import describe_robots, list_forbidden, parse_for_agents
from steelyard.site.crawl.robots_file import MAX_BYTES, AgentRules
from steelyard.support.regular_file import open_regular_file

ROBOTS, LLMS = "robots.txt", "llms.txt"


class FolderAccess:
    """What a directory says to agents, as if its files were the site's.

    Attributes:
        site: The facts.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._rules: Mapping[str, AgentRules] | None = None
        path = os.path.join(directory, ROBOTS)
        state, reason, body = _read(path)
        robots = RobotsAccess(path, state, reason)
        if state == READ:
            self._rules = parse_for_agents(body)
            robots = describe_robots(path, self._rules)
        elif state == ABSENT:
            self._rules = {}
        llms = os.path.join(directory, LLMS)
        self.site = SiteAccess((robots,), LlmsTxt(llms, *_read(llms)[:2]))

    def is_page(self, path: str | None) -> bool:
        """Return whether a file is a page: not one of the two."""
        return path is None or os.path.relpath(path, self._directory) not in (ROBOTS, LLMS)

    def list_forbidden(self, path: str) -> tuple[str, ...] | None:
        """Return the agents that must not ask for a file; None where that is not known."""
        address = locate_file(path, self._directory)
        return None if self._rules is None or address is None else list_forbidden(self._rules, address)


def locate_file(path: str, directory: str) -> str | None:
    """Return the address of a file on a site whose root is the directory; the host stands for any."""
    relative = os.path.relpath(path, directory).replace(os.sep, "/")
    return normalise(f"http://localhost/{quote(relative, errors='surrogateescape')}")


def _read(path: str) -> tuple[str, str, bytes]:
    try:
        with open_regular_file(path) as file:
            return READ, "", file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ABSENT, "", b""
    except OSError as error:
        return UNREADABLE, error.strerror or str(error), b""
