"""Journals: a broken line is named, a torn last one is cut off, and what was written before stays."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fuzz.checks import Problems
from fuzz.kinds.records import FileKind
from fuzz.mutate.json_values import mutate_value, write_json
from fuzz.mutate.text import mutate_bytes
from steelyard.errors import SteelyardError
from steelyard.support import journal
from steelyard.support.artifacts import to_canonical_json

HEADER = journal.Header("fuzz", "steelyard.fuzz/1", {"pages": "1f" * 32}, {"seed": 7, "jobs": None}, {"steelyard": "0"})


class Journals(FileKind):
    name = "journal"
    share = 0.01
    file_name = "journal.jsonl"

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        numbers = range(rng.randrange(6))
        values: list[Any] = [asdict(HEADER), *({"key": n, "share": n / 7, "text": "tide \ud800"} for n in numbers)]
        lines = [_seal(to_canonical_json(value)) for value in values]
        for _ in range(rng.randrange(3)):  # a line that is sealed as ours are, and says something else
            at = rng.randrange(len(lines))
            lines[at] = _seal(write_json(rng, mutate_value(rng, values[at])))
        data = b"".join(lines)
        for _ in range(rng.choice((0, 1, 1, 2))):
            data = mutate_bytes(rng, data)
        return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data

    def check_file(self, path: Path, data: bytes) -> Problems:
        try:
            contents = journal.read(path)
        except SteelyardError:
            contents = None
        lines = data.count(b"\n")
        if contents is not None and len(contents.records) + 1 != lines:
            yield "records", f"{len(contents.records)} records and a header from {lines} lines"
        with journal.Journal.open(path, HEADER, lambda record: str(record.get("key"))) as opened:
            done = len(opened.done)
            opened.append({"key": "new"})
        again = journal.read(path)
        if len(again.records) != done + 1 or again.records[-1] != {"key": "new"}:
            yield "resume", f"{len(again.records)} records after {done} and a new one"
        if not path.read_bytes().startswith(data[: data.rfind(b"\n") + 1] if done or data.count(b"\n") > 1 else b""):
            kept = path.read_bytes()
            if not data.startswith(kept[: kept.rfind(b"\n", 0, -1) + 1]):
                yield "resume", "lines that were there have changed"


def _seal(text: bytes) -> bytes:
    return b'{"check":"' + hashlib.sha256(text).hexdigest()[:12].encode() + b'","record":' + text + b"}\n"
