"""The limits of an HTML page, and the count of its source that comes before any parser.

Limits are counts, so that a page is accepted or refused alike on every machine. docs/limits.md lists them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from steelyard.errors import ExtractionFailed, UnknownName
from steelyard.text.positions import replace_half_pairs

# lxml writes none of these, yet reads them from references such as &#1;.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

# A tag is counted wherever one may open, also in comments and scripts: a parser that disagrees with us about where
# these end sees no tag that was not counted. `.`, `_` and `:` begin a name for older parsers. No expression can
# backtrack, and each takes the blanks behind it along, so that what a match costs is the length of the match.
_OPENING = re.compile(
    r"<(?=(?:([Hh][Tt][Mm][Ll]|[Bb][Oo][Dd][Yy])|[A-Za-z_:.])[^\s/>]*+[\s/]*+(?P<attributes>))", re.ASCII
)
_ATTRIBUTE = re.compile(
    r"""
    [^\s/>][^\s/>=]*+                   # the name; a/b/c are three
    (?: \s*+=\s*+                       # and perhaps a value, in which > is no end
        (?: "[^"]*+"? | '[^']*+'? | [^\s>]*+ ) )?
    [\s/]*+
    """,
    re.ASCII | re.VERBOSE,
)
# Tags that open inside another's value are read again. On real pages that is a tenth of the page at most.
_MAX_READINGS = 8
_MIN_READ = 1_000_000
_MAX_DIGITS = 15  # of a limit that somebody sets


@dataclass(frozen=True, slots=True)
class HtmlLimits:
    """How much of everything an HTML page may have, and any page of text; a page with more is refused.

    They decide whether a page is scored, never its score, so no scoring hash covers them. The defaults keep the
    slowest page that was found to a few seconds; the largest count on 65 real and example pages follows each.

    Attributes:
        bytes: Length of the source in UTF-8 (294,683).
        tags: Start tags in the source, also in comments and scripts (1,772).
        attributes: Attributes in the source (5,523).
        tag_attributes: Attributes of one tag; the parser compares each with every other (162).
        elements: Elements that the parser finds (1,739).
        marks: Characters of the text that are escaped one by one, because Markdown or HTML reads them (80).
        cells: Cells of tables, with those that the extractor adds for spans and short rows (156).
        joins: Characters of a text times the elements in it, added up over all texts: whatever the extractor takes out
            of a text, it joins again (934,568).
        nesting: Elements inside each other; the extractor reads a text once for each, and the parser allows 255 (25).
        text: Characters of the text that is scored, also of Markdown and plain text. Where every few characters are a
            heading or a sentence, each takes some two hundred bytes of memory (41,946).
    """

    bytes: int = 20_000_000
    tags: int = 100_000
    attributes: int = 200_000
    tag_attributes: int = 2_000
    elements: int = 30_000
    marks: int = 1_000_000
    cells: int = 100_000
    joins: int = 4_000_000_000
    nesting: int = 100
    text: int = 2_000_000

    def check(self, name: str, count: int, what: str, *, more: bool = False) -> None:
        """Raise ExtractionFailed for a count over the limit of this name; `more` if counting stopped there."""
        limit = getattr(self, name)
        if count > limit:
            shown = f"more than {limit:,} {what}" if more else f"{count:,} {what}, over the limit of {limit:,}"
            raise ExtractionFailed(f"it has {shown} (--limit {name.replace('_', '-')}=N allows more)")


DEFAULT_LIMITS = HtmlLimits()


LIMIT_NAMES = {field.name.replace("_", "-"): field.name for field in fields(HtmlLimits)}


def parse_limit(setting: str) -> tuple[str, int]:
    """Return the field and the number of a limit that is given as NAME=N.

    Raises:
        UnknownName: There is no limit of that name.
        ValueError: There is no whole number after the name.
    """
    name, _, number = setting.partition("=")
    if name not in LIMIT_NAMES:
        raise UnknownName("limit", name, LIMIT_NAMES)
    if not (number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS):
        raise ValueError(f"{setting!r} is no limit; write it as {name}=N with a whole number N")
    return LIMIT_NAMES[name], int(number)


def admit(html: str, limits: HtmlLimits) -> str:
    """Return a page's source without characters that no parser accepts, if it is within the limits.

    It is counted in time proportional to its length.

    Raises:
        ExtractionFailed: It has more of something than the limits allow.
    """
    limits.check("bytes", len(html), "characters")  # before it is copied
    source = CONTROL.sub("", html)
    try:
        size = len(source) if source.isascii() else len(source.encode())
    except UnicodeEncodeError:  # a lone surrogate stands for a byte that was not UTF-8
        source = replace_half_pairs(source)
        size = len(source.encode())
    limits.check("bytes", size, "bytes")
    _count_tags(source, limits)
    return source


def _count_tags(source: str, limits: HtmlLimits) -> None:
    to_read = max(_MIN_READ, _MAX_READINGS * len(source))
    match_attribute = _ATTRIBUTE.match
    attributes = shared = 0
    for tags, opening in enumerate(_OPENING.finditer(source), 1):
        if tags > limits.tags:
            limits.check("tags", tags, "tags", more=True)
        is_shared = opening[1] is not None  # the parser gives the attributes of later <html> tags to the first
        others = attributes - shared if is_shared else attributes
        start, end = opening.start(), opening.end("attributes")
        while found := match_attribute(source, end):
            end = found.end()
            attributes += 1
            if attributes - others > limits.tag_attributes:
                limits.check("tag_attributes", attributes - others, "attributes in one tag", more=True)
            if end - start > to_read:
                break
        if is_shared:
            shared = attributes - others
        to_read -= end - start
        if to_read < 0:
            raise ExtractionFailed("too many of its tags open inside others")
        if attributes > limits.attributes:
            limits.check("attributes", attributes, "attributes", more=True)
