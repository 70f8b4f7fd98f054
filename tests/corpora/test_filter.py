"""What `filter` writes: rows and columns as they were, with scores, whatever the kind of file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from steelyard.components import NAMES
from steelyard.corpora.columns import AddedColumns, score_rows
from steelyard.corpora.plan import Thresholds
from tests.conftest import ROOT
from tests.corpora.shared import GOOD, SETTINGS, SHORT, make_rows, read_jsonl, run_filter, write_jsonl

COLUMNS = ["steelyard_score", "steelyard_content", "steelyard_percentile", "steelyard_flagged"]


def unpack_zstd(data: bytes) -> bytes:
    plain: bytes = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return plain


UNPACKERS: dict[str, Callable[[bytes], bytes]] = {
    "jsonl": bytes,
    "jsonl.gz": gzip.decompress,
    "jsonl.zst": unpack_zstd,
}


def write_parquet(path: Path, rows: list[dict[str, Any]], **options: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, **options)
    return path


def test_jsonl_keeps_each_line_and_adds_fields_at_its_end(tmp_path: Path) -> None:
    odd = (
        '{"text": "'
        + SHORT
        + '", "n": 12345678901234567890123, "x": NaN, "y": 1.50, "k": {"a": 1, "a": 2}, "s": "\\ud800" }'
    )
    source = write_jsonl(tmp_path / "in.jsonl", [odd, "", *make_rows(2), "{}"])
    outcome = run_filter([source], tmp_path / "out.jsonl", added=AddedColumns(components=True))
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert lines[0].startswith(odd[:-2] + ',"steelyard_score":')
    assert lines[3] == "{" + ",".join(f'"{name}":null' for name in [*COLUMNS, *(f"steelyard_{n}" for n in NAMES)]) + "}"
    assert list(json.loads(lines[1])) == ["id", "text", *COLUMNS, *(f"steelyard_{name}" for name in NAMES)]
    assert (outcome.tally.rows, outcome.tally.kept) == (4, 4)
    assert outcome.tally.unscored == {"no text": 1}


def test_parquet_keeps_columns_types_and_order(tmp_path: Path) -> None:
    table = pa.table(
        {
            "when": pa.array([0, None, 2], pa.timestamp("ns")),
            "text": pa.array([GOOD, None, SHORT], pa.large_string()),
            "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "view": pa.array(["x", None, "y"], pa.string_view()),
            "pairs": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int32())),
            "price": pa.array([None, Decimal("1.50"), None], pa.decimal128(10, 2)),
        },
        metadata={"made by": "a test"},
    )
    pq.write_table(table, tmp_path / "in.parquet")
    run_filter([tmp_path / "in.parquet"], tmp_path / "out.parquet")
    out = pq.read_table(tmp_path / "out.parquet")
    assert out.column_names == [*table.column_names, *COLUMNS]
    assert out.schema.metadata[b"made by"] == b"a test"
    same = ["when", "text", "tags", "pairs", "price"]
    assert out.select(same).equals(table.select(same))
    assert (out["kind"].to_pylist(), out["view"].to_pylist()) == (["x", "y", "x"], ["x", None, "y"])
    scores = score_rows([GOOD, None, SHORT], SETTINGS)
    assert [out[name].to_pylist() for name in COLUMNS] == [
        scores.score, scores.content, scores.percentile, scores.flagged
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["in.jsonl", "in.parquet"])
def test_every_kind_becomes_every_other_with_the_numbers_of_the_scorer(tmp_path: Path, kind: str) -> None:
    rows = make_rows(8)
    source = (write_parquet if kind.endswith("parquet") else write_jsonl)(tmp_path / kind, rows)
    expected = score_rows([row["text"] for row in rows], SETTINGS, evidence=True)
    spans = [[span._asdict() for span in row or ()] for row in expected.evidence or ()]
    for target in ("jsonl", "jsonl.gz", "jsonl.zst", "parquet"):
        out = tmp_path / f"out.{target}"
        run_filter([source], out, added=AddedColumns(evidence=True))
        if target == "parquet":
            written = pq.read_table(out).to_pylist()
        else:
            written = [json.loads(line) for line in UNPACKERS[target](out.read_bytes()).splitlines()]
        assert [{key: row[key] for key in ("id", "text")} for row in written] == rows, target
        for name in ("score", "content", "percentile", "flagged"):
            assert [row[f"steelyard_{name}"] for row in written] == getattr(expected, name), (target, name)
        assert [row["steelyard_evidence"] for row in written] == spans, target


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_the_bytes_do_not_depend_on_jobs_or_batches(tmp_path: Path, kind: str) -> None:
    rows = [*make_rows(20), {"id": 20, "text": None}]
    write = write_parquet if kind == "parquet" else write_jsonl
    source = write(tmp_path / f"in.{kind}", rows)
    seen = set()
    for number, (jobs, batch_size) in enumerate([(1, 256), (1, 4), (2, 3)]):
        out, rejects = tmp_path / f"out{number}.{kind}", tmp_path / f"rejects{number}.jsonl"
        options = {
            "rejects": str(rejects),
            "thresholds": Thresholds(min_score=60),
            "added": AddedColumns(evidence=True),
        }
        outcome = run_filter([source], out, jobs=jobs, batch_size=batch_size, **options)
        seen.add((out.read_bytes(), rejects.read_bytes(), json.dumps(outcome.tally.to_dict())))
    assert len(seen) == 1


def test_thresholds_reject_rows_with_their_reasons(tmp_path: Path) -> None:
    stuffed = "cheap shoes buy cheap shoes best cheap shoes online " * 30
    good = (ROOT / "examples" / "site" / "guides" / "home-insulation.md").read_text("utf-8")
    rows: list[dict[str, Any]] = [{"text": good}, {"text": SHORT}, {"text": None}, {"text": stuffed}, {}]
    source = write_jsonl(tmp_path / "in.jsonl", [*rows, "[1]"])
    scores = score_rows([row.get("text") for row in rows], SETTINGS)
    assert scores.score[0] is not None
    limits = {
        "score below the minimum": Thresholds(min_score=scores.score[0]),
        "percentile below the minimum": Thresholds(min_percentile=scores.percentile[0]),
        "flagged by a detector": Thresholds(drop_flagged=True),
    }
    assert scores.flagged[3]
    for number, (reason, thresholds) in enumerate(limits.items()):
        out, rejects = tmp_path / f"{number}.jsonl", tmp_path / f"{number}.rejects.jsonl"
        outcome = run_filter([source], out, thresholds=thresholds, rejects=str(rejects))
        assert read_jsonl(out)[0]["text"] == rows[0]["text"]
        listed = {row["row"]: row for row in read_jsonl(rejects)}
        assert listed[4]["reason"] == reason
        assert listed[4]["score"] == scores.score[3]
        assert [listed[row]["reason"] for row in (3, 5, 6)] == ["text is null", "no text", "not an object"]
        assert all(row["file"] == str(source) and not row["kept"] for row in listed.values())
        assert outcome.tally.rows == outcome.tally.kept + outcome.tally.rejected.total()
        assert outcome.tally.rejected.total() == len(listed)


def test_without_thresholds_an_unscored_row_is_kept_and_named(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": 5}, {"text": SHORT}])
    outcome = run_filter([source], tmp_path / "out.jsonl", rejects=str(tmp_path / "rejects.jsonl"))
    assert [row["steelyard_score"] is None for row in read_jsonl(tmp_path / "out.jsonl")] == [True, False]
    [named] = read_jsonl(tmp_path / "rejects.jsonl")
    assert (named["row"], named["kept"], named["reason"]) == (1, True, "text is not a string")
    assert outcome.tally.examples == {"text is not a string": [f"{source}:1"]}


def test_a_directory_is_read_by_name_and_files_in_the_order_given(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "b").mkdir(parents=True)
    write_jsonl(folder / "b" / "2.jsonl", [{"n": 2}])
    write_jsonl(folder / "a.jsonl", [{"n": 1}])
    write_jsonl(folder / ".hidden.jsonl", [{"n": 0}])
    (folder / "notes.txt").write_text("not a corpus")
    with gzip.open(folder / "c.jsonl.gz", "wb") as file:
        file.write(b'{"n": 3}\n')
    (folder / "d.jsonl.zst").write_bytes(zstandard.compress(b'{"n": 4}\n') + zstandard.compress(b'{"n": 5}\n'))
    first = write_jsonl(tmp_path / "z.jsonl", [{"n": 9}])
    run_filter([first, folder], tmp_path / "out.jsonl")
    assert [row["n"] for row in read_jsonl(tmp_path / "out.jsonl")] == [9, 1, 3, 4, 5, 2]


def test_values_that_have_no_common_type_become_json_text_in_parquet(tmp_path: Path) -> None:
    rows = [
        '{"text": "a", "i": 1, "f": 1, "m": 1, "deep": {"x": [1, 2]}, "huge": 123456789012345678901234567890}',
        '{"text": null, "i": null, "f": 2.5, "m": "one", "new": true, "huge": 1}',
    ]
    run_filter([write_jsonl(tmp_path / "in.jsonl", rows)], tmp_path / "out.parquet")
    out = pq.read_table(tmp_path / "out.parquet").drop_columns(COLUMNS)
    assert out.to_pylist() == [
        {"text": "a", "i": 1, "f": 1.0, "m": "1", "deep": '{"x": [1, 2]}', "huge": "123456789012345678901234567890",
         "new": None},
        {"text": None, "i": None, "f": 2.5, "m": '"one"', "deep": None, "huge": "1", "new": True},
    ]  # fmt: skip


def test_row_groups_are_cut_by_rows_and_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.corpora import parquet

    monkeypatch.setattr(parquet, "GROUP_ROWS", 4)
    monkeypatch.setattr(parquet, "GROUP_BYTES", 3_000)
    rows = [{"text": SHORT}] * 6 + [{"text": SHORT * 100}] * 2
    run_filter([write_parquet(tmp_path / "in.parquet", rows, row_group_size=3)], tmp_path / "out.parquet", batch_size=5)
    made = pq.ParquetFile(tmp_path / "out.parquet").metadata
    assert [made.row_group(n).num_rows for n in range(made.num_row_groups)] == [4, 3, 1]
