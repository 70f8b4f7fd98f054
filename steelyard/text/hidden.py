"""What a Markdown file holds that a reader never sees: comments, scripts, templates, hidden elements."""

from __future__ import annotations

from bisect import bisect_right

from steelyard.text.tags import element_end, tag_at


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
            position = _comment_end(text, at)
            spans.append((at, position))
            continue
        found = tag_at(text, at)
        if found is None:
            position = at + 1
            continue
        tag, position = found
        if tag.hides:
            position = element_end(text, position, tag.name)
            spans.append((at, position))
    return spans


def _comment_end(text: str, at: int) -> int:
    """Where the comment that begins at an offset ends; `<!-->` and `<!--->` are whole comments, as in HTML."""
    for whole in ("<!-->", "<!--->"):
        if text.startswith(whole, at):
            return at + len(whole)
    end = text.find("-->", at + 4)
    return len(text) if end < 0 else end + 3
