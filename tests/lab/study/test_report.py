"""The report of the whole study: every section with its own pictures and titles, made from the artifacts."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.lab.study import report
from steelyard.lab.study.registry import BY_NAME
from steelyard.lab.study.reproduce import Computed, Entry
from steelyard.lab.study.study import Request
from steelyard.support.artifacts import round_floats, to_json
from tests.lab.study.presentation import HOSTILE, committed_result


def compute(name: str, study: str, result: Any) -> Computed:
    parameters = {"corpus": "c", "sizes": {"English pages": 3}, "as_of": "2026-07-01", "embedder": None}
    artifact = {"result": round_floats(result), "inputs": {}, "parameters": parameters}
    entry = Entry(name, study, name.capitalize())
    return Computed(entry, json.loads(to_json(artifact, sort_keys=True)), reused=False)


def write(out: Path, *sections: Computed, illustrated: bool = True) -> tuple[str, str]:
    """Write a report and return the Markdown of its appendices and its HTML."""
    _, page = report.write(out, report.make_report(sections, illustrated=illustrated))
    appendices = [path.read_text("utf-8") for path in sorted((out / report.APPENDIX).glob("*.md"))]
    return "\n".join(appendices), page.read_text("utf-8")


def test_a_picture_is_in_its_own_section_under_its_title(tmp_path: Path) -> None:
    gates = committed_result("gates")
    markdown, page = write(tmp_path, compute("gates", "gates", gates), compute("gates-french", "gates", gates))
    sections = {part.split("\n", 1)[0]: part for part in markdown.split("\n## ")[1:]}
    pictures = {name: re.findall(r"\(\.\./images/(\S+)\.png\)", text) for name, text in sections.items()}
    assert pictures["Gates"] == ["gates-dose-curves"]
    assert pictures["Gates-french"] == ["gates-french-dose-curves"]
    assert "![Response by dose: shipped]" in markdown
    assert page.count('<img alt="Response by dose: shipped" src="data:image/svg+xml;base64,') == 2


def test_the_constants_quote_what_other_sections_measured(tmp_path: Path) -> None:
    study = BY_NAME["constants"]
    first = compute("constants", "constants", study.compute(Request((), {}, date(2026, 7, 1))))
    alone, _ = write(tmp_path, first, illustrated=False)
    assert "weight pinned" not in alone
    identified = compute("identify", "identify", committed_result("identify"))
    both, _ = write(tmp_path, first, identified, illustrated=False)
    assert "weight pinned" in both


def test_an_undefined_section_has_its_reason_and_no_picture(tmp_path: Path) -> None:
    for text in write(tmp_path, compute("identify", "identify", {"undefined": f"too few {HOSTILE}"})):
        assert "Undefined: too few " in text
        assert not re.search(r"(?<!\\)<script|\x1b|\u202e", text)
    assert list((tmp_path / "images").iterdir()) == []
