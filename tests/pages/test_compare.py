"""`steelyard compare` with directories and revisions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from steelyard.pages.compare import SCHEMA
from tests.check.shared import commit_all, make_repository
from tests.conftest import ROOT, SENTENCE, run_here

EVIDENCE = '"We lost two harvests to that frost," said Mara Lindqvist. In 2024, 38% of ships were late.'
SCHEMA_FILE = ROOT / "docs" / "schema" / "compare.schema.json"


def page(title: str, extra: str = "") -> str:
    blocks = "\n\n".join(f"{SENTENCE}The {title} number {n} is {n}{n} metres long. " * 3 for n in range(5))
    return f"# {title}\n\n{blocks}\n\n{extra}\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose work tree has one page of each kind: better, worse, moved, added, removed, unchanged."""
    folder = make_repository(tmp_path / "repository")
    docs = folder / "docs"
    docs.mkdir()
    for name in ("better", "moved", "removed", "unchanged"):
        (docs / f"{name}.md").write_text(page(name))
    (docs / "worse.md").write_text(page("worse", EVIDENCE))
    commit_all(folder)
    (docs / "better.md").write_text(page("better", EVIDENCE))
    (docs / "worse.md").write_text(page("worse"))
    (docs / "sub").mkdir()
    (docs / "moved.md").rename(docs / "sub" / "was-moved.md")
    (docs / "removed.md").unlink()
    (docs / "added.md").write_text("# Added\n\n" + "Ink dries slowly on paper that was kept in a damp cellar. " * 30)
    monkeypatch.chdir(folder)
    return folder


def test_a_site_is_listed_with_the_largest_loss_first(site: Path) -> None:
    done = run_here("compare", "main:docs", "docs", COLUMNS="120")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[3:8]] == ["worse.md", "moved.md", "better.md", "added.md", "removed.md"]
    assert lines[-1].startswith("2 changed, 1 renamed, 1 added, 1 removed, 1 unchanged; mean change 0.00 over 4 pages")
    assert "each score is text quality, not a forecast of citations" in lines


def test_the_json_has_every_number_and_follows_its_schema(site: Path) -> None:
    done = run_here("compare", "main:docs", "docs", "--format", "json", "--query", "harbour ships")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    assert data["counts"] == {"changed": 2, "renamed": 1, "added": 1, "removed": 1, "unchanged": 1}
    pages = {entry["path"]: entry for entry in data["pages"]}
    worse = pages["worse.md"]
    assert worse["change"] == pytest.approx(worse["new_score"] - worse["old_score"])
    assert worse["change"] < -1
    changes = {name: part["change"] for name, part in worse["components"].items()}
    assert worse["most_moved"] == max(changes, key=lambda name: abs(changes[name]))
    assert (pages["added.md"]["old_score"], pages["removed.md"]["new_score"]) == (None, None)
    assert pages["sub/was-moved.md"]["old_path"] == "moved.md"
    assert "unchanged.md" not in pages
    assert data["mean_change"]["pages"] == 4
    assert data["mean_change"]["points"] == pytest.approx(sum(p["change"] or 0 for p in data["pages"]) / 4)


def test_the_schema_is_the_one_that_is_published() -> None:
    assert json.loads(SCHEMA_FILE.read_text("utf-8")) == SCHEMA


def test_a_page_scores_the_same_alone_and_in_a_directory(site: Path) -> None:
    whole = json.loads(run_here("compare", "main:docs", "docs", "--format", "json").stdout)
    alone = json.loads(run_here("compare", "main:docs/worse.md", "docs/worse.md", "--format", "json").stdout)
    (entry,) = [page for page in whole["pages"] if page["path"] == "worse.md"]
    assert (entry["old_score"], entry["new_score"]) == (alone["score"]["old"], alone["score"]["new"])
    assert alone["old"] == "main:docs/worse.md"


