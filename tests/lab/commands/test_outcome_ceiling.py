"""`steelyard outcome ceiling` as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.lab.outcome.records.base import GIVEN
from tests.conftest import run_here
from tests.lab.commands.one_process import Done
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import jsonl


def run(*arguments: Any) -> Done:
    return run_here("outcome", "ceiling", *map(str, arguments))


def answers(n: int) -> list[dict[str, Any]]:
    """Two engines that agree on the first source of three, and in every second query on the others."""
    found = []
    for i in range(n):
        others = (0.3, 0.1) if i % 2 else (0.1, 0.3)
        for engine, shares in (("google-ai-mode", (0.6, 0.3, 0.1)), ("google-ai-overview", (0.6, *others))):
            found.append(samples.google(engine, shares, query=f"when does bay {i} open"))
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "answers.jsonl", answers(12))


def test_both_ceilings_are_printed_and_written(file: Path, tmp_path: Path) -> None:
    done = run(file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("query ceiling, google-ai-mode: undefined: ")
    assert any("google-ai-mode / google-ai-overview: no score can order more than 0.92 of these 36" in n for n in lines)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"ceiling.json", "ceiling.png", "ceiling.svg"}
    artifact = json.loads((tmp_path / "out" / "ceiling.json").read_text("utf-8"))
    assert artifact["schema"] == "steelyard.ceiling/1"
    assert list(artifact["inputs"]) == ["answers.jsonl"]
    assert artifact["parameters"] == {"mode": "strict", "seed": 0}
    (found,) = artifact["result"]["engine_ceiling"]["engines"]
    assert found["figures"]["lower"]["value"] == pytest.approx(30 / 36)
    assert artifact["result"]["records"][0]["mode"] == GIVEN


def test_the_same_bytes_twice_and_another_seed_moves_only_the_intervals(file: Path, tmp_path: Path) -> None:
    written = []
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        run(file, "--out", tmp_path / folder, "--no-plots", "--seed", seed)
        written.append((tmp_path / folder / "ceiling.json").read_bytes())
    assert written[0] == written[1] != written[2]
    first, other = (json.loads(data)["result"]["engine_ceiling"]["engines"][0] for data in written[1:])
    assert first["tally"] == other["tally"]
    assert not list((tmp_path / "a").glob("*.png"))


def test_several_files_are_told_apart_by_name(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    again = jsonl(tmp_path / "other" / "answers.jsonl", answers(3))
    done = run(file, again, "--format", "json", "--out", tmp_path / "out", "--no-plots")
    shown = json.loads(done.stdout)
    assert list(shown["inputs"]) == ["answers.jsonl", "answers.jsonl#2"]
    repeats = shown["result"]["engine_ceiling"]["repeats"]
    assert [c["compared"] for c in repeats] == [["1", "1 in answers.jsonl#2"]] * 2


def test_rewrites_are_refused_with_the_reason(tmp_path: Path) -> None:
    done = run(jsonl(tmp_path / "b2b.jsonl", [samples.b2b()]), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "rewrites alone cannot be compared" in done.stderr
    assert not (tmp_path / "out").exists()
