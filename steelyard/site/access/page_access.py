"""What stands between a page and those who read it for a search or a model: checks that it passes or fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from steelyard.site.addresses import same_site

# Each check with what a page that passes it has, in the order of the reports.
CHECKS = {
    "index": "may be indexed: no noindex",
    "snippet": "may be quoted: no nosnippet, no max-snippet:0",
    "scripts": "has its text without scripts",
    "canonical": "names one canonical address, on this site and not broken",
    "json_ld": "has structured data (JSON-LD) that parses",
    "title": "has the title in its structured data that it shows",
    "date": "has the dates in its structured data that it shows",
}

# And what a page that fails it is.
FAILING = {
    "index": "may not be indexed",
    "snippet": "may not be quoted",
    "scripts": "without its text unless scripts run",
    "canonical": "canonical address",
    "json_ld": "structured data (JSON-LD) that does not parse",
    "title": "another title in its structured data than it shows",
    "date": "other dates in its structured data than it shows",
}


@dataclass(frozen=True, slots=True)
class PageAccess:
    """The access to one page.

    Attributes:
        passed: The checks of CHECKS that it passes; one that does not apply is neither here nor there.
        failed: Those it fails, each with what was found.
        forbidden: The agents that robots.txt forbids to ask for it; None where no robots.txt was read.
    """

    passed: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    forbidden: tuple[str, ...] | None = None

    @property
    def checks(self) -> int:
        """How many checks apply."""
        return len(self.passed) + len(self.failed)

    def fail(self, name: str, reason: str) -> PageAccess:
        """Return the access with a check failed, unless it fails already."""
        if name in self.failed:
            return self
        passed = tuple(other for other in self.passed if other != name)
        return replace(self, passed=passed, failed={**self.failed, name: reason})

    def check_site(self, url: str, canonical: str | None) -> PageAccess:
        """Return the access of a page of an address whose canonical address may belong to another site."""
        is_web = url.startswith(("http://", "https://"))
        if canonical is None or not is_web or same_site(canonical, url):
            return self
        return self.fail("canonical", f"points to another site: {canonical}")

    def to_dict(self) -> dict[str, Any]:
        """Return the access for JSON."""
        forbidden = None if self.forbidden is None else list(self.forbidden)
        return {"passed": list(self.passed), "failed": dict(self.failed), "forbidden": forbidden}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PageAccess:
        """Return the access from how it stands in JSON."""
        forbidden = values["forbidden"]
        return cls(tuple(values["passed"]), values["failed"], None if forbidden is None else tuple(forbidden))
