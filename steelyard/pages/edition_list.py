"""The editions side by side, for `steelyard editions` and the manual."""

from __future__ import annotations

from typing import Any

from steelyard.languages import read_settings
from steelyard.scoring import editions, reference, weighting
from steelyard.scoring.editions import Edition
from steelyard.scoring.page import describe_scoring
from steelyard.scoring.reference import Reference, name_length
from steelyard.support.table import Column, Table

# What each choice of an edition means, in words.
MEANING = {
    "stops": "end at every run of `.`, `!` and `?`",
    "careful": "do not end within figures, abbreviations, initials and addresses",
    "ascii": "runs of the letters a to z",
    "unicode": "runs of letters of any alphabet",
    "anywhere": "evidence counts wherever it stands",
    "prose": "only running text counts: sentences with function words and a mark at the end",
    "words": "steps by the number of words",
    "running text": "continuous in the amount of running text and its share of the page",
    "all": "every link to a web address is a source",
    "other sites": "links to the page's own site are no sources",
    "two-sided": "an old date costs points",
    "one-sided": "an old date earns nothing and costs nothing",
}
CHOICES = ("sentences", "tokens", "evidence", "caps", "links", "dates")


def describe_editions() -> list[dict[str, Any]]:
    """Return one entry per edition: its choices, languages, weights, hashes and numbers of patterns."""
    return [_describe(editions.load(name)) for name in editions.NAMES]


def _describe(edition: Edition) -> dict[str, Any]:
    weights = weighting.load(edition.weights)
    languages = {}
    for code in edition.languages:
        families = edition.load_language(code).families
        placed = reference.load(edition.name, code)
        languages[code] = {
            "name": read_settings(code)["name"],
            "hash": describe_scoring(weights.name, weights.digest, edition, code).hash,
            "patterns": {name: len(family.patterns) for name, family in sorted(families.items())},
            "reference": _describe_reference(placed) if placed else None,
        }
    return {
        "name": edition.name,
        "about": edition.about,
        "default": edition.name == editions.DEFAULT,
        **{choice: getattr(edition, choice) for choice in CHOICES},
        "weights": edition.weights,
        "languages": languages,
    }


def _describe_reference(placed: Reference) -> dict[str, Any]:
    lengths = {name_length(start): len(others.contents) for start, others in placed.lengths.items()}
    return {"name": placed.name, "pages": sum(lengths.values()), "lengths": lengths, "hash": placed.hash}


def make_tables() -> list[Table]:
    """Return two tables: the choices of every edition, and its patterns by language."""
    every = describe_editions()
    names = [e["name"] + (" (default)" if e["default"] else "") for e in every]
    rows = [[choice, *(MEANING[e[choice]] for e in every)] for choice in CHOICES]
    rows.append(["weights", *(e["weights"] for e in every)])
    rows.append(["languages", *(", ".join(e["languages"]) for e in every)])
    choices = Table([Column("what"), *map(Column, names)], rows)
    families = sorted({family for e in every for of in e["languages"].values() for family in of["patterns"]})
    read = [(e, code) for e in every for code in e["languages"]]
    counts = [[family, *(e["languages"][code]["patterns"].get(family, "–") for e, code in read)] for family in families]
    heads = [Column(f"{e['name']} {code}", right=True) for e, code in read]
    return [choices, Table([Column("patterns of", code=True), *heads], counts)]
