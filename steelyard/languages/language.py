"""Loading a language: the patterns, word lists and month names of its directory, checked and compiled once."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from steelyard.errors import InvalidLanguageData, UnknownName
from steelyard.languages import dialect
from steelyard.text.language import Family, Language, Pattern
from steelyard.text.regex import DEFAULT, PatternSet
from steelyard.text.triggers import Need, Triggers

_ROOT = resources.files("steelyard.languages")
# The supported languages are the directories that hold a language.toml; English first, then by code.
CODES = tuple(
    sorted(
        (entry.name for entry in _ROOT.iterdir() if entry.joinpath("language.toml").is_file()),
        key=lambda code: (code != "en", code),
    )
)
_SHARED_FILES = ("shared_macros.toml", "shared_words.toml")
_OWN_FILES = ("language.toml", "macros.toml", "words.toml")
_SHARED_PATTERNS = "patterns"  # in all editions; those of one edition are in the directory of its name
TRIGGERS = "triggers.json"  # of an edition: what its patterns need; `python -m tools.triggers` writes it
_FORMAT = 1  # of that file
_WORD_LISTS = ("first_word_not", "words_not")  # of a pattern; they may use macros too
_REQUIRED_KEYS = ("id", "why", "regex", "must_match", "must_not_match")


def read_toml(code: str, *path: str) -> dict[str, Any]:
    """Read a file of a language's directory.

    Raises:
        UnknownName: The language has no directory.
    """
    if code not in CODES:
        raise UnknownName("language", code, CODES)
    return tomllib.loads(_ROOT.joinpath(code, *path).read_text("utf-8"))


def read_shared(name: str) -> dict[str, Any]:
    """Read a file that holds in every language, beside their directories."""
    return tomllib.loads(_ROOT.joinpath(f"shared_{name}.toml").read_text("utf-8"))


@cache
def read_settings(code: str) -> dict[str, Any]:
    """Read a language's language.toml."""
    return read_toml(code, "language.toml")


def capitalises_nouns(code: str) -> bool:
    """Tell whether a language writes every noun with a capital, so that a capital marks no name."""
    return bool(read_settings(code).get("capitalises_nouns", False))


def has_file(code: str, *path: str) -> bool:
    """Tell whether a language's directory has a file."""
    return _ROOT.joinpath(code, *path).is_file()


def list_with(folder: str) -> tuple[str, ...]:
    """Return the languages that have a folder of this name."""
    return tuple(code for code in CODES if _ROOT.joinpath(code, folder).is_dir())


