"""Pages: Markdown, odd characters, front matter, comments to Steelyard, HTML, and long pages of one repeated piece."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Sequence

from fuzz import seeds
from fuzz.case import Case, Depth, Kind, Options, Outcome, encode
from fuzz.check_pages import choose_options, page_checks
from fuzz.mutate.characters import mutate_relations
from fuzz.mutate.html import ELEMENTS, mutate_html
from fuzz.mutate.key_values import make_front_matter
from fuzz.mutate.markdown import FRAGMENTS, mutate_markdown
from fuzz.mutate.text import mutate_bytes
from steelyard.advice.rules import RULES

SIZES = (150, 300, 400, 500, 600, 800, 1_000, 1_400)  # characters that a page is grown to, before it is mutated
LONG = (30_000, 60_000, 120_000)
LONG_HTML = (10_000, 20_000, 40_000)


class Pages(Kind):
    """What all kinds of pages share."""

    is_page = True

    def choose_options(self, rng: random.Random) -> Options:
        return choose_options(rng)

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        return page_checks().check(cases, depth)


class Markdown(Pages):
    name = "markdown"
    share = 0.56

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        data = encode(make_markdown(rng, kept))
        return mutate_bytes(rng, data) if rng.random() < 0.02 else data


class Characters(Pages):
    """Pages rich in characters that fold, compose or are digits, which both cores must read alike."""

    name = "characters"
    share = 0.06

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        text = make_markdown(rng, kept)
        for _ in range(rng.randint(1, 4)):
            text = mutate_relations(rng, text)
        return encode(text)

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        return super().check(cases, depth=Depth.ALL)


class FrontMatter(Pages):
    name = "front-matter"
    share = 0.09

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        return encode(make_front_matter(rng) + make_markdown(rng, kept))


class Comments(Pages):
    """Pages with comments to Steelyard, which must not change a place or a number."""

    name = "comments"
    share = 0.06

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        text = make_markdown(rng, kept)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text) + 1)
            if rng.random() < 0.6:
                at = text.find("\n", at) + 1
            text = text[:at] + make_comment(rng) * rng.choice((1, 1, 1, 2, 12)) + text[at:]
        return encode(text)


class Html(Pages):
    name = "html"
    share = 0.17
    batch = 16

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        page = _make_html(rng, kept)
        for _ in range(rng.randint(1, 12)):
            page = mutate_html(rng, page)
        data = encode(page)
        return mutate_bytes(rng, data) if rng.random() < 0.05 else data


class RepeatingPages(Pages):
    """Pages in which one piece is repeated, so that time that grows faster than the length is seen, at every stage."""

    batch = 2

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        return super().check(cases, depth=max(depth, Depth.REPORTED))


class LongPages(RepeatingPages):
    """Such pages in Markdown."""

    name = "long"
    share = 0.02

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        draw = rng.random()
        size = rng.choice(LONG)
        if draw < 0.25:  # evidence in one sentence as long as the page
            return encode(_repeat(rng, rng.choice(seeds.load_sentences()).strip(".!?… \n") + ", ", size))
        if draw < 0.35:
            return encode(_repeat(rng, make_comment(rng) + rng.choice(("", " ", "x")), size))
        text = make_markdown(rng, kept) if draw < 0.75 else "".join(rng.choices(FRAGMENTS, k=3))
        return encode(_repeat_piece(rng, text, size))


class LongHtml(RepeatingPages):
    """Such pages in HTML."""

    name = "long-html"
    share = 0.01

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        text = _make_html(rng, kept) if rng.random() < 0.3 else "".join(rng.choices(ELEMENTS, k=3))
        return encode(f"<!doctype html><html><body>{_repeat_piece(rng, text, rng.choice(LONG_HTML))}</body></html>")


def _repeat_piece(rng: random.Random, text: str, size: int) -> str:
    """Repeat some characters of a text up to a size."""
    start = rng.randrange(len(text) or 1)
    return _repeat(rng, text[start : start + int(200 ** rng.random()) + 1] or "a", size)


def _repeat(rng: random.Random, piece: str, size: int) -> str:
    """Repeat a piece up to a size, as it is or with a number each time."""
    if rng.random() < 0.5:
        return (piece * (size // len(piece) + 1))[:size]
    return "".join(f"{piece}{number}" for number in range(size // (len(piece) + 3)))


def make_markdown(rng: random.Random, kept: Sequence[bytes]) -> str:
    """Return a page made of blocks and examples, or of a case that was worth keeping, after some mutations."""
    size = rng.choice(SIZES)
    pieces: list[str] = []
    if kept and rng.random() < 0.4:
        pieces.append(rng.choice(kept).decode("utf-8", "replace")[: 2 * size])
    while sum(map(len, pieces)) < size:
        draw = rng.random()
        if draw < 0.5:
            pieces.append(rng.choice(seeds.load_blocks())[:size])
        elif draw < 0.9:
            pieces.append(" ".join(rng.choices(seeds.load_sentences(), k=rng.randint(1, 4))))
        else:
            pieces.append("".join(rng.choices(FRAGMENTS, k=rng.randint(1, 4))))
    text = rng.choice(("\n\n", "\n\n", "\n\n", "\n", " ")).join(pieces)
    for _ in range(rng.randint(0, 10)):
        text = mutate_markdown(rng, text)[: 4 * size]
    return text


def make_comment(rng: random.Random) -> str:
    """Return a comment to Steelyard, or what nearly is one."""
    word = rng.choice(("off", "on", "off", "on", "OFF", "of", "", "off off", "-->"))
    names = " ".join(rng.choices((*RULES, "nothing", "citation", "a" * 50), k=rng.choice((0, 0, 1, 2, 12))))
    form = rng.choice((
        "<!-- steelyard: {} -->", "<!--steelyard:{}-->", "<!-- steelyard: {}", "<!--  \tsteelyard:\t{} -->",
        "<!-- steelyard: {} --><!-- steelyard: {} -->", "`<!-- steelyard: {} -->`", "    <!-- steelyard: {} -->",
        "> <!-- steelyard: {} -->", "<!-- Steelyard: {} -->", "<!-- steelyard:\n{} -->",
    ))  # fmt: skip
    end = rng.choice(("", "\n", "\n\n", "\r\n", " ", "\n \n"))
    return form.replace("{}", f"{word} {names}".strip()) + end


def _make_html(rng: random.Random, kept: Sequence[bytes]) -> str:
    draw = rng.random()
    if kept and draw < 0.3:
        return rng.choice(kept).decode("utf-8", "replace")[:8_000]
    if draw < 0.5:
        page = rng.choice(seeds.load_html())
        # The pages are long; some consecutive paragraphs of one make as odd a page in a tenth of the time.
        parts = re.split(r"(?=<(?:p|h[1-6]|ul|table|div)\b)", page)
        start = rng.randrange(len(parts))
        return parts[0][:3_000] + "".join(parts[start : start + rng.randint(3, 12)])[:5_000]
    blocks = rng.choices(seeds.load_blocks(), k=rng.randint(2, 6))
    element = rng.choice(("p", "p", "div", "section", "li", "td", "blockquote"))
    body = "".join(f"<{element}>{html.escape(block)}</{element}>\n" for block in blocks)
    head = "".join(rng.choices(ELEMENTS, k=rng.randint(0, 3)))
    return f"<!doctype html><html><head><title>A page</title>{head}</head><body><article>{body}</article></body></html>"
