"""Pages made to break a scorer: each a function of its size, so that time can be compared with length."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

SENTENCE = "The keeper of the gauge wrote the level of the tide into the ledger in 1871. "
TINY, SMALL, FULL = 5_000, 50_000, 1_000_000
SECONDS_PER_MEGABYTE = 60.0  # about ten times what the slowest page needs on one core of a busy machine


def repeated(unit: str) -> Callable[[int], str]:
    """The unit again and again, up to a size."""
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def numbered(form: str) -> Callable[[int], str]:
    """A form with a new number (and a new word) each time, up to a size."""

    def make(size: int) -> str:
        pieces: list[str] = []
        length = number = 0
        while length < size:
            word = "".join(chr(97 + int(digit)) for digit in str(number))
            pieces.append(form.format(n=number, word=word, name=word.capitalize()))
            length += len(pieces[-1])
            number += 1
        return "".join(pieces)

    return make


# Of any size: every one of these is asked for its time.
GROWING: Mapping[str, Callable[[int], str]] = {
    "no space": repeated("a"),
    "digits": repeated("7"),
    "newlines": repeated("\n"),
    "carriage returns": repeated("\r\n"),
    "spaces": repeated(" "),
    "spaces inside a line": lambda size: "a" + " " * size + "b",
    "spaces before a pipe": lambda size: " " * size + "| x",
    "a pipe and spaces": lambda size: "|" + " " * size + "x",
    "spaces after a link's address": lambda size: "[a](b" + " " * size + "c",
    "full stops": repeated("."),
    "one huge line": repeated(SENTENCE),
    "thousands of sentences on lines of their own": repeated(SENTENCE.strip() + "\n"),
    "thousands of headings": repeated("# The level\n"),
    "thousands of headings with text": repeated(f"## The level of the tide\n\n{SENTENCE}\n\n"),
    "thousands of underlined headings": repeated("The level\n=\n"),
    "thousands of paragraphs": repeated(f"{SENTENCE}\n\n"),
    "thousands of paragraphs with names and figures": numbered(
        "In 1871 the town of P{word} Harbour grew by {n}% and the keeper wrote it down.\n\n"
    ),
    "thousands of list items": repeated("- the level of the tide\n"),
    "thousands of table rows": repeated("| the level | of the tide |\n"),
    "thousands of links": numbered("[the level]({n}) of [the tide](https://e.example/{n}) is known. "),
    "thousands of definitions": numbered("[{n}]: https://e.example/{n}\n"),
    "thousands of distinct words": numbered("{word} "),
    "thousands of names": numbered("{name} Weir said that it is so. "),
    "thousands of percentages": numbered("{n}% "),
    "thousands of addresses": numbered("the https://e.example/{n} "),
    "thousands of citations": numbered("as shown (Weir {name}, 2019) in the ledger "),
    "thousands of short quotations": numbered('"The level {word} is here," said Anna Weir. '),
    "straight quotation marks": repeated('"'),
    "curly quotation marks": repeated("“"),
    "curly pairs": repeated("“”"),
    "guillemets": repeated("« "),
    "guillemet pairs": repeated("«»"),
    "opened quotations": repeated("“The level "),
    "open square brackets": repeated("["),
    "open brackets": repeated("("),
    "open angles": repeated("<"),
    "hashes": repeated("#"),
    "hashes with spaces": repeated("# "),
    "stars": repeated("*"),
    "stars and words": repeated("*the "),
    "underscores": repeated("_"),
    "backticks": repeated("`"),
    "backticks and letters": repeated("`a"),
    "pipes": repeated("|"),
    "quote marks of a reply": repeated(">"),
    "quote marks with spaces": repeated("> "),
    "dashes": repeated("-"),
    "dashes with spaces": repeated("- "),
    "equals signs": repeated("="),
    "backslashes": repeated("\\"),
    "tildes": repeated("~"),
    "fences": repeated("```\n"),
    "fences of two kinds": repeated("~~~\n```\n"),
    "links that never close": repeated("[a]("),
    "images that never close": repeated("![a]("),
    "references that never close": repeated("[a]["),
    "tags that never close": repeated("<a "),
    "a tag and spaces": lambda size: "<a" + " " * size,
    "comments that never close": repeated("<!--"),
    "comments": repeated("<!-- a -->"),
    "hidden elements that never close": repeated("<div hidden>"),
    "hidden elements": repeated("<div hidden>a</div>"),
    "scripts": repeated("<script>a</script> the "),
    "front matter that never closes": lambda size: "---\n" + repeated("the: key\n")(size),
    "emoji": repeated("😀 "),
    "emoji without spaces": repeated("👩‍👩‍👧‍👦"),
    "combining marks on one letter": lambda size: "the level is here e" + "\u0301" * size,
    "combining marks on every letter": repeated("t\u0301\u0316\u0334h\u0301\u0316e\u0334 "),
    "right to left": repeated("שלום עולם "),
    "right-to-left overrides": repeated("\u202ethe level \u202c"),
    "letters that grow in lower case": repeated("İ the "),
    "zero-width spaces": repeated("the\u200blevel "),
    "NULs in words": repeated("t\0he "),
    "soft hyphens": repeated("the\u00ad level "),
}

# These, at a megabyte, are part of every run; the others of `./run test --all`.
EVERY_RUN = (
    "spaces before a pipe",
    "one huge line",
    "open square brackets",
    "open angles",
    "hidden elements that never close",
)

# Small and odd: what a file can be besides text.
_GARBAGE = random.Random(7).randbytes(5_000)
FILES: Mapping[str, bytes] = {
    "empty": b"",
    "white space": b" \t\r\n\f\v\n",
    "one letter": b"x",
    "one word": b"Harbour",
    "one byte that is no text": b"\xff",
    "binary": _GARBAGE,
    "every byte": bytes(range(256)) * 4,
    "a PNG's head": b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
    "invalid UTF-8 in prose": (SENTENCE * 20).encode() + b"\xc3\x28 caf\xe9 \xff",
    "overlong UTF-8": (SENTENCE * 20).encode() + b"\xc0\xaf\xe0\x80\xaf",
    "surrogates in UTF-8": (SENTENCE * 20).encode() + b"\xed\xa0\x80",
    "BOM": b"\xef\xbb\xbf" + (SENTENCE * 20).encode(),
    "BOM only": b"\xef\xbb\xbf",
    "BOM and front matter": b"\xef\xbb\xbf---\ntitle: Tide\n---\n" + (SENTENCE * 20).encode(),
    "UTF-16 little endian": (SENTENCE * 20).encode("utf-16-le").join([b"\xff\xfe", b""]),
    "UTF-16 big endian": (SENTENCE * 20).encode("utf-16-be").join([b"\xfe\xff", b""]),
    "UTF-16 without its mark": (SENTENCE * 20).encode("utf-16-le"),
    "UTF-16 cut in half": (SENTENCE * 20).encode("utf-16")[:-1],
    "UTF-16 mark only": b"\xff\xfe",
    "UTF-16 with half a pair": b"\xff\xfe" + "\ud800 the".encode("utf-16-le", "surrogatepass"),
    "UTF-32": (SENTENCE * 20).encode("utf-32"),
    "Latin-1": ("Le marégraphe a été installé près de la jetée à côté du môle. " * 20).encode("latin-1"),
    "CRLF": (SENTENCE + "\r\n\r\n").encode() * 20,
    "CR only": (SENTENCE + "\r").encode() * 20,
    "a NUL in prose": (SENTENCE * 20).encode() + b"\0" + SENTENCE.encode(),
    "NULs only": b"\0" * 100,
    "right to left": ("שלום עולם " * 50).encode(),
    "bidi overrides in prose": ("\u202e" + SENTENCE + "\u2066").encode() * 10,
    "noncharacters": ("\ufffe\uffff\U0010ffff " + SENTENCE).encode() * 10,
    "emoji": ("😀👩‍👩‍👧‍👦🇫🇷 " * 50).encode(),
    "lines of Unicode": SENTENCE.replace(" ", "\u2028").encode() * 10,
    "escapes of a terminal": ("\x1b]0;owned\x07\x1b[2J" + SENTENCE).encode() * 10,
    "front matter that is not closed": b"---\ntitle: x\n" + SENTENCE.encode() * 10,
    "front matter and nothing else": b"---\ntitle: [unclosed\ndate: 9999-99-99\n---",
    "front matter of dates that are none": b"---\ndate: 2026-02-30\nupdated: 0000-00-00\n---\n"
    + SENTENCE.encode() * 10,
}


class TooSlow(AssertionError):
    """A page took longer than its bound."""


@contextmanager
def within(seconds: float, what: str = "the work") -> Iterator[None]:
    """Fail when the block takes longer; interrupts it where the platform can."""
    started = time.monotonic()
    if hasattr(signal, "setitimer"):

        def stop(*_: object) -> None:
            raise TooSlow(f"{what} is still running after {seconds:.0f} s")

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    else:
        yield
    assert time.monotonic() - started <= seconds


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition holds before the time is over."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
