"""Score a Spark frame: python with_spark.py pages.parquet scored-folder"""

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from steelyard.corpora.arrow import output_schema, score_batch

AS_OF = "2026-07-01"


def score_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield score_batch(batch, as_of=AS_OF)


source, target = sys.argv[1:]
spark = SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 1000).getOrCreate()
pages = spark.read.parquet(source)
schema = from_arrow_schema(output_schema(to_arrow_schema(pages.schema)))
pages.mapInArrow(score_batches, schema).write.mode("overwrite").parquet(target)
spark.stop()
