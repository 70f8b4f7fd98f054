"""Files of `falsify`: texts that go out, scores that come back, and what a scorer is read from."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from steelyard.support.artifacts import hash_file, write_text
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.output import emit

if TYPE_CHECKING:
    from steelyard.lab.corpus import CorpusPage
    from steelyard.lab.protocol.capture import CapturePlan
    from steelyard.lab.scorers.recorded import RecordedScorer


def list_scorer_files(spec: str) -> Iterator[str]:
    """Yield the files that a scorer may be read from: a weighting, the module of a function, a command's own."""
    module = spec.partition(":")[0].replace(".", "/")
    yield from filter(os.path.isfile, (spec, *spec.split(), f"{module}.py", f"{module}/__init__.py"))


def read_records(paths: Sequence[str], scale: tuple[float, float] | None) -> list[RecordedScorer]:
    from steelyard.lab.scorers.base import Range
    from steelyard.lab.scorers.recorded import RecordedScorer, read_scores

    limits = Range(*scale) if scale else Range()
    return [RecordedScorer(path, read_scores(path), hash_file(path), limits) for path in paths]


def export_texts(path: str, pages: Sequence[CorpusPage], plan: CapturePlan, recorded: Sequence[RecordedScorer]) -> int:
    """Write the texts that have no score yet, and say what to do with them."""
    from steelyard.lab.protocol.falsify import list_passages
    from steelyard.lab.scorers.recorded import write_passages

    known: Mapping[str, Any] = dict(chain.from_iterable(record.scores.items() for record in recorded))
    file = io.StringIO(newline="")
    number = write_passages(file, list_passages(pages, plan), known=known, is_csv=path.lower().endswith(".csv"))
    write_text(path, file.getvalue())
    written = make_visible(recorded[0].source) if recorded else ""
    task = f"add id and score to {written}" if written else "write id and score"
    emit(
        f"{format_count(number, 'text')} in {make_visible(path)}; score each, {task}, and run "
        f"falsify --scores {written or 'FILE'} with the same --corpus and options\n"
    )
    return 0
