"""Build the word tables of `steelyard/languages/` from wordfreq's data.

    python -m tools.word_tables          writes frequencies.txt and known.txt, and their digests into language.toml
    python -m tools.word_tables --check  compares only

wordfreq is installed into an environment of its own under .cache/: the scorer does not need it.
Its data are CC BY-SA 4.0; `steelyard/languages/NOTICE.md` says what was taken and how it was changed.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import re
import sys
from pathlib import Path

from steelyard.lab.scorers.peers.environments import prepare_environment

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ROOT / "steelyard" / "languages"
WORDFREQ = "wordfreq==3.1.1 --hash=sha256:4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473\n"
KNOWN_FROM = 200  # Zipf in hundredths: above most typing errors, below most surnames
_CEILING = 900  # the words in row i of wordfreq's file have the Zipf frequency (900 - i) / 100
_ASCII_WORD = re.compile(r"[a-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def data_folder() -> Path:
    """Install wordfreq where it is missing, and return the folder of its data."""
    environment = prepare_environment("wordfreq", WORDFREQ).parent.parent
    return next(environment.glob("lib/*/site-packages/wordfreq/data"))


def levels(language: str) -> list[tuple[int, list[str]]]:
    """Return (Zipf in hundredths, words) pairs of wordfreq's large list."""
    import msgpack  # a development dependency: only this tool reads wordfreq's format

    packed = gzip.decompress((data_folder() / f"large_{language}.msgpack.gz").read_bytes())
    header, *rows = msgpack.unpackb(packed, raw=False)
    if header.get("format") != "cB" or header.get("version") != 1:
        raise SystemExit(f"wordfreq's large_{language} has another format than this tool reads")
    return [(_CEILING - row, words) for row, words in enumerate(rows)]


def frequencies(language: str) -> bytes:
    """Return the table `word zipf`, sorted by the word's bytes; ASCII words only, as the paper's tokens are."""
    listed = {w: level for level, words in levels(language) for w in words if _ASCII_WORD.fullmatch(w)}
    return b"\n".join(b"%s %d" % line for line in sorted((w.encode(), level) for w, level in listed.items()))


def known(language: str) -> bytes:
    """Return the words that are no typing errors, one a line; hyphens and apostrophes split a word."""
    pieces = {
        piece
        for level, words in levels(language)
        if level >= KNOWN_FROM
        for word in words
        for piece in _LETTERS.findall(word)
    }
    return b"\n".join(sorted(piece.encode() for piece in pieces))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    differs = False
    for language in sorted(p.name for p in LANGUAGES.iterdir() if (p / "language.toml").is_file()):
        settings = LANGUAGES / language / "language.toml"
        text = settings.read_text("utf-8")
        tables = {"known": known(language)} | ({"frequencies": frequencies(language)} if language == "en" else {})
        for name, data in tables.items():
            path = LANGUAGES / language / f"{name}.txt"
            differs |= not path.is_file() or path.read_bytes() != data
            digest = hashlib.sha256(data).hexdigest()
            text = re.sub(rf'^{name}_sha256 = "[0-9a-f]*"', f'{name}_sha256 = "{digest}"', text, flags=re.MULTILINE)
            if not check:
                path.write_bytes(data)
        differs |= settings.read_text("utf-8") != text
        if not check:
            settings.write_text(text, "utf-8")
    return int(check and differs)


if __name__ == "__main__":
    sys.exit(main())
