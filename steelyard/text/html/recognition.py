"""Whether a page is HTML: the one place that decides this."""

from __future__ import annotations

import re

HTML_SUFFIXES = (".html", ".htm", ".xhtml")
HTML_TYPES = ("text/html", "application/xhtml+xml")
# How far looks_like_html reads; a page that opens with longer comments must be a .html file.
_OPENING_LENGTH = 4096
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html|head|body)(?=[\s>/]|$)", re.IGNORECASE)
# Server-side includes are sometimes printed above the doctype. No Markdown file opens with one of these,
# while README files do open with <p align="center"> and show HTML further down.
_HEAD_ELEMENT = re.compile(r"<(?:script|style|link|meta|title|base)(?=[\s>/])", re.IGNORECASE)


def is_html(text: str = "", *, name: str = "", content_type: str = "") -> bool:
    """Return whether a page is HTML: by its name, by the type a server sent with it, or by how its text opens.

    Args:
        text: The page as it was written.
        name: The name of its file; "" where it has none.
        content_type: The type, without parameters; "" where nobody sent one.
    """
    return name.lower().endswith(HTML_SUFFIXES) or content_type in HTML_TYPES or looks_like_html(text)


def looks_like_html(text: str) -> bool:
    """Return whether a text opens as an HTML document, after byte-order mark, declarations and comments.

    HTML shown further down, such as a code example in Markdown, does not count.
    """
    head = text[:_OPENING_LENGTH].lstrip("\ufeff \t\r\n\f")
    while head.startswith(("<?", "<!--")):
        _, _, head = head.partition("-->" if head.startswith("<!--") else ">")
        head = head.lstrip()
    if _HEAD_ELEMENT.match(head):
        return _DOCUMENT.search(head) is not None
    return _DOCUMENT.match(head) is not None
