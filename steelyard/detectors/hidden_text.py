"""hidden_text: words no reader sees, and characters that are not what they look like."""

from __future__ import annotations

import re

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined

# Zero-width and direction marks, and the invisible tag characters; joiners between pictures are left alone below.
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_PICTURE = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
# The flags of England, Scotland and Wales are written with tag characters.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{3,6}\U000e007f")
# Latin letters side by side with Cyrillic or look-alike Greek ones in one word; other Greek letters stand in units and
# formulas (μm, ΔT, kΩ).
_OTHER = "\u0400-\u052fΑΒΕΖΗΙΚΜΝΟΡΤΥΧανοικρυ\u03f2\u03f3"
_MIXED = re.compile(f"[A-Za-z][{_OTHER}]|[{_OTHER}][A-Za-z]")
_ANY_OTHER = re.compile(f"[{_OTHER}]")
# Inline styles that put text out of sight without saying so; "0.9em" and "background-color: white" do not.
_STYLE = re.compile(
    r"""style\s{0,3}=\s{0,3}["'][^"'<>]{0,200}?
    (?:-[0-9]{3,6}px|(?<![-\w])(?:
       (?:font-size|opacity|(?:max-)?(?:height|width))\s{0,3}:\s{0,3}0(?![0-9.]{0,9}[1-9])|
       color\s{0,3}:\s{0,3}(?:\#f{3,6}\b|white|transparent)|clip\s{0,3}:))""",
    re.VERBOSE | re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
STYLED = 5  # words that an out-of-sight style stands for


class HiddenText(Detector):
    """Hidden words, invisible characters, mixed-script words and out-of-sight styles per 100 words."""

    about = "hidden words, invisible characters and words of mixed script per 100 words"
    least = 1.5

    def measure(self, page: Examined) -> Measured:
        source = page.doc.source.text
        hidden = sum(_words(source[a:b]) for a, b in page.doc.structure.hidden)
        invisible = mixed = 0
        spans: list[tuple[int, int]] = []
        if not source.isascii():
            shown = _FLAG.sub("\U0001f3f4", source)
            invisible = sum(1 for m in _INVISIBLE.finditer(shown) if not _harmless(shown, m.start()))
            text = page.doc.text
            found = [m.span() for m in _MIXED.finditer(text)] if _ANY_OTHER.search(text) else []
            mixed = len(found)
            spans += found[:PLACES]
        styled = _styles(page, source)
        parts = {"hidden_words": hidden, "invisible": invisible, "mixed_script": mixed, "styles": styled}
        rate = 100 * (hidden + invisible + mixed + STYLED * styled) / max(len(page), 1)
        return Measured(rate, parts, tuple(spans), page.doc.structure.hidden[:PLACES])


def _styles(page: Examined, source: str) -> int:
    """How many out-of-sight styles the source holds; a tag that is shown to the reader, as code, hides nothing."""
    found = [m.start() for m in _STYLE.finditer(source)] if "style" in source else []
    if not found:
        return 0
    place = page.doc.structure.view.source_offset
    shown = {place(m.start()) for m in _STYLE.finditer(page.doc.text)}
    return sum(start not in shown for start in found)


def _words(hidden: str) -> int:
    """The words of a hidden stretch, without the marks that hide it."""
    inner = hidden.removeprefix("<!--").removesuffix("-->") if hidden.startswith("<!--") else hidden
    return len(_TAG.sub(" ", inner).split())


def _harmless(text: str, at: int) -> bool:
    """Beside white space or punctuation it is a leftover of an editor, beside a picture a part of it."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if _PICTURE.match(before) or _PICTURE.match(after):
        return True
    return not (before.isalnum() or _INVISIBLE.match(before)) or not (after.isalnum() or _INVISIBLE.match(after))
