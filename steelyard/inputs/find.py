"""From what the user typed to pages: a file, a directory, a glob, `-`, a JSONL file."""

from __future__ import annotations

import fnmatch
import glob
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from steelyard.errors import NoMatch, NoPages, NoSuchFile, NotARegularFile, NotText, PageUnreadable, RecordInvalid
from steelyard.inputs.page import DEFAULT_MAX_BYTES, PageRef
from steelyard.support.jsonl import not_json, not_object
from steelyard.text.decoding import decode

SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm", ".xhtml")
RECORD_SUFFIXES = (".jsonl", ".ndjson")
STDIN = "-"
CORPUS_SCHEMA = "steelyard.corpus/1"
_GLOB = "*?["


def find(
    targets: Sequence[str],
    *,
    exclude: Sequence[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
    stdin: BinaryIO | None = None,
) -> Iterator[PageRef]:
    """One PageRef per page, in the order given, directories by name; what cannot be found is a ref with its error."""
    for target in targets:
        if target == STDIN:
            yield _standard_input(stdin or sys.stdin.buffer, max_bytes)
        elif os.path.isdir(target):
            yield from _directory(target, exclude)
        elif os.path.lexists(target):
            yield from _file(target, exclude, max_bytes)
        elif any(c in target for c in _GLOB):
            yield from _matches(target, exclude, max_bytes)
        else:
            yield PageRef(target, error=str(NoSuchFile(target)))


def excluded(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path, its name or one of its folders matches an --exclude pattern."""
    parts = path.replace(os.sep, "/").split("/")
    return any(fnmatch.fnmatchcase(path, p) or any(fnmatch.fnmatchcase(part, p) for part in parts) for p in patterns)


def _directory(root: str, exclude: Sequence[str]) -> Iterator[PageRef]:
    refs = [r for r in _walk(root, os.path.realpath(root)) if not excluded(os.path.relpath(r.source, root), exclude)]
    yield from refs or [PageRef(root, error=str(NoPages(root, SUFFIXES)))]


def _walk(folder: str, root: str) -> Iterator[PageRef]:
    """Pages under a folder, by name; links that lead out of the root, loops and devices are passed over."""
    waiting = [iter([folder])]  # a stack, not recursion: folders may be nested deeper than Python's calls
    while waiting:
        path = next(waiting[-1], None)
        if path is None:
            waiting.pop()
        elif os.path.isdir(path) and (path == folder or not os.path.islink(path)):
            try:
                names = sorted(os.listdir(path))
            except OSError as error:
                what = f"{path}: {error.strerror}; make the folder readable or leave it out with --exclude"
                yield PageRef(path, error=what)
                continue
            waiting.append(iter([os.path.join(path, name) for name in names if not name.startswith(".")]))
        elif path.lower().endswith(SUFFIXES) and os.path.isfile(path) and _inside(path, root):
            yield PageRef(path, path=path)


def _inside(path: str, root: str) -> bool:
    """Whether a file is one of the root's own, or a link to one. Links to folders are never followed: no walk loops."""
    return not os.path.islink(path) or os.path.commonpath([os.path.realpath(path), root]) == root


def _matches(pattern: str, exclude: Sequence[str], max_bytes: int) -> Iterator[PageRef]:
    paths = sorted(p for p in glob.glob(pattern, recursive=True) if os.path.isfile(p) and not excluded(p, exclude))
    if not paths:
        yield PageRef(pattern, error=str(NoMatch(pattern)))
    for path in paths:
        yield from _file(path, (), max_bytes)


def _file(path: str, exclude: Sequence[str], max_bytes: int) -> Iterator[PageRef]:
    if excluded(path, exclude):
        return
    if path.lower().endswith(RECORD_SUFFIXES):
        yield from _records(path, max_bytes)
    else:
        yield PageRef(path, path=path)


def _standard_input(stream: BinaryIO, max_bytes: int) -> PageRef:
    data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        return PageRef(STDIN, error=f"standard input: over the limit of {max_bytes:,} bytes; raise it with --max-bytes")
    try:
        return PageRef(STDIN, text=decode(data, "standard input"))
    except NotText as error:
        return PageRef(STDIN, error=str(error))


def _records(path: str, max_bytes: int) -> Iterator[PageRef]:
    """One ref per line with a `text`; the whole file may be larger than a page, a line may not.

    Of a file made by `corpus build` the pages are taken and its header is passed over.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise NotARegularFile(path)
        headed = is_corpus(path)
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip() and not (headed and number == 1):
                    yield _record(path, number, line, max_bytes)
    except PageUnreadable as error:
        yield PageRef(path, error=str(error))
    except OSError as error:
        yield PageRef(path, error=f"{path}: {error.strerror}; make the file readable")


def is_corpus(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins with the header that `corpus build` writes."""
    try:
        with open(path, "rb") as file:
            first = file.read(4096).split(b"\n", 1)[0]
    except OSError:
        return False
    return CORPUS_SCHEMA.encode() in first


def _record(path: str, number: int, line: bytes, max_bytes: int) -> PageRef:
    source = f"{path}:{number}"
    try:
        return _page(source, path, number, _object(path, number, line, max_bytes))
    except PageUnreadable as error:
        return PageRef(source, error=str(error))


def _object(path: str, number: int, line: bytes, max_bytes: int) -> dict[str, Any]:
    if len(line) > max_bytes:
        raise RecordInvalid(
            path, number, f"{len(line):,} bytes is over the limit of {max_bytes:,}; raise it with --max-bytes"
        )
    try:
        value = json.loads(line.strip())
    except (ValueError, RecursionError) as error:
        raise RecordInvalid(path, number, not_json(error)) from error
    if not isinstance(value, dict):
        raise RecordInvalid(path, number, not_object(value))
    return value


def _page(source: str, path: str, number: int, record: dict[str, Any]) -> PageRef:
    text = record.get("text")
    if not isinstance(text, str):
        seen = ", ".join(map(str, list(record)[:12])) or "none"
        what = "has no `text`" if "text" not in record else f"has a `text` that is a {type(text).__name__}"
        raise RecordInvalid(path, number, f"the record {what}; give the page under that key (keys seen: {seen})")
    title = record.get("title")
    name = record.get("source") or record.get("url") or record.get("id")
    label = f"{source} ({name})" if isinstance(name, str) and name else source
    url = record.get("url")
    return PageRef(
        label,
        text=text,
        title=title if isinstance(title, str) and title.strip() else None,
        url=url if isinstance(url, str) and url else None,
    )
