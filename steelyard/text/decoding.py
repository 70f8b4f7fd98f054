"""From bytes to text: UTF-8, or UTF-16 with its byte-order mark."""

from __future__ import annotations

from steelyard.errors import NotText

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def decode(data: bytes, source: str) -> str:
    """UTF-8 (or UTF-16 with its mark); a file that is neither is not text.

    A few bad bytes in a UTF-8 file are replaced, one character each: a page with one broken quotation
    mark is still a page. Offsets are into the decoded text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise NotText(source, f"broken {encoding}: {error.reason} at byte {error.start}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        if text.count("\ufffd") > max(8, len(text) // 100):
            raise NotText(source, f"not UTF-8: {error.reason} at byte {error.start}") from error
    if "\0" in text and text.count("\0") > len(text) // 100:
        raise NotText(source, "it holds NUL bytes, as binary files do")
    return text
