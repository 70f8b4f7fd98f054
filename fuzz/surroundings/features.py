"""What a stranger may put around pages; one function for each kind of thing."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from fuzz.surroundings.place import FORBIDDEN, SENTENCE, Place, run_git, write_pages

Feature = Callable[[random.Random, Place], None]
SUFFIXES = (".md", ".html", ".txt", ".mdx", "")
PAGES = ("docs", "old", "corpus", ".")
# Files that this project reads without being asked for them by name.
OURS = ("steelyard.toml", "pyproject.toml", ".steelyardignore", "steelyard-baseline.json")
# Files that libraries and programs obey where they find them.
OTHERS = {
    "matplotlibrc": "backend: module://evil\ntext.usetex: True\n", "scrapy.cfg": "[settings]\ndefault = evil\n",
    ".env": "FASTMCP_DEBUG=1\nPYTHONPATH=.\n", "pip.conf": "[global]\nindex-url = http://127.0.0.1:9/\n",
    "setup.cfg": "[easy_install]\n", "alembic.ini": "[alembic]\nscript_location = .\n", "pyvenv.cfg": "home = .\n",
    "openssl.cnf": "openssl_conf = x\n", ".pythonrc": "import evil\n", "evil.pth": "import evil\n",
    ".netrc": "machine 127.0.0.1 login a password b\n", "logging.conf": "[loggers]\nkeys=root\n",
    ".mailmap": "x <x> <y>\n", ".lesskey": "#command\n", "trafilatura.cfg": "[DEFAULT]\n", "ray.yaml": "x: 1\n",
    "settings.cfg": "[DEFAULT]\nMIN_EXTRACTED_SIZE = 1\n", ".python-version": "2.7\n", ".sqliterc": ".shell touch x\n",
    "python._pth": ".\nimport site\n", "uvicorn.toml": "x = 1\n", ".duckdbrc": ".shell touch x\n",
}  # fmt: skip
PROGRAMS = (
    "git python python3 gpg sh bash less latex ssh uname ldconfig gcc env xdg-open stty tput cat git-diff "
    "git-rev-parse hg lsb_release fc-list"
).split()


def add_names(rng: random.Random, place: Place) -> None:
    """Pages with names that shells, terminals, git, globs, formats and encodings stumble over."""
    names: tuple[bytes, ...] = (
        b"caf\xe9.md", b"\xff\xfe.md", b"\xed\xa0\x80.md", b"new\nline.md", b"tab\t.md", b"-rf.md", b"--output=x.md",
        b"[x].md", b"*.md", b"?.html", b"a:b.md", b"HEAD:docs.md", b"$(touch RAN).md", b";touch RAN;.md", b"`x`.md",
        b"::error::x.md", b"##[error]x.md", b"\x1b[2Jx.md", b"' OR 1.md", b"<script>.html", b"&amp;.md", b"%s%n.md",
        b"\xe2\x80\xaegpj.md", b"x" * 250 + b".md", "é.md".encode(), "e\u0301.md".encode(), b"con.md", b" .md",
        b"..md", b"...md", b"docs.md", b"=1+1.md", b"https:.md", b"\\\\host\\x.md", b"~.md", b"{a,b}.md",
    )  # fmt: skip
    for name in rng.sample(names, rng.randint(1, 8)):
        folder = place.tree / rng.choice(PAGES[:3])
        with suppress(OSError):  # a file system without such names
            Path(os.fsdecode(os.path.join(os.fsencode(folder), name))).write_text(f"# Page\n\n{SENTENCE * 5}")
    if rng.random() < 0.3:
        folder = Path(os.fsdecode(os.fsencode(place.tree / "docs") + b"/\xe9"))
        with suppress(OSError):
            write_pages(folder)


def add_links(rng: random.Random, place: Place) -> None:
    """Links out of the tree, to devices, in circles, and in the place of files and directories that are expected."""
    outside = [place.outside / "secret.md", place.outside / "pages", place.outside, place.home / ".ssh" / "id_rsa"]
    targets = [*map(str, outside), "/", "..", ".", "/dev/zero", "/dev/stdin", "loop.md", *FORBIDDEN, str(place.base)]
    for _ in range(rng.randint(1, 8)):
        name = f"link{rng.randint(0, 99)}{rng.choice(SUFFIXES)}"
        link(place.tree / rng.choice(PAGES) / name, rng.choice(targets))
    link(place.tree / "docs" / "loop.md", "loop.md")


def add_linked_files(rng: random.Random, place: Place) -> None:
    """Files that we look for by name, as links to something outside."""
    for name in rng.sample(OURS, rng.randint(1, 3)):
        target = rng.choice(("secret.md", "weights.json", "settings.toml"))
        link(place.tree / rng.choice(("", "docs")) / name, str(place.outside / target))


def add_linked_outputs(rng: random.Random, place: Place) -> None:
    """Outputs that exist already, as links to files of somebody else."""
    for name in ("report.html", "out.json", "kept.jsonl", "findings.sarif", "steelyard-baseline.json"):
        if rng.random() < 0.6:
            link(place.tree / name, str(place.outside / "secret.md"))


def add_configuration(rng: random.Random, place: Place) -> None:
    """A configuration that wants files outside, or is not what it should be."""
    path = rng.choice(("../outside/weights.json", str(place.outside / "weights.json"), "docs/w.json", "/dev/zero", "."))
    lines = [
        f'weights = "{path}"', f'baseline = "{path}"', 'edition = "2026"', 'as_of = "commit"', "detect = true",
        'include = ["../**", "/etc/*", "**"]', 'exclude = ["!**"]', f'extends = "{path}"', 'site = "file:///etc/"',
        '[[overrides]]\nfiles = ["**"]\nweights = "../outside/weights.json"', 'language = "../../x"',
        "min_score = 101", "x" * 1000 + " = 1", "\udcff", "[tool.steelyard]", "a" + ".a" * 500 + " = 1",
    ]  # fmt: skip
    chosen = "\n".join(rng.sample(lines, rng.randint(1, 4)))
    data = chosen.encode("utf-8", "surrogateescape")
    if rng.random() < 0.1:
        data = chosen.encode("utf-16", "replace")
    name = rng.choice(("steelyard.toml", "steelyard.toml", "pyproject.toml", ".steelyardignore"))
    write(place.tree / rng.choice(("", "docs")) / name, data)
    write(place.tree / "docs" / "w.json", b'{"' + str(place.outside).encode() + b'": 1}')


def add_settings_of_others(rng: random.Random, place: Place) -> None:
    """Files that libraries look for in the working directory."""
    for name in rng.sample(list(OTHERS), rng.randint(2, 10)):
        write(place.tree / rng.choice(("", "", "docs")) / name, OTHERS[name].encode())


def add_modules(rng: random.Random, place: Place) -> None:
    """Modules named like ours, Python's and those of libraries."""
    third = (
        "click re2 lxml trafilatura pyarrow numpy scipy matplotlib sqlalchemy starlette uvicorn mcp "
        "pygls lsprotocol alembic scrapy twisted pathspec jinja2 evil"
    ).split()
    names = [*rng.sample(sorted(sys.stdlib_module_names), 60), *third, "steelyard", "sitecustomize", "usercustomize"]
    code = f"open({str(place.mark)!r}, 'a').write(__name__)\n".encode()
    for name in names:
        folder = place.tree / rng.choice(("", "", "docs", "corpus"))
        form = rng.choice(("{}.py", "{}/__init__.py", "{}.py", "{}/__main__.py"))
        write(folder / form.format(name), code)
    write(place.tree / "conftest.py", code)


