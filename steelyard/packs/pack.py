"""Loading a language's pack: every family of patterns, every word list, checked and compiled once."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard.base.errors import PackInvalid, UnknownName
from steelyard.packs import dialect
from steelyard.text.regex import DEFAULT, PatternSet, Refusal

LANGUAGES = ("en", "fr")
SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern: its id, why it is there, what it must and must not match (`⟦…⟧` marks the span)."""

    id: str
    why: str
    regex: str
    must_match: tuple[str, ...]
    must_not_match: tuple[str, ...]
    attributes: Mapping[str, Any]

    @property
    def refusal(self) -> Refusal | None:
        """The words with which a match is none: as its first word, or anywhere in it."""
        first, anywhere = (frozenset(self.attributes.get(k, "").split()) for k in ("first_word_not", "words_not"))
        return Refusal(first, anywhere) if first or anywhere else None


@dataclass(frozen=True, slots=True)
class Family:
    """An ordered set of patterns that one count is made of."""

    name: str
    about: str
    patterns: tuple[Pattern, ...]
    matcher: PatternSet


@dataclass(frozen=True, slots=True)
class Pack:
    """All data of one language."""

    language: str
    families: Mapping[str, Family]
    lists: Mapping[str, frozenset[str]]
    stop: frozenset[str]
    digest: str


def _data(folder: str) -> list[tuple[str, bytes]]:
    root = resources.files("steelyard.packs").joinpath(folder)
    files = sorted((f.name, f.read_bytes()) for f in root.iterdir() if f.name.endswith(".toml"))
    return [(name.removesuffix(".toml"), data) for name, data in files]


def digest(language: str) -> str:
    """SHA-256 over the pack's files and the shared ones, in name order."""
    total = hashlib.sha256()
    for folder in (SHARED, language):
        for name, data in _data(folder):
            # Checkouts may differ in line ends; the pack is the same.
            total.update(f"{folder}/{name}\n".encode() + data.replace(b"\r\n", b"\n"))
    return total.hexdigest()


@cache
def load(language: str, engine: str = DEFAULT) -> Pack:
    """The pack of `language`, read once per process."""
    if language not in LANGUAGES:
        raise UnknownName("language", language, LANGUAGES)
    families: dict[str, Family] = {}
    lists: dict[str, frozenset[str]] = {}
    macros: dict[str, str] = {}
    files = {
        (folder, name): tomllib.loads(data.decode()) for folder in (SHARED, language) for name, data in _data(folder)
    }
    for folder in (SHARED, language):
        for name, regex in files.get((folder, "macros"), {}).items():
            macros[name] = dialect.expand(regex, macros, f"{folder}/macros.toml: {name}")
    for (folder, name), content in files.items():
        if "pattern" in content:
            families[name] = _family(f"{folder}/{name}.toml", name, content, macros, engine)
        elif name != "macros":
            lists.update({key: frozenset(words.split()) for key, words in content.items() if isinstance(words, str)})
            lists.update({key: frozenset(words) for key, words in content.items() if isinstance(words, list)})
    return Pack(language, families, lists, lists["stop"], digest(language))


def _family(where: str, name: str, content: dict[str, Any], macros: dict[str, str], engine: str) -> Family:
    patterns = []
    seen: set[str] = set()
    for entry in content["pattern"]:
        place = f"{where}: {entry.get('id', '?')}"
        missing = {"id", "why", "regex", "must_match", "must_not_match"} - set(entry)
        if missing:
            raise PackInvalid(place, f"missing {', '.join(sorted(missing))}")
        if entry["id"] in seen:
            raise PackInvalid(place, "this id is used twice")
        seen.add(entry["id"])
        regex = dialect.expand(entry["regex"].replace("\n", ""), macros, place)
        dialect.check(regex, place)
        extra = {k: v for k, v in entry.items() if k not in {"id", "why", "regex", "must_match", "must_not_match"}}
        patterns.append(
            Pattern(entry["id"], entry["why"], regex, tuple(entry["must_match"]), tuple(entry["must_not_match"]), extra)
        )
    refused = {i: refusal for i, p in enumerate(patterns) if (refusal := p.refusal) is not None}
    matcher = PatternSet([p.regex for p in patterns], engine, refused)
    return Family(name, content.get("about", ""), tuple(patterns), matcher)
