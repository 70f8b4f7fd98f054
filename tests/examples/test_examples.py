"""The example corpus: enough pages, of the promised length, and no two that share a sentence."""

from __future__ import annotations

import re
from pathlib import Path

from steelyard.text.source import Source
from tests.conftest import ROOT

SITE = ROOT / "examples" / "site"
LONG_ENOUGH = 5  # words from which a repeated sentence is no accident


def reading(path: Path) -> str:
    return Source(path.read_text("utf-8")).structure.view.text


def pages(language: str) -> list[Path]:
    return [p for p in sorted(SITE.rglob("*.md")) if ("fr" in p.parts) == (language == "fr")]


def test_there_are_forty_english_and_twelve_french_pages() -> None:
    assert len(pages("en")) >= 40
    assert len(pages("fr")) >= 12


def test_every_page_has_200_to_600_words() -> None:
    for path in pages("en") + pages("fr"):
        assert 195 <= len(reading(path).split()) <= 600, path


def test_no_two_pages_share_a_sentence() -> None:
    first: dict[str, Path] = {}
    for path in pages("en") + pages("fr"):
        own = set()
        for raw in re.split(r"[.!?]+|\n\n", reading(path)):
            sentence = " ".join(re.findall(r"\w+", raw.lower()))
            if len(sentence.split()) >= LONG_ENOUGH:
                assert sentence not in first or sentence in own, f"{path} and {first.get(sentence)}: {sentence}"
                own.add(sentence)
                first.setdefault(sentence, path)


def test_links_between_pages_lead_somewhere() -> None:
    for path in pages("en") + pages("fr"):
        for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text("utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path}: {target}"