def _read_files(code: str, edition: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of every file that a score in this language and edition depends on."""
    others = [f"{other}/language.toml" for other in read_settings(code)["reads_with"] if other != code]
    patterns = [f"{folder}/{name}" for folder in (_SHARED_PATTERNS, edition) for name in _list_patterns(code, folder)]
    own = [f"{code}/{name}" for name in (*_OWN_FILES, *patterns)]
    for name in (*_SHARED_FILES, *others, *own):
        # Checkouts may differ in line ends; the data do not.
        yield name, _ROOT.joinpath(*name.split("/")).read_bytes().replace(b"\r\n", b"\n")


def _list_patterns(code: str, folder: str) -> list[str]:
    if not _ROOT.joinpath(code, folder).is_dir():
        raise UnknownName("language", code, list_with(folder))
    return sorted(f.name for f in _ROOT.joinpath(code, folder).iterdir() if f.name.endswith(".toml"))


@cache
def digest(code: str, edition: str = "paper") -> str:
    """Return a SHA-256 of everything a score in this language reads; word tables enter by their recorded digests."""
    total = hashlib.sha256()
    for name, data in _read_files(code, edition):
        total.update(f"{name}\n".encode() + data)
    return total.hexdigest()


@cache
def load(
    code: str,
    edition: str = "paper",
    sentences: str = "stops",
    tokens: str = "ascii",
    *,
    evidence: str = "anywhere",
    engine: str = DEFAULT,
) -> Language:
    """Load a language as an edition reads it, once per process.

    Raises:
        UnknownName: The language has no directory.
        InvalidLanguageData: A pattern breaks a rule.
    """
    files = {name: tomllib.loads(data.decode()) for name, data in _read_files(code, edition)}
    macros: dict[str, str] = {}
    own_macros, own_words = (f"{code}/{edition}/{name}.toml" for name in ("macros", "words"))
    for name in ("shared_macros.toml", f"{code}/macros.toml", own_macros):
        for macro, regex in files.get(name, {}).items():
            macros[macro] = dialect.expand(regex, macros, f"{name}: {macro}")
    families = {
        family: _build_family(name, family, content, macros, engine)
        for name, content in files.items()
        if (family := name.rpartition("/")[2].removesuffix(".toml"))
        and name.count("/") > 1
        and name not in (own_macros, own_words)
    }
    reads_with = tuple(read_settings(code)["reads_with"])
    lists = {
        key: frozenset(words.split() if isinstance(words, str) else words)
        for name in ("shared_words.toml", f"{code}/words.toml", own_words)
        for key, words in files.get(name, {}).items()
    }
    for key in ("ordinals", "label_ends"):
        lists[key] = frozenset(word for other in reads_with for word in read_settings(other)[key].split())
    lists["after_ordinals"] = frozenset(read_settings(code).get("after_ordinals", "").split())
    months = {
        name: number
        for other in reads_with
        for number, names in enumerate(read_settings(other)["months"], start=1)
        for name in names.split()
    }
    day_first = bool(read_settings(code).get("day_first", False))
    cut = (edition, sentences, tokens, evidence, capitalises_nouns(code), day_first)
    triggers = _load_triggers(code, edition, families)
    if triggers is None:  # the patterns were not checked when the file was written
        names = {name.rpartition("/")[2].removesuffix(".toml"): name for name in files}
        for unchecked in families.values():
            for pattern in unchecked.patterns:
                dialect.check(pattern.regex, f"{names[unchecked.name]}: {pattern.id}")
    return Language(code, families, lists, months, reads_with, *cut, triggers=triggers)


def hash_patterns(families: Mapping[str, Family], content: str) -> str:
    """Return a hash of all patterns and of what was derived from them."""
    total = hashlib.sha256(f"{_FORMAT} {content}".encode())
    for family in families.values():
        total.update(json.dumps([family.name, [(p.id, p.regex) for p in family.patterns]]).encode())
    return total.hexdigest()


def _read_triggers(code: str, edition: str) -> str:
    file = _ROOT.joinpath(code, edition, TRIGGERS)
    return file.read_text("utf-8") if file.is_file() else ""


def _load_triggers(code: str, edition: str, families: Mapping[str, Family]) -> Triggers | None:
    """Load what the patterns need; None where that was derived from other patterns, or is damaged."""
    digest, _, content = _read_triggers(code, edition).rstrip("\n").partition("\n")
    if digest != hash_patterns(families, content):
        return None
    data = json.loads(content)
    needs = {family: [Need(tuple(sets), reach) for sets, reach in rows] for family, rows in data["needs"].items()}
    return Triggers(data["sets"], needs)


def _build_family(where: str, name: str, content: dict[str, Any], macros: dict[str, str], engine: str) -> Family:
    """Check and compile the patterns of one file."""
    patterns: list[Pattern] = []
    for entry in content["pattern"]:
        place = f"{where}: {entry.get('id', '?')}"
        if missing := sorted(set(_REQUIRED_KEYS) - set(entry)):
            raise InvalidLanguageData(place, f"missing {', '.join(missing)}")
        if any(entry["id"] == p.id for p in patterns):
            raise InvalidLanguageData(place, "this id is used twice")
        regex = dialect.expand(entry["regex"].replace("\n", ""), macros, place)
        extra = {k: v for k, v in entry.items() if k not in _REQUIRED_KEYS}
        extra |= {k: dialect.expand(extra[k], macros, place) for k in _WORD_LISTS if k in extra}
        patterns.append(
            Pattern(entry["id"], entry["why"], regex, tuple(entry["must_match"]), tuple(entry["must_not_match"]), extra)
        )
    refused = {i: refusal for i, p in enumerate(patterns) if (refusal := p.refusal) is not None}
    matcher = PatternSet([p.regex for p in patterns], engine, refused)
    policy = {key: content[key] for key in ("unless", "needs", "within", "longest") if key in content}
    return Family(name, tuple(patterns), matcher, **policy)
