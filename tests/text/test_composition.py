"""Composed accents: the same words, and offsets that lead back to the text as it was written."""

from __future__ import annotations

import unicodedata

import steelyard
from steelyard.text.composition import compose

DECOMPOSED = unicodedata.normalize(
    "NFD", "Le café est fermé : « Nous rouvrirons en été, c'est sûr », a déclaré Zoé Müller."
)


def test_a_composed_text_stays_as_it_is() -> None:
    found = compose("Le café est fermé.")
    assert found.text == "Le café est fermé."
    assert [found.source_offset(i) for i in range(5)] == list(range(5))


def test_accents_are_composed_and_every_offset_leads_back() -> None:
    found = compose(DECOMPOSED)
    assert found.text == unicodedata.normalize("NFC", DECOMPOSED)
    for at, character in enumerate(found.text):
        assert DECOMPOSED[found.source_offset(at)] == unicodedata.normalize("NFD", character)[0]
    assert found.source_offset(len(found.text)) == len(DECOMPOSED)


def test_odd_texts_have_monotonous_offsets() -> None:
    for text in ("", "\u0301", "x\u0301\u0302", "a\u0308" * 1000, "e\u0301" + "z" * 10):
        found = compose(text)
        offsets = [found.source_offset(at) for at in range(len(found.text) + 1)]
        assert offsets == sorted(set(offsets)), text[:9]
        assert offsets[-1] == len(text)


def test_evidence_points_into_the_text_as_it_was_written() -> None:
    page = f"# Café\n\n{DECOMPOSED} " + "Le port de la ville est ancien et les bateaux y restent en hiver. " * 8
    found = steelyard.score(page, language="fr", edition="2026", as_of="2026-07-01")
    (quotation,) = [e for e in found.readings["quotable_density"].evidence if e.family == "quotation"]
    quoted = page[quotation.start : quotation.end]
    assert unicodedata.normalize("NFC", quoted) == "« Nous rouvrirons en été, c'est sûr »"
    composed = steelyard.score(unicodedata.normalize("NFC", page), language="fr", edition="2026", as_of="2026-07-01")
    assert found.score == composed.score
