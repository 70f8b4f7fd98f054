"""information_density: how rich the vocabulary is; 70% of it is shannon_entropy, the rest diversity and rare words."""

from __future__ import annotations

import math

from steelyard.components.arithmetic.numbers import clamp, variation
from steelyard.components.arithmetic.vocabulary import count_syllables, mtld
from steelyard.components.base import Component, Counts, DegenerateCase, Parts
from steelyard.components.shannon_entropy import ShannonEntropy
from steelyard.components.title import concept_coverage, extract_concepts
from steelyard.languages.frequencies import rarity
from steelyard.text.document import Document

LONG_WORD = 8  # letters
NEUTRAL = 50.0  # S_sem of a page whose title has no concept

_SHANNON = ShannonEntropy()


class InformationDensity(Component):
    """0.70 f_shannon + 0.20 S_lex + 0.10 S_sem."""

    label = "vocabulary richness"
    spec = "app:infodensity"
    formula = "0.70·f_shannon + 0.20·S_lex + 0.10·S_sem"
    symbols = ("f_shannon", "S_lex", "S_sem")
    degenerate = (DegenerateCase("fewer than 10 words", lambda doc: doc.n_words < 10, 6.0),)

    def count(self, doc: Document) -> Counts:
        shannon = _SHANNON.read(doc, evidence=False).value
        lexical = lexical_parts(doc)
        semantic = semantic_parts(doc)
        parts = {"f_shannon": shannon, "S_lex": lexical_score(lexical), "S_sem": semantic_score(semantic)}
        return Counts({**parts, **lexical, **semantic})

    def value(self, parts: Parts) -> float:
        return clamp(0.70 * parts["f_shannon"] + 0.20 * parts["S_lex"] + 0.10 * parts["S_sem"], 0.0, 100.0)


def lexical_parts(doc: Document) -> dict[str, float]:
    """Compute the terms of S_lex over all ASCII tokens, unfiltered."""
    ids = doc.tokens.ids
    n, v = len(ids), len(doc.tokens.vocabulary)
    log_n = math.log(n) if n > 1 else 0.0
    herdan = math.log(v) / log_n if log_n else 0.0
    maas = max(0.0, 1.0 - min(1.0, 5.0 * (log_n - math.log(v)) / log_n**2)) if log_n else 0.0
    sides = [doc.attributes(match)["side"] for match in doc.find("register")]
    formal = sides.count("formal")
    informal = len(sides) - formal
    return {
        "MTLD": mtld(ids),
        "C_Herdan": herdan,
        "M_Maas": maas,
        "v_sent": clamp(1.0 - abs(variation(doc.sentence_words) - 0.5) / 0.5),
        "r_reg": abs(formal - informal) / len(sides) if sides else 0.0,
    }


def lexical_score(p: Parts) -> float:
    """Compute S_lex from its five terms."""
    score = (
        0.35 * min(1.0, p["MTLD"] / 120)
        + 0.20 * p["C_Herdan"]
        + 0.15 * p["M_Maas"]
        + 0.15 * p["v_sent"]
        + 0.15 * p["r_reg"]
    )
    return float(100 * score)


def semantic_parts(doc: Document) -> dict[str, float | None]:
    """Compute the terms of S_sem over the filtered tokens; all are None when the title has no concept."""
    counts = doc.kept_counts
    total = sum(counts.values())
    if not extract_concepts(doc) or not total:
        return dict.fromkeys(("rarity", "syllables", "long", "concepts", "affix"))
    vocabulary = doc.tokens.vocabulary
    suffixes = tuple(sorted(doc.language.lists["affixes_suffix"]))
    prefixes = tuple(sorted(doc.language.lists["affixes_prefix"]))
    rare = syllable_count = 0.0
    long = technical = 0
    for i, count in counts.items():
        word = vocabulary[i]
        rare += count * rarity(word)
        syllable_count += count * count_syllables(word)
        long += count * (len(word) >= LONG_WORD)
        technical += count * (len(word) > 5 and (word.endswith(suffixes) or word.startswith(prefixes)))
    return {
        "rarity": rare / total,
        "syllables": syllable_count / total,
        "long": long / total,
        "concepts": concept_coverage(doc),
        "affix": technical / total,
    }


def semantic_score(p: Parts) -> float:
    """Compute S_sem from its five terms; exactly 50 without concepts."""
    if p["rarity"] is None:
        return NEUTRAL
    score = (
        0.30 * min(1.0, p["rarity"] / 0.5)
        + 0.20 * clamp((p["syllables"] - 1) / 2)
        + 0.20 * min(1.0, p["long"] / 0.4)
        + 0.20 * p["concepts"]
        + 0.10 * min(1.0, p["affix"] / 0.10)
    )
    return float(100 * score)
