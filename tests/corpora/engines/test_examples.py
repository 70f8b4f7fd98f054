"""The scripts in examples/engines, run in each engine's own environment: the rows are those of one process."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from steelyard.corpora.arrow import score_batch
from steelyard.errors import InvalidColumns
from tests.corpora.engines.environments import AS_OF, EXAMPLES, make_texts, read_rows, run_script

pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.full

ENGINES = {
    "pyarrow": "tables",
    "duckdb": "tables",
    "polars": "tables",
    "daft": "tables",
    "spark": "spark",
    "ray": "ray",
}
# Daft now and then crashes when the interpreter ends, after all is written, also without any code of ours.
EXITS = {"daft": (0, -signal.SIGSEGV)}
ROWS = 400


@pytest.fixture(scope="module")
def rows() -> Any:
    texts: list[str | None] = list(make_texts(ROWS))
    texts[3] = None
    texts[7] = ""
    return pa.table({"id": list(range(ROWS)), "text": texts, "n": [None, *range(1, ROWS)]})


@pytest.fixture(scope="module")
def expected(rows: Any) -> list[dict[str, Any]]:
    return [row for batch in rows.to_batches() for row in score_batch(batch, as_of=AS_OF).to_pylist()]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_script_gives_the_rows_of_a_single_process(
    engine: str, rows: Any, expected: list[dict[str, Any]], tmp_path: Path
):
    if engine == "spark" and not shutil.which("java"):
        pytest.skip("Spark needs a Java runtime")
    import pyarrow.parquet as pq

    source, target = tmp_path / "pages.parquet", tmp_path / "scored.parquet"
    pq.write_table(rows, source, row_group_size=150)
    run_script(ENGINES[engine], EXAMPLES / f"with_{engine}.py", source, target, exits=EXITS.get(engine, (0,)))
    assert read_rows(target) == expected


def test_the_datatrove_script_keeps_and_drops_by_its_limits(tmp_path: Path, expected: list[dict[str, Any]]):
    source, target = tmp_path / "pages", tmp_path / "kept"
    source.mkdir()
    scored = [row for row in expected if row["text"]]
    for part in range(4):
        lines = [json.dumps({"id": str(row["id"]), "text": row["text"]}) + "\n" for row in scored[part::4]]
        (source / f"{part}.jsonl").write_text("".join(lines), "utf-8")
    run_script("datatrove", EXAMPLES / "with_datatrove.py", source, target, tmp_path / "logs")
    kept, dropped = read_documents(target), read_documents(Path(f"{target}-dropped"))
    passing = {
        str(row["id"])
        for row in scored
        if row["steelyard_score"] is not None and row["steelyard_score"] >= 30 and not row["steelyard_flagged"]
    }
    assert kept.keys() == passing
    assert dropped.keys() == {str(row["id"]) for row in scored} - passing
    assert {m["filter_reason"] for m in dropped.values()} <= {
        "steelyard_score", "steelyard_flagged", "steelyard_not_scored",
    }  # fmt: skip
    by_id = {str(row["id"]): row for row in scored}
    for name, metadata in {**kept, **dropped}.items():
        for column in ("steelyard_score", "steelyard_content", "steelyard_percentile", "steelyard_flagged"):
            assert metadata[column] == by_id[name][column], (name, column)


def read_documents(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the metadata of each document that datatrove wrote, by id."""
    lines = [line for path in folder.glob("*.gz") for line in gzip.decompress(path.read_bytes()).splitlines()]
    documents = [json.loads(line) for line in lines]
    assert len({d["id"] for d in documents}) == len(documents)
    return {d["id"]: d["metadata"] for d in documents}


def test_a_table_without_the_column_fails_before_any_row_is_scored():
    with pytest.raises(InvalidColumns, match="no column 'text'"):
        score_batch(pa.RecordBatch.from_pydict({"body": ["a page"]}), as_of=AS_OF)
