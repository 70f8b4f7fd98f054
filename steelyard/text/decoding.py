"""From bytes to text: UTF-8, or UTF-16 with its byte-order mark."""

from __future__ import annotations

from steelyard.errors import PageUnreadable

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def decode(data: bytes, source: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte-order mark.

    A few bad bytes in a UTF-8 file are replaced, one character each: a page with one broken quotation
    mark is still a page. Offsets are into the decoded text.

    Raises:
        NotText: The data are neither, or binary.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise _not_text(source, f"broken {encoding}: {error.reason} at byte {error.start}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, len(text) // 100):
            raise _not_text(source, f"not UTF-8: {error.reason} at byte {error.start}") from error
    if "\0" in text and text.count("\0") > len(text) // 100:
        raise _not_text(source, "it holds NUL bytes, as binary files do")
    return text


def _not_text(source: str, reason: str) -> PageUnreadable:
    return PageUnreadable(f"{source}: not text ({reason}); give it as UTF-8 text, Markdown or HTML")
