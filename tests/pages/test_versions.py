"""Versions of pages: files, directories and revisions, and what is said when one is not there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import PageRef, load_text
from steelyard.pages import versions
from steelyard.pages.versions import Version, is_revision, open_versions
from steelyard.support.git import GitFailed
from tests.check.shared import commit_all, git, make_repository

LIMIT = 100_000


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with `docs/a.md`, `docs/sub/b.html` and a file that is no page, committed once."""
    folder = make_repository(tmp_path / "repository")
    (folder / "docs" / "sub").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# A\n\nThe old text.\n")
    (folder / "docs" / "sub" / "b.html").write_text("<p>The old text.</p>")
    (folder / "docs" / "style.css").write_text("p {}")
    commit_all(folder)
    monkeypatch.chdir(folder)
    return folder


def open_directories(old: str, new: str, limit: int = LIMIT) -> tuple[Version, Version]:
    first, second = open_versions(old, new, limit)
    assert isinstance(first, Version)
    assert isinstance(second, Version)
    return first, second


def texts(version: Version) -> dict[str, str]:
    paths = list(version.pages)
    return {path: load_text(ref) for path, ref in zip(paths, version.load(paths), strict=True)}


def test_a_revision_and_a_directory_have_the_same_pages_until_one_changes(repository: Path) -> None:
    old, new = open_directories("main:docs", "docs")
    assert list(old.pages) == list(new.pages) == ["a.md", "sub/b.html"]
    assert {p: page.content for p, page in old.pages.items()} == {p: page.content for p, page in new.pages.items()}
    assert texts(old) == texts(new)
    assert old.pages["a.md"].source == "main:docs/a.md"
    (repository / "docs" / "a.md").write_text("# A\n\nThe new text.\n")
    old, new = open_directories("HEAD:docs", "docs")
    assert old.pages["a.md"].content != new.pages["a.md"].content
    assert (texts(old)["a.md"], texts(new)["a.md"]) == ("# A\n\nThe old text.\n", "# A\n\nThe new text.\n")


def test_a_path_after_the_colon_starts_at_the_top_or_with_a_dot_here(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "docs" / "sub")
    for target, paths in {
        "main:docs": ["a.md", "sub/b.html"],
        "main:docs/": ["a.md", "sub/b.html"],
        "main:": ["docs/a.md", "docs/sub/b.html"],
        "main:./": ["b.html"],
        "main:../": ["a.md", "sub/b.html"],
        "main@{2099-01-01 12:00:00}:docs": ["a.md", "sub/b.html"],
    }.items():
        old, _ = open_directories(target, ".")
        assert list(old.pages) == paths, target


def test_a_single_page_of_a_revision_is_read_as_its_suffix_says(repository: Path) -> None:
    old, new = open_versions("main:docs/sub/b.html", "docs/sub/b.html", LIMIT)
    assert isinstance(old, PageRef)
    assert (old.source, old.html, old.text) == ("main:docs/sub/b.html", True, "<p>The old text.</p>")
    assert isinstance(new, PageRef)
    assert new.path == "docs/sub/b.html"


def test_a_file_whose_name_has_a_colon_wins(repository: Path) -> None:
    (repository / "main:docs").write_text("a file")
    assert not is_revision("main:docs")
    ref, _ = open_versions("main:docs", "docs/a.md", LIMIT)
    assert isinstance(ref, PageRef)
    assert ref.path == "main:docs"
    (repository / "notes: one.md").write_text("a file")
    assert not is_revision("notes*one.md")
    (repository / "main:[docs]").write_text("a file whose name is also a pattern")
    assert not is_revision("main:[docs]")
    assert not is_revision("docs/a.md")


# Two targets, and what the error begins with.
NOT_OPENED = {
    ("nope:docs", "docs"): "nope:docs: no such file, and git knows no revision 'nope'; fetch it, or name another",
    ("main:nope", "docs"): "main:nope: revision 'main' has no 'nope'; a path after the colon starts at the top",
    ("main:../x", "docs"): "main:../x: revision 'main' has no '../x'",
    ("main:docs", "docs/a.md"): "main:docs is a directory and docs/a.md is a file; compare two files or two",
    ("docs/a.md", "main:docs"): "main:docs is a directory and docs/a.md is a file",
    ("docs", "main:docs/a.md"): "docs is a directory and main:docs/a.md is a file",
    (":docs", "docs"): ":docs: no such file, and no revision before the colon; write REV:PATH",
    ("-:docs", "docs"): "-:docs: no such file, and git knows no revision '-'",
    ("--all:docs", "docs"): "--all:docs: no such file, and git knows no revision '--all'",
    ("main:empty", "docs"): "main:empty: no pages in this directory; pages are files ending in .md",
}


