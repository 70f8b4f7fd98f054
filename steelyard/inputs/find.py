"""Find pages from what the user typed: a file, a directory, a glob, `-`, a JSONL file."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

from steelyard.errors import PageUnreadable, explain_os_error
from steelyard.inputs.own_results import explain_piped_result, explain_refusal, explain_score_record
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES, PageRef, check_size, require_regular_file
from steelyard.inputs.walk import Unreadable, is_pattern, match_files, walk
from steelyard.support.lines import Line, explain_bad_json, explain_not_object, read_lines
from steelyard.support.regular_file import open_regular_file
from steelyard.text.decoding import decode
from steelyard.text.html import HTML_SUFFIXES

SUFFIXES = (".md", ".markdown", ".mdx", ".txt", *HTML_SUFFIXES)
RECORD_SUFFIXES = (".jsonl", ".ndjson")
STDIN = "-"
CORPUS_SCHEMA = "steelyard.corpus/1"
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def find_pages(
    targets: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
    stdin: BinaryIO | None = None,
    fetch: Callable[[str], PageRef] | None = None,
) -> Iterator[PageRef]:
    """Yield one PageRef per page, in the order of the targets, and by name within a directory.

    An address is fetched where `fetch` is given; nothing here makes a request.

    A target that cannot be found or read yields a PageRef with its `error`.
    """
    for target in targets:
        if target == STDIN:
            yield _read_stdin(stdin or sys.stdin.buffer, max_bytes)
        elif os.path.isdir(target):
            yield from _find_in_directory(target, exclude)
        elif os.path.lexists(target):
            if not is_excluded(target, exclude):
                yield from _find_in_file(target, max_bytes)
        elif _ADDRESS.match(target):
            yield fetch(target) if fetch else PageRef(target, error=f"{target}: here {explain_fetching(target)}")
        elif is_pattern(target):
            yield from _find_matches(target, exclude, max_bytes)
        else:
            yield PageRef(target, error=str(explain_os_error(target, FileNotFoundError())))


def explain_fetching(address: str) -> str:
    """Say how to get a page from the web without us."""
    quoted = shlex.quote(address)
    fetch, score = f"curl -L {quoted} -o page.html", f"steelyard score page.html --url {quoted}"
    return f"pages are read from files; fetch this one with `{fetch}`, then run `{score}`"


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path, its name or one of its folders matches an --exclude pattern."""
    parts = path.replace(os.sep, "/").split("/")
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in (path, *parts))


def _find_in_directory(root: str, exclude: Sequence[str]) -> Iterator[PageRef]:
    is_empty = True
    for found in walk(root):
        path = found.path if isinstance(found, Unreadable) else found
        if is_excluded(os.path.relpath(path, root), exclude):
            continue
        if isinstance(found, Unreadable):
            advice = "make the folder readable or leave it out with --exclude"
            yield PageRef(path, error=f"{path}: {found.reason}; {advice}")
        elif path.lower().endswith(SUFFIXES):
            yield PageRef(path, path=path)
        else:
            continue
        is_empty = False
    if is_empty:
        suffixes = ", ".join(SUFFIXES)
        yield PageRef(root, error=f"{root}: no pages in this directory; pages are files ending in {suffixes}")


def _find_matches(pattern: str, exclude: Sequence[str], max_bytes: int) -> Iterator[PageRef]:
    paths = sorted(path for path in match_files(pattern) if not is_excluded(path, exclude))
    if not paths:
        reason = "no file matches this pattern; quote it, and use ** to search sub-directories"
        yield PageRef(pattern, error=f"{pattern}: {reason}")
    for path in paths:
        yield from _find_in_file(path, max_bytes)


def _find_in_file(path: str, max_bytes: int) -> Iterator[PageRef]:
    if path.lower().endswith(RECORD_SUFFIXES):
        yield from _read_records(path, max_bytes)
    elif (refusal := explain_refusal(path, max_bytes)) is not None:
        yield PageRef(path, error=refusal)
    else:
        yield PageRef(path, path=path)


def _read_stdin(stream: BinaryIO, max_bytes: int) -> PageRef:
    try:
        data = stream.read(max_bytes + 1)
    except OSError as error:  # it was closed, or its terminal is gone
        return PageRef(STDIN, error=f"standard input: {error.strerror or error}; pipe a page to it")
    if len(data) > max_bytes:
        return PageRef(STDIN, error=f"standard input: over the limit of {max_bytes:,} bytes; raise it with --max-bytes")
    try:
        text = decode(data, "standard input")
    except PageUnreadable as error:
        return PageRef(STDIN, error=str(error))
    refusal = explain_piped_result(text, "standard input")
    return PageRef(STDIN, text=text) if refusal is None else PageRef(STDIN, error=refusal)


def _read_records(path: str, max_bytes: int) -> Iterator[PageRef]:
    """Yield one PageRef per line; the file may be larger than a page, a line may not.

    The header of a file made by `lab corpus build` is skipped. A file of scores is refused once, not once per line.
    """
    refused: PageRef | None = None
    try:
        if os.path.exists(path):
            require_regular_file(path)
        has_header = is_corpus(path)
        with open_regular_file(path) as file:
            for line in read_lines(file, max_bytes):
                if line.is_blank or (has_header and line.number == 1):
                    continue
                ref = _read_record(f"{path}:{line.number}", line, max_bytes)
                if ref.error is None or ref != refused:
                    yield ref
                if ref.source == path:
                    refused = ref
    except PageUnreadable as error:
        yield PageRef(path, error=str(error))
    except OSError as error:
        yield PageRef(path, error=f"{path}: {error.strerror}; make the file readable")


def count_lines(path: str) -> int:
    """Return the number of lines of a file, or 0 if it cannot be read; blank lines are counted as well."""
    try:
        require_regular_file(path)
        with open(path, "rb") as file:
            return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
    except (OSError, PageUnreadable):
        return 0


def is_corpus(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins with the header that `lab corpus build` writes."""
    if not os.path.isfile(path):  # reading a pipe would wait
        return False
    try:
        with open(path, "rb") as file:
            first = file.read(4096).split(b"\n", 1)[0]
    except OSError:
        return False
    return CORPUS_SCHEMA.encode() in first


def _read_record(source: str, line: Line, max_bytes: int) -> PageRef:
    try:
        if line.data is None:
            check_size(source, line.size, max_bytes)
        record = json.loads((line.data or b"").strip())
    except PageUnreadable as error:
        return PageRef(source, error=str(error))
    except (ValueError, RecursionError) as error:
        return PageRef(source, error=f"{source}: {explain_bad_json(error)}")
    if not isinstance(record, dict):
        return PageRef(source, error=f"{source}: {explain_not_object(record)}")
    text = record.get("text")
    if not isinstance(text, str):
        path = source.rpartition(":")[0]
        if (refusal := explain_score_record(record, path)) is not None:
            return PageRef(path, error=refusal)
        keys = ", ".join(map(str, list(record)[:12])) or "none"
        problem = "has no `text`" if "text" not in record else f"has a `text` that is a {type(text).__name__}"
        advice = f"give the page under that key (keys seen: {keys})"
        return PageRef(source, error=f"{source}: the record {problem}; {advice}")
    title, url = record.get("title"), record.get("url")
    name = record.get("source") or url or record.get("id")
    return PageRef(
        f"{source} ({name})" if isinstance(name, str) and name else source,
        text=text,
        title=title if isinstance(title, str) and title.strip() else None,
        url=url if isinstance(url, str) and url else None,
    )
