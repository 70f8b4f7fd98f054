"""Make a failing input small: drop lines, then words, then characters, as long as the same check still fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

SECONDS = 20.0


def reduce_bytes(data: bytes, fails: Callable[[bytes], bool], seconds: float = SECONDS) -> bytes:
    """Return a part of the data for which `fails` is still true, smaller the more time there is.

    A text is cut between characters, anything else between bytes.
    """
    until = time.monotonic() + seconds
    for separator in (b"\n\n", b"\n", b". ", b"<", b" "):
        pieces = data.split(separator)
        if len(pieces) > 1:
            data = separator.join(_drop_pieces(pieces, lambda kept: fails(separator.join(kept)), until))  # noqa: B023 - called at once
    return b"".join(_drop_pieces(_split_characters(data), lambda kept: fails(b"".join(kept)), until))


def _split_characters(data: bytes) -> list[bytes]:
    try:
        return [character.encode("utf-8", "surrogatepass") for character in data.decode("utf-8", "surrogatepass")]
    except UnicodeDecodeError:
        return [data[at : at + 1] for at in range(len(data))]


def _drop_pieces(pieces: Sequence[bytes], fails: Callable[[Sequence[bytes]], bool], until: float) -> Sequence[bytes]:
    """Drop halves, quarters, … of the pieces and at last single ones, until nothing can be dropped or time is up."""
    size = max(1, len(pieces) // 2)
    while pieces and time.monotonic() < until:
        start, dropped = 0, False
        while start < len(pieces) and time.monotonic() < until:
            rest = [*pieces[:start], *pieces[start + size :]]
            if fails(rest):
                pieces, dropped = rest, True
            else:
                start += size
        if size == 1 and not dropped:
            break
        size = max(1, size // 2) if not dropped or size > 1 else 1
    return pieces
