"""Read the lines of a JSONL file of a corpus, plain or packed, from any place on."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from steelyard.corpora.corpus_files import GZIP, PLAIN, ZSTD, CorpusFile
from steelyard.errors import CorpusRefused
from steelyard.support import lines
from steelyard.support.regular_file import open_regular_file

_PIECE = 1 << 20
# A packed kilobyte unpacks to at most 32 megabytes, which is what one read may hold.
_PACKED_PIECE = 1 << 10


class Line(NamedTuple):
    number: int  # from 1, blank lines included
    data: bytes | None  # None if it was longer than the limit
    end: int  # where the next line starts, in unpacked bytes
    read: int  # bytes of the file that have been read so far, packed or not


def read_lines(file: CorpusFile, limit: int, *, number: int = 0, offset: int = 0) -> Iterator[Line]:
    """Yield the lines that are not blank.

    Args:
        file: The file.
        limit: The most bytes a line may have; of a longer one nothing is kept.
        number: The number of lines before the offset.
        offset: Where to start, in unpacked bytes.

    Raises:
        CorpusRefused: The file cannot be read or its packing is damaged.
    """
    with _explain_damage(file), open_regular_file(file.path) as raw:
        stream = _unpack(raw, file.format.packing)
        if file.format.packing == PLAIN:
            stream.seek(offset)
        else:
            _skip(stream, offset)
        end = offset
        for line in lines.read_lines(stream, limit, number=number):
            end += line.size
            if not line.is_blank:
                yield Line(line.number, line.data, end, raw.tell())


def _skip(stream: BinaryIO, count: int) -> None:
    while count > 0:
        piece = stream.read(min(count, _PIECE))
        if not piece:
            return
        count -= len(piece)


@contextmanager
def _explain_damage(file: CorpusFile) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, _Damaged) as error:
        reason = f"the packed file is damaged or cut short ({error}); fetch it again"
        raise CorpusRefused(file.path, reason) from error
    except OSError as error:
        raise CorpusRefused(file.path, f"cannot be read ({error.strerror or error}); check the file") from error


def _unpack(raw: BinaryIO, packing: str) -> BinaryIO:
    if packing == GZIP:
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if packing == ZSTD:
        return io.BufferedReader(_ZstdStream(raw), _PIECE)
    return raw


class _Damaged(Exception):
    """Packed data that cannot be unpacked."""


class _ZstdStream(io.RawIOBase):
    """The unpacked bytes of a zstd file; the package's own reader takes a file that is cut short for a whole one."""

    def __init__(self, raw: BinaryIO) -> None:
        import zstandard

        self._raw = raw
        self._error = zstandard.ZstdError
        self._unpacker = zstandard.ZstdDecompressor()
        self._frame = self._unpacker.decompressobj()
        self._fed = False  # whether the current frame has begun
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            self._packed = self._packed or self._raw.read(_PACKED_PIECE)
            if not self._packed:
                if self._fed:
                    raise _Damaged("the last frame is not complete")
                return 0
            self._unpack_piece()
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unpack_piece(self) -> None:
        try:
            self._ready = memoryview(self._frame.decompress(self._packed))
        except self._error as error:
            raise _Damaged(str(error)) from error
        self._fed = not self._frame.eof
        self._packed = b""
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = self._unpacker.decompressobj()
