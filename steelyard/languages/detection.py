"""Which language a text is in, from its most frequent function words; no model, no clock, no network."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from steelyard.languages.language import CODES, read_settings

SAMPLE = 20_000  # characters whose script is looked at
DEFAULT = "en"
_BEYOND_LATIN = re.compile(r"[\u0370-\u1dff\u2c00-\ua6ff\ua800-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")

# A language that is not known must lead by this factor: short English titles hold a stray `de` or `la`.
_LEAD = 1.15
_ENOUGH = 0.10
_ENOUGH_WORDS = 20  # fewer words are no evidence of another language


@cache
def load_markers() -> dict[str, frozenset[str]]:
    """Return marker words by language code, supported languages last."""
    neighbours = tomllib.loads(resources.files("steelyard.languages").joinpath("neighbours.toml").read_text("utf-8"))
    own = {code: read_settings(code)["markers"] for code in CODES}
    return {code: frozenset(words.split()) for code, words in (neighbours | own).items()}


def detect(text: str, counts: Mapping[str, int], known: Sequence[str] = CODES) -> str:
    """Return a language code, or `other` for a text that is mostly not in Latin script.

    `counts` are the text's words in lower case. A text without any evidence is taken for English: the
    guards judge it then. A short text is taken for one of the `known` languages.
    """
    sample = text[:SAMPLE]
    if not sample.isascii():
        beyond = len(_BEYOND_LATIN.findall(sample))
        if beyond > 20 and beyond > len(_LATIN.findall(sample)):
            return "other"
    total = sum(counts.values())
    if not total:
        return DEFAULT
    hits = {code: sum(counts[w] for w in counts.keys() & words) / total for code, words in load_markers().items()}
    home = max(known, key=lambda code: (hits[code], code == DEFAULT))
    best = max(hits, key=lambda code: hits[code])
    if best not in known and total >= _ENOUGH_WORDS and hits[best] >= _ENOUGH and hits[best] > _LEAD * hits[home]:
        return best
    return home
