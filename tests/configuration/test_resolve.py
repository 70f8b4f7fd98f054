"""The configuration above a page counts for every command that scores files, and options go before it."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import click
import pytest

from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.configuration.keys import KEYS, PAGE_KEYS, Key
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.settings import Settings
from steelyard.terminal.options import build_configured_settings
from tests.check.shared import git
from tests.conftest import run_here

TEXT = "# Boats\n\n" + "The harbour master said in 2025 that 40% of the boats leave before noon. " * 12


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(TEXT)
    (tmp_path / "docs" / "b.md").write_text(TEXT)
    (tmp_path / "steelyard.toml").write_text(
        'edition = "2026"\nas_of = "2024-05-06"\n[[overrides]]\nfiles = ["docs/b.md"]\nedition = "paper"\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(done: CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_score_explain_check_and_compare_give_a_page_one_score(site: Path) -> None:
    scored = read(run_here("score", "docs/a.md", "--format", "json"))
    assert scored["scoring"] == {"as_of": "2024-05-06", "edition": "2026", "weights": "2026"}
    (page,) = scored["pages"]
    assert read(run_here("explain", "docs/a.md", "--format", "json"))["pages"][0]["score"] == page["score"]
    assert read(run_here("check", "docs/a.md", "--format", "json"))["pages"][0]["score"] == page["score"]
    (site / "old.md").write_text(TEXT.replace("40%", "some"))
    compared = read(run_here("compare", "old.md", "docs/a.md", "--format", "json"))
    assert compared["scoring"] == scored["scoring"]
    assert compared["score"]["new"] == page["score"]


def test_compare_of_a_revision_scores_as_check_does(site: Path) -> None:
    git(site, "init", "-q", "-b", "main")
    git(site, "add", "-A")
    git(site, "commit", "-q", "-m", "pages")
    (site / "docs" / "a.md").write_text(TEXT + "\nThey return at six.\n")
    compared = read(run_here("compare", "main:docs", "docs", "--format", "json"))
    checked = read(run_here("check", "docs/a.md", "--format", "json"))
    assert compared["scoring"]["edition"] == "2026"
    assert compared["pages"][0]["new_score"] == checked["pages"][0]["score"]


def test_an_override_counts_for_its_page(site: Path) -> None:
    assert read(run_here("score", "docs/b.md", "--format", "json"))["scoring"]["edition"] == "paper"
    assert read(run_here("score", "docs", "--format", "json"))["scoring"]["edition"] == "2026"


def test_options_go_before_the_configuration(site: Path) -> None:
    done = run_here("score", "docs/a.md", "--format", "json", "--edition", "paper", "--as-of", "2026-07-01")
    assert read(done)["scoring"] == {"as_of": "2026-07-01", "edition": "paper", "weights": "shipped"}


def test_what_is_no_file_is_scored_by_the_configuration_of_the_working_directory(site: Path) -> None:
    (site / "rows.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    assert read(run_here("score", "rows.jsonl", "--format", "json"))["scoring"]["edition"] == "2026"
    done = run_here("score", f"https://{'x' * 300}.example/{'y' * 300}", "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["scoring"]["edition"] == "2026"


def resolve_for_score(page: str, **given: Any) -> Settings:
    """Return the settings with which `score` scores a page."""
    options = dict.fromkeys(("edition", "weights", "language", "title", "url", "as_of"))
    options |= {"max_bytes": DEFAULT_MAX_BYTES, "limits": (), **given}
    with click.Context(click.Command("score")):  # which remembers what may not be overwritten
        return build_configured_settings(page, options, keep_text=True)


def test_a_new_key_counts_for_score_and_for_check(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    title = Key({"type": "string"}, None, "The title of the pages.", "title")
    for table in (KEYS, PAGE_KEYS):
        monkeypatch.setitem(table, "title", title)
    (site / "steelyard.toml").write_text('title = "Harbours"\n')
    forget_files()
    checked, _ = Checker().find_settings("docs/a.md")
    assert checked.title == resolve_for_score("docs/a.md").title == "Harbours"
    assert resolve_for_score("docs/a.md", title="Quays").title == "Quays"


def test_every_key_that_sets_something_counts_for_score_as_for_check(site: Path) -> None:
    (site / "steelyard.toml").write_text(
        'edition = "2026"\nweights = "prior"\nlanguage = "fr"\nsite = "https://a.example/"\nas_of = "2024-05-06"\n'
        'detect = true\nuncertain = true\nkind = "legal"\nselector = "main"\n'
    )
    forget_files()
    checked, scored = Checker().find_settings("docs/a.md")[0], resolve_for_score("docs/a.md")
    fields = {key.sets for key in KEYS.values() if key.sets is not None}
    default = Settings.resolve(as_of="2026-07-01")
    assert all(getattr(checked, field) != getattr(default, field) for field in fields)
    # Whether `score` looks for manipulation is for its own option to say.
    assert {field for field in fields if getattr(scored, field) != getattr(checked, field)} == {"detect"}
    assert resolve_for_score("docs/a.md", detect=True).detect


def test_a_configuration_is_no_output(site: Path) -> None:
    for command in (("score", "docs"), ("explain", "docs/a.md"), ("compare", "docs/a.md", "docs/b.md")):
        done = run_here(*command, "-o", "steelyard.toml")
        assert done.returncode == 2
        assert "this is also an input" in done.stderr


def test_a_wrong_configuration_is_one_error(site: Path) -> None:
    (site / "steelyard.toml").write_text('editon = "2026"\n')
    done = run_here("score", "docs")
    assert done.returncode == 2
    assert "did you mean 'edition'" in done.stderr
