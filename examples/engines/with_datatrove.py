"""Filter JSONL files with datatrove: python with_datatrove.py pages-folder kept-folder logs-folder"""

import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from steelyard.corpora.datatrove import SteelyardFilter

AS_OF = "2026-07-01"

if __name__ == "__main__":
    source, target, logs = sys.argv[1:]
    LocalPipelineExecutor(  # or SlurmPipelineExecutor, or RayPipelineExecutor: the steps stay the same
        pipeline=[
            JsonlReader(source),
            SteelyardFilter(
                min_score=30, drop_flagged=True, as_of=AS_OF, exclusion_writer=JsonlWriter(f"{target}-dropped")
            ),
            JsonlWriter(target),
        ],
        tasks=4,
        workers=2,
        logging_dir=logs,  # what is finished is noted here; the same command continues after an interruption
    ).run()