def add_programs(rng: random.Random, place: Place) -> None:
    """Programs named like those that somebody may start."""
    for name in rng.sample(PROGRAMS, rng.randint(4, len(PROGRAMS))):
        write_program(place.tree / rng.choice(("", "", "docs", "bin")) / name, place)


def add_bare_repository(rng: random.Random, place: Place) -> None:
    """A bare repository among the pages, as an ordinary clone can carry, with settings that name programs."""
    folder = place.tree / rng.choice(("docs", "docs", "old", "corpus"))
    run_git(place.base, "init", "-q", "--bare", str(place.base / "bare"))
    for path in list((place.base / "bare").iterdir()):
        shutil.move(path, folder)
    (place.base / "bare").rmdir()
    program = write_program(folder / "program", place)
    config = (folder / "config").read_text()
    if rng.random() < 0.7:
        config = config.replace("bare = true", f"bare = false\n\tworktree = {folder}")
    write(folder / "config", (config + hostile_settings(program)).encode())
    write(folder / ".gitattributes", b"* filter=x diff=x merge=x\n")
    add_hooks(folder / "hooks", place)


def add_repository_settings(rng: random.Random, place: Place) -> None:
    """The tree's own repository, as from an archive, with settings and hooks that name programs."""
    program = write_program(place.tree / ".git" / "program", place)
    with suppress(OSError), (place.tree / ".git" / "config").open("a") as file:
        file.write(hostile_settings(program))
        if rng.random() < 0.3:
            file.write(f"[core]\n\tworktree = {rng.choice((place.outside, '/'))}\n")
    write(place.tree / ".gitattributes", b"* filter=x diff=x merge=x\n")
    add_hooks(place.tree / ".git" / "hooks", place)


