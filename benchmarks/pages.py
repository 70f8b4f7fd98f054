"""The pages that speed is measured on: the project's own, about 370 words each."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "examples" / "site"
WORDS = 370


def english_pages(n: int = 300) -> list[str]:
    """`n` plain pages of 370 words, cut from the English example pages joined end to end."""
    words = [
        w for path in sorted(SITE.rglob("*.md")) if "fr" not in path.parts for w in path.read_text("utf-8").split()
    ]
    step = max(1, (len(words) - WORDS) // n)
    return [" ".join(words[i * step : i * step + WORDS]) for i in range(n)]


def structured_pages() -> list[str]:
    """The English example pages as they are, headings, lists and tables included."""
    return [p.read_text("utf-8") for p in sorted(SITE.rglob("*.md")) if "fr" not in p.parts]


def pages_with_lines(n: int) -> list[str]:
    """`n` pages of 370 words, cut like `english_pages` but with their lines, which some filters look at."""
    words = re.findall(r"\S+\s*", "\n\n".join(structured_pages()))
    step = max(1, (len(words) - WORDS) // n)
    return ["".join(words[i * step : i * step + WORDS]) for i in range(n)]


def prose_of_words(n: int) -> str:
    """`n` words of the example pages with their lines, repeated as often as needed."""
    words = re.findall(r"\S+\s*", "\n\n".join(structured_pages()))
    return "".join((words * (n // len(words) + 1))[:n])


def prose(size: int) -> str:
    """About `size` characters of running prose."""
    text = " ".join(english_pages())
    return (text * (size // len(text) + 1))[:size]


def paragraphs(size: int) -> str:
    """About `size` characters of Markdown with headings, lists, tables and paragraphs."""
    text = "\n\n".join(structured_pages())
    return (text * (size // len(text) + 1))[:size]


def write_jsonl(path: Path, pages: list[str]) -> None:
    path.write_text("".join(json.dumps({"text": p}) + "\n" for p in pages), encoding="utf-8")
