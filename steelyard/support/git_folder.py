"""A git directory of our own for a repository: its commits, branches and index, and nothing of its configuration.

The configuration of a repository can name programs in dozens of ways (filters, monitors, signatures, hooks, external
diffs, transports), and whoever made the directory has written it. So git never reads it: git is given a directory in
which the objects and references of the repository are linked and its index is copied, with a configuration of a few
switches. A bare repository inside the checked tree is never found either: only a `.git` makes a repository here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property

from steelyard.errors import SteelyardError
from steelyard.support.paths import is_inside

SECONDS = 120  # after which git is given up
_MAX_LINK = 4096  # bytes of a .git file
_MAX_CONFIGURATION = 2_000_000  # bytes
# What git needs to read the repository and to compare files as its user does: switches, and which branch follows which.
_SWITCHES = re.compile(
    r"core\.(?:autocrlf|eol|ignorecase|precomposeunicode|symlinks|filemode|trustctime|checkstat|repositoryformatversion)"
    r"|extensions\.(?:objectformat|refstorage)"
)
_VALUES = frozenset(
    "true false yes no on off 0 1 input lf crlf native default minimal sha1 sha256 files reftable".split()
)
_BRANCHES = re.compile(r"remote\..+\.fetch|branch\..+\.(?:remote|merge)", re.DOTALL)
_EXCLUDES = "core.excludesfile"  # from the user's own settings alone: it names a file
_NO_SETTINGS = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # nothing is fetched, whatever object is missing
    "GIT_NO_LAZY_FETCH": "1",
}
_OF_INDEX = ("diff", "ls-files")  # commands that read the index
_OWN = ("HEAD", "config", "index", "objects", "commondir", "gitdir")
_SHARED = ("refs", "packed-refs", "reftable", "logs", "info", "shallow")  # between the work trees of a repository


class GitFailed(SteelyardError):
    """Git is missing, or could not answer."""


@dataclass(frozen=True, slots=True)
class GitPlace:
    """Where a repository is: its top directory, the git directory of this work tree, and the one all of them share."""

    root: str
    own: str
    common: str


def find_place(folder: str) -> GitPlace:
    """Return the repository around a directory.

    Raises:
        GitFailed: There is none, or its `.git` leads to a directory that does not know of it.
    """
    root = os.path.realpath(folder)
    while not _is_repository(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            raise GitFailed(f"{folder}: not a git repository, nor is a directory above it")
        root = above
    link = os.path.join(root, ".git")
    if os.path.isdir(link):
        place = GitPlace(root, link, link)  # such a directory shares nothing, whatever it says
    else:
        own = _follow(link)
        shared = _read_line(os.path.join(own, "commondir"))
        place = GitPlace(root, own, os.path.realpath(os.path.join(own, shared)) if shared else own)
        if not _names_back(own, root, is_linked=shared is not None):
            advice = "run `git worktree repair` or `git submodule init` if it is yours"
            raise GitFailed(f"{link}: leads to a git directory that belongs to another directory; {advice}")
    _refuse_links(place)
    return place


def _refuse_links(place: GitPlace) -> None:
    """Raise GitFailed where something in a git directory leads out of it, to what may be another repository."""
    for folder in dict.fromkeys((place.own, place.common)):
        for name in (*_SHARED, *_OWN):
            for path in _walk(os.path.join(folder, name)):
                if os.path.islink(path) and not is_inside(path, folder):
                    raise GitFailed(f"{path}: a link out of the git directory; clone the repository again")
    alternates = os.path.join(place.common, "objects", "info", "alternates")
    if os.path.lexists(alternates):
        advice = "run `git repack -a -d` and remove that file if it is yours"
        raise GitFailed(f"{alternates}: names objects of another repository, which are not read; {advice}")


def _walk(path: str) -> Iterator[str]:
    """Yield a path, and what is below it where it is a directory and no link to one."""
    yield path
    if not os.path.islink(path):
        for parent, folders, files in os.walk(path):
            yield from (os.path.join(parent, name) for name in (*folders, *files))


def _is_repository(path: str) -> bool:
    """Return whether a path is a git directory with a HEAD, or a file that may lead to one; a link is neither."""
    if os.path.islink(path):
        return False
    return os.path.isfile(path) or os.path.isfile(os.path.join(path, "HEAD"))


def _follow(path: str) -> str:
    """Return the git directory that a `.git` file names."""
    line = _read_line(path) or ""
    name, _, target = line.partition(": ")
    own = os.path.realpath(os.path.join(os.path.dirname(path), target))
    if name != "gitdir" or not os.path.isfile(os.path.join(own, "HEAD")):
        raise GitFailed(f"{path}: does not name a git directory; clone the repository again, or remove the file")
    return own


def _names_back(own: str, root: str, *, is_linked: bool) -> bool:
    """Return whether a git directory elsewhere says that it belongs to this work tree or submodule."""
    if is_linked:
        named = _read_line(os.path.join(own, "gitdir")) or ""
        return os.path.realpath(os.path.dirname(named)) == root and os.path.isabs(named)
    named = dict(_read_settings(own)).get("core.worktree", "")
    return bool(named) and os.path.realpath(os.path.join(own, named)) == root


def _read_line(path: str) -> str | None:
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MAX_LINK)).rstrip("\r\n")
    except OSError:
        return None


class GitFolder:
    """A directory that git takes for that of a repository. It is removed when this object is."""

    def __init__(self, place: GitPlace) -> None:
        self.place = place
        try:
            self._path = tempfile.mkdtemp(prefix="steelyard-git-")
            self._remove = weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)
            self._fill()
        except OSError as error:
            raise GitFailed(f"{place.root}: the repository cannot be read ({error})") from error

    def _fill(self) -> None:
        place = self.place
        for name in _SHARED:
            self._show(place.common, name)
        for name in os.listdir(place.own):
            if name.startswith("sharedindex."):
                self._show(place.own, name)
        os.makedirs(os.path.join(self._path, "refs"), exist_ok=True)  # git knows a repository by it
        with open(os.path.join(self._path, "HEAD"), "wb") as file:
            file.write(os.fsencode(_read_line(os.path.join(place.own, "HEAD")) or "") + b"\n")
        of_user, of_repository = _read_user_settings(), _read_settings(place.common)
        settings = [
            *((name, value) for name, value in of_user if name == _EXCLUDES or _is_switch(name, value)),
            *((name, value) for name, value in of_repository if _BRANCHES.fullmatch(name) or _is_switch(name, value)),
        ]
        with open(os.path.join(self._path, "config"), "wb") as file:
            file.writelines(os.fsencode(_write_setting(name, value)) for name, value in settings)

    def _show(self, folder: str, name: str) -> None:
        source, target = os.path.join(folder, name), os.path.join(self._path, name)
        if not os.path.exists(source):
            return
        try:
            os.symlink(source, target)
        except OSError:  # Windows needs a privilege for links
            shutil.copytree(source, target) if os.path.isdir(source) else shutil.copyfile(source, target)

    @cached_property
    def _index(self) -> str:
        """A copy of the index: git writes into it what it learns about the files it compares."""
        copy = os.path.join(self._path, "index")
        source = _find_index(self.place.own)
        try:
            if os.path.isfile(source):
                shutil.copyfile(source, copy)
        except OSError as error:
            raise GitFailed(f"{self.place.root}: the repository cannot be read ({error})") from error
        return copy

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Return what git prints.

        Raises:
            GitFailed: It is missing, failed, or took too long.
        """
        place = self.place
        variables = {
            "GIT_DIR": self._path,
            "GIT_WORK_TREE": place.root,
            "GIT_OBJECT_DIRECTORY": os.path.join(place.common, "objects"),
            **({"GIT_INDEX_FILE": self._index} if arguments[0] in _OF_INDEX else {}),
        }
        return _run_git(arguments, place.root, {**_NO_SETTINGS, **variables}, data)


