"""`lab agreement`: its command on a tiny set, its presentation, and its section of the study."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.study.material import load_material
from steelyard.lab.study.studies import agreement
from steelyard.lab.study.study import Request
from tests.conftest import ROOT, run_here
from tests.lab.agreement.test_labels import PROSE, write
from tests.lab.study.presentation import check_presentation, rows_of

AS_OF = date(2026, 7, 1)


def make_texts(n: int = 24) -> list[str]:
    """Return texts of which every second one is longer and has figures."""
    figures = "In 2019 the port handled 41% of the grain, according to the Harbour Institute. "
    return [f"Note {i}. " + PROSE * (4 + i % 5) + (figures * (i % 4 // 2) + PROSE * 6) * (i % 2) for i in range(n)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of measuring data with every known set."""
    texts = make_texts()
    kept = ({"text": t, "keep": i % 2, "agreed": i % 3 > 0} for i, t in enumerate(texts))
    write(tmp_path / "human" / "dclm.jsonl", *kept)
    judged = ({"text": t, "criteria": {"costs": i % 2, "harms": i % 3 // 2}} for i, t in enumerate(texts))
    write(tmp_path / "human" / "health_releases.jsonl.gz", *judged)
    write(
        tmp_path / "web_en.jsonl", *({"id": f"p{i}", "lang": "en", "text": t + PROSE * 8} for i, t in enumerate(texts))
    )
    write(tmp_path / "marks" / "grades_en.jsonl", *({"id": f"p{i}", "substance": [i % 7, i % 5]} for i in range(24)))
    return tmp_path


def compute(*scorers: str, **options: Any) -> Any:
    defaults = {**agreement.STUDY.defaults(), "draws": 100}
    return agreement.STUDY.compute(Request(scorers, {**defaults, **options}, AS_OF))


def run(*arguments: str, cwd: Path) -> Any:
    return run_here("lab", "agreement", *arguments, "--draws", "100", "--out", cwd / "out", cwd=cwd, STEELYARD_DATA="")


def test_the_command_measures_scorers_on_a_file_of_ones_own(tmp_path: Path) -> None:
    records = [{"text": t, "label": bool(i % 2), "group": "ab"[i % 3 > 0]} for i, t in enumerate(make_texts())]
    write(tmp_path / "mine.jsonl", *records)
    (tmp_path / "mine.py").write_text("def score(text):\n    return -0.001 * text.count('%')\n")
    arguments = ("mine:score", "statistic_density", "--labels", "mine.jsonl")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine.jsonl (24 documents, AUC): words 1.000" in done.stdout
    artifact = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))
    (of,) = artifact["result"]["sets"]
    scorers = of["targets"][0]["scorers"]
    assert scorers["mine:score"]["value"] < 0.5 < scorers["statistic_density"]["value"]
    assert scorers["words"]["value"] == 1.0
    assert {"gopher-rules", "compression", "2026 score"} <= set(scorers)
    assert of["targets"][0]["differences"]["mine:score - words"]["interval"][1] < 0
    assert [t["name"] for t in of["targets"][:3]] == ["all", "group: a", "group: b"]
    assert list(artifact["inputs"]) == ["mine.jsonl"]
    before = (tmp_path / "out" / "agreement.json").read_bytes()
    assert run(*arguments, cwd=tmp_path).stdout == done.stdout
    assert (tmp_path / "out" / "agreement.json").read_bytes() == before
    as_json = json.loads(run(*arguments, "--format", "json", cwd=tmp_path).stdout)
    assert as_json["result"] == artifact["result"]


def test_the_command_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    write(tmp_path / "mine.jsonl", *({"text": t, "label": i} for i, t in enumerate(make_texts(6))))
    write(tmp_path / "bad.jsonl", {"text": PROSE, "label": 1}, {"text": PROSE, "lable": 1})
    for arguments, words in (
        ((), r"no labels; name a file with --labels, or a folder with --data \(or STEELYARD_DATA\)"),
        (("--data", "nowhere"), r"nowhere: no such folder; --data"),
        (("--data", "."), r"\. has none of human/dclm\.jsonl"),
        (("--labels", "bad.jsonl"), r"bad\.jsonl:2: `label` is missing \(keys seen: text, lable\)"),
        (("--labels", "mine.jsonl", "gopher-rule"), r"no scorer 'gopher-rule'; did you mean 'gopher-rules'\?"),
        (("--labels", "mine.jsonl", "math:sqrt"), r"math:sqrt: none of 6 documents could be scored: crashed"),
        (("--labels", "mine.jsonl", "--language", "ed"), r"unknown language 'ed'"),
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 2, arguments
        assert re.search(words, done.stderr), (arguments, done.stderr)
        assert not (tmp_path / "out").exists()


def test_every_known_set_is_measured_and_a_missing_one_is_named(folder: Path) -> None:
    result = compute(data=str(folder))
    assert [of["name"] for of in result["sets"]] == ["kept pages", "health releases", "pages graded by models"]
    kept, releases, graded = result["sets"]
    assert releases["targets"][0]["measure"] == graded["targets"][0]["measure"] == "Spearman"
    assert {"criterion: costs", "criterion: harms"} <= {t["name"] for t in releases["targets"]}
    assert list(kept["components"]["2026"]) == list(NAMES)
    assert compute(data=str(folder)) == result
    found = check_presentation(agreement.findings, result)
    assert {row[0] for row in rows_of(found, "All scorers beside")} == {
        "kept pages, AUC", "health releases, Spearman", "pages graded by models, Spearman"
    }  # fmt: skip
    shown = [row for titled in found.tables for row in titled.table.texts()]
    assert not any("criterion" in cell for row in shown for cell in row), "in the artifact alone"
    (own,) = [titled for titled in found.tables if titled.is_main]
    assert len(own.table.columns) == 5, "models are no people"
    assert found.list_main_lines() == []

    (folder / "human" / "health_releases.jsonl.gz").unlink()
    lines = agreement.findings(compute(data=str(folder))).lines
    assert "not measured: health releases, because human/health_releases.jsonl.gz is missing" in lines


def test_a_component_that_points_the_wrong_way_is_named_and_marked(folder: Path) -> None:
    result = compute(data=str(folder))
    of = result["sets"][0]
    of["components"]["paper"]["mmr_score"] = {"n": 24, "value": 0.3, "interval": [0.2, 0.4], "reason": None}
    of["components"]["2026"]["mmr_score"] = {"n": 24, "value": 0.4, "interval": [0.3, 0.4999], "reason": None}
    found = agreement.findings(result)
    named = [line for line in found.lines if line.startswith("kept pages: components of paper that point the wrong")]
    assert "mmr score 0.300 (0.200 to 0.400)" in named[0]
    rows = {row[0]: row for row in rows_of(found, "Components and kept pages")}
    assert (rows["mmr score"][3], rows["mmr score"][6]) == ("wrong way", "")


def test_peers_with_environments_are_asked_for_and_one_that_cannot_be_made_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, lock: str) -> Path:
        raise SteelyardError(f"the environment of {name} could not be made: no network")

    monkeypatch.setattr("steelyard.lab.scorers.peers.environments.prepare_environment", refuse)
    assert compute(data=str(folder))["left_out"] == []
    left_out = compute(data=str(folder), peers=True)["left_out"]
    assert {"datatrove", "datatrove-c4", "data-juicer", "textstat-flesch"} <= {entry["scorer"] for entry in left_out}
    assert all("no network" in entry["reason"] for entry in left_out)


def test_a_folder_has_a_section_and_its_labels_are_inputs(folder: Path) -> None:
    material = load_material(str(folder), AS_OF)
    (section,) = agreement.STUDY.list_sections(material)
    assert section.call() == ((), {"data": str(folder), "peers": False})
    assert {"human/dclm.jsonl", "human/health_releases.jsonl.gz", "grades_en.jsonl"} <= set(material.inputs)
    assert not any(name.startswith("marks/") for name in material.inputs), "named once"
    assert agreement.STUDY.list_sections(load_material("tiny", AS_OF)) == []


def test_a_program_that_is_called_like_a_figure_of_ours_does_not_replace_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "words"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    write(tmp_path / "mine.jsonl", *({"text": t, "label": i % 2} for i, t in enumerate(make_texts(12))))
    scorers = compute("words", labels=str(tmp_path / "mine.jsonl"))["sets"][0]["targets"][0]["scorers"]
    assert (scorers["words"]["value"], scorers["words#2"]["value"]) == (1.0, 0.5)


def test_an_edition_that_does_not_read_the_language_is_undefined_and_said(tmp_path: Path) -> None:
    german = "Der alte Müller stand an der Tür und wartete auf den Wagen, der das Mehl in die Stadt bringen sollte. "
    write(tmp_path / "mine.jsonl", *({"text": german * n, "label": n} for n in range(1, 13)))
    result = compute(labels=str(tmp_path / "mine.jsonl"), language="de")
    scorers = result["sets"][0]["targets"][0]["scorers"]
    assert scorers["paper score"]["reason"] == "no document has both a label and a value"
    assert scorers["2026 score"]["n"] == 12
    found = check_presentation(agreement.findings, result, plain=False)
    assert any(line.startswith("edition paper gave no value to 12 documents of mine.jsonl") for line in found.lines)


def test_the_command_is_listed_where_the_laboratory_is_not_installed() -> None:
    code = "import sys, steelyard.lab.commands.agreement; print({'numpy', 'scipy', 'matplotlib'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
