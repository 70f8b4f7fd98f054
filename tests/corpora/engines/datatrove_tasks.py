"""Run by test_interruptions.py in datatrove's environment: annotate JSONL files in several tasks, two at a time.

Arguments: the folder of the rows, the folder for the result, the folder for datatrove's notes.
"""

import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from steelyard.corpora.datatrove import SteelyardAnnotator

AS_OF = "2026-07-01"
TASKS = 8

if __name__ == "__main__":
    source, target, logs = sys.argv[1:]
    pipeline = [JsonlReader(source), SteelyardAnnotator(as_of=AS_OF), JsonlWriter(target)]
    LocalPipelineExecutor(pipeline=pipeline, tasks=TASKS, workers=2, logging_dir=logs).run()
