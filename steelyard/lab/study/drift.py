"""Drift: the scores of a release's frozen pages, compared with what the present version gives them."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from steelyard import __version__, languages
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidFile
from steelyard.lab.corpus.loading import demo_folder
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.scoring.page import FORMULAS
from steelyard.scoring.weighting import Weighting
from steelyard.support.artifacts import round_floats
from steelyard.support.regular_file import open_regular_file

SCHEMA = "steelyard.release/1"
AS_OF = date(2026, 7, 1)
MAX_BYTES = 100_000_000  # bytes of a release file
SAME = 1e-9  # points: what rounding in the file leaves
_SECTION = re.compile(r"^## Unreleased[ \t]*\n(?P<body>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_NUMBERS = re.compile(r"^\*\*Numbers\*\*(?P<text>.*?)(?=^#|^\*\*|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One page's score, then and now."""

    page: str
    before: float
    after: float
    content: float  # how far the content moved; under a cap only this shows

    @property
    def size(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a release's scores have moved."""

    version: str
    same_zlib: bool
    pages: int
    changes: tuple[ScoreChange, ...]
    changed_pages: tuple[str, ...]  # pages that are gone or hold another text

    def summary(self) -> str:
        """Name the change with its size, as the changelog must; "" when nothing moved."""
        if not self.changes:
            return ""
        sizes = [change.size for change in self.changes]
        largest = max(sizes, key=abs)
        return f"{len(sizes)} of {self.pages} demo pages moved, largest {largest:+.3f}, mean {mean(sizes):+.3f}"

    def lines(self) -> Iterator[str]:
        """Yield the summary, then every page that moved, the largest move first."""
        yield f"compared with {self.version}: {self.summary() or f'none of {self.pages} pages moved'}"
        for change in sorted(self.changes, key=lambda c: (-abs(c.size), c.page)):
            under = f", content {change.content:+.6f}" if abs(change.size) <= SAME else ""
            yield f"  {change.size:+.6f}  {change.before:.6f} → {change.after:.6f}{under}  {change.page}"
        if self.changes and not self.same_zlib:
            yield "zlib is another version here than for the release, which alone moves semantic_redundancy a little"


def demo_pages() -> dict[str, str]:
    """Return the demo pages by name."""
    root = demo_folder()
    return {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in sorted(root.rglob("*.md"))}


def freeze_scores(texts: Mapping[str, str], *, as_of: date = AS_OF, weights: Weighting | None = None) -> dict[str, Any]:
    """Return a release: every page's digest, score, content, freshness and components."""
    weights = weights or weighting.load(weighting.DEFAULT)
    return {
        "schema": SCHEMA,
        "version": __version__,
        "formulas": FORMULAS,
        "weights": weights.digest,
        "languages": {code: languages.digest(code) for code in editions.load(editions.PAPER).languages},
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "as_of": str(as_of),
        "pages": round_floats({name: _figures(text, as_of, weights) for name, text in texts.items()}),
    }


def _figures(text: str, as_of: date, weights: Weighting) -> dict[str, Any]:
    page = score_text(text, as_of=as_of, weights=weights, edition=editions.load(editions.PAPER), evidence=False)
    return {
        "sha256": _digest(text),
        "score": page.score,
        "content": page.content,
        "freshness": page.freshness,
        "components": {name: reading.value for name, reading in page.readings.items()},
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_release(path: Path) -> dict[str, Any]:
    """Read a release file; of a folder the one of the newest version.

    Raises:
        InvalidFile: There is none, or it cannot be compared with.
    """
    if path.is_dir():
        files = sorted(path.glob("*.json"), key=lambda p: [int(n) for n in re.findall(r"[0-9]+", p.stem)])
        if not files:
            raise InvalidFile(str(path), "no release in this folder; write one with --freeze FILE")
        path = files[-1]
    try:
        with open_regular_file(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidFile(str(path), f"cannot be read ({error.strerror}); check the path") from error
    if len(data) > MAX_BYTES:
        raise InvalidFile(str(path), f"is over {MAX_BYTES:,} bytes; write a release with --freeze FILE")
    try:
        release = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(str(path), f"is not valid JSON ({error})") from error
    if not isinstance(release, dict) or release.get("schema") != SCHEMA or not release.get("pages"):
        raise InvalidFile(str(path), f"is not a release of schema {SCHEMA}; write one with --freeze FILE")
    return release


def compare(release: Mapping[str, Any], texts: Mapping[str, str], *, weights: Weighting | None = None) -> Drift:
    """Score the frozen pages again, as of the release's own date; a page with another text is not compared."""
    frozen: Mapping[str, Any] = release["pages"]
    changed = tuple(n for n, old in frozen.items() if n not in texts or _digest(texts[n]) != old["sha256"])
    same = {name: texts[name] for name in frozen if name not in changed}
    now = freeze_scores(same, as_of=date.fromisoformat(release["as_of"]), weights=weights)
    changes = [
        ScoreChange(n, frozen[n]["score"], new["score"], new["content"] - frozen[n]["content"])
        for n, new in now["pages"].items()
    ]
    moved = tuple(c for c in changes if max(abs(c.size), abs(c.content)) > SAME)
    return Drift(release["version"], release["zlib"] == now["zlib"], len(same), moved, changed)


def declared_numbers(changelog: str) -> str:
    """Return the text under *Numbers* in the changelog's Unreleased section, on one line."""
    section = _SECTION.search(changelog)
    numbers = _NUMBERS.search(section["body"]) if section else None
    return " ".join(numbers["text"].split()) if numbers else ""
