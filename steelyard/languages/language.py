"""A language: every pattern family, word list and month name of its directory, checked and compiled once."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard.errors import PackInvalid, UnknownName
from steelyard.languages import dialect
from steelyard.text.regex import DEFAULT, PatternSet, Refusal

_ROOT = resources.files("steelyard.languages")
# The supported languages are the directories that hold a language.toml; English first, then by code.
CODES = tuple(
    sorted(
        (entry.name for entry in _ROOT.iterdir() if entry.joinpath("language.toml").is_file()),
        key=lambda code: (code != "en", code),
    )
)
_SHARED = ("shared_macros.toml", "shared_words.toml")
_OWN = ("language.toml", "macros.toml", "words.toml")
_REQUIRED = ("id", "why", "regex", "must_match", "must_not_match")


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
        """The words that undo a match: as its first word, or anywhere in it."""
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
class Language:
    """All data of one language that a score depends on."""

    code: str
    families: Mapping[str, Family]
    lists: Mapping[str, frozenset[str]]
    months: Mapping[str, int]
    reads_with: tuple[str, ...]
    digest: str

    @property
    def stop(self) -> frozenset[str]:
        """The stop words."""
        return self.lists["stop"]


def read_toml(code: str, *path: str) -> dict[str, Any]:
    """Read a file of a language's directory.

    Raises:
        UnknownName: The language has no directory.
    """
    if code not in CODES:
        raise UnknownName("language", code, CODES)
    return tomllib.loads(_ROOT.joinpath(code, *path).read_text("utf-8"))


@cache
def settings(code: str) -> dict[str, Any]:
    """Read a language's language.toml."""
    return read_toml(code, "language.toml")


def _files(code: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a score in this language depends on, by name."""
    patterns = sorted(f.name for f in _ROOT.joinpath(code, "patterns").iterdir() if f.name.endswith(".toml"))
    others = [f"{other}/language.toml" for other in settings(code)["reads_with"] if other != code]
    own = [f"{code}/{name}" for name in (*_OWN, *(f"patterns/{p}" for p in patterns))]
    for name in (*_SHARED, *others, *own):
        # Checkouts may differ in line ends; the data are the same.
        yield name, _ROOT.joinpath(*name.split("/")).read_bytes().replace(b"\r\n", b"\n")


@cache
def digest(code: str) -> str:
    """SHA-256 over everything a score in this language reads; the word tables enter by their recorded digests."""
    total = hashlib.sha256()
    for name, data in _files(code):
        total.update(f"{name}\n".encode() + data)
    return total.hexdigest()


@cache
def load(code: str, engine: str = DEFAULT) -> Language:
    """Load a language, once per process.

    Raises:
        UnknownName: The language has no directory.
        PackInvalid: One of its patterns breaks a rule.
    """
    if code not in CODES:
        raise UnknownName("language", code, CODES)
    files = {name: tomllib.loads(data.decode()) for name, data in _files(code)}
    macros: dict[str, str] = {}
    for name in ("shared_macros.toml", f"{code}/macros.toml"):
        for macro, regex in files[name].items():
            macros[macro] = dialect.expand(regex, macros, f"{name}: {macro}")
    families = {
        family: _family(name, family, content, macros, engine)
        for name, content in files.items()
        if (family := name.rpartition("/")[2].removesuffix(".toml")) and "/patterns/" in name
    }
    reads_with = tuple(settings(code)["reads_with"])
    lists = {
        key: frozenset(words.split() if isinstance(words, str) else words)
        for name in ("shared_words.toml", f"{code}/words.toml")
        for key, words in files[name].items()
    }
    for key in ("ordinals", "label_ends"):
        lists[key] = frozenset(word for other in reads_with for word in settings(other)[key].split())
    return Language(code, families, lists, _months(reads_with), reads_with, digest(code))


def _months(codes: tuple[str, ...]) -> dict[str, int]:
    return {
        name: number
        for code in codes
        for number, names in enumerate(settings(code)["months"], start=1)
        for name in names.split()
    }


def _family(where: str, name: str, content: dict[str, Any], macros: dict[str, str], engine: str) -> Family:
    patterns: list[Pattern] = []
    for entry in content["pattern"]:
        place = f"{where}: {entry.get('id', '?')}"
        if missing := sorted(set(_REQUIRED) - set(entry)):
            raise PackInvalid(place, f"missing {', '.join(missing)}")
        if any(entry["id"] == p.id for p in patterns):
            raise PackInvalid(place, "this id is used twice")
        regex = dialect.expand(entry["regex"].replace("\n", ""), macros, place)
        dialect.check(regex, place)
        extra = {k: v for k, v in entry.items() if k not in _REQUIRED}
        patterns.append(
            Pattern(entry["id"], entry["why"], regex, tuple(entry["must_match"]), tuple(entry["must_not_match"]), extra)
        )
    refused = {i: refusal for i, p in enumerate(patterns) if (refusal := p.refusal) is not None}
    matcher = PatternSet([p.regex for p in patterns], engine, refused)
    return Family(name, content.get("about", ""), tuple(patterns), matcher)
