"""`lab protocol editions`: its pages, labels and speeds from a corpus folder, its rule, and its presentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.agreement.both_editions import compare_with_people
from steelyard.lab.editions import attackers
from steelyard.lab.study.material import load_material
from steelyard.lab.study.studies import agreement, editions
from steelyard.lab.study.studies.editions_result import open_languages
from steelyard.lab.study.study import Request
from tests.lab.agreement.test_labels import write
from tests.lab.study.presentation import check_presentation, rows_of
from tests.lab.study.test_agreement import AS_OF, folder

__all__ = ["folder"]

FRENCH = "Le vieux meunier attendait sur le seuil de la maison que la charrette vienne prendre la farine du village. "
SPEEDS = {"Steelyard, native core, score alone": {"pages_per_second": 3000.0}}


def make_page(number: int, words: int = 20) -> str:
    return f"Page {number}. " + FRENCH * (words // 18 + 1)


@pytest.fixture
def with_more(folder: Path) -> Path:
    """A folder with more French pages in other files, and with speeds."""
    write(folder / "web_fr.jsonl", *({"id": f"w{i}", "lang": "fr", "text": make_page(i, 250)} for i in range(3)))
    more = [{"id": f"w{i}", "lang": "fr", "text": make_page(i, 250)} for i in (2, 3, 4)]
    write(folder / "human" / "pages_fr.jsonl.gz", *more, {"id": "en", "lang": "en", "text": "The tide. " * 150})
    others = ({"id": f"r{i}", "text": make_page(9 + i, words)} for i, words in ((1, 500), (2, 100)))
    write(folder / "human" / "register_fr.jsonl", *others)
    (folder / "bench.json").write_text(json.dumps({"comparison": {"rows": SPEEDS}}), "utf-8")
    return folder


def compute(*sources: str, **options: Any) -> Any:
    defaults = {**editions.STUDY.defaults(), "climbed": 0}
    return editions.STUDY.compute(Request(sources, {**defaults, **options}, AS_OF, jobs=1))


def test_a_folder_brings_all_its_pages_labels_and_speeds(with_more: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attackers, "TRIGGERED", 1)
    material = load_material(str(with_more), AS_OF)
    assert len(material.pages("fr")) == 3, "studies of the paper keep to the pages they had"
    assert {"human/pages_fr.jsonl.gz", "human/register_fr.jsonl", "bench.json"} <= set(material.inputs)
    (with_more / "work").mkdir()
    object.__setattr__(material, "work", with_more / "work")
    (section,) = editions.STUDY.list_sections(material)
    sources, options = section.call()
    assert options["labels"] == str(with_more)
    assert options["bench"] == str(with_more / "bench.json")
    result = compute(*(s for s in sources if "pages-fr" in s), bench=options["bench"])
    shown = {s["name"]: (s["pages"], s["left_out"]) for s in result["sources"] if s["language"] == "fr"}
    assert shown == {
        with_more.name: (3, {}),
        "human/pages_fr.jsonl.gz": (2, {"in another language": 1, "the text of another page": 1}),
        "human/register_fr.jsonl": (1, {"fewer than 200 words": 1}),
    }
    assert result["languages"]["fr"]["pages"] == 6
    assert result["speed"]["rates"] == {"native core, score alone": {"reference": 3000.0}}
    assert [condition["verdict"] for condition in result["rule"]] == ["undecided"] * 4
    assert result["default"] == "paper"
    found = check_presentation(editions.findings, result, plain=False)  # names of gates
    assert any("UNDECIDED" in line and "fr has 6 pages of 200" in line for line in found.lines)
    assert ["fr", "human/register_fr.jsonl", "1", "fewer than 200 words", "1"] in rows_of(found, "what was left out")
    assert rows_of(found, "Speed of both")[0] == ["native core, score alone", "–", "3000", "–"]


def test_agreement_is_that_of_the_study_of_agreement_and_a_missing_set_is_named(folder: Path) -> None:
    found = compare_with_people(folder, as_of=AS_OF, seed=0, quiet=True)
    assert [(name, of["by_people"]) for name, of in found.items()] == [
        ("kept pages", True), ("health releases", True), ("pages graded by models", False)
    ]  # fmt: skip
    options = {**agreement.STUDY.defaults(), "data": str(folder)}
    (kept, *_) = agreement.STUDY.compute(Request((), options, AS_OF))["sets"]
    target = kept["targets"][0]
    assert found["kept pages"]["difference"] == target["differences"]["2026 score - paper score"]
    assert found["kept pages"]["reference"] == target["scorers"]["paper score"]
    (folder / "human" / "dclm.jsonl").unlink()
    again = compare_with_people(folder, as_of=AS_OF, seed=0, quiet=True)
    assert again["kept pages"] == {"by_people": True, "missing": "human/dclm.jsonl"}
    assert again["health releases"] == found["health releases"]


def test_pages_of_two_corpora_with_one_id_are_both_used(tmp_path: Path) -> None:
    for name, numbers in (("a", (1, 2)), ("b", (3, 4))):
        records = ({"id": f"p{i % 2}", "lang": "fr", "text": make_page(i, 250)} for i in numbers)
        write(tmp_path / f"{name}.jsonl", *records)
    request = Request((str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")), {}, AS_OF)
    pages, _ = open_languages(request)
    assert [page.id for page in pages["fr"]] == ["p1", "p0", "p1#2", "p0#2"]


@pytest.mark.parametrize(("option", "name"), [("marks", "en.jsonl"), ("labels", "human/")])
def test_a_folder_that_is_not_there_is_named_with_what_it_holds(option: str, name: str, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", *({"id": str(i), "lang": "fr", "text": make_page(i, 250)} for i in range(2)))
    with pytest.raises(SteelyardError, match=f"no such folder; --{option} names one with .*{name}"):
        compute(str(tmp_path / "a.jsonl"), **{option: str(tmp_path / "none")})
