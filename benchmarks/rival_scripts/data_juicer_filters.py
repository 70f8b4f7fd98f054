"""Runs in data-juicer's environment: eight text filters over the same pages; CPU time, pages kept, memory to stdout."""

import inspect
import json
import sys
import time

from data_juicer.ops.filter.alphanumeric_filter import AlphanumericFilter
from data_juicer.ops.filter.average_line_length_filter import AverageLineLengthFilter
from data_juicer.ops.filter.character_repetition_filter import CharacterRepetitionFilter
from data_juicer.ops.filter.maximum_line_length_filter import MaximumLineLengthFilter
from data_juicer.ops.filter.special_characters_filter import SpecialCharactersFilter
from data_juicer.ops.filter.text_length_filter import TextLengthFilter
from data_juicer.ops.filter.word_repetition_filter import WordRepetitionFilter
from data_juicer.ops.filter.words_num_filter import WordsNumFilter
from data_juicer.utils.constant import Fields


def read_peak():
    """Return the most megabytes held; `getrusage` would count the program that started this one too."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


FILTERS = (
    AlphanumericFilter, AverageLineLengthFilter, CharacterRepetitionFilter, MaximumLineLengthFilter,
    SpecialCharactersFilter, TextLengthFilter, WordRepetitionFilter, WordsNumFilter,
)  # fmt: skip
BATCH = 1000  # data-juicer's own default

pages, rounds = sys.argv[1], int(sys.argv[2])
with open(pages, encoding="utf-8") as file:
    texts = [json.loads(line)["text"] for line in file]
# A context lets filters share the words of a text, as data-juicer's fusion of operators does.
filters = [
    (one(), {"context": True} if "context" in inspect.signature(one.compute_stats_batched).parameters else {})
    for one in FILTERS
]
best = None
kept = 0
for n in range(rounds + 1):
    used = texts if n else texts[:50]  # the first round warms up and does not count
    kept = 0
    started = time.process_time()
    for start in range(0, len(used), BATCH):
        batch = used[start : start + BATCH]
        samples = {"text": batch, Fields.stats: [{} for _ in batch], Fields.context: [{} for _ in batch]}
        verdicts = []
        for one, shared in filters:
            samples = one.compute_stats_batched(samples, **shared)
            verdicts.append(list(one.process_batched(samples)))
        kept += sum(all(row) for row in zip(*verdicts, strict=True))
    seconds = time.process_time() - started
    if n:
        best = seconds if best is None else min(best, seconds)
peak = read_peak()
print(json.dumps({"seconds": best, "pages": len(texts), "kept": kept, "peak_megabytes": peak}))
