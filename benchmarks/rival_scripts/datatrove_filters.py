"""Runs in datatrove's environment: some of its filters over the same pages; CPU time, pages kept, memory to stdout."""

import json
import sys
import time

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)


def read_peak():
    """Return the most megabytes held; `getrusage` would count the program that started this one too."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


SETS = {
    "gopher": (GopherQualityFilter, GopherRepetitionFilter),
    "english": (GopherQualityFilter, GopherRepetitionFilter, C4QualityFilter, FineWebQualityFilter),
}

pages, rounds, chosen = sys.argv[1], int(sys.argv[2]), SETS[sys.argv[3]]
with open(pages, encoding="utf-8") as file:
    texts = [json.loads(line)["text"] for line in file]
filters = [one() for one in chosen]
best = None
kept = 0
for n in range(rounds + 1):
    # The first round loads the tokenizer and does not count. Filters may change a document, so each gets its own.
    documents = [[Document(text=text, id=str(i)) for _ in filters] for i, text in enumerate(texts[: None if n else 50])]
    kept = 0
    started = time.process_time()
    for copies in documents:
        verdicts = [one.filter(copy) is True for one, copy in zip(filters, copies, strict=True)]  # none is skipped
        kept += all(verdicts)
    seconds = time.process_time() - started
    if n:
        best = seconds if best is None else min(best, seconds)
peak = read_peak()
print(json.dumps({"seconds": best, "pages": len(texts), "kept": kept, "peak_megabytes": peak}))
