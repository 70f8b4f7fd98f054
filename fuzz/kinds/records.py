"""JSONL: records of pages, and records of outcomes. One bad line must not lose, move or change another."""

from __future__ import annotations

import json
import random
import tempfile
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from fuzz import seeds
from fuzz.case import Case, Depth, Fault, Kind, Outcome, describe_error, list_problems
from fuzz.checks import Problems
from fuzz.mutate.json_values import mutate_value, write_json
from fuzz.mutate.text import mutate_bytes
from steelyard.errors import SteelyardError
from steelyard.inputs.find import find_pages

MAX_BYTES = 200_000
# Lines that are good whatever stands around them.
GOOD = tuple({"text": f"The harbour board measured tide {n}.", "id": f"good-{n}"} for n in range(3))
_GOOD_LINES = tuple(json.dumps(record).encode() for record in GOOD)


class FileKind(Kind):
    """Cases that are files; anything but an error with advice is a fault."""

    file_name: ClassVar[str]

    @abstractmethod
    def check_file(self, path: Path, data: bytes) -> Problems:
        """Check a file that holds some data."""

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        faults: list[Fault] = []
        refused: list[str] = []
        traits: list[frozenset[str]] = []
        with tempfile.TemporaryDirectory(prefix="steelyard-fuzz-") as folder:
            for number, case in enumerate(cases):
                # Some readers remember a file by its path.
                path = Path(folder, str(number), self.file_name)
                path.parent.mkdir()
                path.write_bytes(case.data)
                try:
                    faults += list_problems(case, self.check_file(path, case.data))
                    traits.append(frozenset(("accepted",)))
                except SteelyardError as error:
                    reason = str(error).replace(str(path), "")
                    refused.append(type(error).__name__)
                    traits.append(frozenset((f"{type(error).__name__} {reason[:50]}",)))
                except Exception as error:  # noqa: BLE001 - this is what is looked for
                    faults.append(Fault(case, "exception", describe_error(error)))
                    traits.append(frozenset())
        return Outcome(faults, traits, refused)


class Records(FileKind):
    """Pages in a JSONL file."""

    name = "jsonl"
    share = 0.02
    file_name = "pages.jsonl"

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        lines = [_make_record(rng) for _ in range(rng.randint(1, 6))]
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(lines))
            lines[at] = mutate_bytes(rng, lines[at])
        for line in _GOOD_LINES:  # after the mutations, so that they are as they were written
            lines.insert(rng.randrange(len(lines) + 1), line)
        end = rng.choice((b"\n", b"\n", b"\r\n", b"\n\n", b"\n \t\n"))
        return end.join(lines) + rng.choice((b"", end))

    def check_file(self, path: Path, data: bytes) -> Problems:
        pages = list(find_pages([str(path)], max_bytes=MAX_BYTES))
        lines = data.split(b"\n")
        blank = sum(not line.strip() for line in lines)
        if len(pages) not in (len(lines) - blank, len(lines) - blank - 1):  # the header of a corpus is no page
            yield "lines", f"{len(pages)} pages from {len(lines) - blank} lines that are not blank"
        for ref in pages:
            if (ref.text is None) == (ref.error is None):
                yield "record", f"{ref.source}: neither text nor error, or both"
        for number, line in enumerate(lines, start=1):
            if line.strip() in _GOOD_LINES:
                record = GOOD[_GOOD_LINES.index(line.strip())]
                source = f"{path}:{number} ({record['id']})"
                if not any(ref.source == source and ref.text == record["text"] for ref in pages):
                    yield "lost record", f"line {number}"


def _make_record(rng: random.Random) -> bytes:
    record: Any = {
        "text": rng.choice(seeds.load_blocks())[:400],
        "title": rng.choice(seeds.load_sentences()),
        "url": "https://www.example.org/a",
        "id": rng.randrange(9),
        "source": "page",
        "meta": {"lang": "en", "dates": ["2026-07-01", None]},
    }
    for _ in range(rng.randrange(4)):
        record = mutate_value(rng, record)
    return write_json(rng, record)


class OutcomeRecords(FileKind):
    """Records of answers and sources, in the formats that the laboratory reads."""

    name = "outcomes"
    share = 0.01
    file_name = "outcomes.jsonl"

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        rows = []
        form = rng.choice(_OUTCOMES)
        for number in range(rng.randint(1, 4)):
            row: Any = json.loads(json.dumps(form).replace("NUMBER", str(number)))
            for _ in range(rng.randrange(4)):
                row = mutate_value(rng, row)
            rows.append(write_json(rng, row))
        return b"\n".join(rows)

    def check_file(self, path: Path, data: bytes) -> Problems:
        from steelyard.lab.outcome.records.load import load_records

        records = load_records(path)
        if not records.outcomes and not records.rewrites:
            yield "outcomes", "a file was loaded, and nothing is in it"


_TEXTS = ("The harbour sells salt by the barrel.", "Ice closes the bay in January.", "Tar keeps the boats dry.")
_OUTCOMES: tuple[dict[str, Any], ...] = (
    {
        "query": "what is sold NUMBER",
        "tags": ["trade"],
        "sugg_idx": 2,
        "sources": [{"raw_text": text, "cleaned_text": text, "url": "https://a.example/"} for text in _TEXTS],
        "baseline_response": "The harbour sells salt [1]. Tar is sold too [3].",
        "edits": {"quotes": {"choosen_doc_idx": 0, "edited": "“Salt is life.”", "response": "Salt is life [1]."}},
    },
    {
        "id": "abNUMBER",
        "query": "when does the bay open",
        "engine": "some-engine",
        "answer": "The bay opens in March [4]. Salt goes out first [9], then tar [4, 12].",
        "sources": [{"key": str(n), "text": text, "llm_relevance": 0.5} for n, text in enumerate(_TEXTS)],
    },
    {
        "query": "when does the bay open NUMBER",
        "engine": "google-ai-mode",
        "sources": [
            {
                "url": "https://a.example/",
                "title": "Page",
                "text": text,
                "position": n,
                "share": 0.5,
                "llm_relevance": n,
            }
            for n, text in enumerate(_TEXTS[:2], start=1)
        ],
    },
    {
        "query_id": 7,
        "query": "which salt to buy",
        "engine": "some-engine",
        "method": "quotes NUMBER",
        "pawc_share": 0.3,
        "baseline_share": 0.1,
        "baseline_share_repeat": 0.15,
        "target_index": 3,
        "text": "Buy ours, it is dry.",
    },
)
