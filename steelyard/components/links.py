"""Links to other sites: a reader does not see their addresses, but they are sources all the same."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.text.document import Document, Match
from steelyard.text.lines import Link


def external(doc: Document, seen: Sequence[Match]) -> list[Link]:
    """Links with a web address that no match shows already, the first of each address."""
    if not doc.structure.links:
        return []
    known = {doc.words_of(m) for m in seen}
    first: dict[str, Link] = {}
    for link in doc.structure.links:
        address = link.url.lower().rstrip("/")
        if address.startswith(("http://", "https://")) and address not in known:
            first.setdefault(address, link)
    return list(first.values())
