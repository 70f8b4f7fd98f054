"""Candidate sets for engine runs, in every form they come in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.outcome.records import questions
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.questions import ExperimentQuestion, draw_target, load_questions
from steelyard.lab.outcome.records.rows import hash_query
from steelyard.support.journal import Header, Journal
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import ICE, SALT, TAR, jsonl, real, rows

FRENCH = "Le sel des marais est vendu au port par les femmes des pêcheurs, et la glace ferme la baie en janvier."


def published(**changes: Any) -> dict[str, Any]:
    row = samples.geo_bench()
    return {key: row[key] for key in ("query", "tags", "sources", "sugg_idx")} | changes


def own(**changes: Any) -> dict[str, Any]:
    return {
        "query": "what is sold",
        "sources": [SALT, {"text": ICE, "url": "https://b.example/", "title": "Ice"}],
    } | changes


def test_the_published_benchmark_is_read_as_it_is_downloaded(tmp_path: Path) -> None:
    [asked] = load_questions(jsonl(tmp_path / "test.jsonl", [published()]))
    assert (asked.query, asked.target, asked.tags, asked.language) == (
        "what does the harbour sell", 2, ("informational", "trade"), "en",
    )  # fmt: skip
    assert asked.query_id == hash_query(asked.query)
    assert [s.text for s in asked.sources] == [SALT, ICE, TAR]
    assert [s.url for s in asked.sources] == [
        "https://a.example/salt",
        "https://b.example/ice",
        "https://b.example/ice",
    ]


def test_a_source_without_text_keeps_its_place_in_the_published_benchmark(tmp_path: Path) -> None:
    sources = [*published()["sources"][:2], {"raw_text": None, "url": "https://c.example/"}]
    [asked] = load_questions(jsonl(tmp_path / "test.jsonl", [published(sources=sources, sugg_idx="1")]))
    assert [s.text for s in asked.sources] == [SALT, ICE, ""]
    assert asked.target == 1


def test_passages_are_sources_by_number(tmp_path: Path) -> None:
    [asked] = load_questions(jsonl(tmp_path / "m.jsonl.gz", [samples.msmarco()]))
    assert asked == ExperimentQuestion(
        "77",
        "who boils tar",
        tuple(SourceRecord(str(i), text) for i, text in enumerate((SALT, ICE, TAR))),
        draw_target("who boils tar", 3),
        ("person",),
        "en",
    )


def test_own_sources_are_texts_or_objects(tmp_path: Path) -> None:
    [asked] = load_questions(jsonl(tmp_path / "own.jsonl", [own(target=1, tags=["trade"], id=5, language="fr-CA")]))
    assert asked == ExperimentQuestion(
        "5",
        "what is sold",
        (SourceRecord("0", SALT), SourceRecord("https://b.example/", ICE, "Ice", "https://b.example/")),
        1,
        ("trade",),
        "fr",
    )


def test_a_language_that_is_not_named_is_told_by_the_sources(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "own.jsonl", [own(), own(query="que vend-on", sources=[FRENCH, FRENCH])])
    assert [asked.language for asked in load_questions(path)] == ["en", "fr"]


def test_a_target_that_is_not_named_comes_from_the_query_alone(tmp_path: Path) -> None:
    first = load_questions(jsonl(tmp_path / "a.jsonl", [own(query=f"query {n}") for n in range(200)]))
    other = load_questions(
        jsonl(tmp_path / "b.jsonl", [own(query=f"query {n}", sources=[TAR, SALT]) for n in range(200)])
    )
    assert [a.target for a in first] == [a.target for a in other]
    assert 70 < sum(a.target for a in first) < 130
    assert draw_target("query 1", 7) == int(hashlib.sha256(b"query 1").hexdigest(), 16) % 7


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": 2}, "`target` is 2, and the sources go from 0 to 1"),
        ({"target": -1}, "`target` is -1"),
        ({"target": "first"}, '`target` is "first", and must be a number'),
        ({"sources": [SALT]}, "fewer than two sources"),
        ({"sources": []}, "`sources` is an empty list"),
        ({"sources": "text"}, "`sources` is a str, and must be a list"),
        ({"sources": [SALT, 3]}, r"`sources\[1\]` is a int, and must be an object"),
        ({"sources": [SALT, {"url": "x"}]}, r"sources\[1\]: `text` is missing \(keys seen: url\)"),
        ({"sources": [SALT, " "]}, r"sources\[1\]: `text` is empty"),
        ({"query": ""}, "`query` is empty"),
        ({"sugg_idx": 4}, "`sugg_idx` is 4, and the sources go from 0 to 1"),
    ],
)
def test_a_wrong_question_is_refused_with_its_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    sources = {"sources": published()["sources"][:2]} if "sugg_idx" in changes else {}
    path = jsonl(tmp_path / "q.jsonl", [own(query="fine"), own(**sources, **changes)])
    with pytest.raises(InvalidFile, match=rf"q\.jsonl:2.*{message}"):
        load_questions(path)


def test_a_file_of_something_else_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"q\.jsonl:1: no question \(keys seen: query, text\); give GEO-Bench's"):
        load_questions(jsonl(tmp_path / "q.jsonl", [{"query": "x", "text": "y"}]))


def test_a_query_asked_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"q\.jsonl:2: query '\w{12}' is already in .*q\.jsonl:1"):
        load_questions(jsonl(tmp_path / "q.jsonl", [own(), own()]))


# A run's own journal


def journal(path: Path, records: list[dict[str, Any]]) -> Path:
    with Journal.open(path, Header("outcome", "steelyard.outcome/1"), json.dumps) as file:
        file.append_many(records)
    return path


def asked_all() -> list[ExperimentQuestion]:
    rich = ExperimentQuestion(
        "x", "q", (SourceRecord("k", SALT, "T", "https://a.example/", 0.5, 3), SourceRecord("l", ICE)), 1, ("t",), "fr"
    )
    return [rich, *(questions.parse_question(row) for row in rows(own(), samples.msmarco(), published()))]


def test_the_questions_of_a_run_are_read_back(tmp_path: Path) -> None:
    asked = asked_all()
    records = [{"question": asdict(a), "arm": arm} for a in asked for arm in ("baseline", "quotation")]
    assert load_questions(journal(tmp_path / "run.jsonl", [*records, {"note": "no question here"}])) == tuple(asked)


def test_a_journal_that_is_torn_changed_or_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="a journal without questions"):
        load_questions(journal(tmp_path / "none.jsonl", [{"arm": "baseline"}]))
    first, second = asked_all()[:2]
    other = asdict(second) | {"query_id": first.query_id}
    with pytest.raises(InvalidFile, match=r"two\.jsonl:3, question: query 'x' is already in"):
        load_questions(journal(tmp_path / "two.jsonl", [{"question": asdict(first)}, {"question": other}]))
    path = journal(tmp_path / "run.jsonl", [{"question": asdict(first)}])
    whole = path.read_bytes()
    for data in (whole[:-9], whole.replace(b"harbour", b"harbor")):
        path.write_bytes(data)
        with pytest.raises(SteelyardError, match=r"run\.jsonl:2: "):
            load_questions(path)


# The real files


def test_the_real_candidates() -> None:
    asked = load_questions(real("candidates_msmarco.jsonl"))
    assert len(asked) == len({a.query_id for a in asked}) == 1000
    assert {len(a.sources) for a in asked} == {5}
    assert all(150 < [a.target for a in asked].count(place) < 250 for place in range(5))


def test_the_real_rows_are_questions_too() -> None:
    assert [(a.target, len(a.sources), a.language) for a in load_questions(real("geo_bench_rows.json"))] == [
        (3, 5, "en"),
        (1, 5, "en"),
    ]


def test_outcome_records_with_texts_are_questions_too() -> None:
    assert len(load_questions(real("outcomes/scholarqa_gpt4o.jsonl"))) == 100