def test_several_processes_find_the_same(site: Path, run: Callable[..., Any]) -> None:
    one, two = (
        run("compare", "main:docs", "docs", "--format", "json", "--jobs", jobs, cwd=site).stdout for jobs in "12"
    )
    assert one == two != ""


def test_a_drop_over_the_limit_exits_1_and_names_its_pages(site: Path) -> None:
    done = run_here("compare", "main:docs", "docs", "--max-drop", "1")
    assert done.returncode == 1
    assert done.stderr.startswith("steelyard: 1 page dropped by more than 1 point:\n  worse.md −")
    assert "better.md" not in done.stderr
    assert run_here("compare", "main:docs", "docs", "--max-drop", "50").returncode == 0
    assert run_here("compare", "docs", "main:docs", "--max-drop", "1").stderr.count("better.md") == 1


def test_a_page_that_cannot_be_read_exits_2_and_the_others_are_compared(site: Path) -> None:
    (site / "docs" / "better.md").write_bytes(bytes(range(256)) * 20)
    done = run_here("compare", "main:docs", "docs", "--max-drop", "1")
    assert done.returncode == 2
    assert "steelyard: docs/better.md: " in done.stderr
    assert "worse.md" in done.stdout
    assert "1 changed, 1 renamed, 1 added, 1 removed, 1 unchanged, 1 not compared;" in done.stdout
    data = json.loads(run_here("compare", "main:docs", "docs", "--format", "json").stdout)
    assert [error["source"] for error in data["errors"]] == ["docs/better.md"]


def test_markdown_is_a_comment_for_a_pull_request(site: Path) -> None:
    done = run_here("compare", "main:docs", "docs", "--format", "markdown", "-o", "comment.md")
    assert (done.returncode, done.stdout) == (0, "")
    text = (site / "comment.md").read_text()
    assert text.startswith("## Steelyard: main:docs → docs\n\n2 changed, 1 renamed")
    assert "| worse.md | changed |" in text
    alone = run_here("compare", "main:docs/worse.md", "docs/worse.md", "--format", "markdown").stdout
    assert "| docs/worse.md | changed |" in alone


def test_a_query_ranks_every_page_among_each_version(site: Path) -> None:
    (site / "docs" / "better.md").write_text(page("Tide tables", "How to read tide tables: read tide tables daily."))
    data = json.loads(
        run_here("compare", "main:docs", "docs", "--query", "read tide tables", "--format", "json").stdout
    )
    view = data["query"]
    assert view["scope"].startswith("A ranking by words and forms, not a promise")
    places = {entry["path"]: (entry["old_place"], entry["new_place"]) for entry in view["pages"]}
    assert set(places) == {"better.md", "worse.md", "unchanged.md", "added.md", "removed.md", "sub/was-moved.md"}
    assert places["better.md"][1] == 1
    assert places["added.md"][0] is None
    assert all(old is not None for path, (old, _) in places.items() if path != "added.md")
    assert places["removed.md"][1] is None
    # The same places as `steelyard predict` gives for the directory.
    predicted = json.loads(run_here("predict", "docs", "--query", "read tide tables", "--format", "json").stdout)
    by_name = {entry["source"].removeprefix("docs/"): entry for entry in predicted["pages"]}
    for entry in view["pages"]:
        if entry["new_place"] is not None:
            assert entry["new_place"] == by_name[entry["path"]]["place"]
            assert entry["new_score"] == pytest.approx(by_name[entry["path"]]["score"])


def test_a_query_ranks_two_versions_of_a_page_against_each_other(site: Path) -> None:
    (site / "docs" / "better.md").write_text(page("Tide tables", "How to read tide tables: read tide tables daily."))
    done = run_here("compare", "main:docs/better.md", "docs/better.md", "--query", "read tide tables")
    assert "The two versions are ranked against each other." in done.stdout
    assert done.stdout.splitlines()[-1].split()[:3] == ["docs/better.md", "2", "1"]
