"""The pass over a Markdown text that removes inline marks and collects links."""

from __future__ import annotations

import re

from steelyard.text import tags
from steelyard.text.characters import is_alnum, lower
from steelyard.text.lines import Link, Span
from steelyard.text.view import ViewBuilder

_BRACKETED = re.compile(r"\[([^\]\[]{1,200})\]")
# Masked characters, carriage returns and characters without width: a word made of them is no word.
_INVISIBLE_CHARACTERS = (
    "\0-\x08\r\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
)
INVISIBLE = re.compile(f"[{_INVISIBLE_CHARACTERS}]+")
_INVISIBLE_OR_MARK = re.compile(f"[{_INVISIBLE_CHARACTERS}*`]+")
_HEX = "[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF][fF]"
_INVISIBLE_ENTITY = (
    rf"&(?:zwnj|zwj|shy|lrm|rlm|NoBreak|ZeroWidthSpace|#(?:173|820[3-7]|8288|65279|[xX]0{{0,4}}(?:{_HEX})));"
)
# A code span may run over a line break, not over a blank line.
_CODE = r"(?P<ticks>`{1,3})(?P<code>(?:[^`\n]|\n(?![ \t]*\n)){1,1000})(?P=ticks)(?!`)"
CODE_SPAN = re.compile(_CODE)

# Bounded, and no class may cross a bracket of its own kind: unclosed ones cost one short look each.
_ADDRESS = r"(?:<(?P<angled>[^<>\n]{1,2000})>|(?P<dest>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}))"
_LINK_TITLE = r"""(?:[ \t\n]+["'(][^\n]{0,300}?["')])?[ \t]{0,3}"""
_IMAGE = r"!\[[^\]\[]{0,500}\]\([^()\s]{0,2000}(?:[ \t][^()\n]{0,300})?\)"
_INLINE = re.compile(
    "|".join(
        (
            r"\\(?P<escaped>[\\`*_{}\[\]()#+.!>-])",
            _CODE,
            _IMAGE,
            rf"\[{_IMAGE}\]\([^()\s]{{0,2000}}\)",
            rf"\[(?P<text>[^\]\[]{{1,500}})\]\({_ADDRESS}{_LINK_TITLE}\)",
            r"\[(?P<referred>[^\]\[]{1,500})\]\[[^\]\[\n]{0,200}\]",
            r"<(?P<auto>https?://[^\s<>]{1,2000})>",
            f"(?P<tag>{tags.PATTERN})",
            r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}",
            r"(?<![A-Za-z0-9])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![A-Za-z0-9])",
            r"~~|`{1,3}",
            f"[{_INVISIBLE_CHARACTERS}]+",
            _INVISIBLE_ENTITY,
            r"(?P<space>&(?:nbsp|ensp|emsp|thinsp|#160|#[xX]0{0,4}[aA]0);)",
        )
    )
)
_HREF = re.compile(r"""\shref\s{0,3}=\s{0,3}["']?(https?://[^\s"'<>]{1,2000})""", re.IGNORECASE)
_SHOWN_GROUPS = ("text", "referred", "auto", "code", "escaped")  # the groups whose words stay


def find_used(masked: str, start: int, definitions: dict[str, Link]) -> list[Link]:
    """Return the definitions that something visible refers to; the others are shown to nobody."""
    if not definitions:
        return []
    used = {lower(match[1]) for match in _BRACKETED.finditer(masked, start)}
    return [link for label, link in definitions.items() if label in used]


def copy_inline(masked: str, span: Span, builder: ViewBuilder, links: list[Link]) -> None:
    """Copy a span of the masked text to the view without its inline marks; collect the links that have words."""
    start, end = span
    position = start
    anchor: tuple[Link, int] | None = None  # an open <a href>, and where its words would begin in the view
    for match in _INLINE.finditer(masked, start, end):
        tag = tags.parse_tag(match["tag"]) if match["tag"] else None
        if match["tag"] and tag is None:
            continue  # `Vec<String>` in prose names no element: it is text
        copy_visible(masked, position, match.start(), builder)
        position = match.end()
        shown = next((name for name in _SHOWN_GROUPS if match[name] is not None), None)
        if shown is not None:
            words = match.span(shown)
            copy_visible(masked, *words, builder, INVISIBLE if shown in ("code", "escaped") else _INVISIBLE_OR_MARK)
            if shown == "text" and _has_words(masked[words[0] : words[1]]):
                links.append(Link(match["dest"] or match["angled"], *match.span()))
        elif match["space"]:
            builder.put(" ", match.start())
        elif tag is not None:
            anchor = _track_anchor(anchor, tag, match, builder, links)
            if tag.name in tags.BLOCK:
                builder.put("\n", match.start())
    copy_visible(masked, position, end, builder)


def _track_anchor(
    anchor: tuple[Link, int] | None, tag: tags.Tag, match: re.Match[str], builder: ViewBuilder, links: list[Link]
) -> tuple[Link, int] | None:
    """Open or close an anchor; its link is collected when it contains words."""
    if tag.name != "a":
        return anchor
    if anchor is not None and _has_words(builder.text_since(anchor[1])):
        links.append(anchor[0])
    address = _HREF.search(match[0]) if tag.opens else None
    return (Link(address[1], *match.span()), builder.length) if address else None


def _has_words(text: str) -> bool:
    return any(is_alnum(c) for c in text)


def copy_visible(masked: str, start: int, end: int, builder: ViewBuilder, dropped: re.Pattern[str] = INVISIBLE) -> None:
    """Copy a span to the view without the characters that match `dropped`."""
    position = start
    for match in dropped.finditer(masked, start, end):
        builder.keep(position, match.start())
        position = match.end()
    builder.keep(position, end)
