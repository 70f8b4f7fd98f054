"""What a site as a whole says to agents: its robots.txt, and whether there is an llms.txt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# What became of a file.
READ, ABSENT, UNREADABLE, NOT_ASKED = "read", "absent", "unreadable", "not asked"
# Google's guide to generative AI in Search, of 2026: it "will neither harm nor help", since Search ignores it.
LLMS_NOTE = "a fact, no advice: by Google's guide it neither helps nor harms in Search"


@dataclass(frozen=True, slots=True)
class RobotsAccess:
    """The robots.txt of an origin.

    Attributes:
        origin: Whose it is: `https://example.org`, or a directory.
        state: READ; ABSENT, which allows everything; UNREADABLE, after which nothing may be asked for.
        reason: Why it was not read.
        named: The known agents that have rules of their own; the others follow those for everybody.
        unclear: Those whose rules have more wildcards than are looked for, so that too much is taken for forbidden.
    """

    origin: str
    state: str
    reason: str = ""
    named: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LlmsTxt:
    """The llms.txt of a site: READ where there is one, ABSENT, UNREADABLE or NOT_ASKED, with the reason."""

    url: str
    state: str
    reason: str = ""


NO_LLMS = LlmsTxt("", NOT_ASKED)


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """What a site says to agents."""

    robots: tuple[RobotsAccess, ...] = ()
    llms_txt: LlmsTxt = NO_LLMS

    def to_dict(self) -> dict[str, Any]:
        """Return the facts for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any] | None) -> SiteAccess:
        """Return the facts from how they stand in JSON; audits of earlier versions have none."""
        if not values:
            return cls()
        robots = (
            RobotsAccess(r["origin"], r["state"], r["reason"], tuple(r["named"]), tuple(r["unclear"]))
            for r in values["robots"]
        )
        return cls(tuple(robots), LlmsTxt(**values["llms_txt"]))
