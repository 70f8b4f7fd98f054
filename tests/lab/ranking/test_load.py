"""Ranking data from files: the documented form, other people's records, our own runs, and what cannot be read."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile, PageUnreadable, SteelyardError
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.query_shares import NOTHING_CITED
from steelyard.lab.outcome.records.rows import hash_query
from steelyard.lab.ranking.dataset import MIN_MEDIAN_WORDS, Candidate, Group, make_query_folds
from steelyard.lab.ranking.load import NO_ORDER, ONE_SOURCE, find_pool, load
from steelyard.support.artifacts import hash_file
from tests.lab.outcome.experiment_fixtures import Stub, make_questions, run_experiment
from tests.lab.outcome.records import sample_records as records
from tests.lab.outcome.records.sample_records import ICE, SALT, TAR, jsonl, real
from tests.lab.ranking.sample_data import data, group, make_groups, write_groups


def row(query: str = "what is salt", shares: Any = (0.6, 0.3), **changes: Any) -> dict[str, Any]:
    return {
        "query": query,
        "engine": "some engine",
        "sources": [{"text": text, "share": share} for text, share in zip((SALT, ICE, TAR), shares, strict=False)],
    } | changes


def write(tmp_path: Path, *groups: dict[str, Any], name: str = "mine.jsonl") -> str:
    return str(write_groups(tmp_path / name, groups))


def test_the_documented_form_is_read_whole(tmp_path: Path) -> None:
    source = {
        "text": SALT,
        "share": 0.7,
        "position": 2,
        "relevance": -1.5,
        "title": "Salt",
        "url": "https://a.example/",
    }
    path = write(tmp_path, row(sources=[source, {"text": "", "share": 0.3}], tags=["trade", "north"]))
    found = load([path])
    assert found.groups == (
        Group(
            hash_query("what is salt"),
            "what is salt",
            "some engine",
            (Candidate("https://a.example/", SALT, "Salt", 2.0, -1.5), Candidate("1", "")),
            (0.7, 0.3),
            ("trade", "north"),
        ),
    )
    assert (found.name, found.excluded, found.inputs) == ("mine.jsonl", {}, {"mine.jsonl": hash_file(path)})


def test_relevance_is_joined_by_query_and_text(tmp_path: Path) -> None:
    sources = [{"text": text, "share": 0.1 * n, "relevance": float(n)} for n, text in enumerate((SALT, ICE))]
    judged = write(tmp_path, row("What is  SALT", sources=sources), name="judged.jsonl")
    plain = write(tmp_path, row(), row("another query"), name="plain.jsonl")
    alone = load([plain], [judged])
    assert [[c.relevance for c in g.candidates] for g in alone.groups] == [[0.0, 1.0], [None, None]]
    assert (alone.name, set(alone.inputs)) == ("plain.jsonl", {"plain.jsonl", "judged.jsonl"})
    assert [c.relevance for g in load([plain, judged]).groups[:1] for c in g.candidates] == [0.0, 1.0]
    other = write(tmp_path, row("something else"), name="other.jsonl")
    rewrites = str(jsonl(tmp_path / "b2b.jsonl", [records.b2b()]))
    assert find_pool([plain, other, rewrites, judged]) == [plain, judged]


def test_a_query_is_known_by_its_name_where_it_has_one(tmp_path: Path) -> None:
    found = load([write(tmp_path, row("a", query_id=7), row("b", id="seven"), row("c", query_id=None, id=None))])
    assert [g.query_id for g in found.groups] == ["7", "seven", hash_query("c")]
    assert load([write(tmp_path, {k: v for k, v in row().items() if k != "engine"})]).engines == ("not named",)


def test_a_list_and_a_packed_file_are_read_alike(tmp_path: Path) -> None:
    groups = make_groups(6)
    (tmp_path / "list.json").write_text(json.dumps(groups), "utf-8")
    lines = "".join(json.dumps(g) + "\n" for g in groups)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    for name in ("list.json", "packed.jsonl.gz"):
        assert load([str(tmp_path / name)]).groups == load([write(tmp_path, *groups)]).groups, name


def test_our_form_is_distinguished_from_records_that_look_like_it(tmp_path: Path) -> None:
    """With an address, a place and a share a source is as Google's are, but for the relevance."""
    listed = records.google()["sources"]
    plain = [{k: v for k, v in source.items() if k != "llm_relevance"} for source in listed]
    assert load([write(tmp_path, row(sources=plain))]).name == "mine.jsonl"
    assert load([write(tmp_path, records.google())]).name == "google-ai"


