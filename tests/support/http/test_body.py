"""A body is unpacked once, and never beyond the limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from steelyard.support.http.body import Body, unpack_gzip
from steelyard.support.http.messages import TOO_LARGE, UNPACKABLE, FetchError
from tests.site.trap_site import pack_bomb

TEXT = b"The harbour master keeps a record. " * 50


@contextmanager
def refused(kind: str, match: str | None = None) -> Iterator[None]:
    with pytest.raises(FetchError, match=match) as caught:
        yield
    assert caught.value.kind == kind


def unpack(data: bytes, encoding: str, most: int = 10_000, step: int = 7, *, cut: bool = False) -> bytes:
    body = Body(encoding, most, cut=cut)
    for start in range(0, len(data), step):
        if not body.add(data[start : start + step]):
            break
    return body.end()


def _deflate_raw(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def test_one_layer_is_unpacked() -> None:
    packed = gzip.compress(TEXT, mtime=0)
    for data, encoding in (
        (TEXT, ""),
        (TEXT, "identity"),
        (packed, "gzip"),
        (packed, "X-GZIP, identity"),
        (gzip.compress(TEXT[:100], mtime=0) + gzip.compress(TEXT[100:], mtime=0), "gzip"),
        (packed + b"trailing", "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (_deflate_raw(TEXT), "deflate"),
    ):
        for step in (1, 7, 100_000):
            assert unpack(data, encoding, step=step) == TEXT, (encoding, step)


def test_more_layers_and_what_was_not_offered_or_asked_for_are_refused() -> None:
    for encoding in ("gzip, gzip", "gzip, br", "deflate,gzip", "br", "zstd", "compress"):
        with refused(UNPACKABLE):
            Body(encoding, 100)
    for encoding in ("gzip", "deflate", "br", "identity, gzip"):
        with refused(UNPACKABLE, "encoded"):
            Body(encoding, 100, packed=False)
    assert Body("identity", 100, packed=False).end() == b""


def test_damaged_data_and_a_file_of_very_many_parts_are_refused() -> None:
    packed = gzip.compress(TEXT, mtime=0)
    for data, encoding in ((b"no gzip", "gzip"), (packed[:-9], "gzip"), (zlib.compress(TEXT)[:-9], "deflate")):
        with refused(UNPACKABLE):
            unpack(data, encoding)
    assert unpack(b"", "gzip") == b"", "an empty body needs no packing"
    with refused(UNPACKABLE, "parts"):
        unpack_gzip(gzip.compress(b"", mtime=0) * 5_000, 1_000_000)


def test_the_limit_holds_for_what_comes_and_for_what_it_holds() -> None:
    with refused(TOO_LARGE):
        unpack(TEXT, "", most=len(TEXT) - 1)
    with refused(TOO_LARGE):
        unpack(gzip.compress(TEXT, mtime=0), "gzip", most=len(TEXT) - 1)
    assert unpack(gzip.compress(TEXT, mtime=0), "gzip", most=len(TEXT)) == TEXT
    assert unpack(TEXT, "", most=10, cut=True) == TEXT[:10]
    with refused(TOO_LARGE):
        unpack_gzip(gzip.compress(TEXT, mtime=0), len(TEXT) - 1)


def test_a_bomb_is_never_unpacked_as_a_whole() -> None:
    bomb, body = pack_bomb(100_000_000), Body("gzip", 1_000_000)
    tracemalloc.start()
    try:
        with refused(TOO_LARGE):
            body.add(bomb)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_long_packed_body_that_may_be_cut_keeps_its_beginning() -> None:
    rules = b"User-agent: *\nDisallow: /\n"
    body = Body("gzip", 500_000, cut=True)
    body.add(gzip.compress(rules + b"# filler\n" * 100_000, mtime=0))
    assert body.end().startswith(rules)
    assert len(body.end()) <= 500_000
