"""Outcomes from recorded answers: one source of a query, whatever it says, and its share of the citations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.study.material import load_material
from steelyard.lab.study.studies import observational
from steelyard.lab.study.studies.recorded_outcomes import as_arrays, join_files, read_cited_sources
from steelyard.lab.study.study import Request
from steelyard.pipeline import score_text
from tests.conftest import SHARED_DATA
from tests.lab.study.presentation import check_presentation
from tests.lab.study.test_compare_outcomes import AS_OF, QUERIES, SOURCES, texts, write_records


def read(*paths: str, seed: int = 0) -> Any:
    return read_cited_sources(Request((), {"seed": seed}, AS_OF), paths)


def test_a_query_gives_one_of_its_sources_with_its_share(tmp_path: Path) -> None:
    found, undefined = read(write_records(tmp_path / "long.jsonl"))
    assert undefined == {}
    sources = found["long"]
    assert len(sources) == QUERIES == len({s.query for s in sources})
    chosen = [score_text(text, as_of=AS_OF, title="", evidence=False) for text in texts()]
    for i, source in enumerate(sources):
        of_query = [tuple(page.readings[n].value for n in NAMES) for page in chosen[i : i + SOURCES]]
        assert source.values in of_query
        assert 0 <= source.outcome <= SOURCES
    values, outcome = as_arrays(sources)
    assert values.shape == (QUERIES, len(NAMES))
    assert len(set(outcome)) > 1
    assert read(str(tmp_path / "long.jsonl"))[0] == found
    assert read(str(tmp_path / "long.jsonl"), seed=1)[0] != found


def test_files_without_outcomes_say_why_and_a_query_in_two_files_counts_once(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"nothing": 1}\n')
    found, undefined = read(
        write_records(tmp_path / "short.jsonl", words=60),
        str(tmp_path / "other.jsonl"),
        write_records(tmp_path / "one.jsonl"),
        write_records(tmp_path / "two.jsonl"),
    )
    assert undefined["short"].startswith("snippets: ")
    assert "not a record of outcomes" in undefined["other"]
    assert str(tmp_path) not in json.dumps(undefined)
    assert list(found) == ["one", "two"]
    assert join_files(found) == found["one"]


def test_the_study_of_few_outcomes_uses_the_records_it_is_given(tmp_path: Path) -> None:
    paths = [write_records(tmp_path / "long.jsonl"), write_records(tmp_path / "short.jsonl", words=60)]
    study = observational.STUDY
    options = {**study.defaults(), "records": paths, "size": 12}
    result = study.compute(Request(("demo",), options, AS_OF))
    assert result["simulated"]
    if QUERIES >= 12:
        fitted = result["records"]["long"]
        assert (fitted["simulated"], fitted["n"]) == (False, 12)
        assert fitted["samples"]["queries"] == QUERIES
        low, high = fitted["samples"]["in_sample"]["interval"]
        assert low <= fitted["samples"]["in_sample"]["mean"] <= high
    else:
        assert "queries; 12 are needed" in result["records"]["long"]["undefined"]
    assert "snippets" in result["records"]["short"]["undefined"]
    check_presentation(study.findings, result)
    with pytest.raises(SteelyardError, match="give one of them"):
        study.compute(Request(("demo",), {**options, "outcomes": paths[0]}, AS_OF))


def test_draws_of_a_few_outcomes_have_their_spread() -> None:
    rng = np.random.default_rng(0)
    outcomes = observational.Outcomes(rng.uniform(0, 100, (60, len(NAMES))), tuple(rng.normal(size=60).tolist()))
    found = observational.measure_samples(outcomes, 0, 39)
    assert (found["n"], found["size"], found["queries"]) == (observational.SAMPLES, 39, 60)
    assert found["in_sample"]["mean"] > found["leave_one_out"]["mean"] + 0.2
    assert found == observational.measure_samples(outcomes, 0, 39)


def test_reproduce_gives_the_records_to_both_studies_that_fit_to_outcomes(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    path = write_records(tmp_path / "outcomes" / "long.jsonl")
    pages = [{"id": str(n), "text": text, "lang": "en"} for n, text in enumerate(texts())]
    (tmp_path / "web_en.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), "utf-8")
    material = load_material(str(tmp_path), AS_OF)
    assert [str(record) for record in material.records] == [path]
    (section,) = observational.STUDY.list_sections(material)
    assert section.name == "observational"


def test_the_real_records_give_as_many_outcomes_as_the_prior_had() -> None:
    path = SHARED_DATA / "outcomes" / "scholarqa_gpt4o.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path.name} here; STEELYARD_DATA names the folder")
    found, undefined = read(str(path))
    assert undefined == {}
    assert len(found["scholarqa_gpt4o"]) >= observational.FEW
