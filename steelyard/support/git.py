"""Ask git about files: which changed since a revision, on which lines, and what they were before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from steelyard.support.git_folder import GitFailed, GitFolder, find_place

__all__ = ["Blob", "Change", "GitFailed", "Repository"]

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_COMMITTED = re.compile(rb"^committer .*> ([0-9]{1,11}) [+-][0-9]{4}$", re.MULTILINE)
MAX_FILE_BYTES = 20_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Blob:
    """A file in a tree: its path below the tree, the name git gives its content, its size, and whether it is a link."""

    path: str
    id: str
    size: int
    is_link: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A changed file: its path now, and before; None where it is new."""

    path: str
    old: str | None


class Repository:
    """The repository around a directory. All paths are absolute."""

    def __init__(self, folder: str) -> None:
        self._git = GitFolder(find_place(folder))
        self.root = self._git.place.root

    def resolve(self, revision: str) -> str:
        """Return the commit that a name stands for.

        Raises:
            GitFailed: There is none.
        """
        try:
            name = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        except GitFailed as error:
            advice = "fetch it (in CI: the whole history, not the last commit alone), or name another"
            raise GitFailed(f"git knows no commit {revision!r}; {advice}") from error
        return name.decode("ascii").strip()

    def find_base(self, revision: str) -> str:
        """Return the commit from which the work tree and a revision departed."""
        commit = self.resolve(revision)
        try:
            return self._run("merge-base", commit, "HEAD").decode("ascii").strip()
        except GitFailed:
            return commit  # without a common history the revision itself

    def list_changes(self, commit: str) -> list[Change]:
        """Return the files that differ from a commit in the work tree, and the new ones git does not ignore."""
        # In a submodule git would start another git, which obeys that repository's configuration.
        answer = self._run(
            "diff", "--name-status", "-z", "-M", "--ignore-submodules=all", "--diff-filter=AMRT", commit, "--"
        )
        changes = list(self._parse_status(answer))
        others = self._run("ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")
        return [*changes, *(Change(self._absolute(name), None) for name in others.split(b"\0") if name)]

    def _parse_status(self, answer: bytes) -> Iterator[Change]:
        fields = iter(answer.split(b"\0"))
        for status in fields:
            if not status:
                continue
            first = self._absolute(next(fields))
            if status[:1] == b"R":
                yield Change(self._absolute(next(fields)), first)
            else:
                yield Change(first, None if status[:1] == b"A" else first)

    def list_changed_lines(self, commit: str, change: Change) -> list[range]:
        """Return the lines of a file, from 1, that are not in its old version."""
        if change.old is None:
            return [range(1, 1 << 60)]
        paths = dict.fromkeys((change.old, change.path))
        options = ("--unified=0", "-M", "--no-color", "--ignore-submodules=all")
        answer = self._run("diff", *options, commit, "--", *(f":(top,literal){self._relative(p)}" for p in paths))
        hunks = filter(None, map(_HUNK.match, answer.split(b"\n")))
        spans = [(int(hunk[1]), int(hunk[2] or b"1")) for hunk in hunks]
        return [range(first, first + count) for first, count in spans]

    def read_file(self, commit: str, path: str) -> bytes | None:
        """Return a file's content at a commit, or None where it was not there."""
        name = f"{commit}:{self._relative(path)}"
        try:
            size = int(self._run("cat-file", "-s", name))
        except (GitFailed, ValueError):
            return None
        if size > MAX_FILE_BYTES:
            return None
        return self._run("cat-file", "blob", name)

    @property
    def is_shallow(self) -> bool:
        """Whether this clone has only the last commits."""
        return self._run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def find_object(self, commit: str, path: str) -> tuple[str, str] | None:
        """Return the name and the type ("blob" or "tree") of what a commit has at a path from the root, or None."""
        try:
            name = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{path}").decode("ascii")
            return name.strip(), self._run("cat-file", "-t", name.strip()).decode("ascii").strip()
        except GitFailed:
            return None

    def list_tree(self, tree: str) -> list[Blob]:
        """Return the files in a tree and those below it, without submodules."""
        blobs = []
        for line in self._run("ls-tree", "-r", "-l", "-z", "--full-tree", tree).split(b"\0"):
            entry, _, name = line.partition(b"\t")
            if name:
                mode, kind, content, size = entry.split()
                if kind == b"blob":
                    blobs.append(Blob(os.fsdecode(name), content.decode("ascii"), int(size), mode == b"120000"))
        return blobs

    def measure_blob(self, name: str) -> int:
        """Return the size of a content in bytes."""
        return int(self._run("cat-file", "-s", name))

    def read_blobs(self, ids: Sequence[str]) -> list[bytes | None]:
        """Return the contents that git knows by these names; None where one is missing."""
        answer = self._run("cat-file", "--batch", data="".join(f"{name}\n" for name in ids).encode("ascii"))
        contents: list[bytes | None] = []
        at = 0
        for _ in ids:
            end = answer.index(b"\n", at)
            fields = answer[at:end].split()
            at = end + 1
            if fields[-1] == b"missing":
                contents.append(None)
            else:
                size = int(fields[-1])
                contents.append(answer[at : at + size])
                at += size + 1
        return contents

    def list_ignored(self, folder: str) -> list[str]:
        """Return the files and directories below a folder that git is told to ignore."""
        options = ("--others", "--ignored", "--exclude-standard", "--directory", "--full-name")
        names = self._run("ls-files", "-z", *options, "--", f":(top,literal){self._relative(folder)}")
        return [self._absolute(name.rstrip(b"/")) for name in names.split(b"\0") if name]

    def read_commit_date(self) -> date | None:
        """Return the day of the last commit in UTC, or None before the first."""
        try:
            commit = self.resolve("HEAD")
        except GitFailed:
            return None
        # Not `git show`, which would open a .mailmap of the work tree, and wait for one that is a pipe.
        committed = _COMMITTED.search(self._run("cat-file", "commit", commit))
        return date.fromordinal(date(1970, 1, 1).toordinal() + int(committed[1]) // 86_400) if committed else None

    def _absolute(self, name: bytes) -> str:
        return os.path.join(self.root, os.fsdecode(name))

    def _relative(self, path: str) -> str:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        return os.path.relpath(real, self.root).replace(os.sep, "/")

    def _run(self, *arguments: str, data: bytes = b"") -> bytes:
        return self._git.run(*arguments, data=data)
