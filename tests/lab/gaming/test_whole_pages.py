"""False positives on whole pages: counted once each, by length, without those that set the limits."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.detectors.false_positives import LENGTHS, load_false_positives
from steelyard.errors import InvalidFile
from steelyard.lab.gaming import whole_pages as whole
from steelyard.lab.gaming.whole_pages import count_flagged_pages, load_whole_pages
from steelyard.lab.stats.intervals import wilson_interval
from steelyard.lab.study.material import load_material
from steelyard.lab.study.studies import false_positives as study
from steelyard.lab.study.study import Request
from tests.conftest import ROOT
from tests.conftest import SHARED_DATA as DATA
from tests.detectors.one_detector import ENGLISH
from tests.lab.study.presentation import check_presentation

AS_OF = date(2026, 7, 1)
STUFFED = "Cheap flights, cheap flights to Rome, book cheap flights online, cheap flights today. " * 12
GERMAN = "Der alte Müller stand an der Tür und wartete auf den Wagen, der das Mehl in die Stadt bringen sollte. " * 9


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a corpus folder with every part."""
    for name in ("html_truth", "human", "html"):
        tmp_path.joinpath(name).mkdir()
    write_lines(tmp_path / "web_en.jsonl", [{"id": "1", "url": "https://a.example/", "text": ENGLISH}])
    truth = {"a": {"url": "https://a.example/", "text": ENGLISH}, "b": {"url": "https://b.example/", "text": ENGLISH}}
    tmp_path.joinpath(whole.TRUTH).write_text(json.dumps(truth), "utf-8")
    judged = [(ENGLISH, 1), (f"{ENGLISH}\n\n{STUFFED}", 1), (STUFFED, 0), (GERMAN, 1)]
    write_lines(tmp_path / whole.JUDGED, [{"text": text, "keep": keep} for text, keep in judged])
    paragraphs = "".join(f"<p>{line}</p>" for line in ENGLISH.split("\n\n"))
    tmp_path.joinpath("html", "c.html").write_text(
        f"<html><head><title>Mill</title></head><body><article><h1>Mill</h1>{paragraphs}</article></body></html>",
        "utf-8",
    )
    return tmp_path


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")


def run(spec: str) -> Any:
    return study.STUDY.compute(Request((spec,), {}, AS_OF))


def test_every_honest_page_is_counted_once_and_none_that_set_the_limits(corpus: Path):
    pytest.importorskip("trafilatura", reason="the extra html is not installed")
    pages = load_whole_pages(str(corpus))
    assert {source: len(found) for source, found in pages.by_source.items()} == {
        whole.HTML: 1, whole.TYPED: 1, whole.KEPT: 3, whole.DROPPED: 1, whole.CUT: 1,
    }  # fmt: skip
    assert pages.left_out == {whole.SET_LIMITS: 1}
    counted = count_flagged_pages(pages, AS_OF)
    assert (counted["paper"]["honest"][whole.ALL]["flagged"], counted["paper"]["honest"][whole.ALL]["of"]) == (1, 4)
    assert counted["paper"]["left_out"] == {whole.ANOTHER_LANGUAGE: 1}
    assert (counted["2026"]["honest"][whole.ALL]["of"], counted["2026"]["left_out"]) == (5, {})
    assert counted["paper"]["sources"][whole.DROPPED][whole.ALL]["flagged"] == 1


def test_a_rate_belongs_to_the_length_of_the_page_and_its_interval_is_over_pages(corpus: Path):
    result = run(str(corpus))
    for counted in result["editions"].values():
        rows = counted["honest"]
        assert sum(rows[length]["of"] for length in LENGTHS if length in rows) == rows[whole.ALL]["of"]
        for row in rows.values():
            assert row["rate"] == row["flagged"] / row["of"]
            assert tuple(row["interval"]) == wilson_interval(row["flagged"], row["of"])
    check_presentation(study.findings, result)


def test_a_corpus_without_peoples_pages_says_so(tmp_path: Path):
    write_lines(tmp_path / "web_en.jsonl", [{"id": "1", "text": ENGLISH}])
    result = run(str(tmp_path))
    (line,) = study.findings(result).lines
    assert line == "undefined: the corpus has none of html, html_truth/truth.json, human/dclm.jsonl"


def test_a_damaged_file_is_named(corpus: Path):
    corpus.joinpath(whole.TRUTH).write_text("{", "utf-8")
    with pytest.raises(InvalidFile, match=r"truth\.json"):
        load_whole_pages(str(corpus))
    corpus.joinpath(whole.TRUTH).unlink()
    write_lines(corpus / whole.JUDGED, [{"text": ENGLISH, "keep": 1}, {"text": ENGLISH}])
    with pytest.raises(InvalidFile, match=r"dclm\.jsonl:2"):
        load_whole_pages(str(corpus))


def test_the_demo_pages_are_measured_whole():
    result = run("demo")
    assert result["pages"] > 50
    assert result["absent"] == []
    check_presentation(study.findings, result)


def test_reproduce_reads_the_parts_of_a_corpus_folder_and_hashes_them(corpus: Path):
    write_lines(
        corpus / "web_en.jsonl", [{"id": str(n), "text": f"{ENGLISH} {n} {ENGLISH}", "lang": "en"} for n in range(4)]
    )
    material = load_material(str(corpus), AS_OF)
    assert {"html/c.html", whole.TRUTH, whole.JUDGED} <= set(material.inputs)
    (section,) = study.STUDY.list_sections(material)
    assert section.call() == ([str(corpus)], {})
    (section,) = study.STUDY.list_sections(load_material("tiny", AS_OF))
    assert section.call() == (["demo"], {})
    write_lines(corpus / "pages.jsonl", [{"text": f"{ENGLISH} {ENGLISH}", "lang": "en"}] * 4)
    assert study.STUDY.list_sections(load_material(str(corpus / "pages.jsonl"), AS_OF)) == []


def test_every_shipped_rate_is_over_twenty_pages():
    assert all(row.pages >= 20 for row in load_false_positives().values())


@pytest.mark.full
def test_the_shipped_rates_are_those_of_the_pages_given():
    if not (DATA / whole.JUDGED).is_file():
        pytest.skip(f"no {whole.JUDGED} here; STEELYARD_DATA names the folder")
    pytest.importorskip("trafilatura", reason="the extra html is not installed")
    from tools.false_positives import render_rates

    shipped = ROOT / "steelyard" / "detectors" / "false_positives.toml"
    assert render_rates() == shipped.read_text("utf-8"), "write them again: python -m tools.false_positives"