def add_inner_repository(rng: random.Random, place: Place) -> None:
    """A repository inside the repository, and names of git directories that lead elsewhere."""
    inner = place.tree / "docs" / "inner"
    write_pages(inner)
    run_git(inner, "init", "-q")
    run_git(inner, "add", "-A")
    run_git(inner, "commit", "-q", "-m", "inner")
    run_git(place.tree, "-c", "advice.addEmbeddedRepo=false", "add", "docs/inner")
    with (inner / ".git" / "config").open("a") as file:
        file.write(hostile_settings(write_program(inner / "program", place)))
    if rng.random() < 0.5:
        shutil.rmtree(place.tree / "old", ignore_errors=True)
        write_pages(place.tree / "old")
        other = rng.choice((place.outside / "repository", inner / ".git", place.tree / ".git"))
        if other == place.outside / "repository":
            run_git(place.outside, "init", "-q", str(other))
        if rng.random() < 0.5:
            write(place.tree / "old" / ".git", f"gitdir: {other}\n".encode())
        else:
            link(place.tree / "old" / ".git", str(other))


def add_linked_git_files(rng: random.Random, place: Place) -> None:
    """Parts of the git directory that lead to another repository, or to files of somebody else."""
    other = place.outside / "other"
    if not other.exists():
        write_pages(other)
        for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "secret")):
            run_git(other, *arguments)
    own = place.tree / ".git"
    for name in rng.sample(("HEAD", "config", "index", "objects", "refs", "packed-refs", "logs", "info"), 2):
        link(
            own / name, rng.choice((str(other / ".git" / name), str(other / ".git"), str(place.outside / "secret.md")))
        )
    if rng.random() < 0.4:
        write(own / "commondir", f"{other / '.git'}\n".encode())
    if rng.random() < 0.4:
        write(own / "objects" / "info" / "alternates", f"{other / '.git' / 'objects'}\n".encode())
    if rng.random() < 0.3:
        link(own / "refs" / "heads" / "main", str(other / ".git" / "refs" / "heads" / "main"))


def add_special_files(rng: random.Random, place: Place) -> None:
    """Pipes, sockets and devices, among the pages and in the place of files that are expected."""
    names = [*OURS, *OTHERS, "docs/pipe.md", "docs/socket.html", "corpus/rows2.jsonl", "old/device.txt", ".git/x"]
    for name in rng.sample(names, rng.randint(2, 8)):
        path = place.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(path)
        with suppress(OSError):  # not root, or a path that is too long for a socket
            kind = rng.choice(("pipe", "pipe", "socket", "device", "folder"))
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "socket":
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(str(path))
            elif kind == "device":
                os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
            else:
                path.mkdir()