def test_records_without_a_key_are_refused_as_records(tmp_path: Path) -> None:
    nearly = records.scholarqa()
    del nearly["id"]
    with pytest.raises(InvalidFile, match="as scholarqa it lacks `id`"):
        load([write(tmp_path, nearly)])


def test_a_query_under_two_names_is_one_query(tmp_path: Path) -> None:
    """Numbers of records are often called id; under them every fold over queries would share the query."""
    rows = [row(f"Query {i}", id=f"{engine}-{i}", engine=engine) for i in range(6) for engine in ("one", "two")]
    found = load([write(tmp_path, *rows)])
    assert len(found.groups) == 12
    assert len(found.queries) == 6
    for fold in make_query_folds(found.queries, seed=0):
        assert not {found.groups[i].query for i in fold.train(found)} & {
            found.groups[i].query for i in fold.test(found)
        }


def test_one_name_for_two_wordings_keeps_them_together_and_case_and_spaces_make_no_other_query(tmp_path: Path) -> None:
    rows = [row("what is b", id=1), row("b", id=1), row(" What  is B\n", id=2), row("what is b?", id=3)]
    assert [g.query_id for g in load([write(tmp_path, *rows)]).groups] == ["1", "1", "1", "3"]


def test_the_order_of_the_files_does_not_change_a_name(tmp_path: Path) -> None:
    one = write(tmp_path, row("a", id="x"), row("b", id="y"), name="one.jsonl")
    two = write(tmp_path, row("A", id="w"), row("b", id="z"), name="two.jsonl")
    assert sorted(set(load([one, two]).queries)) == sorted(set(load([two, one]).queries)) == ["w", "y"]


def test_what_has_no_order_is_left_out_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, row("a"), row("b", (0.5, 0.5)), row("c", (0.0, 0.0, 0.0)), row("d", (1.0,)), row("e"))
    found = load([path])
    assert [g.query for g in found.groups] == ["a", "e"]
    assert found.excluded == {NO_ORDER: 2, ONE_SOURCE: 1}
    with pytest.raises(SteelyardError) as refused:
        load([write(tmp_path, row("b", (0.5, 0.5)), row("d", (1.0,)))])
    assert str(refused.value) == (
        "undefined: mine.jsonl: no query has an order to be predicted "
        "(1 left out: fewer than two sources; 1 left out: all sources equally visible)"
    )


