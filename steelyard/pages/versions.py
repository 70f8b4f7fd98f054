"""The two versions of a comparison: files, directories, or what a git revision has at a path (`main:docs`)."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.inputs.find import STDIN, SUFFIXES, find_pages
from steelyard.inputs.page_ref import PageRef, check_size, read_bytes
from steelyard.inputs.walk import match_files
from steelyard.pipeline import PageError
from steelyard.support.formatting import format_count
from steelyard.support.git import Blob, GitFailed, Repository
from steelyard.text.decoding import decode

MAX_CALL_BYTES = 32_000_000  # bytes and files that git is asked for in one call
MAX_CALL_FILES = 500
MAX_PATH = 4096  # bytes of a link
_PAGES = f"pages are files ending in {', '.join(SUFFIXES)}"


@dataclass(frozen=True, slots=True)
class VersionPage:
    """A page of a version. `content` is git's name for its bytes, so equal pages are known without scoring them.

    A page of a revision has no `path`: git is asked for its content.
    """

    source: str
    content: str
    size: int
    path: str | None = None


@dataclass(frozen=True)
class Version:
    """A directory, on disk or at a revision: its pages by their path below it, and what could not be read."""

    name: str
    pages: Mapping[str, VersionPage]
    errors: Mapping[str, PageError]
    repository: Repository | None = None

    def load(self, paths: Sequence[str]) -> Iterator[PageRef]:
        """Yield the pages at these paths, in their order; from git a few at a time, so that memory stays bounded."""
        pages = [self.pages[path] for path in paths]
        if self.repository is None:
            yield from (PageRef(page.source, path=page.path) for page in pages)
            return
        for part in _split(pages):
            contents = self.repository.read_blobs([page.content for page in part])
            for page, data in zip(part, contents, strict=True):
                yield _make_ref(page.source, data)


def open_versions(old: str, new: str, max_bytes: int) -> tuple[PageRef, PageRef] | tuple[Version, Version]:
    """Return two pages, or two directories.

    Raises:
        GitFailed: A revision is unknown, or does not have the path.
        SteelyardError: One is a file and the other a directory, or there is no page.
    """
    places = [_open_place(target) if is_revision(target) else None for target in (old, new)]
    first, second = (_is_directory(t, place) for t, place in zip((old, new), places, strict=True))
    if first != second:
        names = (old, new) if first else (new, old)
        raise SteelyardError(
            f"{names[0]} is a directory and {names[1]} is a file; compare two files or two directories"
        )
    place = places[0] or places[1]
    if first:
        opened = [
            _open_tree(t, p, max_bytes) if p else _open_directory(t, place, max_bytes)
            for t, p in zip((old, new), places, strict=True)
        ]
        return opened[0], opened[1]
    refs = [
        _read_page(t, p, max_bytes) if p else _find_page(t, max_bytes) for t, p in zip((old, new), places, strict=True)
    ]
    return refs[0], refs[1]


def is_revision(target: str) -> bool:
    """Return whether a target is `REV:PATH`; a file of that name wins."""
    return ":" in target and not os.path.lexists(target) and next(match_files(target), None) is None


@dataclass(frozen=True, slots=True)
class _Place:
    """A path in a commit: a blob or a tree, with git's name for it."""

    repository: Repository
    commit: str
    path: str
    id: str
    kind: str


def _open_place(target: str) -> _Place:
    revision, path = _split_target(target)
    try:
        repository = Repository(os.getcwd())
    except GitFailed as error:
        if "not a git repository" not in str(error):
            raise
        advice = f"check the path, or run this in the repository that has {revision!r}"
        raise GitFailed(f"{target}: no such file, and no git repository around this directory; {advice}") from error
    commit = _find_commit(repository, revision, target)
    place = _normalise(path, repository)
    entry = repository.find_object(commit, place)
    if entry is None:
        advice = "a path after the colon starts at the top of the repository, unless it starts with ./"
        raise GitFailed(f"{target}: revision {revision!r} has no {path!r}; {advice}")
    return _Place(repository, commit, place, *entry)


def _split_target(target: str) -> tuple[str, str]:
    """Split at the first colon that is not in braces, as git does: `main@{2026-07-01 12:00}:docs`."""
    depth = 0
    for at, character in enumerate(target):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ":" and depth <= 0 and at:
            return target[:at], target[at + 1 :]
    raise SteelyardError(f"{target}: no such file, and no revision before the colon; write REV:PATH, such as main:docs")


def _find_commit(repository: Repository, revision: str, target: str) -> str:
    try:
        return repository.resolve(revision)
    except GitFailed as error:
        message = f"{target}: no such file, and git knows no revision {revision!r}"
        if repository.is_shallow:
            advice = "this clone is shallow, so fetch the rest with `git fetch --unshallow` (GitHub: `fetch-depth: 0`)"
            raise GitFailed(f"{message}; {advice}") from error
        raise GitFailed(f"{message}{_suggest_remote(repository, revision)}") from error


def _suggest_remote(repository: Repository, revision: str) -> str:
    """In CI a branch is often known only as that of the remote."""
    try:
        repository.resolve(f"origin/{revision}")
    except GitFailed:
        return "; fetch it, or name another"
    return f"; did you mean 'origin/{revision}'?"


def _normalise(path: str, repository: Repository) -> str:
    """Return a path from the top of the repository; as in git, one that starts with ./ or ../ starts here."""
    if path in (".", "..") or path.startswith(("./", "../")):
        here = os.path.relpath(os.path.realpath(os.getcwd()), repository.root).replace(os.sep, "/")
        path = posixpath.join(here, path)
    normal = posixpath.normpath(path)
    return "" if normal == "." else normal


