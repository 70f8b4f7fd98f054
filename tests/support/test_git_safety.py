"""Git is asked about a repository whose author would like to have a program run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

import pytest

from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.pages.versions import open_versions
from steelyard.support.git import GitFailed, Repository
from steelyard.support.git_folder import find_place, find_program
from tests.check.shared import GOOD, WEAK, git, make_repository, write

DAY = date(2026, 7, 1)
# Settings whose names have a free part, which git's own list shows as a placeholder.
FREE = """
filter.x.clean filter.x.smudge filter.x.process filter.x.required diff.x.command diff.x.textconv merge.x.driver
remote.origin.uploadpack remote.origin.url remote.origin.vcs url.ext::sh.insteadOf protocol.ext.allow include.path
alias.diff alias.rev-parse pager.diff pager.show pager.config gpg.openpgp.program gpg.ssh.program gpg.x509.program
credential.helper difftool.x.cmd mergetool.x.cmd man.x.cmd browser.x.cmd trailer.x.command core.worktree
""".split()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    forget_files()
    files = {"docs/a.md": WEAK, "docs/b.md": GOOD, "steelyard.toml": 'as_of = "commit"\n', ".gitattributes": "* text\n"}
    return make_repository(tmp_path / "site", files)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a trace; whoever asks for its output gets the input back."""
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\ncat\n")
    path.chmod(0o755)
    return path


def list_programs_settings(program: Path) -> Iterable[tuple[str, str]]:
    """Every setting that this git knows, with the program as its value."""
    known = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout.split()
    for name in (*known, *FREE):
        if not set(name) & set("*<_'") and "." in name and "extensions" not in name:
            yield name, str(program)


def ask_everything(folder: Path) -> list[object]:
    """Ask all that we ever ask git; the first line of a.md is changed first."""
    page = folder / "docs" / "a.md"
    page.write_text(f"Changed.\n\n{WEAK}", "utf-8")
    write(folder, {"docs/new.md": WEAK, "docs/ignored.md": WEAK, ".gitignore": "ignored.md\n"})
    repository = Repository(str(folder / "docs"))
    base = repository.find_base("main")
    changes = repository.list_changes(base)
    found = repository.find_object(base, "docs")
    assert found is not None
    blobs = repository.list_tree(found[0])
    run, _ = Checker(since="main").run([str(folder / "docs")])
    return [
        [(os.path.relpath(c.path, folder), repository.list_changed_lines(base, c)) for c in changes],
        [blob.path for blob in blobs],
        [os.path.relpath(path, folder) for path in repository.list_ignored(str(folder))],
        repository.read_blobs([blob.id for blob in blobs]),
        repository.read_file(base, str(page)),
        repository.measure_blob(blobs[0].id),
        repository.read_commit_date(),
        repository.is_shallow,
        [(page.score, [f.line for f in page.reported if f.is_changed]) for page in run.pages],
    ]


def test_no_setting_of_a_repository_runs_a_program_or_changes_an_answer(site: Path, program: Path) -> None:
    expected = ask_everything(site)
    git(site, "checkout", "-q", "--", ".")
    shutil.rmtree(site / "docs")
    git(site, "checkout", "-q", "--", ".")
    lines = []
    for name, value in list_programs_settings(program):
        section, _, rest = name.partition(".")
        part, _, key = rest.rpartition(".")
        lines.append(f'[{section} "{part}"]\n\t{key} = {value}\n' if part else f"[{section}]\n\t{key} = {value}\n")
    assert len(lines) > 400
    with (site / ".git" / "config").open("a") as file:
        file.writelines([*lines, "[core]\n\tautocrlf = false\n\teol = lf\n\tignorecase = false\n\tsymlinks = true\n"])
        file.write("\tfilemode = true\n\ttrustctime = true\n\tcheckstat = default\n\tprecomposeunicode = false\n")
        file.write("\trepositoryformatversion = 0\n\tbare = false\n")
    (site / ".git" / "info" / "attributes").write_text("* filter=x diff=x merge=x\n")
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(program, site / ".git" / "hooks" / hook)
    assert ask_everything(site) == expected
    assert not (program.parent / "PWNED").exists()


