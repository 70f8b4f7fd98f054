"""Score the rows of a DuckDB query: python with_duckdb.py pages.parquet scored.parquet"""

import sys

import duckdb
import pyarrow as pa

from steelyard.corpora.arrow import output_schema, score_batch

AS_OF = "2026-07-01"

source, target = sys.argv[1:]
# One connection reads while the other writes, so the rows are never all in memory.
reader = duckdb.connect().read_parquet(source).to_arrow_reader(1000)
scored = pa.RecordBatchReader.from_batches(
    output_schema(reader.schema), (score_batch(batch, as_of=AS_OF) for batch in reader)
)
duckdb.connect().from_arrow(scored).write_parquet(target)
