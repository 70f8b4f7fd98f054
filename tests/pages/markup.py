"""A reader of HTML for the tests of reports."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"input", "meta", "br", "line", "rect"}


class Balance(HTMLParser):
    """Fails on a tag that closes another one than the last that was opened; collects the text and the tags."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.words: list[str] = []
        self.marks: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not (tag == "mark" and "mark" in self.open), "marks are not nested"
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "mark":
            self.marks.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "small" in self.open:
            return
        self.words.append(data)
        if "mark" in self.open:
            self.marks[-1] += data
