"""From a file to outcomes: the format by content, and kind words for everything else."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.outcome.records import load
from steelyard.lab.outcome.records.load import load_records
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import jsonl

MINIATURES = {
    "geo-bench": samples.geo_bench(),
    "scholarqa": samples.scholarqa(),
    "google-ai": samples.google(),
    "b2b": samples.b2b(),
    "qwen": samples.qwen(id="77", set="msmarco", query="who boils tar"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    jsonl(tmp_path / "texts.jsonl", [samples.msmarco()])
    return tmp_path


def test_there_is_a_miniature_of_every_format() -> None:
    assert set(MINIATURES) == {kind.NAME for kind in load.FORMATS}


@pytest.mark.parametrize("name", MINIATURES)
def test_the_format_is_told_by_the_content(folder: Path, name: str) -> None:
    listed = folder / "list.json"
    listed.write_text(json.dumps([MINIATURES[name]], indent=2))
    for path in (listed, *(jsonl(folder / file, [MINIATURES[name]]) for file in ("records.gz", "some other name"))):
        loaded = load_records(path)
        assert loaded.dataset == name, path
        assert bool(loaded.outcomes) != bool(loaded.rewrites)
        assert all(outcome.dataset == name for outcome in loaded.outcomes)
        assert loaded.inputs[path.name] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"query": "x"},
            "jsonl:1: not a record of outcomes (known: geo-bench, qwen, b2b, scholarqa, google-ai): as geo-bench it",
        ),
        ({k: v for k, v in samples.scholarqa().items() if k != "engine"}, "as scholarqa it lacks `engine`;"),
        (samples.msmarco(), "run an engine on them first"),
        (
            {"query": "q", "engine": "e", "sources": [{"text": "t", "url": "u"}]},
            "as google-ai it lacks `sources[].position`, `sources[].share`;",
        ),
    ],
)
def test_another_file_is_refused_with_what_it_lacks(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        load_records(jsonl(tmp_path / "r.jsonl", [record]))
    assert message in str(refused.value)


def test_a_key_that_is_missing_later_is_named_with_its_line(tmp_path: Path) -> None:
    broken = {k: v for k, v in samples.scholarqa().items() if k != "answer"}
    with pytest.raises(InvalidFile, match=r"r\.jsonl:3: `answer` is missing \(keys seen: id, query, engine, sources"):
        load_records(jsonl(tmp_path / "r.jsonl", [samples.scholarqa(), samples.scholarqa(), broken]))


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 7, 1e308, 10**400, "", " ", "x", "\ud800", "[1]" * 50, [], [[]], [None], {}, {"": None},
     [{}] * 3]
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, item in inside for found in places(item, (*path, key))]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_record_with_anything_in_any_place_is_read_or_refused_by_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "odd"
    folder.mkdir(exist_ok=True)
    jsonl(folder / "texts.jsonl", [samples.msmarco()])
    record = copy.deepcopy(MINIATURES[data.draw(st.sampled_from(sorted(MINIATURES)))])
    *above, last = data.draw(st.sampled_from(places(record)))
    holder: Any = record
    for key in above:
        holder = holder[key]
    if data.draw(st.booleans()):
        holder[last] = data.draw(ODD)
    else:
        del holder[last]
    path = folder / "r.jsonl"
    path.write_text(json.dumps([record]))
    try:
        loaded = load_records(path)
    except SteelyardError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert refused.startswith(f"{path}, record 1")
        return
    for outcome in loaded.outcomes:
        assert sorted(outcome.shown) == list(range(len(outcome.sources)))
        shares = outcome.shares("strict")
        assert shares is None or (len(shares) == len(outcome.sources) and all(0 <= s <= 1 for s in shares))
