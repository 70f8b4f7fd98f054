"""Run by test_interruptions.py in Ray's environment: score rows on two nodes, and kill a worker halfway.

Arguments: the rows as Parquet, the folder for the result, the number of rows. Prints which worker was killed and when.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import ray
from ray.cluster_utils import Cluster

from steelyard.corpora.ray import SteelyardScorer

AS_OF = "2026-07-01"
BATCH = 500
BLOCKS = 40


class RecordingScorer(SteelyardScorer):
    """The scorer itself; it leaves a file for every batch it finished, named by its process."""

    def __init__(self, *, log: str, as_of: str) -> None:
        super().__init__(as_of=as_of)
        self.log = Path(log)

    def __call__(self, table: pa.Table) -> pa.Table:
        scored = super().__call__(table)
        (self.log / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        return scored


def kill_a_worker(log: Path, after: int) -> None:
    """Wait until two workers have finished so many batches together, and kill one of them."""
    while True:
        done = [entry.name.split("-")[0] for entry in log.iterdir()]
        if len(done) >= after and len(set(done)) == 2:
            break
        time.sleep(0.05)
    os.kill(int(done[-1]), signal.SIGKILL)
    print(f"killed {done[-1]} after {len(done)} batches", flush=True)


def main() -> None:
    source, target, n = sys.argv[1:]
    log = Path(f"{target}-log")
    log.mkdir()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})  # reads and writes
    for _ in range(2):
        cluster.add_node(num_cpus=1, resources={"scorer": 1})
    ray.init(address=cluster.address)
    threading.Thread(target=kill_a_worker, args=(log, int(n) // BATCH // 2), daemon=True).start()
    # Ray joins small files into one block, which a single worker would take.
    ray.data.read_parquet(source).repartition(BLOCKS).map_batches(
        RecordingScorer,
        fn_constructor_kwargs={"as_of": AS_OF, "log": str(log)},
        batch_format="pyarrow",
        batch_size=BATCH,
        compute=ray.data.ActorPoolStrategy(size=2),
        resources={"scorer": 1},  # one worker on each of the two nodes
    ).write_parquet(target)
    print(f"workers {len({entry.name.split('-')[0] for entry in log.iterdir()})}", flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
