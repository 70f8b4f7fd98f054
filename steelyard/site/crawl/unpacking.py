"""Unpack the body of an answer, one layer and up to a limit: a kilobyte can hold a gigabyte."""

from __future__ import annotations

import zlib

OFFERED = "gzip, deflate"
_GZIP = 16 + zlib.MAX_WBITS
_MOST_MEMBERS = 1_000  # of one gzip file


class Unpackable(Exception):
    """The body cannot be unpacked; the text says why, as the end of a sentence."""


class TooLong(Exception):
    """The body is longer than allowed; `kept` is what the last piece had up to the limit."""

    def __init__(self, kept: bytes = b"") -> None:
        super().__init__()
        self.kept = kept


class _Packed:
    """What is packed by gzip or deflate."""

    def __init__(self, bits: int | None, most: int) -> None:
        self._bits, self._left = bits, most
        self._stream = zlib.decompressobj(bits) if bits is not None else None
        self._members = 1

    def add(self, piece: bytes) -> bytes:
        """Return what a further piece unpacks to."""
        if self._stream is None:
            if not piece:
                return b""
            # Servers send both forms under the name `deflate`; the plain form starts with the method's number.
            self._bits = zlib.MAX_WBITS if piece[0] & 0x0F == 8 else -zlib.MAX_WBITS
            self._stream = zlib.decompressobj(self._bits)
        unpacked = bytearray()
        while piece:
            try:
                got = self._stream.decompress(piece, self._left + 1)
            except zlib.error as error:
                raise Unpackable("is packed, and the packed data is damaged") from error
            unpacked += got
            self._left -= len(got)
            if self._left < 0:
                raise TooLong(bytes(unpacked[: self._left]))
            if not self._stream.eof:
                piece = self._stream.unconsumed_tail
                continue
            piece = self._stream.unused_data
            if self._bits != _GZIP or not piece.startswith(b"\x1f\x8b"):
                break  # what follows the end is no part of the page
            self._members += 1
            if self._members > _MOST_MEMBERS:  # each of which copies what follows it
                raise Unpackable(f"is packed in more than {_MOST_MEMBERS:,} parts")
            self._stream = zlib.decompressobj(_GZIP)
        return bytes(unpacked)

    def end(self) -> None:
        """Refuse a body that is not all there."""
        if self._stream is not None and not self._stream.eof:
            raise Unpackable("is packed, and the packed data is not complete")


class Body:
    """A body that arrives in pieces.

    Args:
        encoding: The Content-Encoding of the answer.
        most: Bytes allowed, packed and unpacked.
        cut: Keep the first `most` bytes of a longer body instead of refusing it.

    Raises:
        Unpackable: It is packed more than once, or in a way that was not offered; also while pieces are added.
    """

    def __init__(self, encoding: str, most: int, *, cut: bool = False) -> None:
        layers = [layer for part in encoding.lower().split(",") if (layer := part.strip()) not in ("", "identity")]
        if len(layers) > 1:
            raise Unpackable(f"is packed {len(layers)} times over")
        self._packed: _Packed | None = None
        if layers:
            if layers[0] not in ("gzip", "x-gzip", "deflate"):
                raise Unpackable(f"is packed as {layers[0][:40]!r}, which was not offered")
            self._packed = _Packed(None if layers[0] == "deflate" else _GZIP, most)
        self._most, self._cut = most, cut
        self._received = 0
        self._pieces = bytearray()

    def add(self, piece: bytes) -> bool:
        """Add a piece; return False when no more is wanted.

        Raises:
            TooLong: The body is over the limit.
        """
        self._received += len(piece)
        if self._packed is None:
            self._pieces += piece
        elif self._received <= self._most:
            try:
                self._pieces += self._packed.add(piece)
            except TooLong as error:
                if not self._cut:
                    raise
                self._pieces += error.kept
                return False
        if self._received > self._most:
            if not self._cut:
                raise TooLong
            del self._pieces[self._most :]
            return False
        return True

    def end(self) -> bytes:
        """Return the whole body."""
        if self._packed is not None and self._pieces and not self._cut:
            self._packed.end()
        return bytes(self._pieces)


def unpack_gzip(data: bytes, most: int) -> bytes:
    """Return what a gzip file holds.

    Raises:
        Unpackable: The data is damaged.
        TooLong: It holds more than `most` bytes.
    """
    packed = _Packed(_GZIP, most)
    unpacked = packed.add(data)
    packed.end()
    return unpacked
