"""One line of an access log, in the common or the combined format, read in one pass without a regular expression."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LINE = 64_000  # bytes; servers cut requests at 8,000 or so
MAX_TIME = 60  # characters between the brackets
_QUOTE, _BACKSLASH = b"\x01\x02", b"\x01\x01"  # what stands for an escaped one while a line is split
_ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")


class Entry(NamedTuple):
    """What a line says; bytes as written.

    `target` is None where the request has no address, as those of a port scan; `agent` is None without a user agent,
    as in the common format.
    """

    time: bytes
    target: bytes | None
    status: bytes
    agent: bytes | None


def parse_line(line: bytes) -> Entry | None:
    """Return what a line says, or None where it is in neither format.

    The formats are `HOST IDENT USER [TIME] "REQUEST" STATUS BYTES`, and the same with `"REFERRER" "USER AGENT"` behind.
    Further fields behind these are not looked at.
    """
    if b"\\" in line:
        line = line.replace(b"\\\\", _BACKSLASH).replace(b'\\"', _QUOTE)
    parts = line.split(b'"', 7)
    if len(parts) not in (3, 7, 8):
        return None
    head = parts[0]
    start, end = head.find(b"["), head.rfind(b"]")
    if not 0 < start < end <= start + MAX_TIME + 1:
        return None
    status = parts[2][1:4]
    if len(status) != 3 or not status.isdigit() or parts[2][4:5] not in (b" ", b"", b"\n", b"\r"):
        return None
    words = parts[1].split(b" ")
    target = b"%20".join(words[1:-1] if len(words) > 2 else words[1:2]) if len(words) > 1 else None
    return Entry(head[start + 1 : end], target, status, parts[5] if len(parts) > 3 else None)


def decode_target(target: bytes) -> str:
    """Return the address of a request as text, without the escapes of the log."""
    target = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), target)
    return target.replace(_QUOTE, b'"').replace(_BACKSLASH, b"\\").decode("utf-8", "replace")
