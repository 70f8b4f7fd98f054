"""links: how much of the page is links and addresses, and whether their words advertise or inform."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from steelyard.detectors.base import MAX_PLACES, Detector, Measurement, PageWords
from steelyard.text.characters import LETTER, lower
from steelyard.text.lines import Link, Span

_ADDRESS = re.compile(r"https?://[^\s)>\]]{3,200}|www\.[^\s)>\]]{3,200}")
_ANCHOR = re.compile(r"\[([^\[\]]{1,300})\]|>([^<>]{1,300})<")
_WORD = re.compile(rf"{LETTER}+(?:['-]{LETTER}+)*")
PLAIN = 0.25  # the weight of a link whose words name something
BARE = 0.5  # and of an address without words
OWN = 3  # links to one site that make it the page's own
FREQUENT = 3  # occurrences that make a content word one of the page's keywords


class Links(Detector):
    """Links to other sites and bare addresses per 100 words; a link whose words name something counts a quarter.

    An anchor counts in full when it sells ("best price"), when it consists of the page's keywords, or when the same
    words lead to several sites. The site that most links lead to is taken for the page's own when it has three or more:
    articles link to their own archive.
    """

    lowest_threshold = 2.0

    def measure(self, page: PageWords) -> Measurement:
        doc = page.doc
        external = [link for link in page.links if lower(link.url).startswith(("http://", "https://", "//"))]
        bare = [m.span() for m in _ADDRESS.finditer(page.text)] if ":" in page.text or "www." in page.text else []
        external = _drop_own_site(external)
        if external and bare:
            bare = _keep_outside_links(page, bare, external)
        if not external and not bare:
            return Measurement(0.0)
        anchors = [_anchor_words(doc.source.text, link) for link in external]
        sites = Counter(words for words, _ in set(zip(anchors, map(_find_site, external), strict=True)))
        advertising = sum(bool(words) and (sites[words] > 1 or _sells(page, words)) for words in anchors)
        weight = advertising + PLAIN * (len(external) - advertising) + BARE * len(bare)
        parts = {"links": len(external), "addresses": len(bare), "telling_anchors": advertising}
        places = tuple((link.start, link.end) for link in external[:MAX_PLACES])
        return Measurement(100 * weight / max(len(page), 1), parts, tuple(bare[:MAX_PLACES]), places)


def _find_site(link: Link) -> str:
    """Return the host of a link, in lower case and without `www.`."""
    return lower(link.url).partition("//")[2].partition("/")[0].removeprefix("www.")


def _drop_own_site(links: list[Link]) -> list[Link]:
    """Leave out the links to the site that most of them lead to."""
    ((site, number),) = Counter(map(_find_site, links)).most_common(1) or [("", 0)]
    return [link for link in links if _find_site(link) != site] if number >= OWN else links


def _anchor_words(source: str, link: Link) -> tuple[str, ...]:
    """Return the words of a link's text in lower case; none for an address or a picture."""
    match = _ANCHOR.search(source, link.start, link.end)
    text = lower(match[1] or match[2]) if match else ""
    return () if _ADDRESS.search(text) else tuple(_WORD.findall(text))


def _sells(page: PageWords, words: tuple[str, ...]) -> bool:
    """Tell whether an anchor contains a word of commerce, or only keywords of the page."""
    stop = page.doc.language.stop
    content = [w for w in words if w not in stop]
    counts = page.counts
    return any(w in page.lists["selling"] for w in content) or (
        len(content) > 1 and all(counts[w] >= FREQUENT for w in content)
    )


def _keep_outside_links(page: PageWords, bare: Sequence[Span], links: Sequence[Link]) -> list[Span]:
    """Return the addresses that are not the text of a link: `[https://…](https://…)` is one link."""
    linked = sorted((link.start, link.end) for link in links)
    outside = []
    for span in bare:
        at = page.doc.structure.view.source_offset(span[0] + page.offset)
        before = bisect_right(linked, (at, len(page.doc.source.text))) - 1
        if before < 0 or at >= linked[before][1]:
            outside.append(span)
    return outside
