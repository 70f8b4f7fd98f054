"""Describe an edition and its languages to the native core as plain data, from the same files as the Python code."""

from __future__ import annotations

from importlib import resources
from typing import Any

from steelyard import languages
from steelyard.detectors.base import load_word_lists
from steelyard.languages.detection import load_markers
from steelyard.scoring.editions import Edition
from steelyard.text.language import Family, Language, Pattern


def describe_edition(edition: Edition) -> dict[str, Any]:
    """Return an edition's choices, with the words that tell languages apart."""
    return {
        "name": edition.name,
        "languages": list(edition.languages),
        "careful": edition.sentences == "careful",
        "unicode_tokens": edition.tokens == "unicode",
        "repaired": edition.repairs,
        "evidence_in_prose": edition.evidence == "prose",
        "prose_caps": edition.caps == "running text",
        "other_sites": edition.links == "other sites",
        "one_sided": edition.dates == "one-sided",
        "markers": [[code, sorted(words)] for code, words in load_markers().items()],
    }


def describe_language(language: Language) -> dict[str, Any]:
    """Return a language's patterns, lists and names of months."""
    return {
        "code": language.code,
        "families": [_describe_family(family) for family in language.families.values()],
        "lists": {name: sorted(words) for name, words in language.lists.items()},
        "detector_lists": {name: sorted(words) for name, words in load_word_lists(language.code).items()},
        "months": dict(language.months),
        "reads_with": list(language.reads_with),
        "day_first": language.day_first,
        "capitalises_nouns": languages.capitalises_nouns(language.code),
    }


def _describe_family(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "patterns": [_describe_pattern(pattern) for pattern in family.patterns],
        "unless": family.unless,
        "needs": family.needs,
        "within": family.within,
        "longest": family.longest,
    }


def _describe_pattern(pattern: Pattern) -> dict[str, Any]:
    attributes = pattern.attributes
    refusal = pattern.refusal
    return {
        "id": pattern.id,
        "regex": pattern.regex,
        "first_word_not": sorted(refusal.first) if refusal else [],
        "words_not": sorted(refusal.anywhere) if refusal else [],
        "family": str(attributes.get("family", "")),
        "confidence": float(attributes.get("confidence", 0.0)),
        "whole": bool(attributes.get("whole")),
        "strip": bool(attributes.get("strip")),
        "min_words": int(attributes.get("min_words", 1)),
        "formal": attributes.get("side") == "formal",
        "check": bool(attributes.get("check")),
    }


def read_table(language: str, name: str) -> bytes | None:
    """Return a table of words of a language, or None where it has none."""
    file = resources.files("steelyard.languages").joinpath(language, f"{name}.txt")
    return file.read_bytes() if file.is_file() else None
