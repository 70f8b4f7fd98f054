"""Mutations of any text or any bytes: cut, repeat, move, insert."""

from __future__ import annotations

import random
import unicodedata
from typing import TypeVar

AnyText = TypeVar("AnyText", str, bytes)

# Characters that readers, terminals, tokenisers and regular expressions treat each in their own way.
ODD = (
    "\0", "\t", "\r", "\f", "\v", "\x1b[31m", "\x7f", "\x85", "\u00a0", "\u00ad", "\u061c", "\u1680", "\u180e",
    "\u200b", "\u200d", "\u200e", "\u2009", "\u2011", "\u2028", "\u2029", "\u202e", "\u2066", "\ufeff", "\ufffd",
    "\uffff", "\ud800", "\udfff", "\U0010ffff", "e\u0301", "e\u0301\u0323", "\u0301", "K", "İ", "ı", "ß", "ẞ", "Σ",
    "ς", "Ǆ", "ﬁ", "½", "²", "Ⅷ", "٣", "０", "a\u0430b", "日本語。", "Привет", "שלום", "مرحبا", "नमस्ते", "👩‍🔬",
    "🏴\U000e0067\U000e007f",
    "’", "ʼ", "“", "”", "„", "«", "»", "‹", "…", "–", "—", "。", "؟",
)  # fmt: skip
MAX_SPAN = 200  # characters or bytes that one mutation changes
SCALES = (1, 1, 1, 2, 2, 3, 5, 9, 40)


def draw_span(rng: random.Random, length: int) -> tuple[int, int]:
    """Return a random half-open span, short ones more often."""
    start = rng.randrange(length + 1)
    return start, min(length, start + int(MAX_SPAN ** rng.random()))


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """Return the bytes after one random change."""
    start, end = draw_span(rng, len(data))
    piece = data[start:end]
    match rng.randrange(6):
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:start] + piece * rng.choice(SCALES) + data[end:]
        case 2:
            return data[:start] + rng.randbytes(rng.randint(1, 8)) + data[end:]
        case 3:
            at = rng.randrange(len(data) + 1)
            return data[:at] + piece + data[at:]
        case 4 if data:
            at = rng.randrange(len(data))
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        case _:
            return data[:start]


def insert(rng: random.Random, text: AnyText, piece: AnyText) -> AnyText:
    """Return the text with a piece in it, at random."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + piece + text[at:]


def mutate_characters(rng: random.Random, text: str) -> str:
    """Return the text after one change that knows about characters, not about markup."""
    start, end = draw_span(rng, len(text))
    piece = text[start:end]
    match rng.randrange(12):
        case 0:
            changed = ""
        case 1:
            changed = piece * rng.choice(SCALES)
        case 2:
            changed = rng.choice(ODD) * rng.choice(SCALES) + piece
        case 3:
            changed = piece.upper() if rng.random() < 0.5 else piece.lower()
        case 4:
            changed = unicodedata.normalize(rng.choice(("NFD", "NFC", "NFKD")), piece)
        case 5:
            changed = rng.choice(("\u200b", "\u00ad", "\u2060", "\u0301")).join(piece)
        case 6:
            changed = piece.replace(" ", rng.choice(("\u00a0", "  ", "\n", "\t", "", "\u2009")))
        case 7:
            changed = piece.replace("\n", rng.choice(("\r\n", "\r", " ", "\n\n", "\u2028", "\n \n")))
        case 8:
            changed = piece[::-1]
        case 9:
            changed = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in piece)
        case 10:
            changed = "".join(rng.choice("0123456789") if c.isdigit() else c for c in piece)
        case _:
            return text[:start] + text[end:] + piece
    return text[:start] + changed + text[end:]
