"""Only what git reports as changed, with the changed lines marked."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from steelyard.check.result import CheckedPage
from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.support.git import GitFailed, Repository
from tests.check.shared import GOOD, OPENER, VAGUE, WEAK, git, make_repository, write

DAY = date(2026, 7, 1)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    forget_files()
    return make_repository(tmp_path, {"a.md": WEAK, "b.md": GOOD, "deep/c.md": WEAK, "steelyard.toml": ""})


def check_since(site: Path, revision: str = "main") -> dict[str, CheckedPage]:
    run, _ = Checker({"uncertain": True}, as_of=DAY, since=revision).run([str(site)])
    return {str(Path(page.path).relative_to(site)): page for page in run.pages}


def test_changed_and_new_files_with_their_lines(site: Path) -> None:
    assert check_since(site) == {}
    git(site, "checkout", "-q", "-b", "work")
    (site / "a.md").write_text(f"{WEAK}\n{OPENER.replace('They', 'These')}\n", "utf-8")
    write(site, {"new.md": WEAK, "ignored.txt": WEAK, ".gitignore": "ignored.txt\n"})
    found = check_since(site)
    assert sorted(found) == ["a.md", "new.md"]
    changed = {f.line: f.is_changed for f in found["a.md"].reported if f.rule == "self_containment"}
    assert changed == {5: False, 7: True}
    assert {f.line: f.is_new for f in found["a.md"].reported if f.rule == "self_containment"} == {5: False, 7: True}
    assert all(f.is_changed for f in found["new.md"].reported)
    assert found["a.md"].before is not None
    assert found["new.md"].before is None


def test_what_the_other_branch_changed_does_not_count(site: Path) -> None:
    git(site, "checkout", "-q", "-b", "work")
    (site / "a.md").write_text(WEAK + "\nMore.\n", "utf-8")
    git(site, "commit", "-q", "-am", "work")
    git(site, "checkout", "-q", "main")
    (site / "b.md").write_text(GOOD + "\nMore.\n", "utf-8")
    git(site, "commit", "-q", "-am", "main")
    git(site, "checkout", "-q", "work")
    assert list(check_since(site)) == ["a.md"]


def test_a_renamed_file_keeps_its_past(site: Path) -> None:
    git(site, "mv", "deep/c.md", "moved é.md")
    (page,) = check_since(site).values()
    assert page.before is not None
    assert page.before.path.endswith("deep/c.md")
    assert not any(f.is_new for f in page.findings)


def test_a_drop_fails_beyond_the_tolerance(site: Path) -> None:
    (site / "b.md").write_text("Boats.\n", "utf-8")
    (reason,) = check_since(site)["b.md"].failures
    assert "the score fell from 35.00 to 5.00" in reason
    write(site, {"steelyard.toml": "max_drop = 30"})
    forget_files()
    assert check_since(site)["b.md"].failures == ()


def test_hostile_names_of_files(site: Path) -> None:
    names = ["--output=x.md", "a\nb.md", "::error::.md", ":(top)x.md", "tab\there.md", 'quo"te.md']
    write(site, dict.fromkeys(names, WEAK))
    assert sorted(check_since(site)) == sorted(names)
    git(site, "add", "-A")
    git(site, "commit", "-q", "-m", "names")
    write(site, dict.fromkeys(names, f"{WEAK}\n{VAGUE}\n"))
    found = check_since(site, "HEAD")
    assert sorted(found) == sorted(names)
    for page in found.values():
        assert [f.is_changed for f in page.reported if f.rule == "statistic_density"] == [False, True]


def test_a_revision_that_is_none_and_no_repository(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for revision in ("nowhere", "--output=/tmp/x", "", "main:a.md", "HEAD~99"):
        with pytest.raises(GitFailed, match="git knows no commit"):
            check_since(site, revision)
    with pytest.raises(GitFailed, match="not a git repository"):
        check_since(write(tmp_path_factory.mktemp("plain"), {"a.md": WEAK}))


def test_the_date_of_the_last_commit(site: Path) -> None:
    assert Repository(str(site)).read_commit_date() == date(2026, 5, 1)
    write(site, {"steelyard.toml": 'as_of = "commit"'})
    forget_files()
    assert Checker().run([str(site)])[0].as_of == date(2026, 5, 1)
