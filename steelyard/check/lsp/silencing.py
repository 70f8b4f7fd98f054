"""Find the place for a comment that silences a finding. Every comment offered was tried, and silences it."""

from __future__ import annotations

import re
from typing import NamedTuple

from steelyard.check.result import CheckedFinding
from steelyard.check.silence import find_silences
from steelyard.text import frontmatter
from steelyard.text.html import is_html

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_XML = re.compile(r"\s*<\?xml\b[^>]*>")
_TOKEN = re.compile(
    r"""<!--.*?(?:-->|\Z)
    | <(script|style|head|template|textarea)\b.*?(?:</\1\b|\Z)  # no place for a comment inside these
    | <([a-z][a-z0-9]*)[^>]*(?:>|\Z)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
# Between these a comment never divides a text.
_BLOCKS = frozenset(
    "address article aside blockquote dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header li main nav ol p "
    "pre section table td th tr ul".split()
)
MDX_SUFFIX = ".mdx"  # its language has no such comments


class Insertion(NamedTuple):
    """A text, and the offset at which it is inserted."""

    offset: int
    text: str


def silence_block(text: str, path: str, finding: CheckedFinding) -> Insertion | None:
    """Return the comment above the block of a finding; None where that would not silence it or break the page."""
    if not finding.quote or path.lower().endswith(MDX_SUFFIX):  # without words it is about the whole page
        return None
    start = (_find_element if is_html(text, name=path) else _find_block)(text, finding.start)
    if start is None:
        return None
    line = text.rfind("\n", 0, start) + 1
    indent = text[line:start]
    comment = _write_comment(finding.rule)
    insertion = Insertion(start, comment) if indent.strip() else Insertion(line, indent + comment + _line_end(text))
    return insertion if _silences(text, insertion, finding) else None


def silence_file(text: str, path: str, finding: CheckedFinding) -> Insertion | None:
    """Return the comment for the whole file, at its head; None where that would not silence the finding."""
    if path.lower().endswith(MDX_SUFFIX):
        return None
    end = _line_end(text)
    comment = _write_comment(finding.rule) + 2 * end
    if is_html(text, name=path):
        declaration = _XML.match(text)
        insertion = Insertion(declaration.end(), 2 * end + comment) if declaration else Insertion(0, comment)
    else:
        body = frontmatter.read(text)[1]
        insertion = Insertion(body, comment if body == 0 or text[body - 1] == "\n" else end + comment)
    return insertion if _silences(text, insertion, finding) else None


def _write_comment(rule: str) -> str:
    return f"<!-- steelyard: off {rule} -->"


def _line_end(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _silences(text: str, insertion: Insertion, finding: CheckedFinding) -> bool:
    at, comment = insertion
    new = text[:at] + comment + text[at:]
    silences = find_silences(new)
    moved = finding.start + (len(comment) if finding.start >= at else 0)
    is_whole_page = not finding.quote
    return silences.cover(finding.rule, moved) or (is_whole_page and silences.cover(finding.rule, len(new)))


def _find_block(text: str, offset: int) -> int | None:
    """Return where the text of the block of lines around an offset begins, in Markdown; None in the front matter.

    Blank lines inside code and comments begin no block: a comment there would be shown, or would end another.
    """
    body = frontmatter.read(text)[1]
    if offset < body:
        return None
    start, begins, closing = body, True, ""
    for line in _LINE.finditer(text, body):
        content = line[0].strip()
        if closing:
            is_closed = content.startswith(closing) if closing != "-->" else closing in content
            if is_closed:
                begins, closing = True, ""
        elif not content:
            begins = True
        else:
            if begins:
                start, begins = line.start() + len(line[0]) - len(line[0].lstrip()), False
            if fence := _FENCE.match(line[0]):
                closing = fence[1]
            elif content.rfind("<!--") > content.rfind("-->"):
                closing = "-->"
        if line.end() > offset:
            break
    return start


def _find_element(text: str, offset: int) -> int | None:
    """Return where the element with the text at an offset begins, in HTML."""
    element = None
    for token in _TOKEN.finditer(text):
        if token.start() >= offset:
            break
        if token[2] and token[2].lower() in _BLOCKS:
            element = token.start()
    return element