def test_several_files_are_read_as_one_and_listed_by_name(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = write(tmp_path, row("a"), row("b", (0.5, 0.5)))
    two = write(tmp_path / "other", row("a", engine="another"), row("d", (1.0,)))
    found = load([one, two])
    assert (found.name, found.engines) == ("mine.jsonl", ("some engine", "another"))
    assert len(found.queries) == 1
    assert found.excluded == {ONE_SOURCE: 1, NO_ORDER: 1}
    assert found.inputs == {"mine.jsonl": hash_file(one), "mine.jsonl#2": hash_file(two)}


def test_records_and_own_groups_go_together(tmp_path: Path) -> None:
    answers = str(jsonl(tmp_path / "answers.jsonl", [records.google()]))
    found = load([answers, write(tmp_path, row("When does the  bay open"))])
    assert found.name == "google-ai + mine.jsonl"
    assert len(found.queries) == 1, "another spelling of the same query"


def test_shares_that_records_report_are_taken(tmp_path: Path) -> None:
    path = str(jsonl(tmp_path / "r.jsonl", [records.google(), records.google("google-ai-overview", (0.0, 0.0, 0.0))]))
    found = load([path])
    (only,) = found.groups
    assert only.visibility == (0.75, 0.0, 0.25)
    assert [c.position for c in only.candidates] == [1.0, 2.0, 5.0], "the rank in the results"
    assert [c.relevance for c in only.candidates] == [0.5, 1.0, 1.5]
    assert only.candidates[0].title == "Page 1"
    assert found.excluded == {NOTHING_CITED: 1}


def test_citations_become_shares(tmp_path: Path) -> None:
    (only,) = load([str(jsonl(tmp_path / "r.jsonl", [records.scholarqa()]))]).groups
    assert (only.query_id, only.engine, len(only.candidates)) == ("ab12", "some-engine", 3)
    assert sum(only.visibility) == pytest.approx(1.0)
    assert only.visibility[0] == max(only.visibility), "cited first, and twice"


def test_only_untouched_answers_are_ranked(tmp_path: Path) -> None:
    (only,) = load([str(jsonl(tmp_path / "r.jsonl", [records.geo_bench()]))]).groups
    assert only.tags == ("informational", "trade")
    assert [c.text for c in only.candidates] == [SALT, ICE, TAR], "and none of the edits"


def test_of_several_runs_the_one_in_both_orders_is_taken(tmp_path: Path) -> None:
    jsonl(tmp_path / "scholarqa.jsonl", [records.scholarqa()])
    found = load([str(jsonl(tmp_path / "qwen.jsonl", [records.qwen()]))])
    (only,) = found.groups
    assert [c.position for c in only.candidates] == [1.0, 2.0, 3.0], "its place in the first order"
    assert set(found.inputs) == {"qwen.jsonl", "scholarqa.jsonl"}


def test_a_file_of_texts_that_is_data_too_is_one_input(tmp_path: Path) -> None:
    texts = str(jsonl(tmp_path / "scholarqa.jsonl", [records.scholarqa()]))
    found = load([texts, str(jsonl(tmp_path / "qwen.jsonl", [records.qwen()]))])
    assert sorted(found.inputs) == ["qwen.jsonl", "scholarqa.jsonl"]
    assert len(found.queries) == 1
    assert len(found.groups) == 2


def test_rewrites_without_competitors_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="there is nothing to rank"):
        load([str(jsonl(tmp_path / "r.jsonl", [records.b2b()]))])


