"""Same text, same bytes of JSON: every run, process, order, number of cores, hash seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.shared import TEXTS, run_process


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file per text, a record file, and two that cannot be read."""
    folder = tmp_path_factory.mktemp("site")
    for number, (name, text) in enumerate(TEXTS.items()):
        (folder / f"{number:02} {name}.md").write_text(text, encoding="utf-8", errors="replace", newline="")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 8)
    records = [json.dumps({"text": text, "title": name}) for name, text in TEXTS.items()]
    (folder / "records.jsonl").write_text("\n".join([*records, "not JSON"]), encoding="utf-8")
    return folder


def score_site(site: Path, *arguments: str, **changes: str) -> bytes:
    done = run_process("score", *arguments, "--language", "en", "--format", "json", cwd=site, changes=changes)
    assert done.returncode == 2, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def first(site: Path) -> bytes:
    return score_site(site, ".", "records.jsonl", "--jobs", "1", PYTHONHASHSEED="0")


def test_two_processes_write_the_same_bytes_as_one(site: Path, first: bytes):
    assert score_site(site, ".", "records.jsonl", "--jobs", "2") == first


def test_the_order_of_the_pages_changes_no_page(site: Path, first: bytes):
    names = sorted((p.name for p in site.glob("*.*") if p.suffix != ".jsonl"), reverse=True)
    backwards = json.loads(score_site(site, "records.jsonl", *names))
    forwards = json.loads(first)

    def by_source(pages: list[dict]) -> dict[str, str]:
        return {p["source"].removeprefix("./"): json.dumps({**p, "source": ""}) for p in pages}

    assert [p["source"] for p in backwards["pages"]] != [p["source"] for p in forwards["pages"]]
    assert by_source(backwards["pages"]) == by_source(forwards["pages"])
    assert len(forwards["pages"]) + len(forwards["errors"]) == 2 * len(TEXTS) + 2


def test_hash_seed_and_environment_of_the_user_change_nothing_but_the_date(site: Path, first: bytes):
    theirs = {"LC_ALL": "C", "TZ": "Pacific/Kiritimati", "COLUMNS": "20", "NO_COLOR": "", "PYTHONHASHSEED": "1"}
    assert score_site(site, ".", "records.jsonl", "--jobs", "1", **theirs) == first
