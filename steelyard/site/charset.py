"""From the bytes of an answer to text, whatever the server and the page say about their encoding."""

from __future__ import annotations

import codecs

from steelyard.errors import PageUnreadable

_DETECTED = 60_000  # bytes that the encoding is guessed from
_MAX_BAD = 0.01  # of the characters may be wrong in an encoding that the server or the page names


def decode_answer(body: bytes, source: str, header: str | None = None) -> str:
    """Decode a page.

    A byte-order mark decides, then valid UTF-8 with a character outside ASCII (no other encoding looks like it by
    chance, so a header that says otherwise is wrong), then the header, then the page's own `<meta>`, then a guess.

    Raises:
        PageUnreadable: The bytes are no text.
    """
    from w3lib.encoding import html_body_declared_encoding, read_bom

    if body[:64_000].count(0) > len(body[:64_000]) // 100 and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        named = _look_up(header)
        if named is None or not named.startswith(("utf-16", "utf-32")):
            raise PageUnreadable(f"{source}: not text (it holds NUL bytes, as binary files do)")
    marked, _ = read_bom(body)
    if marked is not None:
        return body.decode(marked, "replace").removeprefix("\ufeff")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and not text.isascii():
        return text
    for name in (header, html_body_declared_encoding(body[:4096])):
        encoding = _look_up(name)
        # A page whose name of UTF-16 could be read is not in it; with NUL bytes it may be.
        if encoding is not None and (0 in body or not encoding.startswith(("utf-16", "utf-32"))):
            decoded = body.decode(encoding, "replace")
            if decoded.count("\ufffd") <= _MAX_BAD * len(decoded):
                return decoded
    return text if text is not None else body.decode(_guess(body), "replace")


def _look_up(name: str | None) -> str | None:
    """Return Python's name for an encoding of text as browsers understand its name, or None for anything else."""
    from w3lib.encoding import resolve_encoding

    if not name or len(name) > 40:
        return None
    encoding = resolve_encoding(name)
    if encoding is None or encoding.startswith(("utf-7", "unicode", "raw", "idna", "punycode")):
        return None
    try:
        b"a".decode(encoding)  # which a codec that is not one of text refuses
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError):
        return encoding if encoding.startswith(("utf-16", "utf-32")) else None


def _guess(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:_DETECTED], steps=5, chunk_size=512).best()
    return best.encoding if best is not None else "cp1252"
