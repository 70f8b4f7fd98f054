"""Sketches: a few hashes of a text's lines, by which a file that was renamed and edited is recognised."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping

SKETCH_LENGTH = 24  # of the lines' hashes, the smallest
MIN_SIMILARITY = 0.5  # share of these that must be the same
MAX_SHARED = 16  # pages with the same line, from which on it says nothing about where a page came from
MAX_CANDIDATES = 5  # that are compared with a new page: those that share most lines with it
_BLANKS = re.compile(r"\s+")

Sketch = tuple[str, ...]


def sketch_text(text: str) -> Sketch:
    """Return the smallest hashes of a text's lines, which two versions of a file mostly share."""
    lines = {_BLANKS.sub(" ", line).strip() for line in text.split("\n")} - {""}
    hashes = (hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=4).hexdigest() for line in lines)
    return tuple(sorted(hashes)[:SKETCH_LENGTH])


class SketchIndex:
    """The sketches of old pages by their lines, so that a new page is compared with a few of them only."""

    def __init__(self, pages: Mapping[str, Sketch]) -> None:
        self._pages = pages
        holders: defaultdict[str, list[str]] = defaultdict(list)
        for path, sketch in pages.items():
            for line in sketch:
                holders[line].append(path)
        self._holders = {line: paths for line, paths in holders.items() if len(paths) <= MAX_SHARED}

    def find_similar(self, sketch: Sketch, without: Container[str] = ()) -> Iterator[tuple[float, str]]:
        """Yield the share of lines in common and the path of old pages that have at least MIN_SIMILARITY of them."""
        shared = Counter(path for line in sketch for path in self._holders.get(line, ()) if path not in without)
        for path, _ in shared.most_common(MAX_CANDIDATES):
            smallest = sorted({*sketch, *self._pages[path]})[:SKETCH_LENGTH]
            share = len({*sketch} & {*self._pages[path]} & {*smallest}) / len(smallest)
            if share >= MIN_SIMILARITY:
                yield share, path
