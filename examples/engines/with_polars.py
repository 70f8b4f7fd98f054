"""Score a Polars frame batch by batch: python with_polars.py pages.parquet scored.parquet"""

import sys

import polars as pl
import pyarrow as pa

from steelyard.corpora.arrow import output_schema, score_batch

AS_OF = "2026-07-01"


def score_frame(frame: pl.DataFrame) -> pl.DataFrame:
    table = frame.to_arrow()
    batches = [score_batch(batch, as_of=AS_OF) for batch in table.to_batches()]
    return pl.from_arrow(pa.Table.from_batches(batches, output_schema(table.schema)))


source, target = sys.argv[1:]
pages = pl.scan_parquet(source)
schema = score_frame(pages.head(0).collect()).schema
pages.map_batches(score_frame, schema=schema, streamable=True).sink_parquet(target)