def test_the_journal_of_our_own_run_is_data(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run_experiment(make_questions(4), Stub(), path, ExperimentPlan())
    found = load([str(path)])
    assert found.name == "outcome run"
    assert found.engines == ("stub",)
    assert 1 <= len(found.groups) <= 4
    for one in found.groups:
        assert len(one.candidates) == 3
        assert sum(one.visibility) == pytest.approx(1.0)
        assert [c.position for c in one.candidates] == [1.0, 2.0, 3.0], "its place in the first order"


BAD: list[tuple[bytes, str]] = [
    (b"", "holds no records"),
    (b"\n\n", "holds no records"),
    (b"\x00\x01\x02\x03", "a binary file"),
    (b"<html>no</html>", ":1: not JSON"),
    (b'{"query": "q", "sources": [{"text": "a", "share": NaN}]}', "NaN is not a JSON number"),
    (b"[1, 2]", ", record 1: a JSON int, not an object"),
    (b'{"foo": 1}', ':1: neither a known record of outcomes nor a group of your own, which is {"query"'),
    (b'{"query": "q", "sources": {}}', ":1: neither a known record of outcomes nor a group of your own"),
    (b'{"query": "q", "sources": []}', ":1: `sources` is an empty list"),
    (b'{"query": "q", "sources": ["a", "b"]}', ":1: `sources[0]` is a str, and must be an object"),
    (b'{"query": "q", "sources": [{"text": "a"}]}', ":1, sources[0]: `share` is missing (keys seen: text)"),
    (b'{"query": "q", "sources": [{"txt": "a", "share": 1}]}', ":1, sources[0]: `text` is missing (keys seen: txt"),
    (b'{"sources": [{"text": "a", "share": 1}]}', ":1: `query` is missing"),
    (b'{"query": " ", "sources": [{"text": "a", "share": 1}]}', ":1: `query` is empty"),
    (b'{"query": 3, "sources": [{"text": "a", "share": 1}]}', ":1: `query` is a int, and must be a string"),
    (b'{"query": "q", "sources": [{"text": 3, "share": 1}]}', "`text` is a int, and must be a string"),
    (b'{"query": "q", "sources": [{"text": "a", "share": 1.01}]}', "`share` is 1.01, and a share is between 0 and 1"),
    (b'{"query": "q", "sources": [{"text": "a", "share": -0.1}]}', "`share` is -0.1, and a share is between 0 and 1"),
    (b'{"query": "q", "sources": [{"text": "a", "share": "1"}]}', '`share` is "1", and must be a number'),
    (b'{"query": "q", "sources": [{"text": "a", "share": null}]}', "`share` is null"),
    (b'{"query": "q", "sources": [{"text": "a", "share": 1e999}]}', "must be a finite number"),
    (b'{"query": "q", "sources": [{"text": "a", "share": 1, "position": "first"}]}', "`position` is \"first\""),
    (b'{"query": "q", "tags": [1], "sources": [{"text": "a", "share": 1}]}', "`tags[0]` is a int"),
    (b'{"query": "q", "id": 1.5, "sources": [{"text": "a", "share": 1}]}', "`id` is a float"),
]  # fmt: skip


def test_what_is_wrong_is_said_in_one_line_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    for content, message in BAD:
        path.write_bytes(content)
        with pytest.raises(SteelyardError) as refused:
            load([str(path)])
        assert str(refused.value).startswith(str(path)), content
        assert message in str(refused.value), content
        assert "\n" not in str(refused.value), content


def test_a_wrong_line_after_good_ones_has_its_number(tmp_path: Path) -> None:
    path = write(tmp_path, row("a"), row("b"), row("c", sources=[{"text": "x"}]))
    with pytest.raises(InvalidFile, match=r"mine\.jsonl:3, sources\[0\]: `share` is missing"):
        load([path])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_what_is_no_file_is_refused_and_a_pipe_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PageUnreadable, match="not a regular file"):
        load([str(tmp_path / "pipe")])
    for name in ("absent.jsonl", ".", "a\0b"):
        with pytest.raises(SteelyardError):
            load([str(tmp_path / name)])


def test_a_group_has_a_share_for_each_candidate() -> None:
    with pytest.raises(ValueError, match="2 candidates and 1 shares"):
        Group("q", "q", "e", (Candidate("a", ""), Candidate("b", "")), (1.0,))


def test_the_median_of_an_even_number_lies_between_the_two_and_snippets_are_called_so() -> None:
    for sizes, expected in (((100, 200), 150), ((100, 201, 300), 201), ((1, 2), 1.5)):
        candidates = tuple(Candidate(str(i), "w " * n) for i, n in enumerate(sizes))
        found = data([group("q", [i / 10 for i in range(len(sizes))], candidates=candidates)])
        assert found.median_words == expected
        assert (found.content_undefined is None) is (expected >= MIN_MEDIAN_WORDS), sizes
    assert data([group("q", (0.6, 0.4), text="three short words")]).content_undefined == (
        "snippets: the median source has 3 words of 150"
    )
    assert data([]).content_undefined is not None


def test_a_place_is_known_or_not() -> None:
    assert data([group("q", (0.6, 0.4))]).has_positions
    assert not data([group("q", (0.6, 0.4), candidates=(Candidate("0", "a"), Candidate("1", "b")))]).has_positions


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "groups", "queries"),
    [("google_ai_answers.jsonl", 249, 209), ("scholarqa_gpt4o.jsonl", 100, 100), ("qwen_answers.jsonl", 1100, 1100)],
)
def test_the_files_that_we_measure_on_are_read(name: str, groups: int, queries: int) -> None:
    found = load([str(real(f"outcomes/{name}"))])
    assert (len(found.groups), len(found.queries)) == (groups, queries)
