"""links: how much of the page is links and addresses, and whether their words invite or inform."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from steelyard.detectors.base import PLACES, Detector, Measured
from steelyard.detectors.inspected import Examined
from steelyard.text.lines import Link, Span

_ADDRESS = re.compile(r"https?://[^\s)>\]]{3,200}|www\.[^\s)>\]]{3,200}")
_ANCHOR = re.compile(r"\[([^\[\]]{1,300})\]|>([^<>]{1,300})<")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
PLAIN = 0.5  # what a link weighs whose words name something, and an address without words
FREQUENT = 3  # times on the page from which a content word is one of its keywords


class Links(Detector):
    """Links to other sites and bare addresses per 100 words; by its anchor text a link weighs one or half of it.

    An anchor weighs in full when it calls or sells ("click here", "best price"), when it is made of the page's
    keywords, or when another link has the same words: what leads to a source names it, once.
    """

    about = "links and addresses of other sites per 100 words, in full where the anchor text sells, stuffs or repeats"
    least = 1.0

    def measure(self, page: Examined) -> Measured:
        doc = page.doc
        external = [link for link in doc.structure.links if link.url.lower().startswith(("http://", "https://", "//"))]
        bare = [m.span() for m in _ADDRESS.finditer(doc.text)] if ":" in doc.text or "www." in doc.text else []
        if external and bare:
            bare = _outside(page, bare, external)
        if not external and not bare:
            return Measured(0.0)
        anchors = Counter(_anchor(doc.source.text, link) for link in external)
        telling = sum(number for words, number in anchors.items() if words and (number > 1 or _sells(page, words)))
        weight = telling + PLAIN * (len(external) + len(bare) - telling)
        parts = {"links": len(external), "addresses": len(bare), "telling_anchors": telling}
        shown = tuple((link.start, link.end) for link in external[:PLACES])
        return Measured(100 * weight / max(len(page), 1), parts, tuple(bare[:PLACES]), shown)


def _anchor(source: str, link: Link) -> tuple[str, ...]:
    """The words of a link's text, in lower case; none where it is an address or a picture."""
    found = _ANCHOR.search(source, link.start, link.end)
    text = (found[1] or found[2]).lower() if found else ""
    return () if _ADDRESS.search(text) else tuple(_WORD.findall(text))


def _sells(page: Examined, words: tuple[str, ...]) -> bool:
    """Whether an anchor holds a word of calls and commerce, or keywords of the page and nothing else."""
    stop = page.doc.language.stop
    content = [w for w in words if w not in stop]
    counts = page.counts
    return any(w in page.lists["furniture"] for w in content) or (
        len(content) > 1 and all(counts[w] >= FREQUENT for w in content)
    )


def _outside(page: Examined, bare: Sequence[Span], links: Sequence[Link]) -> list[Span]:
    """The addresses that are not the words of a link: `[https://…](https://…)` is one link."""
    taken = sorted((link.start, link.end) for link in links)
    outside = []
    for span in bare:
        at = page.doc.structure.view.source_offset(span[0])
        before = bisect_right(taken, (at, len(page.doc.source.text))) - 1
        if before < 0 or at >= taken[before][1]:
            outside.append(span)
    return outside
