"""What a repository holds for us: steelyard.toml, .steelyardignore, the baseline, and weightings."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzz.case import encode
from fuzz.checks import Problems
from fuzz.kinds.records import FileKind
from fuzz.mutate.json_values import mutate_value, write_json
from fuzz.mutate.key_values import mutate_toml
from fuzz.mutate.text import ODD, SCALES, insert, mutate_bytes
from steelyard.check import baseline
from steelyard.components import NAMES
from steelyard.configuration import file as config
from steelyard.configuration import globs
from steelyard.configuration.keys import KEYS
from steelyard.pages.sketches import SketchIndex
from steelyard.scoring import weighting

CONFIGURATION = """\
min_score = 40
edition = "paper"
language = "auto"
detect = true
as_of = "2026-07-01"
include = ["docs/**/*.md"]
exclude = ["drafts/"]
[components]
quotable_density = "warning"
citation_f1 = { level = "error", min = 20 }
[[overrides]]
files = ["blog/**"]
min_score = 30.5
"""
PLACES = ("docs/a.md", "drafts/b.md", "blog/c/d.md", "e.md", "a\nb.md", "ü/ß.md", "x" * 200 + ".md", "-", "[a].md")


PIECES = (
    "*", "**", "?", "/", "!", "#", "\\", "[", "]", "[a-z]", "[!x]", "[z-a]", "[[:alpha:]]", "{a,b}",
    "a", "docs", " ", ".md", "-", "^",
)  # fmt: skip


class Configurations(FileKind):
    name = "configuration"
    share = 0.02
    file_name = config.OWN_NAME

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        text = rng.choice(kept).decode("utf-8", "replace") if kept and rng.random() < 0.3 else CONFIGURATION
        keys = (*KEYS, *NAMES, "files", "level", "min", "nothing", '"quoted key"', "a.b")
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            text = mutate_toml(rng, text, keys)[:30_000]
        data = encode(text)
        return mutate_bytes(rng, data) if rng.random() < 0.1 else data

    def check_file(self, path: Path, data: bytes) -> Problems:
        config.forget_files()
        configuration = config.find_configuration(path.parent)
        if configuration.path != path:
            yield "configuration", f"found at {configuration.path}"
        for place in PLACES:
            page = configuration.for_page(path.parent / place)
            configuration.covers(path.parent / place)
            if page["min_score"] is not None and not 0 <= page["min_score"] <= 100:
                yield "configuration", f"a lowest score of {page['min_score']!r}"


class IgnoreFiles(FileKind):
    name = "ignore"
    share = 0.005
    file_name = globs.IGNORE_FILE

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        pieces = (*PIECES, *ODD)
        lines = [
            "".join(rng.choices(pieces, k=rng.randint(0, 8))) * rng.choice(SCALES) for _ in range(rng.randint(1, 9))
        ]
        data = encode(rng.choice(("\n", "\r\n", "\n\n")).join(lines))
        return mutate_bytes(rng, data) if rng.random() < 0.2 else data

    def check_file(self, path: Path, data: bytes) -> Problems:
        patterns = globs.read_ignore_file(str(path.parent))
        for place in PLACES:
            if patterns.match(place) != patterns.match(place):
                yield "ignore", f"{place!r} matches once and not again"


class Baselines(FileKind):
    name = "baseline"
    share = 0.01
    file_name = "steelyard-baseline.json"

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        page = {
            "score": 61.25,
            "hash": "9c" * 8,
            "content": "1f" * 32,
            "sketch": "00ff 1122 aabb",
            "findings": ["a:1", "b:2"],
        }
        value: Any = {
            "schema": baseline.SCHEMA,
            "version": "0.1.0",
            "as_of": "2026-07-01",
            "pages": {"docs/a.md": page, "b\n.md": {**page, "score": 0}, "c.md": {**page, "score": 100}},
        }
        for _ in range(rng.randint(1, 4)):
            value = mutate_value(rng, value)
        return write_json(rng, value)

    def check_file(self, path: Path, data: bytes) -> Problems:
        loaded = baseline.load_baseline(path)
        if loaded is None:
            yield "baseline", "it was not found"
            return
        for name, page in loaded.pages.items():
            if not 0 <= page.score <= 100:
                yield "baseline", f"{name!r} has a score of {page.score!r}"
        index = SketchIndex({name: page.sketch for name, page in loaded.pages.items()})
        list(index.find_similar(("00ff", "aabb")))
        loaded.save(path)
        again = baseline.load_baseline(path)
        if again != loaded and "\ud800" not in repr(loaded).encode("utf-8", "backslashreplace").decode():
            yield "baseline", "it is read back as something else"


class Weightings(FileKind):
    name = "weights"
    share = 0.005
    file_name = "weights.json"

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        value: Any = {name: 1 / len(NAMES) for name in NAMES}
        if rng.random() < 0.5:
            value = {"weights": value, "about": "x"}
        for _ in range(rng.randint(0, 3)):
            value = mutate_value(rng, value)
        data = write_json(rng, value)
        return insert(rng, data, b" ") if rng.random() < 0.1 else data

    def check_file(self, path: Path, data: bytes) -> Problems:
        loaded = weighting.load(str(path))
        total = math.fsum(loaded.weights.values())
        if not math.isclose(total, 1, abs_tol=1e-9) or min(loaded.weights.values()) < 0:
            yield "weights", f"they sum to {total!r}: {json.dumps(dict(loaded.weights))}"
