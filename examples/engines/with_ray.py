"""Score a Ray dataset: python with_ray.py pages.parquet scored-folder"""

import sys

import ray

from steelyard.corpora.ray import SteelyardScorer

AS_OF = "2026-07-01"

source, target = sys.argv[1:]
ray.init()
# One core stays free: workers hold theirs to the end, and reading and writing need one too.
workers = max(1, int(ray.cluster_resources()["CPU"]) - 1)
ray.data.read_parquet(source).map_batches(
    SteelyardScorer,
    fn_constructor_kwargs={"as_of": AS_OF},
    batch_format="pyarrow",
    batch_size=1000,
    compute=ray.data.ActorPoolStrategy(size=workers),
).write_parquet(target)
