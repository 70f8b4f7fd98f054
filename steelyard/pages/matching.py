"""Which page of an old version is which page of the new one: by path, then by content, then by shared lines."""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from steelyard.errors import PageUnreadable
from steelyard.inputs.page_ref import load_text
from steelyard.pages.sketches import Sketch, SketchIndex, sketch_text
from steelyard.pages.versions import Version


@dataclass(frozen=True, slots=True)
class Matches:
    """Paths of two versions. `renamed` maps new paths to old ones; what could not be read is in none of them."""

    changed: Sequence[str]
    unchanged: Sequence[str]
    renamed: Mapping[str, str]
    added: Sequence[str]
    removed: Sequence[str]


def match_pages(old: Version, new: Version) -> Matches:
    """Match the pages of two versions."""
    both = [path for path in new.pages if path in old.pages]
    changed = [path for path in both if old.pages[path].content != new.pages[path].content]
    gone = [path for path in old.pages if path not in new.pages and path not in new.errors]
    come = [path for path in new.pages if path not in old.pages and path not in old.errors]
    renamed = match_contents(
        {path: old.pages[path].content for path in gone}, {path: new.pages[path].content for path in come}
    )
    gone, come = _leave_out(gone, renamed.values()), _leave_out(come, renamed)
    if gone and come:
        renamed |= match_sketches(_sketch_pages(old, gone), _sketch_pages(new, come))
    return Matches(
        changed=changed,
        unchanged=_leave_out(both, changed),
        renamed=renamed,
        added=_leave_out(come, renamed),
        removed=_leave_out(gone, renamed.values()),
    )


def _leave_out(paths: Iterable[str], others: Iterable[str]) -> list[str]:
    known = set(others)
    return [path for path in paths if path not in known]


def match_contents(gone: Mapping[str, str], come: Mapping[str, str]) -> dict[str, str]:
    """Return old paths by new ones for pages with the same content; of several the one with the same file name."""
    found = _match_keys(
        {path: (content, posixpath.basename(path)) for path, content in gone.items()},
        {path: (content, posixpath.basename(path)) for path, content in come.items()},
    )
    left = {path: gone[path] for path in _leave_out(gone, found.values())}
    return found | _match_keys(left, {path: come[path] for path in _leave_out(come, found)})


def _match_keys(gone: Mapping[str, Hashable], come: Mapping[str, Hashable]) -> dict[str, str]:
    """Return old paths by new ones for pages with the same key, each once, in their order."""
    by_key: defaultdict[Hashable, deque[str]] = defaultdict(deque)
    for path, key in gone.items():
        by_key[key].append(path)
    return {path: by_key[key].popleft() for path, key in come.items() if by_key[key]}


def match_sketches(gone: Mapping[str, Sketch], come: Mapping[str, Sketch]) -> dict[str, str]:
    """Return old paths by new ones for pages that share at least half of their lines, the most similar ones first."""
    index = SketchIndex(gone)
    pairs = sorted((-share, new, old) for new, sketch in come.items() for share, old in index.find_similar(sketch))
    found: dict[str, str] = {}
    used = set()
    for _, new, old in pairs:
        if new not in found and old not in used:
            found[new] = old
            used.add(old)
    return found


def _sketch_pages(version: Version, paths: Sequence[str]) -> dict[str, Sketch]:
    """Return the sketches of pages; one that cannot be read has an empty one, and is reported when it is scored."""
    sketches = {}
    for path, ref in zip(paths, version.load(paths), strict=True):
        try:
            sketches[path] = sketch_text(load_text(ref, version.pages[path].size))
        except PageUnreadable:
            sketches[path] = ()
    return sketches
