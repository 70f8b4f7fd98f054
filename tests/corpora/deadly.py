"""A worker that dies on certain words, as one does that runs out of memory."""

from __future__ import annotations

import os

from steelyard.corpora import work
from steelyard.corpora.batches import Batch
from steelyard.corpora.plan import Plan

WORDS = "these words kill the process"


def process_batch(batch: Batch, plan: Plan) -> work.Result:
    if not batch.dead and any(WORDS.encode() in (line or b"") for line in batch.lines):
        os._exit(9)
    return work.process_batch(batch, plan)
