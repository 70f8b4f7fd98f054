"""`steelyard corpus build` as a user sees it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.lab import corpus
from tests.conftest import ROOT, SHARED_DATA, run_here
from tests.lab.commands.command_line import assert_refused

Run = Callable[..., subprocess.CompletedProcess[str]]
SITE = ROOT / "examples" / "site"
DATA = SHARED_DATA
SUMMARY = re.compile(r"(\d+) pages? \(((?:\w\w \d+/\d+(?:, )?)+), train/test\) in (\S+), sha256 ([0-9a-f]{64})\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pages of the example site in a folder, with a copy and a stub beside them."""
    place = tmp_path / "pages"
    place.mkdir()
    for path in sorted(SITE.glob("guides/*.md"))[:4] + sorted(SITE.glob("fr/*.md"))[:2]:
        (place / path.name).write_bytes(path.read_bytes())
    (place / "zz-copy.md").write_bytes((place / "coffee-extraction.md").read_bytes())
    (place / "zz-stub.md").write_text("# A stub\n\nToo short.\n")
    return place


def test_a_folder_becomes_a_corpus_and_what_is_left_out_is_reported(run: Run, folder: Path, tmp_path: Path) -> None:
    done = run("corpus", "build", "pages", str(folder), "-o", "c.jsonl", cwd=tmp_path)
    found = SUMMARY.fullmatch(done.stdout)
    assert done.returncode == 0
    assert found
    assert found.groups()[:3] == ("6", "en 2/2, fr 1/1", "c.jsonl")
    assert done.stderr.splitlines() == [
        "steelyard: 1 left out: fewer than 200 words",
        "steelyard: 1 left out: the text of another page",
    ]
    made = corpus.read(tmp_path / "c.jsonl")
    assert made.digest == found[4]
    assert {p.id for p in made.pages} == {p.name for p in folder.iterdir() if not p.name.startswith("zz-")}


def test_two_builds_write_the_same_bytes(run: Run, folder: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "2")):
        run("corpus", "build", "pages", str(folder), "-o", str(tmp_path / name), PYTHONHASHSEED=seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_seed_and_the_cut_are_the_users(folder: Path, tmp_path: Path) -> None:
    options = ("--seed", "5", "--least", "150", "--most", "160")
    assert run_here("corpus", "build", "pages", str(folder), "-o", str(tmp_path / "c"), *options).returncode == 0
    made = corpus.read(tmp_path / "c")
    assert made.seed == 5
    assert {len(p.flattened.split()) for p in made.pages} == {160}


def test_geo_bench_rows_become_a_corpus(folder: Path, tmp_path: Path) -> None:
    texts = [p.read_text("utf-8") for p in sorted(folder.glob("*.md")) if not p.name.startswith("zz-")]
    rows = [
        {"query": f"q{i}", "sources": [{"cleaned_text": "short"}, {"cleaned_text": t}]} for i, t in enumerate(texts)
    ]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    done = run_here("corpus", "build", "geo-bench", str(tmp_path / "test.jsonl"), "-o", str(tmp_path / "geo.jsonl"))
    found = SUMMARY.fullmatch(done.stdout)
    assert found
    assert found[1] == "6"
    assert [p.id for p in corpus.read(tmp_path / "geo.jsonl").pages] == [f"row-{n}" for n in range(1, 7)]


def test_authentic_rows_become_a_corpus(tmp_path: Path) -> None:
    rows = DATA / "geo_bench_rows.json"
    if not rows.is_file():
        pytest.skip(f"{rows} is not here (STEELYARD_DATA names the folder)")
    done = run_here("corpus", "build", "geo-bench", str(rows), "-o", str(tmp_path / "geo.jsonl"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 pages (en 1/1, train/test) in geo.jsonl, sha256 ")


def test_a_mistake_is_one_line_and_exit_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "page.md").write_text("Too short.\n")
    (tmp_path / "bad.jsonl").write_text('{"page": 1}\n')
    for arguments, message in (
        (("pages", "stub"), "stub: no page could be used (1 fewer than 200 words); pages need 200 words"),
        (("pages", "bad.jsonl"), "bad.jsonl:1: the record has no `text`; give the page under that key"),
        (("geo-bench", "bad.jsonl"), "bad.jsonl:1: the row has no `sources`; is this GEO-Bench's test.jsonl?"),
        (("geo-bench", "stub"), "stub: a directory, and a file is needed here; name one file in it"),
        (("page", "stub"), "unknown kind of corpus 'page'; did you mean 'pages'? (known: geo-bench, pages)"),
        (("pages", "stub", "--least", "0"), "Invalid value for '--least'"),
    ):
        assert_refused(run_here("corpus", "build", *arguments, "-o", "c"), message)
        assert not (tmp_path / "c").exists(), arguments
