"""hidden_text: words no reader sees, and characters that are not what they look like."""

from __future__ import annotations

import re

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

# Zero-width and direction marks, and the invisible tag characters; joiners between pictures are left alone below.
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_PICTURE = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
# Latin letters side by side with Cyrillic or Greek ones in one word.
_MIXED = re.compile("[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")
# Inline styles that put text out of sight without saying so.
_STYLE = re.compile(
    r"""style\s{0,3}=\s{0,3}["'][^"'<>]{0,200}?
    (?:font-size\s{0,3}:\s{0,3}0|-[0-9]{3,6}px|color\s{0,3}:\s{0,3}(?:\#f{3,6}\b|white|transparent)|clip\s{0,3}:|
       (?:height|width)\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0)""",
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
        hidden = sum(len(_TAG.sub(" ", source[a:b]).strip("<!->").split()) for a, b in page.doc.structure.hidden)
        invisible = mixed = 0
        spans: list[tuple[int, int]] = []
        if not source.isascii():
            invisible = sum(1 for m in _INVISIBLE.finditer(source) if not _joins_pictures(source, m.start()))
            found = [m.span() for m in _MIXED.finditer(page.doc.text)]
            mixed = len(found)
            spans += found[:20]
        styled = len(_STYLE.findall(source)) if "style" in source else 0
        parts = {"hidden_words": hidden, "invisible": invisible, "mixed_script": mixed, "styles": styled}
        rate = 100 * (hidden + invisible + mixed + STYLED * styled) / max(len(page), 1)
        return Measured(rate, parts, tuple(spans))


def _joins_pictures(text: str, at: int) -> bool:
    """A zero-width joiner or mark beside a picture is part of it."""
    return bool(_PICTURE.match(text[at - 1 : at]) or _PICTURE.match(text[at + 1 : at + 2]))
