"""Runs in dolma's environment: its Gopher tagger over the same pages; CPU time and memory to stdout."""

import json
import sys
import time

from dolma.core.data_types import Document
from dolma.taggers.gopher import GopherTaggerV2


def read_peak():
    """Return the most megabytes held; `getrusage` would count the program that started this one too."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


pages, rounds = sys.argv[1], int(sys.argv[2])
with open(pages, encoding="utf-8") as file:
    documents = [Document(source="", id=str(n), text=json.loads(line)["text"]) for n, line in enumerate(file)]
tagger = GopherTaggerV2()
best = None
for n in range(rounds + 1):
    started = time.process_time()
    for document in documents[: None if n else 50]:  # the first round warms up and does not count
        tagger.predict(document)
    seconds = time.process_time() - started
    if n:
        best = seconds if best is None else min(best, seconds)
peak = read_peak()
# A tagger measures and drops nothing.
print(json.dumps({"seconds": best, "pages": len(documents), "kept": None, "peak_megabytes": peak}))