def test_the_test_above_would_see_a_program_that_runs(site: Path, program: Path) -> None:
    git(site, "config", "filter.x.clean", str(program))
    (site / ".git" / "info" / "attributes").write_text("* filter=x\n")
    (site / "docs" / "a.md").write_text("Changed.\n")
    git(site, "diff", "--stat")
    assert (program.parent / "PWNED").exists()


def embed_bare(folder: Path, program: Path) -> None:
    """Put what an ordinary clone may carry into a folder: a bare repository with a configuration."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder / "new")], check=True)
    for path in (folder / "new").iterdir():
        shutil.move(path, folder)
    settings = (
        f"\tfsmonitor = {program}\n\tworktree = {folder}\n[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n"
    )
    config = (folder / "config").read_text().replace("bare = true", "bare = false")
    (folder / "config").write_text(config + settings + f'[filter "x"]\n\tclean = {program}\n')
    (folder / ".gitattributes").write_text("* filter=x\n")


def test_a_bare_repository_among_the_pages_is_no_repository(site: Path, program: Path) -> None:
    embed_bare(site / "docs", program)
    git(site, "add", "-A")
    assert find_place(str(site / "docs")).root == os.path.realpath(site)
    for asked in ("docs", "docs/a.md"):
        for since in (None, "main"):
            Checker(since=since).run([str(site / asked)])
    assert not (program.parent / "PWNED").exists()


def test_a_submodule_is_not_asked_for_its_state(site: Path, program: Path) -> None:
    inner = make_repository(site / "docs" / "inner", {"c.md": WEAK})
    git(site, "add", "-A")
    git(site, "commit", "-q", "-m", "with a repository inside")
    git(inner, "config", "core.fsmonitor", str(program))
    (inner / "c.md").write_text(GOOD)
    Checker(as_of=DAY, since="main").run([str(site)])
    assert not (program.parent / "PWNED").exists()
    git(site, "diff", "main")
    assert (program.parent / "PWNED").exists()  # as git itself would


def test_a_missing_object_is_not_fetched(site: Path, program: Path) -> None:
    remote = make_repository(program.parent / "remote", {"a.md": WEAK})
    for name, value in (
        ("remote.o.url", str(remote)),
        ("remote.o.uploadpack", str(program)),
        ("remote.o.promisor", "true"),
    ):
        git(site, "config", name, value)
    git(site, "config", "extensions.partialClone", "o")
    git(site, "config", "core.repositoryFormatVersion", "1")
    blob = git(site, "rev-parse", "HEAD:docs/a.md").strip()
    (site / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert Repository(str(site)).read_blobs([blob]) == [None]
    assert not (program.parent / "PWNED").exists()
    program.write_text(f"#!/bin/sh\ntouch '{program.parent}/PWNED'\n")  # the other would wait for git, and git for it
    with pytest.raises(subprocess.CalledProcessError):
        git(site, "cat-file", "-p", blob)
    assert (program.parent / "PWNED").exists()  # as git itself would


def make_work_tree(site: Path) -> Path:
    git(site, "worktree", "add", "-q", "-b", "other", str(site.parent / "tree"))
    return site.parent / "tree"


def make_submodule(site: Path) -> Path:
    outer = make_repository(site.parent / "outer", {"x.md": WEAK})
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(site), "inner")
    return outer / "inner"


def make_clone(site: Path) -> Path:
    git(site.parent, "clone", "-q", str(site), "clone")
    return site.parent / "clone"


@pytest.mark.parametrize("make", [make_work_tree, make_submodule, make_clone])
def test_other_forms_of_repositories_give_the_same_answers(site: Path, make: Callable[[Path], Path]) -> None:
    other = make(site)
    assert ask_everything(other) == ask_everything(site)


def test_a_dot_git_that_leads_to_another_repository_is_refused(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {site / '.git'}\n")
    with pytest.raises(GitFailed, match="belongs to another directory"):
        Repository(str(folder))
    (folder / ".git").unlink()
    (folder / ".git").symlink_to(site / ".git")
    with pytest.raises(GitFailed, match="not a git repository"):
        Repository(str(folder))


def test_what_git_takes_from_the_configuration_is_known(site: Path) -> None:
    clone = make_clone(site)
    assert Repository(str(clone)).resolve("@{upstream}") == Repository(str(site)).resolve("main")
    git(site, "config", "core.autocrlf", "true")
    (site / "docs" / "a.md").write_bytes(WEAK.replace("\n", "\r\n").encode())
    repository = Repository(str(site))
    assert repository.list_changes(repository.resolve("main")) == [], "line ends are compared as the user does"


def test_hashes_of_the_new_kind(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    git(folder, "init", "-q", "--object-format=sha256", "--initial-branch=main")
    write(folder, {"a.md": WEAK})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    assert len(Repository(str(folder)).resolve("main")) == 64


def test_nothing_is_left_of_the_directory_that_git_was_given(site: Path, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    repository = Repository(str(site))
    repository.resolve("main")
    del repository
    assert list((tmp_path / "temporary").iterdir()) == []
    assert git(site, "log", "--oneline")


def test_a_program_is_never_looked_for_in_the_working_directory(site: Path, program: Path, monkeypatch) -> None:
    shutil.copy(program, site / "git")
    (site / "bin").mkdir()
    shutil.copy(program, site / "bin" / "git")
    monkeypatch.chdir(site)
    monkeypatch.setenv("PATH", f":.:bin:./bin:{os.environ['PATH']}")
    assert find_program("git") == shutil.which("git", path=os.environ["PATH"].removeprefix(":.:bin:./bin:"))
    open_versions("main:docs", "docs", 10_000_000)
    assert not (program.parent / "PWNED").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_in_the_place_of_names_of_people_is_not_opened(site: Path) -> None:
    os.mkfifo(site / ".mailmap")
    assert Repository(str(site)).read_commit_date() == date(2026, 5, 1)


def test_the_index_of_a_repository_is_not_written(site: Path) -> None:
    for name in ("a.md", "b.md"):
        os.utime(site / "docs" / name, (1, 1))  # git would note that they are as they were
    (site / ".git" / "index").chmod(0o600)
    before = (site / ".git" / "index").stat().st_mtime_ns, (site / ".git" / "index").read_bytes()
    repository = Repository(str(site))
    assert repository.list_changes(repository.resolve("main")) == []
    assert ((site / ".git" / "index").stat().st_mtime_ns, (site / ".git" / "index").read_bytes()) == before


def test_a_part_of_a_git_directory_is_no_link_out_of_it(site: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other", {"secret.md": WEAK})
    git(other, "pack-refs", "--all")
    parts = ("HEAD", "refs", "objects", "packed-refs", "index", "config", "refs/heads", "objects/pack", "info/exclude")
    for name in parts:
        copy = tmp_path / "copy"
        shutil.copytree(site, copy)
        path = copy / ".git" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(other / ".git" / name)
        assert name != "HEAD" or path.is_file()  # without one it is no repository for anybody
        with pytest.raises(GitFailed, match="a link out of the git directory"):
            Repository(str(copy))
        shutil.rmtree(copy)


def test_a_git_directory_shares_nothing_with_another_and_reads_no_objects_of_it(site: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other", {"secret.md": "Nobody else may read this.\n"})
    git(other, "branch", "private")
    (site / ".git" / "commondir").write_text(f"{other / '.git'}\n")
    with pytest.raises(GitFailed, match="git knows no commit"):
        Repository(str(site)).resolve("private")
    (site / ".git" / "commondir").unlink()
    (site / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (site / ".git" / "objects" / "info" / "alternates").write_text(f"{other / '.git' / 'objects'}\n")
    with pytest.raises(GitFailed, match="objects of another repository"):
        Repository(str(site))
    blob = git(other, "rev-parse", "HEAD:secret.md").strip()
    assert "Nobody" in git(site, "cat-file", "-p", blob)  # as git itself would
