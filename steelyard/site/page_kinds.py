"""Pages that are none (a shell that a script fills, "not found" under status 200), and the canonical address."""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser

from steelyard.site.addresses import normalise

FEW_WORDS = 30  # of visible text, below which a page with a script is taken for its shell
MAX_READ = 500_000  # characters of a page that are looked at
MAX_HEAD = 200_000  # and of its head, in which the canonical link stands
SHORT_PAGE = 200  # words; a longer page whose title says "not found" is an article
_HIDDEN = frozenset(("script", "style", "noscript", "template", "svg", "head", "title"))
_NOT_FOUND = re.compile(
    r"^[#\s]*(?:error:? )?404(?:$|\s*[|–-]|[\s:]+(?:error|not found|page))|\berror 404\b|"
    r"\bpage (?:was |could )?not (?:be )?found|^[#\s]*not found|\bpage (?:does not|doesn[’']t) exist|"
    r"page (?:introuvable|non trouvée)|(?:seite|inhalt) (?:wurde )?nicht gefunden|"
    r"página no (?:se ha )?encontrada|pagina non trovata",
    re.IGNORECASE,
)


def describe_shell(html: str) -> str | None:
    """Return why an HTML page has nothing to score without JavaScript, or None."""
    reader = _VisibleText()
    with suppress(AssertionError):  # which Python's parser raises on a declaration it cannot read
        reader.feed(html[:MAX_READ])
    if reader.words >= FEW_WORDS or not reader.scripts:
        return None
    return f"needs JavaScript: {reader.words} visible words without it"


def describe_soft_404(title: str | None, headings: str, words: int, status: int | None = None) -> str | None:
    """Return why a page that answered with success is none: its title or first line says that it was not found."""
    if words > SHORT_PAGE:
        return None
    for text in (title or "", headings):
        if found := _NOT_FOUND.search(text[:200]):
            return f"says “{found[0]}”" + (f", with status {status}" if status else "")
    return None


def read_canonical(html: str, url: str) -> str | None:
    """Return the canonical address of an HTML page, normalised, where it is another one than `url`."""
    reader = _CanonicalLink()
    with suppress(AssertionError):  # as above
        for start in range(0, min(len(html), MAX_HEAD), 8_192):
            reader.feed(html[start : start + 8_192])
            if reader.is_over:
                break
    canonical = normalise(reader.href, url) if reader.href else None
    return canonical if canonical != url else None


class _CanonicalLink(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.href: str | None = None
        self.is_over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self.is_over = True
        if tag == "link" and not self.is_over and self.href is None:
            attributes = {name: value or "" for name, value in attrs[:50]}
            if "canonical" in attributes.get("rel", "").lower().split():
                self.href = attributes.get("href", "").strip() or None


class _VisibleText(HTMLParser):
    """Counts the words that a browser shows without scripts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words = 0
        self.scripts = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts += 1
        if tag == "body":
            self._hidden = 0  # whatever the head left open
        elif tag in _HIDDEN:
            self._hidden += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = 0 if tag == "head" else max(0, self._hidden - 1)

    def handle_data(self, data: str) -> None:
        if not self._hidden and self.words < FEW_WORDS:
            self.words += len(data.split())
