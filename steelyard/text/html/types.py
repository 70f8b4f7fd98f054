"""The types of schema.org that a page declares of itself: NewsArticle, Recipe, Product, ..."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_LENGTH = 1_000_000  # characters of a script
MAX_NODES = 1_000
MAX_TYPES = 20
MAX_NAME = 60  # characters
# Where a page describes itself; types elsewhere are those of authors, pictures and related pages.
_OWN = ("@graph", "mainEntity", "mainEntityOfPage")
_OPEN_GRAPH = {"product": "Product", "og:product": "Product", "product.item": "Product"}


def read_types(tree: HtmlElement) -> tuple[str, ...]:
    """Return the types in the order in which they appear, each once."""
    found: dict[str, None] = {}
    for script in tree.iter("script"):
        kind = script.get("type", "").partition(";")[0].strip().lower()
        if kind == "application/ld+json" and len(script.text or "") <= MAX_LENGTH:
            found |= dict.fromkeys(_read_script(script.text or ""))
    for element in tree.iter("meta"):
        if element.get("property") == "og:type":
            found |= dict.fromkeys(
                _OPEN_GRAPH[t] for t in [element.get("content", "").strip().lower()] if t in _OPEN_GRAPH
            )
    return tuple(found)[:MAX_TYPES]


def _read_script(text: str) -> Iterator[str]:
    try:
        pending: deque[Any] = deque([json.loads(text, strict=False)])
    except (ValueError, RecursionError):
        return
    seen = 0
    while pending and seen < MAX_NODES:
        node = pending.popleft()
        seen += 1
        if isinstance(node, list):
            pending.extend(node[: MAX_NODES - seen])
        elif isinstance(node, dict):
            named = node.get("@type")
            for name in named if isinstance(named, list) else [named]:
                if isinstance(name, str) and len(name) <= MAX_NAME:
                    yield name.rpartition("/")[2]
            pending.extend(node[key] for key in _OWN if key in node)
