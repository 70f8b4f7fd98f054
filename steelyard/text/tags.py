"""HTML tags inside Markdown: where one begins and ends, and which elements a reader sees."""

from __future__ import annotations

import re
from typing import NamedTuple

from steelyard.text.styles import hides

# Elements whose content is not text for a reader.
SILENT = frozenset({"script", "style", "template", "noscript", "head", "iframe", "object", "svg", "math"})
VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "area", "base", "col", "embed", "source", "track", "wbr"})
_INLINE = {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q"}
_INLINE |= {"s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "label", "button", "font"}
_BLOCK = {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div"}
_BLOCK |= {"dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCK |= {"header", "html", "li", "main", "nav", "ol", "p", "pre", "section", "select", "option", "summary", "table"}
_BLOCK |= {"tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul", "video", "audio", "picture"}
BLOCK = frozenset(_BLOCK | {"br", "hr"})
_ELEMENTS = frozenset(_INLINE | _BLOCK) | SILENT | VOID

# A `>` may stand inside quotes. No `<` may stand anywhere in a tag: so a scan never runs over the next one, and a file
# of unclosed tags is read once, not once per bracket. The repeat is possessive: quotes that do not close would
# otherwise be tried in every pairing.
PATTERN = r"""<(?:/?[A-Za-z][^\s<>/]{0,60})(?:[\s/](?:"[^"<]*"|'[^'<]*'|[^<>])*+)?>"""
_TAG = re.compile(PATTERN)
_PARTS = re.compile(r"<(/?)([A-Za-z][^\s<>/]{0,60})(.*)>$", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")


def _unseen(name: str, value: str) -> bool:
    """Whether an attribute hides its element from a reader."""
    name, value = name.lower(), value.strip("\"'")
    if name == "hidden":
        return True
    return (name == "aria-hidden" and value.lower() == "true") or (name == "style" and hides(value))


class Tag(NamedTuple):
    """A tag: its element's name in lower case, whether it closes one, its attributes as written."""

    name: str
    closes: bool
    attributes: str

    @property
    def opens(self) -> bool:
        """Whether content follows. HTML ignores the slash of `<div/>`; only elements of other dialects heed it."""
        alone = self.name in VOID or (self.name not in _ELEMENTS and self.attributes.endswith("/"))
        return not self.closes and not alone

    @property
    def hides(self) -> bool:
        """Whether no reader sees the element's content."""
        if not self.opens:
            return False
        return self.name in SILENT or any(_unseen(*found) for found in _ATTRIBUTE.findall(self.attributes))


def parsed(text: str) -> Tag | None:
    """What a text that looks like a tag is; None for `<String>`, which names no element and has no attributes."""
    found = _PARTS.match(text)
    if found is None:
        return None
    name = found[2].lower()
    if name not in _ELEMENTS and "-" not in name and not found[3].strip(" /"):
        return None
    return Tag(name, bool(found[1]), found[3])


def tag_at(text: str, at: int) -> tuple[Tag, int] | None:
    """The tag that begins at an offset, and where it ends."""
    found = _TAG.match(text, at)
    tag = parsed(found[0]) if found else None
    return (tag, found.end()) if found and tag else None


def element_end(text: str, position: int, name: str) -> int:
    """The end of the element `name` that was opened before `position`, counting those inside it."""
    depth = 1
    for found in _TAG.finditer(text, position):
        tag = parsed(found[0])
        if tag and tag.name == name and (tag.closes or tag.opens):
            depth += -1 if tag.closes else 1
            if depth == 0:
                return found.end()
    return len(text)
