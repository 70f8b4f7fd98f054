"""Placement: where a page's content lies among the pages of a frozen reference set."""

from __future__ import annotations

import hashlib
import tomllib
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Placement:
    """The share of a reference set's pages with less content, by name, size and hash of the set."""

    share: float
    pages: int
    set: str
    hash: str

    def describe(self) -> str:
        """Return the placement in words."""
        return f"content above {self.share:.0%} of {self.pages} {self.set}"


@dataclass(frozen=True, slots=True)
class Reference:
    """The contents of a set's pages in one edition and language, sorted."""

    name: str
    contents: tuple[float, ...]
    hash: str

    def place(self, content: float) -> Placement:
        """Return where a content score lies in the set."""
        below = bisect_left(self.contents, content) / len(self.contents)
        return Placement(below, len(self.contents), self.name, self.hash)


@cache
def load(edition: str, language: str) -> Reference | None:
    """Load the reference set of an edition and language; None where there is none."""
    file = resources.files("steelyard.scoring").joinpath("references", f"{edition}-{language}.toml")
    if not file.is_file():
        return None
    data = file.read_bytes()
    content = tomllib.loads(data.decode())
    return Reference(content["name"], tuple(content["contents"]), hashlib.sha256(data).hexdigest()[:16])
