"""hidden_text: words that no reader sees, and characters that are not what they look like."""

from __future__ import annotations

import re

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords
from steelyard.text.characters import WORD, is_alnum

# Zero-width and direction marks, and the invisible tag characters, without the signs of formulas (U+2061 to U+2064).
# Joiners inside emoji are sorted out below.
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_PICTURE = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
# The flags of England, Scotland and Wales are written with tag characters.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f")
# A Latin letter next to a Cyrillic or look-alike Greek one; other Greek letters occur in units and formulas (μm, ΔT).
_OTHER = "\u0400-\u052fΑΒΕΖΗΙΚΜΝΟΡΤΥΧανοικρυ\u03f2\u03f3"
_MIXED = re.compile(f"[A-Za-z][{_OTHER}]|[{_OTHER}][A-Za-z]")
_ANY_OTHER = re.compile(f"[{_OTHER}]")
# Inline styles that put text out of sight; "0.9em" and "background-color: white" do not.
_STYLE = re.compile(
    r"""style\s{0,3}=\s{0,3}["'][^"'<>]{0,200}?
    (?:-[0-9]{3,6}px|(?<!-)(?<!WORD)(?:
       (?:font-size|opacity|(?:max-)?(?:height|width))\s{0,3}:\s{0,3}0(?![0-9.]{0,9}[1-9])|
       color\s{0,3}:\s{0,3}(?:\#f{3,6}(?!WORD)|white|transparent)|clip\s{0,3}:))""".replace("WORD", WORD),
    re.VERBOSE | re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
WORDS_PER_STYLE = 5  # hidden words that one out-of-sight style counts as


class HiddenText(Detector):
    """Hidden words, invisible characters, mixed-script words and out-of-sight styles per 100 words."""

    lowest_threshold = 2.0

    def measure(self, page: PageWords) -> Measurement:
        start, end = page.source_span
        source = page.doc.source.text[start:end]
        hidden = sum(_count_words(page.doc.source.text[a:b]) for a, b in page.hidden)
        invisible = mixed = 0
        spans: list[tuple[int, int]] = []
        if not source.isascii():
            plain = _FLAG.sub("\U0001f3f4", source)
            invisible = sum(1 for m in _INVISIBLE.finditer(plain) if not _is_harmless(plain, m.start()))
            text = page.text
            spans = [m.span() for m in _MIXED.finditer(text)] if _ANY_OTHER.search(text) else []
            mixed = len(spans)
        styles = _count_styles(page, source)
        parts = {"hidden_words": hidden, "invisible": invisible, "mixed_script": mixed, "styles": styles}
        rate = 100 * (hidden + invisible + mixed + WORDS_PER_STYLE * styles) / max(len(page), 1)
        return Measurement(rate, parts, tuple(spans[:MAX_PLACES]), page.hidden[:MAX_PLACES])


def _count_styles(page: PageWords, source: str) -> int:
    """Count the out-of-sight styles of the source. A tag shown to the reader as code hides nothing."""
    starts = [m.start() for m in _STYLE.finditer(source)] if "style" in source else []
    if not starts:
        return 0
    source_offset = page.doc.structure.view.source_offset
    shown = {source_offset(m.start() + page.offset) - page.source_span[0] for m in _STYLE.finditer(page.text)}
    return sum(start not in shown for start in starts)


def _count_words(hidden: str) -> int:
    """Count the words of a hidden passage, without the markup that hides it."""
    inner = hidden.removeprefix("<!--").removesuffix("-->") if hidden.startswith("<!--") else hidden
    return len(_TAG.sub(" ", inner).split())


def _is_harmless(text: str, at: int) -> bool:
    """Tell whether an invisible character is an editor's leftover (at the edge of a word) or part of an emoji."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if _PICTURE.match(before) or _PICTURE.match(after):
        return True
    return not (is_alnum(before) or _INVISIBLE.match(before)) or not (is_alnum(after) or _INVISIBLE.match(after))