def _find_index(own: str) -> str:
    """Return the index; while a commit is made git names another one in the same directory for its hooks."""
    named = os.path.realpath(os.environ.get("GIT_INDEX_FILE") or os.path.join(own, "index"))
    return named if os.path.dirname(named) == os.path.realpath(own) else os.path.join(own, "index")


def _run_git(arguments: Sequence[str], folder: str, variables: Mapping[str, str], data: bytes = b"") -> bytes:
    """Run git in a directory, with an environment of which we know every variable that git obeys."""
    program = find_program("git")
    if program is None:
        raise GitFailed("git is not installed, and this needs it")
    harmless = {n: value for n, value in os.environ.items() if not n.startswith("GIT_") or n == "GIT_EXEC_PATH"}
    environment = {**harmless, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **variables}
    try:
        done = subprocess.run(
            [program, "-c", "core.quotePath=false", "--no-pager", *arguments],
            cwd=folder, env=environment, input=data, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise GitFailed(f"git could not be run ({error})") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
        raise GitFailed(f"git {arguments[0]}: {reason or 'failed'}")
    return done.stdout


def find_program(name: str) -> str | None:
    """Return the path of a program, or None.

    Entries of PATH that depend on the working directory are left out, and Windows' habit of looking there first: the
    directory may belong to somebody who put a program of that name into it.
    """
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    for folder in folders:
        # A name with a directory is looked up there and nowhere else.
        if path := shutil.which(os.path.join(folder, name)):
            return path
    return None


def _read_settings(folder: str) -> list[tuple[str, str]]:
    """Return the settings of a repository; files that they include are not read."""
    path = os.path.join(folder, "config")
    with suppress(OSError):
        if os.path.isfile(path) and os.path.getsize(path) <= _MAX_CONFIGURATION:
            return _list_settings(_NO_SETTINGS, "--file", path, "--no-includes")
    return []


@cache
def _read_user_settings() -> list[tuple[str, str]]:
    """Return the settings of the user and of the system, as git would outside of any repository."""
    variables = {name: os.environ[name] for name in _NO_SETTINGS if name in os.environ}
    with suppress(GitFailed, OSError):
        return _list_settings(variables)
    return []


def _list_settings(variables: Mapping[str, str], *options: str) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="steelyard-git-") as empty:  # in a repository git would obey that one, too
        alone = {**variables, "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(empty))}
        answer = _run_git(("config", *options, "--list", "-z"), empty, alone)
    entries = (os.fsdecode(entry).partition("\n") for entry in answer.split(b"\0") if entry)
    return [(name, value if separator else "true") for name, separator, value in entries]


def _is_switch(name: str, value: str) -> bool:
    return _SWITCHES.fullmatch(name) is not None and value.lower() in _VALUES


def _write_setting(name: str, value: str) -> str:
    """Return a setting as it stands in a configuration file."""
    section, _, rest = name.partition(".")
    part, _, key = rest.rpartition(".")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    head = f"[{section}]" if not part else '[{} "{}"]'.format(section, part.replace("\\", "\\\\").replace('"', '\\"'))
    return f'{head}\n\t{key} = "{quoted}"\n'
