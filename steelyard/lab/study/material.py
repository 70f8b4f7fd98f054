"""What a study is made from: pages in two languages, questions for an engine, and records of answers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import SteelyardError
from steelyard.lab.corpus import loading as candidates
from steelyard.lab.corpus.corpus import CorpusPage
from steelyard.lab.outcome.records import questions
from steelyard.lab.outcome.records.questions import Asked
from steelyard.support.artifacts import sha256_of, to_json

DEMO, TINY = "demo", "tiny"
TINY_PAGES, TINY_QUERIES = 12, 3
# A folder in the documented form: pages of each language, and records in any of the known formats.
ENGLISH, FRENCH, RECORDS = "web_en.jsonl", "web_fr.jsonl", "outcomes"
MORE_RECORDS = "geo_bench_rows.json"
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson")


class NoPages(SteelyardError):
    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder}: neither {ENGLISH} nor pages that can be read in this folder; a corpus folder holds {ENGLISH}, "
            f"and may hold {FRENCH} and {RECORDS}/ (docs/reproduce.md)"
        )


@dataclass(frozen=True)
class Material:
    """Everything the stages read, and the digest of each part."""

    name: str
    english: tuple[CorpusPage, ...]
    french: tuple[CorpusPage, ...]
    asked: tuple[Asked, ...]
    records: tuple[Path, ...]
    inputs: dict[str, str]

    @property
    def sizes(self) -> dict[str, int]:
        """How much there is of everything."""
        return {
            "English pages": len(self.english),
            "French pages": len(self.french),
            "questions": len(self.asked),
            "files of records": len(self.records),
        }


def material(spec: str) -> Material:
    """The demo, its tiny part, a folder in the documented form, or a file of English pages."""
    if spec in (DEMO, TINY):
        corpus = candidates.load(candidates.DEMO)
        english, french, asked = corpus.of("en"), corpus.of("fr"), questions.demo()
        if spec == TINY:
            english, french, asked = english[:TINY_PAGES], (), asked[:TINY_QUERIES]
        return Material(spec, english, french, asked, (), _digests(english, french, asked, ()))
    place = Path(spec)
    if place.is_dir() and (place / ENGLISH).is_file():
        english = candidates.load(str(place / ENGLISH)).of("en")
        french = candidates.load(str(place / FRENCH)).of("fr") if (place / FRENCH).is_file() else ()
        records = [p for p in [place / MORE_RECORDS] if p.is_file()]
        if (place / RECORDS).is_dir():
            records += sorted(p for p in (place / RECORDS).iterdir() if p.name.endswith(_SUFFIXES))
        asked = questions.demo()
        files = [p for p in (place / ENGLISH, place / FRENCH) if p.is_file()]
        digests = _digests(english, french, asked, [*files, *records])
        return Material(place.name, english, french, asked, tuple(records), digests)
    try:
        corpus = candidates.load(spec)
    except SteelyardError as error:
        raise NoPages(spec) if place.is_dir() else error from error
    english, french, asked = corpus.of("en"), corpus.of("fr"), questions.demo()
    files = [place] if place.is_file() else []
    return Material(corpus.name, english, french, asked, (), _digests(english, french, asked, files))


def _digests(
    english: Sequence[CorpusPage], french: Sequence[CorpusPage], asked: Sequence[Asked], files: Sequence[Path]
) -> dict[str, str]:
    """Of the pages as they are studied (cut, flattened, split), and of the bytes of every file."""
    found = {
        "english pages": _digest([[p.id, p.split, p.flattened] for p in english]),
        "french pages": _digest([[p.id, p.split, p.flattened] for p in french]),
        "questions": _digest([q.to_record() for q in asked]),
    }
    return found | {path.name: sha256_of(path) for path in files}


def _digest(value: object) -> str:
    return hashlib.sha256(to_json(value, indent=None).encode("utf-8", "surrogatepass")).hexdigest()
