"""Which files an assistant may have read: only pages in the allowed folders, whatever a path looks like."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from steelyard.check.mcp import roots as module
from steelyard.check.mcp.roots import Roots
from steelyard.errors import PageUnreadable

SECRET = "the secret word is heliotrope"
OUTSIDE = "outside the allowed folders"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with pages, beside a folder with a secret."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "secret.md").write_text(SECRET)
    folder = tmp_path / "site"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "page.md").write_text("# Tides\n")
    (folder / "key.pem").write_text(SECRET)
    return folder


def refuse(folder: Path, path: str) -> str:
    with pytest.raises(PageUnreadable) as caught:
        Roots([str(folder)]).read(path)
    message = str(caught.value)
    assert "heliotrope" not in message
    assert "\n" not in message
    return message


def test_a_page_is_read_by_its_relative_and_its_absolute_path(site: Path) -> None:
    for path in ("docs/page.md", "./docs/../docs/page.md", str(site / "docs" / "page.md")):
        page = Roots([str(site)]).read(path)
        assert (page.name, page.text, page.is_file) == ("docs/page.md", "# Tides\n", True)


def test_a_path_outside_is_refused_alike_whether_or_not_there_is_a_file(site: Path) -> None:
    for path in ("../private/secret.md", "docs/../../private/secret.md", "/etc/passwd", "/", ".."):
        assert OUTSIDE in refuse(site, path), path
    assert refuse(site, "../private/secret.md") == refuse(site, "../private/nothing.md")
    assert refuse(site, str(site.parent / "private" / "secret.md")) == refuse(site, "/nowhere/at/all.md")
    beside = site.parent / "site-private"  # whose name begins like that of the allowed folder
    beside.mkdir()
    (beside / "page.md").write_text(SECRET)
    assert OUTSIDE in refuse(site, str(beside / "page.md"))


def test_links_are_followed_only_inside(site: Path) -> None:
    (site / "out.md").symlink_to(site.parent / "private" / "secret.md")
    (site / "folder").symlink_to(site.parent / "private")
    (site / "in.md").symlink_to(site / "docs" / "page.md")
    (site / "loop.md").symlink_to(site / "loop.md")
    (site / "key.md").symlink_to(site / "key.pem")
    assert OUTSIDE in refuse(site, "out.md")
    assert OUTSIDE in refuse(site, "folder/secret.md")
    assert "not a page" in refuse(site, "key.md")
    assert refuse(site, "loop.md")
    assert Roots([str(site)]).read("in.md").name == "docs/page.md"


def test_an_allowed_folder_may_itself_be_a_link(site: Path) -> None:
    link = site.parent / "link"
    link.symlink_to(site)
    assert Roots([str(link)]).read(str(link / "docs" / "page.md")).name == "docs/page.md"


def test_only_pages_are_read_and_an_impossible_path_is_refused(site: Path) -> None:
    (site / "binary.md").write_bytes(bytes(range(256)) * 20)
    for path, reason in {
        "key.pem": "pages are files ending in",
        "docs/no.md": "no such file",
        "binary.md": "not text",
    }.items():
        assert reason in refuse(site, path)
    for path in ("", "docs/page.md\0.html", "a" * 5_000 + ".md", "a" * 400 + ".md", "docs/\ud800.md"):
        refuse(site, path)


def test_directories_pipes_and_sockets_are_refused_without_waiting(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "folder.md").mkdir()
    os.mkfifo(site / "pipe.md")
    monkeypatch.chdir(site)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        assert "a directory" in refuse(site, "folder.md")
        assert "not a regular file" in refuse(site, "pipe.md")
        refuse(site, "socket.md")
    (site / "zero.md").symlink_to("/dev/zero")
    assert "not a page" in refuse(Path("/"), str(site / "zero.md"))


def test_a_large_file_is_refused_and_one_at_the_limit_is_read(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAGE", 1_000)
    (site / "limit.md").write_text("a" * 1_000)
    (site / "large.md").write_text(SECRET + "a" * 1_000)
    assert len(Roots([str(site)]).read("limit.md").text) == 1_000
    assert "over the limit of 1,000 bytes" in refuse(site, "large.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable for root")
def test_a_file_without_permission_is_refused(site: Path) -> None:
    (site / "docs" / "page.md").chmod(0)
    assert "permission denied" in refuse(site, "docs/page.md")


def test_a_relative_path_is_looked_for_in_every_allowed_folder(site: Path) -> None:
    roots = Roots([str(site), str(site.parent / "private")])
    assert roots.read("secret.md").text == SECRET
    assert roots.read("docs/page.md").text == "# Tides\n"
    with pytest.raises(PageUnreadable, match="no such file"):
        roots.read("other.md")


def test_a_text_may_not_be_too_long_nor_the_name_of_a_page(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots([str(site)])
    assert roots.make_page("docs/other.md").text == "docs/other.md"
    assert roots.make_page("../private/secret.md").text == "../private/secret.md"  # says nothing about what is there
    with pytest.raises(PageUnreadable, match="give it as `path`"):
        roots.make_page("docs/page.md")
    monkeypatch.setattr(module, "MAX_PAGE", 10)
    with pytest.raises(PageUnreadable, match="over the limit of 10"):
        roots.make_page("a" * 11)
