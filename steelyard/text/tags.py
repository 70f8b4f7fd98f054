"""HTML inside a text: where tags begin and end, what they hide from a reader, and character references."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from typing import NamedTuple

from steelyard.text.characters import lower

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

# A `>` is allowed inside quotes. No `<` is allowed anywhere in a tag, so a scan never runs over the next tag, and a
# file of unclosed tags is read once, not once per bracket. The repeat is possessive: otherwise quotes that do not
# close would be tried in every pairing.
PATTERN = r"""<(?:/?[A-Za-z][^\s<>/]{0,60})(?:[\s/](?:"[^"<]*"|'[^'<]*'|[^<>])*+)?>"""
_TAG = re.compile(PATTERN)
_PARTS = re.compile(r"<(/?)([A-Za-z][^\s<>/]{0,60})(.*)>$", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")

_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # an open comment runs to the end, as in CSS
_CSS_ZERO = re.compile(r"[+-]?0*+(?:\.0*+)?(?:%|[a-z]{1,4})?")
_HIDING = {("display", "none"), ("visibility", "hidden"), ("visibility", "collapse"), ("content-visibility", "hidden")}
_HIDING_AT_ZERO = ("opacity", "font-size")

_LEADING_ZEROS = re.compile(r"&#0++(?=[0-9])")
_BEYOND = re.compile(r"&#[0-9]{8,}+;?")  # the highest character has seven digits


def style_hides(style: str) -> bool:
    """Return whether a `style` attribute makes its element invisible; position and colour are not examined."""
    for declaration in lower(_CSS_COMMENT.sub("", style)).split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        value = value.removesuffix("!important").strip()
        if (name, value) in _HIDING or (name in _HIDING_AT_ZERO and value and _CSS_ZERO.fullmatch(value)):
            return True
    return False


def _attribute_hides(name: str, value: str) -> bool:
    name, value = lower(name), value.strip("\"'")
    if name == "hidden":
        return True
    return (name == "aria-hidden" and lower(value) == "true") or (name == "style" and style_hides(value))


class Tag(NamedTuple):
    """A tag: its element's name in lower case, whether it closes one, its attributes as written."""

    name: str
    closes: bool
    attributes: str

    @property
    def opens(self) -> bool:
        """Whether content follows. HTML ignores the slash of `<div/>`; only unknown elements heed it."""
        stands_alone = self.name in VOID or (self.name not in _ELEMENTS and self.attributes.endswith("/"))
        return not self.closes and not stands_alone

    @property
    def hides(self) -> bool:
        """Whether no reader sees the element's content."""
        if not self.opens:
            return False
        return self.name in SILENT or any(_attribute_hides(*pair) for pair in _ATTRIBUTE.findall(self.attributes))


def parse_tag(text: str) -> Tag | None:
    """Parse a text that looks like a tag; None for `<String>`, which names no element and has no attributes."""
    parts = _PARTS.match(text)
    if parts is None:
        return None
    name = lower(parts[2])
    if name not in _ELEMENTS and "-" not in name and not parts[3].strip(" /"):
        return None
    return Tag(name, bool(parts[1]), parts[3])


def find_hidden(text: str, start: int, code: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the spans from `start` on that no reader sees, in order and without overlap: comments and hidden elements.

    `code` are the spans of code, sorted: a tag shown there as an example hides nothing. An element
    left open hides the rest of the file, as it does in a browser.
    """
    spans: list[tuple[int, int]] = []
    position = start
    while (at := text.find("<", position)) >= 0:
        inside = bisect_right(code, (at, len(text))) - 1
        if inside >= 0 and at < code[inside][1]:
            position = code[inside][1]
            continue
        if text.startswith("<!--", at):
            position = _find_comment_end(text, at)
            spans.append((at, position))
            continue
        match = _TAG.match(text, at)
        tag = parse_tag(match[0]) if match else None
        position = match.end() if match and tag else at + 1
        if tag and tag.hides:
            position = _find_element_end(text, position, tag.name)
            spans.append((at, position))
    return spans


def _find_comment_end(text: str, at: int) -> int:
    """Return where the comment at an offset ends; `<!-->` and `<!--->` are whole comments, as in HTML."""
    for whole in ("<!-->", "<!--->"):
        if text.startswith(whole, at):
            return at + len(whole)
    end = text.find("-->", at + 4)
    return len(text) if end < 0 else end + 3


def _find_element_end(text: str, position: int, name: str) -> int:
    """Return the end of the element `name` that was opened before `position`, counting those nested in it."""
    depth = 1
    for match in _TAG.finditer(text, position):
        tag = parse_tag(match[0])
        if tag and tag.name == name and (tag.closes or tag.opens):
            depth += -1 if tag.closes else 1
            if depth == 0:
                return match.end()
    return len(text)


def decode_references(text: str) -> str:
    """Replace the references as a browser does.

    Python's own function fails on a number of more than 4,300 digits, which `int` refuses.
    """
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", _LEADING_ZEROS.sub("&#", text))
    return html.unescape(text)