def _is_directory(target: str, place: _Place | None) -> bool:
    return place.kind == "tree" if place else target != STDIN and os.path.isdir(target)


def _open_tree(target: str, place: _Place, max_bytes: int) -> Version:
    """Return the pages of a directory at a revision."""
    blobs = {blob.path: blob for blob in place.repository.list_tree(place.id)}
    pages: dict[str, VersionPage] = {}
    errors: dict[str, PageError] = {}
    prefix = target if target.endswith((":", "/")) else f"{target}/"
    files = {path: blob for path, blob in blobs.items() if _is_page(path) and not blob.is_link}
    for path, blob in sorted((files | _follow_links(blobs, place.repository)).items()):
        try:
            check_size(prefix + path, blob.size, max_bytes)
            pages[path] = VersionPage(prefix + path, blob.id, blob.size)
        except PageUnreadable as error:
            errors[path] = PageError(prefix + path, str(error))
    if not pages and not errors:
        raise SteelyardError(f"{target}: no pages in this directory; {_PAGES}")
    return Version(target, pages, errors, place.repository)


def _is_page(path: str) -> bool:
    """Return whether a path is that of a page, by the same rules as on disk: known suffixes, nothing hidden."""
    return path.lower().endswith(SUFFIXES) and not any(part.startswith(".") for part in path.split("/"))


def _follow_links(blobs: Mapping[str, Blob], repository: Repository) -> dict[str, Blob]:
    """Return the files that links lead to, by the links' paths; one that leads elsewhere or to a link is left out."""
    links = [blob for blob in blobs.values() if blob.is_link and blob.size <= MAX_PATH and _is_page(blob.path)]
    files = {}
    for start in range(0, len(links), MAX_CALL_FILES):
        part = links[start : start + MAX_CALL_FILES]
        for link, data in zip(part, repository.read_blobs([link.id for link in part]), strict=True):
            target = posixpath.join(posixpath.dirname(link.path), os.fsdecode(data or b""))
            blob = blobs.get(posixpath.normpath(target))
            if blob and not blob.is_link:
                files[link.path] = blob
    return files


def _open_directory(target: str, other: _Place | None, max_bytes: int) -> Version:
    """Return the pages of a directory on disk.

    Args:
        other: What it is compared with, if that is a revision: then files that git ignores are left out.
    """
    is_ignored = _GitIgnored(target) if other else None
    algorithm = "sha1" if other and len(other.id) == 40 else "sha256"
    pages: dict[str, VersionPage] = {}
    errors: dict[str, PageError] = {}
    for ref in find_pages([target], max_bytes=max_bytes):
        path = os.path.relpath(ref.source, target).replace(os.sep, "/")
        if ref.path is None:
            errors[path] = PageError(ref.source, ref.error or "cannot be read")
        elif is_ignored is None or not is_ignored(path):
            try:
                data = read_bytes(ref.path, max_bytes)
                pages[path] = VersionPage(ref.source, _name_blob(data, algorithm), len(data), ref.path)
            except PageUnreadable as error:
                errors[path] = PageError(ref.source, str(error))
    if not pages:
        reasons = [error.error for error in errors.values()]
        raise SteelyardError(reasons[0] if reasons else f"{target}: git ignores all pages in this directory")
    return Version(target, pages, errors)


class _GitIgnored:
    """The files below a directory that git ignores; a call says whether a path is one of them."""

    def __init__(self, folder: str) -> None:
        real = os.path.realpath(folder)
        try:
            ignored = Repository(folder).list_ignored(real)
        except GitFailed:  # the directory is outside of any repository
            ignored = []
        self._paths = {os.path.relpath(path, real).replace(os.sep, "/") for path in ignored}

    def __call__(self, path: str) -> bool:
        parts = path.split("/")
        return any("/".join(parts[:end]) in self._paths for end in range(1, len(parts) + 1))


def _name_blob(data: bytes, algorithm: str) -> str:
    """Return the name git gives to this content."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _split(pages: Sequence[VersionPage]) -> Iterator[list[VersionPage]]:
    """Yield the pages in parts that fit into memory."""
    part: list[VersionPage] = []
    size = 0
    for page in pages:
        if part and (size + page.size > MAX_CALL_BYTES or len(part) == MAX_CALL_FILES):
            yield part
            part, size = [], 0
        part.append(page)
        size += page.size
    if part:
        yield part


def _make_ref(source: str, data: bytes | None) -> PageRef:
    if data is None:
        return PageRef(source, error=f"{source}: git does not have the content; fetch the whole repository")
    try:
        return PageRef.from_text(source, decode(data, source))
    except PageUnreadable as error:
        return PageRef(source, error=str(error))


def _read_page(target: str, place: _Place, max_bytes: int) -> PageRef:
    if place.kind != "blob":
        raise SteelyardError(f"{target}: this is a {place.kind} at that revision, not a file")
    check_size(target, place.repository.measure_blob(place.id), max_bytes)
    return _make_ref(target, place.repository.read_blobs([place.id])[0])


def _find_page(target: str, max_bytes: int) -> PageRef:
    refs = list(find_pages([target], max_bytes=max_bytes))
    if len(refs) != 1:
        count = format_count(len(refs), "page")
        raise SteelyardError(f"{target}: {count}, but one is compared with one; name a single file, or two directories")
    return refs[0]