def add_encodings(rng: random.Random, place: Place) -> None:
    """Pages that are no UTF-8, no text, or not what their name says."""
    text = f"# Größe\n\n{SENTENCE * 5}"
    forms = [text.encode(form, "replace") for form in ("utf-16", "utf-32", "latin-1", "cp1252", "utf-7", "utf-8-sig")]
    forms += [bytes(range(256)) * 20, b"", b"\0" * 5000, b"\xff" * 5000, b"PK\x03\x04" + bytes(900), b"%PDF-1.4\n"]
    forms += [b"---\ntitle: !!python/object/apply:os.system ['touch RAN']\n---\n" + text.encode()]
    forms += [b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><p>&e;</p>' * 3]
    for at, data in enumerate(rng.sample(forms, rng.randint(2, 6))):
        write(place.tree / "docs" / f"encoded{at}{rng.choice(SUFFIXES[:3])}", data)


def add_corpora(rng: random.Random, place: Place) -> None:
    """Rows, records and tables that name other files."""
    names = [
        "../outside/secret.md",
        str(place.outside / "secret.md"),
        "file:///etc/hostname",
        "/etc/hostname",
        "\udcff",
    ]
    rows: list[dict[str, object]] = [
        {"text": SENTENCE * 20, "url": name, "source": name, "id": name, "path": name} for name in names
    ]
    rows += [{"path": names[0]}, {"text": {"$ref": names[1]}}, {"text": None, "url": names[2]}]
    data = "".join(json.dumps(row) + "\n" for row in rng.sample(rows, rng.randint(1, 6))).encode()
    write(place.tree / "corpus" / rng.choice(("more.jsonl", "rows.jsonl", "web_en.jsonl")), data)
    table = "".join(f"{name},50\n" for name in names[:4])
    write(place.tree / "scores.csv", f"url,score\n{table}".encode())
    write(place.tree / "corpus" / "fake.parquet", b"PAR1" + rng.randbytes(400) + b"PAR1")


FEATURES: Mapping[str, Feature] = {
    function.__name__.removeprefix("add_").replace("_", "-"): function
    for function in (
        # In this order: git itself must not meet the settings that are added for it.
        add_inner_repository, add_bare_repository, add_repository_settings, add_linked_git_files, add_names, add_links,
        add_linked_files, add_linked_outputs, add_configuration, add_settings_of_others, add_modules, add_programs,
        add_encodings, add_corpora, add_special_files,
    )
}  # fmt: skip


def hostile_settings(program: Path) -> str:
    """Return settings of git that name a program, for everything that reads a repository."""
    return (
        f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n\teditor = {program}\n"
        f"\thooksPath = {program.parent}\n\talternateRefsCommand = {program}\n"
        f'[filter "x"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n'
        f'[diff]\n\texternal = {program}\n[diff "x"]\n\tcommand = {program}\n\ttextconv = {program}\n'
        f"[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n[credential]\n\thelper = {program}\n"
        f"[include]\n\tpath = /etc/hostname\n[alias]\n\trev-parse = !{program}\n[pager]\n\tdiff = {program}\n"
    )


def add_hooks(folder: Path, place: Place) -> None:
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc"):
        write_program(folder / name, place)


def write_program(path: Path, place: Place) -> Path:
    """Write a program that leaves a mark, and passes its input on."""
    write(path, f"#!/bin/sh\necho {path.name} >>'{place.mark}'\nexec cat\n".encode())
    with suppress(OSError):
        path.chmod(0o755)
    return path


def write(path: Path, data: bytes) -> None:
    with suppress(OSError):  # something that is no directory is in the way
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(path)
        path.write_bytes(data)


def link(path: Path, target: str) -> None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(path)
        path.symlink_to(target)


def remove(path: Path) -> None:
    """Remove what an earlier feature left at a path, so that writing does not go through a link or wait for a pipe."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
