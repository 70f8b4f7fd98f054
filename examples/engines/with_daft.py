"""Score a Daft frame: python with_daft.py pages.parquet scored-folder"""

import sys

import daft
import pyarrow as pa
from daft import col

from steelyard.corpora.arrow import output_schema, score_batch

AS_OF = "2026-07-01"
RESULT = daft.DataType.from_arrow_type(pa.struct(list(output_schema(pa.schema([("text", pa.string())])))[1:]))


@daft.func.batch(return_dtype=RESULT, batch_size=1000)
def score_texts(texts: daft.Series) -> pa.Array:
    batch = pa.RecordBatch.from_arrays([texts.to_arrow()], ["text"])
    return score_batch(batch, as_of=AS_OF).drop_columns(["text"]).to_struct_array()


source, target = sys.argv[1:]
pages = daft.read_parquet(source)
scored = pages.with_column("steelyard", score_texts(col("text")))
columns = [col("steelyard").get(field).alias(field) for field in RESULT.fields]
scored.select(*pages.column_names, *columns).write_parquet(target)
