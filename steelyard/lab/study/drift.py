"""Drift: the scores of a release's frozen pages against what the present version gives them."""

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
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.loading import demo_folder
from steelyard.pipeline import score_text
from steelyard.scoring import weighting
from steelyard.scoring.page import scoring
from steelyard.scoring.weighting import Weighting
from steelyard.support.artifacts import rounded

SCHEMA = "steelyard.release/1"
AS_OF = date(2026, 7, 1)
SAME = 1e-9  # points: what rounding in the file leaves
_SECTION = re.compile(r"^## Unreleased[ \t]*\n(?P<body>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_NUMBERS = re.compile(r"^(?:#+ |\*\*|\*)Numbers\**:?\**(?P<said>.*?)(?=^#|^\*\*|\Z)", re.DOTALL | re.MULTILINE)


class ReleaseInvalid(SteelyardError):
    """A release file that cannot be compared with."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


@dataclass(frozen=True, slots=True)
class Move:
    """One page's score, then and now."""

    page: str
    before: float
    after: float
    content: float  # how far the content moved; under a cap only this shows

    @property
    def by(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a release's scores have moved."""

    version: str
    same_scoring: bool
    same_zlib: bool
    pages: int
    moves: tuple[Move, ...]
    not_frozen: tuple[str, ...]  # pages that are gone or hold another text

    def lines(self) -> Iterator[str]:
        by = [move.by for move in self.moves]
        hash_ = "the same scoring hash" if self.same_scoring else "another scoring hash"
        head = f"against {self.version} ({hash_}): {len(by)} of {self.pages} pages moved"
        if by:
            head += f", at most {max(map(abs, by)):.6f}, {mean([abs(b) for b in by]):.6f} on average"
        yield head
        for move in sorted(self.moves, key=lambda m: (-abs(m.by), m.page)):
            under = f", content {move.content:+.6f}" if abs(move.by) <= SAME else ""
            yield f"  {move.by:+.6f}  {move.before:.6f} → {move.after:.6f}{under}  {move.page}"
        if by and not self.same_zlib:
            yield "another zlib compresses here than when it was frozen, which alone moves semantic_redundancy a little"


def pages(folder: Path | None = None) -> dict[str, str]:
    """The demo pages by name."""
    where = folder or demo_folder()
    return {p.relative_to(where).as_posix(): p.read_text("utf-8") for p in sorted(where.rglob("*.md"))}


def freeze(texts: Mapping[str, str], *, as_of: date = AS_OF, weights: Weighting | None = None) -> dict[str, Any]:
    """What `against` compares with: every page's digest, score, content and components."""
    weights = weights or weighting.load("shipped")
    return {
        "schema": SCHEMA,
        "version": __version__,
        "scoring": {code: scoring(weights.name, weights.digest, code).hash for code in languages.CODES},
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "as_of": str(as_of),
        "pages": rounded({name: _figures(text, as_of, weights) for name, text in texts.items()}),
    }


def _figures(text: str, as_of: date, weights: Weighting) -> dict[str, Any]:
    page = score_text(text, as_of=as_of, weights=weights, evidence=False)
    components = {name: reading.value for name, reading in page.readings.items()}
    return {"sha256": _digest(text), "score": page.score, "content": page.content, "components": components}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(path: Path) -> dict[str, Any]:
    """A release file; of a folder the one of the newest version."""
    if path.is_dir():
        files = sorted(path.glob("*.json"), key=lambda p: [int(n) for n in re.findall(r"[0-9]+", p.stem)])
        if not files:
            raise ReleaseInvalid(str(path), "no release in this folder; write one with --freeze FILE")
        path = files[-1]
    try:
        release = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ReleaseInvalid(str(path), f"cannot be read ({error.strerror}); check the path") from error
    except ValueError as error:
        raise ReleaseInvalid(str(path), f"is not valid JSON ({error})") from error
    if not isinstance(release, dict) or release.get("schema") != SCHEMA or not release.get("pages"):
        raise ReleaseInvalid(str(path), f"is no release of schema {SCHEMA}; write one with --freeze FILE")
    return release


def against(release: Mapping[str, Any], texts: Mapping[str, str], *, weights: Weighting | None = None) -> Drift:
    """The frozen pages scored again, as of the release's own date; a page with another text is not compared."""
    frozen: Mapping[str, Any] = release["pages"]
    changed = tuple(n for n, old in frozen.items() if n not in texts or _digest(texts[n]) != old["sha256"])
    same = {name: texts[name] for name in frozen if name not in changed}
    now = freeze(same, as_of=date.fromisoformat(release["as_of"]), weights=weights)
    moves = [
        Move(n, frozen[n]["score"], new["score"], new["content"] - frozen[n]["content"])
        for n, new in now["pages"].items()
    ]
    return Drift(
        release["version"],
        release["scoring"] == now["scoring"],
        release["zlib"] == now["zlib"],
        len(same),
        tuple(m for m in moves if max(abs(m.by), abs(m.content)) > SAME),
        changed,
    )


def declared(changelog: str) -> str:
    """What stands under *Numbers* in the Unreleased section; nothing when that is `none yet`."""
    section = _SECTION.search(changelog)
    found = _NUMBERS.search(section["body"]) if section else None
    said = " ".join(found["said"].split()) if found else ""
    return "" if said.lower().removeprefix("- ").startswith("none yet") else said
