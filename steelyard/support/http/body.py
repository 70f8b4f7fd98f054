"""Unpack the body of a response, one layer and up to a limit: a kilobyte can hold a gigabyte."""

from __future__ import annotations

import zlib

from steelyard.support.http.messages import UNPACKABLE, FetchError, too_large

OFFERED = "gzip, deflate"
_GZIP = 16 + zlib.MAX_WBITS
_MAX_MEMBERS = 1_000  # of one gzip file


class _Unpacker:
    """Unpacks gzip or deflate, and stops one byte after the limit."""

    def __init__(self, bits: int | None, max_bytes: int) -> None:
        self._bits, self._left = bits, max_bytes
        self._stream = zlib.decompressobj(bits) if bits is not None else None
        self._members = 1

    def add(self, piece: bytes) -> bytes:
        """Return what a further piece unpacks to; nothing may be added once the limit is passed."""
        if self._stream is None:
            if not piece:
                return b""
            # Servers send both forms under the name `deflate`; the plain form starts with the method's number.
            self._bits = zlib.MAX_WBITS if piece[0] & 0x0F == 8 else -zlib.MAX_WBITS
            self._stream = zlib.decompressobj(self._bits)
        unpacked = bytearray()
        while piece:
            try:
                part = self._stream.decompress(piece, self._left + 1)
            except zlib.error as error:
                raise FetchError("is packed, and the packed data is damaged", UNPACKABLE) from error
            unpacked += part
            self._left -= len(part)
            if self._left < 0:
                break
            if not self._stream.eof:
                piece = self._stream.unconsumed_tail
                continue
            piece = self._stream.unused_data
            if self._bits != _GZIP or not piece.startswith(b"\x1f\x8b"):
                break  # what follows the end is no part of the body
            self._members += 1
            if self._members > _MAX_MEMBERS:  # each of which copies what follows it
                raise FetchError(f"is packed in more than {_MAX_MEMBERS:,} parts", UNPACKABLE)
            self._stream = zlib.decompressobj(_GZIP)
        return bytes(unpacked)

    def end(self) -> None:
        """Refuse a body that is not all there."""
        if self._stream is not None and not self._stream.eof:
            raise FetchError("is packed, and the packed data is not complete", UNPACKABLE)


class Body:
    """A body that arrives in pieces.

    Args:
        encoding: The Content-Encoding of the response.
        max_bytes: Bytes allowed, packed and unpacked.
        cut: Keep the first `max_bytes` of a longer body instead of refusing it.
        packed: Whether a packed body was asked for.

    Raises:
        FetchError: It is packed more than once, or in a way that was not asked for.
    """

    def __init__(self, encoding: str, max_bytes: int, *, cut: bool = False, packed: bool = True) -> None:
        layers = [layer for part in encoding.lower().split(",") if (layer := part.strip()) not in ("", "identity")]
        if layers and not packed:
            raise FetchError(f"is encoded ({encoding[:40]}), which was not asked for", UNPACKABLE)
        if len(layers) > 1:
            raise FetchError(f"is packed {len(layers)} times over", UNPACKABLE)
        self._unpacker: _Unpacker | None = None
        if layers:
            if layers[0] not in ("gzip", "x-gzip", "deflate"):
                raise FetchError(f"is packed as {layers[0][:40]!r}, which was not offered", UNPACKABLE)
            self._unpacker = _Unpacker(None if layers[0] == "deflate" else _GZIP, max_bytes)
        self._max_bytes, self._cut = max_bytes, cut
        self._received = 0
        self._content = bytearray()

    def add(self, piece: bytes) -> bool:
        """Add a piece; return False when no more is wanted.

        Raises:
            FetchError: The body is over the limit, or damaged.
        """
        self._received += len(piece)
        if self._unpacker is None:
            self._content += piece
        elif self._received <= self._max_bytes:
            self._content += self._unpacker.add(piece)
        if max(self._received, len(self._content)) <= self._max_bytes:
            return True
        if not self._cut:
            raise too_large(self._max_bytes)
        del self._content[self._max_bytes :]
        return False

    def end(self) -> bytes:
        """Return the whole body."""
        if self._unpacker is not None and self._content and not self._cut:
            self._unpacker.end()
        return bytes(self._content)


def unpack_gzip(data: bytes, max_bytes: int) -> bytes:
    """Return what a gzip file holds.

    Raises:
        FetchError: The data is damaged, or holds more than `max_bytes`.
    """
    unpacker = _Unpacker(_GZIP, max_bytes)
    unpacked = unpacker.add(data)
    if len(unpacked) > max_bytes:
        raise too_large(max_bytes)
    unpacker.end()
    return unpacked
