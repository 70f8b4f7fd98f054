"""Markdown structure: headings, paragraphs, blocks and links, and the reading view without the marks.

Two passes, both linear: one over the lines, which finds structure and the marks that make it, and
one over the text, which takes inline marks away. Everything is kept as offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from steelyard.text import tags
from steelyard.text.hidden import hidden_spans
from steelyard.text.view import View, ViewBuilder

Span = tuple[int, int]

# A text without any of these is its own reading view: first by characters, which costs next to nothing,
# then at the starts of lines.
_MARKS = "`*_[<|~\0\r\\&"
_LINE_MARK = re.compile(
    r"[ \t]{0,3}(?: \#{1,6}[ \t] | [-+•][ \t] | [0-9]{1,9}[.)][ \t] | > | ={2,}[ \t]*(?:\n|$) | -{2,}[ \t]*(?:\n|$) )",
    re.VERBOSE,
)
_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+")
_UNDERLINE = re.compile(r"[ \t]{0,3}(=+|-{2,})[ \t\r]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_LIST = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_TABLE_RULE = frozenset("|:- \t")
_DEFINITION = re.compile(r"[ \t]{0,3}\[([^\]\[\n]{1,200})\]:[ \t]+<?([^\s<>]{1,2000})>?")
_BRACKETED = re.compile(r"\[([^\]\[]{1,200})\]")
# What is blanked out, carriage returns, and characters that take no place: a word made of them is no word.
_INVISIBLE = "\0\r\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
_UNSEEN = re.compile(f"[{_INVISIBLE}]+")
_UNSEEN_ENTITY = r"&(?:zwnj|zwj|shy|lrm|rlm|NoBreak|ZeroWidthSpace|\#(?:173|820[3-7]|8288|65279|[xX]0{0,4}(?:[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF][fF])));"
# A code span may run over a line break, not over a blank line.
_CODE = r"(?P<ticks>`{1,3})(?P<code>(?:[^`\n]|\n(?![ \t]*\n)){1,1000})(?P=ticks)(?!`)"
_CODE_SPAN = re.compile(_CODE)
# Soft line breaks are spaces to a reader; blank lines stay.
_SOFT = re.compile(r"(?<!\n)\n(?![ \t]*(?:\n|\Z))")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")

# Bounded, and no class may cross a bracket of its own kind: unclosed ones cost one short look each.
_DESTINATION = r"<?(?P<dest>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000})>?(?:[ \t\n]+[\"'(][^\n]{0,300}?[\"')])?[ \t]{0,3}"
_INLINE = re.compile(
    rf"""{_CODE.replace(" ", chr(92) + " ")} | !\[[^\]\[]{{0,500}}\]\([^()\s]{{0,2000}}(?:[ \t][^()\n]{{0,300}})?\)
      | \[!\[[^\]\[]{{0,500}}\]\([^()\s]{{0,2000}}\)\]\([^()\s]{{0,2000}}\)
      | \[(?P<text>[^\]\[]{{1,500}})\]\({_DESTINATION}\)
      | \[(?P<referred>[^\]\[]{{1,500}})\]\[[^\]\[\n]{{0,200}}\]
      | <(?P<auto>https?://[^\s<>]{{1,2000}})>
      | (?P<tag>{tags.PATTERN.replace(" ", chr(92) + " ")})
      | \*{{1,3}}(?=\S) | (?<=\S)\*{{1,3}}
      | (?<![A-Za-z0-9])_{{1,3}}(?=\S) | (?<=\S)_{{1,3}}(?![A-Za-z0-9])
      | ~~ | `{{1,3}} | [{_INVISIBLE}]+ | {_UNSEEN_ENTITY}
      | \\(?=[\\`*_{{}}\[\]()\#+.!>-])""",
    re.VERBOSE,
)
_HREF = re.compile(r"""\shref\s{0,3}=\s{0,3}["']?(https?://[^\s"'<>]{1,2000})""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level and the span of its words."""

    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """The address of a link, which a reader does not see, and where the link stands in the source."""

    url: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The reading view and what it is made of; spans are offsets into the view, links into the source."""

    view: View
    headings: tuple[Heading, ...]
    paragraphs: tuple[Span, ...]
    blocks: tuple[Span, ...]
    links: tuple[Link, ...]
    hidden: tuple[Span, ...]


def parse(text: str, start: int = 0) -> Structure:
    """The structure of `text` from `start` on (what stands before is front matter)."""
    if not _marked_up(text, start):
        return _plain(text, start)
    lines = _Lines()
    lines.read(text, start)
    code = _outermost(lines.fences + [m.span() for m in _CODE_SPAN.finditer(text, start)])
    hidden = hidden_spans(text, start, code)
    if hidden:  # what is hidden can hold lines that look like structure: read again without it
        lines = _Lines()
        lines.read(_masked(text, hidden, []), start)
    masked = _masked(text, hidden + lines.marks, lines.soft)
    builder = ViewBuilder(masked)
    links = _referred(masked, start, lines.definitions)
    position = start
    for begin, end in [*lines.fences, (len(text), len(text))]:
        _inline(masked, (position, begin), builder, links)
        _keep(masked, begin, end, builder)
        position = end
    view = builder.view()
    place = _Placer(view)
    return Structure(
        view=view,
        headings=tuple(Heading(h.level, *place(h.start, h.end)) for h in lines.headings),
        paragraphs=tuple(place(*p) for p in lines.paragraphs),
        blocks=tuple(place(*b) for b in lines.blocks),
        links=tuple(links),
        hidden=tuple(hidden),
    )


def _outermost(spans: list[Span]) -> list[Span]:
    """The spans that lie in no other, sorted; where two overlap, the first."""
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _marked_up(text: str, start: int) -> bool:
    if not text.isascii() and _UNSEEN.search(text, start):
        return True
    if any(text.find(mark, start) >= 0 for mark in _MARKS):
        return True
    position = start
    while position < len(text):
        if _LINE_MARK.match(text, position):
            return True
        newline = text.find("\n", position)
        if newline < 0:
            return False
        position = newline + 1
    return False


def _plain(text: str, start: int) -> Structure:
    body = text[start:] if start else text
    spans: list[Span] = []
    position = 0
    for gap in _BLANK.finditer(body):
        spans.append((position, gap.start()))
        position = gap.end()
    spans.append((position, len(body)))
    spans = [(a, b) for a, b in spans if body[a:b].strip()]
    shown = _SOFT.sub(" ", body) if "\n" in body else body
    return Structure(View(shown, [0], [start]), (), tuple(spans), tuple(spans), (), ())


def _masked(text: str, drops: list[Span], spaces: list[int]) -> str:
    """The text, of the same length, with `drops` blanked to NUL and `spaces` turned into spaces; line breaks stay."""
    if not drops and not spaces:
        return text
    pieces: list[str] = []
    position = 0
    for begin, end in sorted(drops + [(s, s + 1) for s in spaces]):
        if end <= position:
            continue
        pieces.append(text[position : max(begin, position)])
        gone = text[max(begin, position) : end]
        if gone == "\n":
            pieces.append(" ")
        else:
            pieces.append("\n".join("\0" * len(part) for part in gone.split("\n")))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


@dataclass(slots=True)
class _Lines:
    """The pass over the lines; every span is an offset into the source."""

    headings: list[Heading] = field(default_factory=list)
    paragraphs: list[Span] = field(default_factory=list)
    blocks: list[Span] = field(default_factory=list)
    fences: list[Span] = field(default_factory=list)
    marks: list[Span] = field(default_factory=list)
    soft: list[int] = field(default_factory=list)
    definitions: dict[str, Link] = field(default_factory=dict)
    _block: Span | None = None
    _paragraph: Span | None = None
    _kind: str = ""
    _after_list: bool = False

    def read(self, text: str, start: int) -> None:
        position = start
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            position = self._line(text, position, end)
        self._close_block()

    def _line(self, text: str, start: int, end: int) -> int:
        """Read one line (a fence reads all of its lines); the offset of the next one."""
        line = text[start:end]
        bare = line.strip(" \t\r\0")
        if not bare:
            # A line that held only a comment is no line; an empty one ends the block.
            if "\0" not in line:
                self._close_block()
            return end + 1
        first = bare[0]
        if first in "`~>" and (fence := _FENCE.match(line)) and "`" not in line[fence.end() :]:
            return self._fence(text, start, end, fence[1])
        if self._block is None and not self._after_list and line.startswith(("    ", "\t")):
            self.fences.append((start, end))  # an indented block of code, line by line
        if first == "#" and (mark := _HEADING.match(line)):
            self._heading(len(mark[1]), start, start + mark.end(), end)
            return end + 1
        words = self._paragraph
        if first in "=-" and words and words == self._block and _UNDERLINE.match(line):
            self._underlined(words, start, end, first)
        elif first in "-*_" and _RULE.match(line):
            self._close_block()
            self.marks.append((start, end))
        elif first == "[" and (definition := _DEFINITION.match(line)):
            link = Link(definition[2], start, start + definition.end())
            self.definitions.setdefault(definition[1].lower(), link)
            self.marks.append((start, end))
        else:
            self._content(line, start, end, first)
        return end + 1

    def _content(self, line: str, start: int, end: int, first: str) -> None:
        kind = "text"
        if first == ">" and (mark := _QUOTE.match(line)):
            self.marks.append((start, start + mark.end()))
        elif (first in "-*+•" or first.isdigit()) and (mark := _LIST.match(line)):
            kind = "list"
            if not first.isdigit():
                self.marks.append((start, start + mark.end()))
        elif first == "|" or (self._kind == "table" and "|" in line):
            kind = "table"
            self._row(line, start, end)
        elif self._kind == "list" and line[0] in " \t":
            kind = "list"  # a continuation line of the item above
        if kind == self._kind == "text" and self._paragraph is not None:
            self.soft.append(self._paragraph[1])
            self._paragraph = (self._paragraph[0], end)
        else:
            self._close_paragraph()
            self._kind = kind
            self._paragraph = (start, end) if kind == "text" else None
        self._block = (self._block[0] if self._block else start, end)

    def _row(self, line: str, start: int, end: int) -> None:
        if _TABLE_RULE.issuperset(line.strip("\r")) and "-" in line:
            self.marks.append((start, end))
            return
        at = line.find("|")
        while at >= 0:
            self.marks.append((start + at, start + at + 1))
            at = line.find("|", at + 1)

    def _fence(self, text: str, start: int, end: int, mark: str) -> int:
        """A fenced block up to its closing line, or to the end of the file."""
        self._close_paragraph()
        self.marks.append((start, end))
        position = end + 1
        while position < len(text):
            stop = text.find("\n", position)
            stop = len(text) if stop < 0 else stop
            closing = _FENCE.match(text, position, stop)
            if closing and closing[1].startswith(mark) and not text[closing.end() : stop].strip():
                self.marks.append((position, stop))
                position = stop + 1
                break
            position = stop + 1
        last = min(position, len(text))
        self.fences.append((start, last))
        self._block = (self._block[0] if self._block else start, last)
        self._kind = "code"
        return position

    def _heading(self, level: int, start: int, words: int, end: int) -> None:
        self._close_block()
        self.headings.append(Heading(level, words, end))
        self.marks.append((start, words))

    def _underlined(self, words: Span, start: int, end: int, first: str) -> None:
        """The paragraph above turns out to be a heading."""
        self._paragraph = self._block = None
        self._kind = ""
        self.headings.append(Heading(1 if first == "=" else 2, *words))
        self.marks.append((start, end))

    def _close_paragraph(self) -> None:
        if self._paragraph is not None:
            self.paragraphs.append(self._paragraph)
        self._paragraph = None
        self._kind = ""

    def _close_block(self) -> None:
        if self._block is not None:
            self._after_list = self._kind == "list"
        self._close_paragraph()
        if self._block is not None:
            self.blocks.append(self._block)
        self._block = None


def _referred(masked: str, start: int, definitions: dict[str, Link]) -> list[Link]:
    """The definitions that something visible refers to; the others are shown to nobody."""
    if not definitions:
        return []
    used = {match[1].lower() for match in _BRACKETED.finditer(masked, start)}
    return [link for label, link in definitions.items() if label in used]


def _inline(masked: str, span: Span, builder: ViewBuilder, links: list[Link]) -> None:
    """Copy a span of the masked text to the view without its inline marks; collect the links that have words."""
    start, end = span
    position = start
    anchor: tuple[Link, int] | None = None  # an open <a href>, and where its words would begin in the view
    for match in _INLINE.finditer(masked, start, end):
        tag = tags.parsed(match["tag"]) if match["tag"] else None
        if match["tag"] and tag is None:
            continue  # `Vec<String>` in prose names no element: it is text
        _keep(masked, position, match.start(), builder)
        position = match.end()
        shown = next((name for name in ("text", "referred", "auto", "code") if match[name] is not None), None)
        if shown is not None:
            words = match.span(shown)
            _keep(masked, *words, builder, also="" if shown == "code" else "*`")
            if shown == "text" and _has_words(masked[words[0] : words[1]]):
                links.append(Link(match["dest"], *match.span()))
        elif tag is not None:
            anchor = _anchored(anchor, tag, match, builder, links)
            if tag.name in tags.BLOCK:
                builder.put("\n", match.start())
    _keep(masked, position, end, builder)


def _anchored(
    anchor: tuple[Link, int] | None, tag: tags.Tag, match: re.Match[str], builder: ViewBuilder, links: list[Link]
) -> tuple[Link, int] | None:
    """Open or close an anchor; it counts when words stand in it."""
    if tag.name != "a":
        return anchor
    if anchor is not None and _has_words(builder.since(anchor[1])):
        links.append(anchor[0])
    address = _HREF.search(match[0]) if tag.opens else None
    return (Link(address[1], *match.span()), builder.length) if address else None


def _has_words(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _keep(masked: str, start: int, end: int, builder: ViewBuilder, also: str = "") -> None:
    """Copy a span to the view, without what was blanked out of it (and without the characters in `also`)."""
    position = start
    unseen = re.compile(f"[{_INVISIBLE}{re.escape(also)}]+") if also else _UNSEEN
    for match in unseen.finditer(masked, start, end):
        builder.keep(position, match.start())
        position = match.end()
    builder.keep(position, end)


class _Placer:
    """Turns spans of the source into spans of the view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __call__(self, start: int, end: int) -> Span:
        return self._view.view_offset(start), self._view.view_offset(end)