def test_what_cannot_be_opened_is_explained(repository: Path) -> None:
    (repository / "empty").mkdir()
    (repository / "empty" / "style.css").write_text("p {}")
    commit_all(repository)
    for targets, message in NOT_OPENED.items():
        with pytest.raises(SteelyardError) as raised:
            open_versions(*targets, LIMIT)
        assert str(raised.value).startswith(message)


def test_a_branch_that_only_the_remote_has_is_suggested(repository: Path, tmp_path: Path) -> None:
    git(repository, "update-ref", "refs/remotes/origin/release", "HEAD")
    with pytest.raises(GitFailed, match="did you mean 'origin/release'"):
        open_versions("release:docs", "docs", LIMIT)


def test_a_shallow_clone_is_named_as_the_reason(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "docs" / "a.md").write_text("a second commit")
    commit_all(repository)
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    with pytest.raises(GitFailed, match=r"'HEAD~1'; this clone is shallow, .*git fetch --unshallow"):
        open_versions("HEAD~1:docs", "docs", LIMIT)


def test_without_a_repository_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitFailed, match=r"main:docs: no such file, and no git repository around this directory"):
        open_versions("main:docs", "docs", LIMIT)


def test_ignored_files_do_not_count_as_added(repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\ndraft.md\n")
    (repository / "docs" / "build" / "deep").mkdir(parents=True)
    for name in ("build/deep/x.md", "draft.md", "kept.md"):
        (repository / "docs" / name).write_text("text")
    assert list(open_directories("main:docs", "docs")[1].pages) == ["a.md", "kept.md", "sub/b.html"]
    assert len(open_directories("docs", "docs")[1].pages) == 5  # without a revision git has no say


def test_hostile_names_survive_both_ways(repository: Path) -> None:
    names = ["-o.md", "a b\nc.md", "*.md", "[x].md", ":(top)y.md", "é\u202e.md", "$(touch x).md"]
    for name in names:
        (repository / "docs" / name).write_text(f"text of {name!r}")
    commit_all(repository)
    old, new = open_directories("HEAD:docs", "docs")
    assert set(names) < set(old.pages)
    assert set(old.pages) == set(new.pages)
    assert texts(old) == texts(new)


def test_links_at_a_revision_are_followed_inside_the_directory_only(repository: Path) -> None:
    for name, target in {"inside.md": "a.md", "up.md": "../../outside.md", "loop.md": "loop.md"}.items():
        (repository / "docs" / name).symlink_to(target)
    commit_all(repository)
    old, _ = open_directories("HEAD:docs", "docs")
    assert list(old.pages) == ["a.md", "inside.md", "sub/b.html"]
    assert texts(old)["inside.md"] == "# A\n\nThe old text.\n"


def test_a_page_that_is_not_text_or_over_the_limit_is_an_error_of_its_own(repository: Path) -> None:
    (repository / "docs" / "large.md").write_text("x" * 2000)
    (repository / "docs" / "binary.md").write_bytes(bytes(range(256)) * 3)
    commit_all(repository)
    refs = {ref.source: ref.error for ref in open_directories("HEAD:docs", "docs")[0].load(["a.md", "binary.md"])}
    assert [error is None for error in refs.values()] == [True, False]
    for version in open_directories("HEAD:docs", "docs", 1000):
        assert list(version.errors) == ["large.md"]
        assert "large.md" not in version.pages
        assert "2,000 bytes is over the limit" in version.errors["large.md"].error
    with pytest.raises(PageUnreadable, match="over the limit"):
        open_versions("HEAD:docs/large.md", "docs/a.md", 1000)


def test_git_is_asked_for_a_few_pages_at_a_time(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        (repository / "docs" / f"{number}.md").write_text("x" * 100)
    commit_all(repository)
    monkeypatch.setattr(versions, "MAX_CALL_BYTES", 250)
    old, _ = open_directories("HEAD:docs", "docs")
    assert old.repository is not None
    asked: list[int] = []
    read = old.repository.read_blobs

    def read_and_count(ids: Sequence[str]) -> list[bytes | None]:
        asked.append(len(ids))
        return read(ids)

    monkeypatch.setattr(old.repository, "read_blobs", read_and_count)
    assert len(list(old.load(list(old.pages)))) == 9
    assert max(asked) <= 3
    assert sum(asked) == 9
