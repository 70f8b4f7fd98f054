"""Score a Parquet file with pyarrow alone: python with_pyarrow.py pages.parquet scored.parquet"""

import sys

import pyarrow.parquet as pq

from steelyard.corpora.arrow import output_schema, score_batch

AS_OF = "2026-07-01"

source = pq.ParquetFile(sys.argv[1])
with pq.ParquetWriter(sys.argv[2], output_schema(source.schema_arrow)) as writer:
    for batch in source.iter_batches(batch_size=1000):
        writer.write_batch(score_batch(batch, as_of=AS_OF))
