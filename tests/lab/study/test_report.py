"""The report of the whole study: a picture stands with its own stage, under its title."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from steelyard.lab.study import report as study
from steelyard.lab.study.constants_data import constants
from steelyard.lab.study.reproduce import Made
from steelyard.lab.study.stages import Chapter
from steelyard.support.artifacts import rounded, to_json
from tests.conftest import ROOT


def artifact(name: str) -> Any:
    return json.loads((ROOT / f"docs/artifacts/protocol/{name}.json").read_text("utf-8"))["result"]


def made(name: str, kind: str, result: Any) -> Made:
    whole = {
        "result": rounded(result),
        "inputs": {},
        "parameters": {"corpus": "c", "sizes": {"English pages": 3}, "as_of": "2026-07-01", "embedder": None},
    }
    return Made(Chapter(name, kind, name.capitalize()), json.loads(to_json(whole, sort_keys=True)), kept=False)


def write(out: Path, *chapters: Made, plots: bool = True) -> list[Path]:
    return study.write(out, study.report_of(chapters, illustrated=plots))


def sections(report: str) -> dict[str, str]:
    return {part.split("\n", 1)[0]: part for part in report.split("\n## ")[1:]}


def test_a_picture_stands_in_the_section_of_its_own_stage(tmp_path: Path) -> None:
    gates = artifact("gates-flattened")
    paths = write(tmp_path, made("gates", "gates", gates), made("gates-french", "gates", gates))
    found = sections(paths[0].read_text("utf-8"))
    pictures = {name: re.findall(r"\(images/(\S+)\.png\)", text) for name, text in found.items()}
    assert pictures["Gates"] == ["gates-dose-curves"]
    assert pictures["Gates-french"] == ["gates-french-dose-curves"]
    page = paths[1].read_text("utf-8")
    assert page.count("<img ") == 2


def test_pictures_have_their_title_for_those_who_cannot_see_them(tmp_path: Path) -> None:
    paths = write(tmp_path, made("identify", "identify", artifact("identify")))
    for path, start in zip(paths, ("![", 'alt="'), strict=True):
        assert f"{start}Components by the role of their weight" in path.read_text("utf-8")


def test_the_constants_are_told_with_what_the_other_stages_measured(tmp_path: Path) -> None:
    first = made("constants", "constants", constants())
    alone = write(tmp_path, first, plots=False)[0].read_text("utf-8")
    assert "weight pinned" not in alone
    both = [first, made("identify", "identify", artifact("identify"))]
    assert "weight pinned" in write(tmp_path, *both, plots=False)[0].read_text("utf-8")


def test_an_undefined_stage_has_no_picture(tmp_path: Path) -> None:
    undefined = made("identify", "identify", {"undefined": "too few pages"})
    report = write(tmp_path, undefined)[0].read_text("utf-8")
    assert "Undefined: too few pages." in report
    assert list((tmp_path / "images").iterdir()) == []
