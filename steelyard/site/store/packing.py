"""Split a page's result into what depends on its content alone and what depends on the date as well, and pack both.

An unchanged page has the same first part in every audit, so that it is stored once; the second part is stored once as
long as the date changes nothing. What is always different (score and freshness) is in the row of the visit.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard.site.store.errors import StoreDamaged

# A page may declare other dates with the same content. What else is here depends on the freshness and so on the date,
# as does whether a date is suggested.
DATED = ("dates", "freshness_terms", "held", "moves")
ROW = ("score", "freshness")
PLACES = ("source", "url")
MAX_BYTES = 50_000_000  # bytes of an unpacked part; more is damage, or an attack on the reader of a shared store
LEVEL = 6
# The first byte of a packed part: what packed it. A typical page as the dictionary halves the size of the others
# (2,100 to 1,000 bytes); stores are full of parts that need this very file, so another one gets another number.
PLAIN, WITH_DICTIONARY = 0, 1
DICTIONARY = "dictionary_1.txt"


@dataclass(frozen=True, slots=True)
class Packed:
    """A part of a page: its SHA-256, by which it is stored once, and its packed JSON."""

    digest: bytes
    body: bytes


def split_page(page: dict[str, Any], url: str, content: str) -> tuple[Packed, Packed]:
    """Return the part of a page that depends on content and scoring, and the part that depends on the date as well.

    The first keeps the place of every key, so that the page is put together in its order again. It is another one for
    another content, even where the numbers are the same: two pages with next to nothing on them are two pages.
    """
    parts = {key: value for key, value in page.items() if key != "text"}
    elsewhere = (*DATED, *ROW, *PLACES)
    reading = {key: None if key in elsewhere else value for key, value in parts.items()}
    later = {key: parts[key] for key in DATED if key in parts}
    later |= {key: parts[key] for key in PLACES if key in parts and parts[key] != url}
    return _pack(reading, content), _pack(later)


def join_page(reading: bytes, dated: bytes, url: str, score: float, freshness: float | None) -> dict[str, Any]:
    """Return the page as it was before it was split."""
    page = unpack(reading)
    page |= {key: url for key in PLACES if key in page}
    page |= {"score": score}
    if "freshness" in page:
        page["freshness"] = freshness
    return page | unpack(dated)


def unpack(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a packed part."""
    return parse_object(_inflate(body))


def parse_object(text: bytes | str) -> dict[str, Any]:
    """Return the JSON object in a cell of the store.

    Raises:
        StoreDamaged: There is none.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreDamaged from error
    if not isinstance(value, dict):
        raise StoreDamaged
    return value


def pack_text(text: str) -> bytes:
    """Return a text packed; half of a surrogate pair survives."""
    return bytes([PLAIN]) + zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)


def unpack_text(body: bytes) -> str:
    """Return a packed text."""
    try:
        return _inflate(body).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise StoreDamaged from error


def _pack(value: dict[str, Any], content: str = "") -> Packed:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = text.encode("utf-8", "backslashreplace")  # half of a surrogate pair becomes its JSON escape
    packer = zlib.compressobj(LEVEL, zdict=_load_dictionary())
    body = bytes([WITH_DICTIONARY]) + packer.compress(data) + packer.flush()
    return Packed(hashlib.sha256(content.encode() + b"\n" + data).digest(), body)


def _inflate(body: bytes) -> bytes:
    kind = body[:1]
    packed = zlib.decompressobj(zdict=_load_dictionary()) if kind == bytes([WITH_DICTIONARY]) else zlib.decompressobj()
    try:
        return packed.decompress(body[1:], MAX_BYTES)
    except zlib.error as error:
        raise StoreDamaged from error


@cache
def _load_dictionary() -> bytes:
    return resources.files("steelyard.site.store").joinpath(DICTIONARY).read_bytes()
