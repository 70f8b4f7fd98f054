"""What a Markdown file holds that a reader never sees: comments, scripts, templates, hidden elements."""

from __future__ import annotations

import re
from bisect import bisect_right

# Elements whose content is not text for a reader.
_SILENT = frozenset({"script", "style", "template", "noscript", "head", "iframe", "object", "svg", "math"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "link", "meta", "area", "base", "col", "embed", "source", "track", "wbr"}
)
_INLINE = {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q"}
_INLINE |= {"s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "label", "button", "font"}
_BLOCK = {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div"}
_BLOCK |= {"dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCK |= {"header", "html", "li", "main", "nav", "ol", "p", "pre", "section", "select", "option", "summary", "table"}
_BLOCK |= {"tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul", "video", "audio", "picture"}
BLOCK = frozenset(_BLOCK | {"br", "hr"})
ELEMENTS = frozenset(_INLINE | _BLOCK) | _SILENT | _VOID

# [^<>] cannot run over the next tag, so a file of unclosed brackets is scanned once, not once per bracket.
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,14})((?:[\s/][^<>]{0,4000})?)>")
_HIDES = re.compile(
    r"""(?:^|\s)hidden(?:[\s=/]|$) | display\s{0,3}:\s{0,3}none | visibility\s{0,3}:\s{0,3}hidden
        | aria-hidden\s{0,3}=\s{0,3}["']?true | font-size\s{0,3}:\s{0,3}0(?:[^.0-9]|$)
        | opacity\s{0,3}:\s{0,3}0(?:[^.0-9]|$)""",
    re.VERBOSE | re.IGNORECASE,
)


def hidden_spans(text: str, start: int, code: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Half-open spans from `start` on that no reader sees, in order, never overlapping.

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
            end = text.find("-->", at + 4)
            end = len(text) if end < 0 else end + 3
            spans.append((at, end))
            position = end
            continue
        tag = TAG.match(text, at)
        name = tag[2].lower() if tag else ""
        if tag is None or name not in ELEMENTS or tag[1] or name in _VOID or tag[3].endswith("/"):
            position = at + 1
            continue
        if name in _SILENT or _HIDES.search(tag[3]):
            end = _closing(text, tag.end(), name)
            spans.append((at, end))
            position = end
        else:
            position = tag.end()
    return spans


def _closing(text: str, position: int, name: str) -> int:
    """The end of the element `name` that was opened before `position`, counting those inside it."""
    depth = 1
    for tag in TAG.finditer(text, position):
        if tag[2].lower() == name and not tag[3].endswith("/"):
            depth += -1 if tag[1] else 1
            if depth == 0:
                return tag.end()
    return len(text)
