"""Messages between this process and the child that extracts: a little JSON and one long text, lengths in front."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

_LENGTHS = struct.Struct(">QQ")
# Several times what the largest admitted page can become; the child has read what a stranger wrote.
_MAX_LENGTH = 500_000_000

Message = tuple[dict[str, Any], str]


def write_message(pipe: IO[bytes], head: dict[str, Any], text: str = "") -> None:
    """Write one message. The text is apart from the JSON, in which it would take ten times as long.

    Raises:
        OSError: The other side is gone.
    """
    parts = json.dumps(head).encode("ascii"), text.encode("utf-8", "surrogatepass")
    pipe.write(_LENGTHS.pack(*map(len, parts)))
    for part in parts:
        pipe.write(part)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> Message | None:
    """Read one message; return None when the other side is gone, or when what it sent is no message."""
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    of_head, of_text = _LENGTHS.unpack(lengths)
    if of_head + of_text > _MAX_LENGTH:
        return None
    head, text = pipe.read(of_head), pipe.read(of_text)
    if len(head) < of_head or len(text) < of_text:
        return None
    try:
        decoded = json.loads(head), text.decode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded[0], dict) else None
