"""A folder is hostile too: links out of it, loops, pipes, sockets, devices, depth."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from steelyard.inputs.find import find_pages
from tests.contract.shared import run_steelyard
from tests.hostile.pages import SENTENCE, within

PAGE = SENTENCE * 4
as_user = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads every file")

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "page.md").write_text(PAGE)
    return folder


def sources(folder: Path) -> list[str]:
    """The pages found, relative to the folder; an error among them fails the test."""
    refs = list(find_pages([str(folder)]))
    assert all(ref.error is None for ref in refs), refs
    return [os.path.relpath(ref.source, folder) for ref in refs]


def sources_of(pattern: str) -> list[str]:
    return [ref.source for ref in find_pages([pattern])]


def scored(*arguments: str | bytes, cwd: Path | None = None) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON."""
    done = run_steelyard("score", *arguments, "--format", "json", cwd=cwd)
    assert done.stdout, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)


def test_only_page_suffixes_count_whatever_their_case(site: Path):
    pages = ["a.MD", "b.markdown", "c.mdx", "d.txt", "e.html", "f.HTM", "g.xhtml"]
    for name in (*pages, "h.py", "i.jsonl", "j", "k.md.bak"):
        (site / name).write_text(PAGE)
    assert sources(site) == [*pages, "page.md"]


def test_links_that_lead_out_of_the_folder_are_not_followed_and_those_inside_are(site: Path):
    outside, sibling = site.parent / "secret", site.parent / "site-private"  # whose name begins like the folder's
    for folder in (outside, sibling):
        folder.mkdir()
        (folder / "password.md").write_text(PAGE)
    (site / "file.md").symlink_to(outside / "password.md")
    (site / "folder").symlink_to(outside)
    (site / "folder.md").symlink_to(outside)
    (site / "up.md").symlink_to("../secret/password.md")
    (site / "etc.md").symlink_to("/etc/hostname")
    (site / "chain.md").symlink_to(site / "file.md")
    (site / "sibling.md").symlink_to(sibling / "password.md")
    (site / "alias.md").symlink_to("page.md")
    assert sources(site) == ["alias.md", "page.md"]
    (site.parent / "link").symlink_to(site)
    assert sources(site.parent / "link") == ["alias.md", "page.md"], "a folder that is named is walked, link or not"


def test_loops_end(site: Path):
    (site / "self.md").symlink_to("self.md")
    (site / "here").symlink_to(".")
    (site / "up").symlink_to("..")
    (site / "a.md").symlink_to("b.md")
    (site / "b.md").symlink_to("a.md")
    (site / "dangling.md").symlink_to("nothing.md")
    with within(10):
        assert sources(site) == ["page.md"]


def test_a_pattern_follows_no_link_out_of_the_folder_and_ends_in_loops(site: Path):
    (site.parent / "secret.md").write_text(PAGE)
    (site / "folder" / "inner").mkdir(parents=True)
    (site / "folder" / "inner" / "page.md").write_text(PAGE)
    for at, target in enumerate((".", "..", "/etc", str(site / "folder"), str(site.parent / "secret.md"), "loop0.md")):
        (site / f"loop{at}.md").symlink_to(target)
        (site / "folder" / f"loop{at}").symlink_to(target)
    for pattern in ("**/*.md", "**", "*/*/*.md", "**/page.md", "*", "**/**/**/p*.md"):
        with within(10, pattern):
            found = {path.relative_to(site).as_posix() for path in map(Path, sources_of(str(site / pattern)))}
        assert found, pattern
        assert found <= {"page.md", "folder/inner/page.md"}, pattern


def test_hidden_names_are_passed_over_unless_a_pattern_begins_with_a_dot(site: Path):
    (site / ".hidden").mkdir()
    (site / ".hidden" / "a.md").write_text(PAGE)
    (site / ".b.md").write_text(PAGE)
    assert sources(site) == ["page.md"]
    for pattern, name in (("**/*.md", "page.md"), (".*/*.md", "a.md"), (".*.md", ".b.md")):
        assert [Path(path).name for path in sources_of(str(site / pattern))] == [name]


@needs_pipes
def test_pipes_sockets_and_devices_in_a_folder_are_passed_over(site: Path, monkeypatch: pytest.MonkeyPatch):
    os.mkfifo(site / "pipe.md")
    monkeypatch.chdir(site)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        (site / "null.md").symlink_to(os.devnull)
        (site / "zero.md").symlink_to("/dev/zero")
        with within(10):
            assert sources(site) == ["page.md"]
    assert stat.S_ISFIFO((site / "pipe.md").stat().st_mode)


@needs_pipes
def test_a_pipe_or_a_device_that_is_asked_for_by_name_is_an_error(site: Path):
    for name in ("pipe.md", "pipe.jsonl"):
        os.mkfifo(site / name)
    code, result = scored("pipe.md", "pipe.jsonl", os.devnull, "page.md", cwd=site)
    assert code == 2
    assert [p["source"] for p in result["pages"]] == ["page.md"]
    assert len(result["errors"]) == 3
    assert all("not a regular file" in e["error"] for e in result["errors"])


def test_what_is_not_there_is_an_error_and_the_others_are_scored(site: Path):
    (site / "self.md").symlink_to("self.md")
    (site / "dangling.md").symlink_to("nothing.md")
    absent = ["nothing.md", "self.md", "dangling.md", "x" * 5_000]
    code, result = scored(*absent, "page.md", b"nothing\xff.md", cwd=site)
    assert code == 2
    assert [p["source"] for p in result["pages"]] == ["page.md"]
    assert [e["source"] for e in result["errors"]][:-1] == absent
    assert len(result["errors"]) == 5


@as_user
@pytest.mark.parametrize("is_folder", [False, True])
def test_what_cannot_be_read_is_an_error_and_the_others_are_scored(site: Path, is_folder: bool):
    closed = site / "closed.md"
    closed.mkdir() if is_folder else closed.write_text(PAGE)
    closed.chmod(0)
    try:
        code, result = scored(".", cwd=site)
    finally:
        closed.chmod(0o700)
    assert code == 2
    assert [p["source"] for p in result["pages"]] == ["./page.md"]
    (error,) = result["errors"]
    assert is_folder or "permission denied" in error["error"]


def test_a_very_deep_folder_is_walked(site: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(site)
    depth = 1_200
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    Path("deep.md").write_text(PAGE)
    try:
        code, result = scored(".", cwd=site)
    finally:  # pytest removes folders by recursion
        Path("deep.md").unlink()
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")
    assert code == 0
    assert len(result["pages"]) == 2


def test_names_that_are_no_unicode_are_scored_and_checked_in_every_format(site: Path):
    names = [b"caf\xe9.md", b"\xed\xa0\x80.md", b"folder\xff/page.md"]
    try:
        for name in names:
            path = Path(os.fsdecode(os.path.join(os.fsencode(site), name)))
            path.parent.mkdir(exist_ok=True)
            path.write_text(PAGE)
    except OSError:
        pytest.skip("this file system takes only Unicode names")
    code, result = scored(".", cwd=site)
    assert (code, len(result["pages"])) == (0, 4)
    (site / ".steelyardignore").write_text("*.txt\n/other/\n", "utf-8")
    made = run_steelyard("check", ".", "--no-cache", "--write-baseline", cwd=site)
    assert made.returncode in (0, 1), made.stderr.decode()
    for form in ("human", "json", "sarif", "junit", "markdown", "github"):
        done = run_steelyard("check", ".", "--no-cache", "--format", form, cwd=site)
        assert done.returncode == 0, (form, done.stderr.decode())
        assert done.stdout.decode("utf-8"), form
