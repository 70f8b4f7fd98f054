"""Images in the main text that say nothing to those who do not see them: without an alternative text, even an empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from steelyard.text.html.blocks import Block

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_IMAGES = 50  # of a page that are looked at
MAX_NAME = 60  # characters of an image's name
SMALLEST = 16  # pixels: smaller ones count visitors, or are marks
_DECORATION = frozenset(("presentation", "none"))
_SOURCES = ("src", "data-src", "data-lazy-src", "data-original")


class SilentImage(NamedTuple):
    """An image without an alternative text, and the paragraphs before and after it."""

    name: str
    before: Block
    after: Block


def list_silent(tree: HtmlElement, blocks: Sequence[Block]) -> list[SilentImage]:
    """Return the images without an alternative text that stand between two paragraphs of prose."""
    if not any(map(_is_silent, tree.iter("img"))):
        return []
    ends = {block.element: block for block in reversed(blocks) if block.is_prose}
    found: list[SilentImage] = []
    waiting: list[str] = []
    before: Block | None = None
    for element in tree.iter("img", *{str(element.tag) for element in ends}):
        if element.tag == "img" and before is not None and len(found) + len(waiting) < MAX_IMAGES:
            if _is_silent(element):
                waiting.append(_name(element))
        elif element in ends:
            after = ends[element]
            if before is not None:
                found += [SilentImage(name, before, after) for name in waiting]
            waiting, before = [], after
    return found


def select_read(images: Sequence[SilentImage]) -> tuple[str, ...]:
    """Return the names of the images between paragraphs that were read, in order."""
    return tuple(dict.fromkeys(image.name for image in images if image.before.read and image.after.read))


def _is_silent(image: HtmlElement) -> bool:
    if image.get("alt") is not None or image.get("aria-label") or image.get("aria-labelledby"):
        return False
    sizes = (image.get(name, "").strip().removesuffix("px") for name in ("width", "height"))
    is_small = any(size.isdecimal() and int(size[:9]) < SMALLEST for size in sizes)
    return not is_small and image.get("role") not in _DECORATION and bool(_name(image))


def _name(image: HtmlElement) -> str:
    """Return the name of the image's file; "" where it has none."""
    source = next((value for name in _SOURCES if (value := image.get(name, "").strip())), "")
    if source.startswith("data:"):
        return ""
    name = source.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2][:MAX_NAME]
    return name if any(map(str.isalpha, name)) else ""  # “//:0” holds the place of an image that a script sets
