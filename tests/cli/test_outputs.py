"""Outputs are checked before the work: none is an input, and all can be written."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path

import pytest

from steelyard.components import NAMES
from tests.conftest import SENTENCE, run_here

REFUSED = "this is also an input, and would be overwritten"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of every kind that commands read, as the working directory."""
    (tmp_path / "page.md").write_text(f"# Ships\n\n{SENTENCE * 30}")
    (tmp_path / "scores.csv").write_text("domain,score\na.org,50\n")
    records = [{"text": f"{SENTENCE * 30} Page {n}."} for n in range(3)]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    sources = [{"text": SENTENCE * 5}, {"text": f"{SENTENCE * 5} More."}]
    (tmp_path / "asked.jsonl").write_text(json.dumps({"query": "ships", "sources": sources}) + "\n")
    (tmp_path / "weights.toml").write_text("".join(f"{name} = {1 / len(NAMES)}\n" for name in NAMES))
    (tmp_path / "steelyard.toml").write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The command, and the input that is its output.
OVERWRITING = [
    ("score page.md", "page.md"),
    ("score .", "page.md"),
    ("score *.md", "page.md"),
    ("score pages.jsonl --format jsonl", "pages.jsonl"),
    ("score *.jsonl", "pages.jsonl"),
    ("score page.md --weights weights.toml", "weights.toml"),
    ("explain page.md", "page.md"),
    ("explain page.md --weights weights.toml", "weights.toml"),
    ("compare page.md pages.jsonl", "page.md"),
    ("compare page.md pages.jsonl", "pages.jsonl"),
    ("check page.md", "page.md"),
    ("check", "page.md"),
    ("check page.md --weights weights.toml", "weights.toml"),
    ("check page.md --config steelyard.toml", "steelyard.toml"),
    ("config page.md", "page.md"),
    ("config page.md --config steelyard.toml", "steelyard.toml"),
    ("domains scores.csv", "scores.csv"),
    ("predict page.md --query ships", "page.md"),
    ("corpus build pages pages.jsonl", "pages.jsonl"),
    ("corpus build pages .", "page.md"),
    ("filter pages.jsonl", "pages.jsonl"),
    ("protocol capture pages.jsonl --force", "pages.jsonl"),
    ("outcome run asked.jsonl --force", "asked.jsonl"),
]


@pytest.mark.parametrize(("command", "name"), OVERWRITING)
def test_an_input_is_not_overwritten_under_any_of_its_names(place: Path, command: str, name: str) -> None:
    before = (place / name).read_bytes()
    suffix = Path(name).suffix
    (place / "folder" / f"soft{suffix}").symlink_to(place / name)
    os.link(place / name, place / "folder" / f"hard{suffix}")
    for output in (name, f"folder/../{name}", f"folder/soft{suffix}", f"folder/hard{suffix}"):
        done = run_here(*command.split(), "-o", output)
        assert done.returncode == 2, output
        assert REFUSED in done.stderr
    assert (place / name).read_bytes() == before


def test_no_command_writes_through_a_link(place: Path) -> None:
    (place / "precious").write_text("mine")
    for command, name in OVERWRITING:
        link = place / f"link{Path(name).suffix}"
        link.symlink_to(place / "precious")
        done = run_here(*command.split(), "-o", link.name)
        assert done.returncode == 2, command
        assert "links are not followed" in done.stderr or REFUSED in done.stderr, command
        assert (place / "precious").read_text() == "mine", command
        link.unlink()


def test_further_outputs_are_checked_too(place: Path) -> None:
    for command in (
        "check page.md --report json:page.md",
        "filter pages.jsonl -o out.jsonl --report pages.jsonl",
        "filter pages.jsonl -o out.jsonl --rejects pages.jsonl",
        "filter pages.jsonl -o out.jsonl --weights weights.toml --report weights.toml",
    ):
        done = run_here(*command.split())
        assert done.returncode == 2
        assert REFUSED in done.stderr
    assert sorted(os.listdir(place)) == [
        "asked.jsonl", "folder", "page.md", "pages.jsonl", "scores.csv", "steelyard.toml", "weights.toml"
    ]  # fmt: skip


def test_a_page_that_is_left_out_may_be_overwritten(place: Path) -> None:
    (place / "report.md").write_text("old")
    done = run_here("score", ".", "--exclude", "report.md", "--format", "markdown", "-o", "report.md")
    assert done.returncode == 0
    (place / "steelyard.toml").write_text('exclude = ["report.md"]\n')
    done = run_here("check", "--format", "markdown", "-o", "report.md", "--no-cache")
    assert done.returncode == 0
    assert (place / "report.md").read_text() != "old"


WRITING = [
    "score page.md",
    "explain page.md",
    "compare page.md page.md",
    "check page.md",
    "config page.md",
    "domains scores.csv",
    "predict page.md --query ships",
    "corpus build pages pages.jsonl",
    "filter pages.jsonl",
    "protocol capture pages.jsonl",
    "outcome run asked.jsonl",
]


def test_an_output_that_cannot_be_written_is_noticed_before_the_work(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the work has started")

    for work in (
        "steelyard.pipeline.analyse",
        "steelyard.pages.explain_command.analyse",
        "steelyard.pages.compare_command.analyse",
        "steelyard.pages.score_command.analyse_all",
        "steelyard.check.run.Checker.run",
        "steelyard.site.leaderboard_command.rank",
        "steelyard.pipeline.read_page",
        "steelyard.lab.corpus.build",
        "steelyard.corpora.run.process_batch",
        "steelyard.lab.protocol.capture.ordered_map",
        "steelyard.lab.outcome.run.plan_calls",
    ):
        monkeypatch.setattr(work, fail)
    reasons = ("cannot write here", "is a directory", "not a regular file")
    for command, output in product(WRITING, ("absent/out.jsonl", "page.md/out.jsonl", "folder")):
        done = run_here(*command.split(), "-o", output)
        assert done.returncode == 2, (command, output)
        assert "the work has started" not in done.stderr, (command, output)
        assert any(reason in done.stderr for reason in reasons), (command, output)


def test_the_check_of_an_output_leaves_nothing_behind(place: Path) -> None:
    before = sorted(os.listdir(place))
    assert run_here("explain", "absent.md", "-o", "out.txt").returncode == 2
    assert sorted(os.listdir(place)) == before
