"""A corpus: pages cut to one length, in two views, split once and for all, with a hash of their content."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from gzip import GzipFile
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from steelyard import languages
from steelyard.errors import InvalidFile
from steelyard.inputs.find import CORPUS_SCHEMA
from steelyard.support.artifacts import to_json, to_unescaped_json, write_text
from steelyard.support.lines import (
    ADVICE,
    MAX_LINE,
    Line,
    explain_bad_json,
    explain_long_line,
    explain_not_object,
    read_lines,
)
from steelyard.support.regular_file import MAX_UNPACKED_BYTES, open_unpacked
from steelyard.text.source import Source

MIN_WORDS = 200
MAX_WORDS = 400
SEED = 2026
TRAIN, TEST = "train", "test"
SPLITS = (TRAIN, TEST)
FLATTENED, STRUCTURED = "flattened", "structured"
VIEWS = (FLATTENED, STRUCTURED)
ELSEWHERE, SAME_TEXT = "in another language", "the text of another page"  # why pages are dropped
_REBUILD = "build the corpus again"
_WORD = re.compile(r"\S+")


class CorpusCandidate(NamedTuple):
    """A page that may enter a corpus; `reading_text` is what a reader sees, if `text` contains markup."""

    id: str
    text: str
    reading_text: str | None = None
    title: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """One page: the text with its line breaks, and the flattened view that the paper measured."""

    id: str
    language: str
    split: str
    title: str | None
    text: str
    flattened: str

    def view(self, name: str) -> str:
        return self.flattened if name == FLATTENED else self.text

    def view_title(self, name: str) -> str | None:
        """Return no title for the flattened view: the paper's had none."""
        return None if name == FLATTENED else self.title


@dataclass(frozen=True)
class Corpus:
    """Pages in their original order, what they were made from, and how many were dropped for which reason."""

    name: str
    pages: tuple[CorpusPage, ...]
    made_from: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    seed: int = SEED

    @property
    def digest(self) -> str:
        """The SHA-256 of all pages with their splits."""
        total = hashlib.sha256()
        for page in self.pages:
            text = to_unescaped_json(asdict(page), indent=None, sort_keys=True)
            total.update(text.encode("utf-8", "replace") + b"\n")
        return total.hexdigest()

    def pages_in(self, language: str) -> tuple[CorpusPage, ...]:
        return tuple(p for p in self.pages if p.language == language)


def build(
    name: str,
    candidates: Iterable[CorpusCandidate],
    *,
    made_from: Mapping[str, str] | None = None,
    min_words: int = MIN_WORDS,
    max_words: int = MAX_WORDS,
    seed: int = SEED,
) -> Corpus:
    """Keep pages that are long enough, in a known language and not there already; cut them and split them in half."""
    if max_words < min_words:
        raise InvalidFile(name, f"cut at {max_words} words no page has {min_words}; raise --most or lower --least")
    pages: dict[str, CorpusPage] = {}  # by flattened text
    dropped: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    for candidate in candidates:
        flattened = " ".join((candidate.reading_text or candidate.text).split()[:max_words])
        language = candidate.language or _detect_language(flattened)
        if len(flattened.split()) < min_words:
            dropped[f"fewer than {min_words} words"] += 1
        elif language not in languages.CODES:
            dropped[ELSEWHERE] += 1
        elif flattened in pages:
            dropped[SAME_TEXT] += 1
        else:
            ids[candidate.id] += 1
            id_ = candidate.id if ids[candidate.id] == 1 else f"{candidate.id}#{ids[candidate.id]}"
            text = cut(candidate.text, max_words)
            pages[flattened] = CorpusPage(id_, language, TEST, candidate.title, text, flattened)
    if not pages:
        reasons = ", ".join(f"{n} {reason}" for reason, n in dropped.items()) or "there were none"
        raise InvalidFile(name, f"no page could be used ({reasons}); pages need {min_words} words or more")
    return Corpus(name, _split(pages.values(), seed), dict(made_from or {}), dict(sorted(dropped.items())), seed)


def cut(text: str, words: int) -> str:
    """Return the text up to the end of its `words`-th word, with its line breaks."""
    ends = [match.end() for match in islice(_WORD.finditer(text), words)]
    return text[: ends[-1]] if ends else ""


def _split(pages: Iterable[CorpusPage], seed: int) -> tuple[CorpusPage, ...]:
    """Assign half of each language to train by the hash of seed and text: no order or name moves a page."""
    by_hash = sorted(pages, key=lambda p: hashlib.sha256(f"{seed}|{p.flattened}".encode("utf-8", "replace")).digest())
    train: set[str] = set()
    for language in {p.language for p in by_hash}:
        texts = [p.flattened for p in by_hash if p.language == language]
        train.update(texts[: (len(texts) + 1) // 2])
    return tuple(replace(p, split=TRAIN) if p.flattened in train else p for p in pages)


def _detect_language(text: str) -> str:
    source = Source(text)
    return languages.detect(source.structure.view.text, source.word_counts)


def write(corpus: Corpus, path: str | Path) -> None:
    """Write a header line, then one page per line."""
    header = {
        "schema": CORPUS_SCHEMA,
        "name": corpus.name,
        "seed": corpus.seed,
        "made_from": corpus.made_from,
        "dropped": corpus.dropped,
        "pages": len(corpus.pages),
        "sha256": corpus.digest,
    }
    lines = [header, *(asdict(p) for p in corpus.pages)]
    write_text(path, "".join(to_json(line, indent=None, sort_keys=True) + "\n" for line in lines))


def read(path: str | Path) -> Corpus:
    """Read a corpus file and check it against the hash in its header; raise InvalidFile when they differ."""
    try:
        records = [record for _, record in read_records(path, _REBUILD)]
        header = records[0] if records else {}
        pages = tuple(CorpusPage(**{k: r[k] for k in CorpusPage.__slots__}) for r in records[1:])
        corpus = Corpus(header["name"], pages, header["made_from"], header["dropped"], header["seed"])
        expected = header["sha256"]
    except KeyError as error:
        raise InvalidFile(path, f"a record lacks {error}; {_REBUILD}") from error
    if corpus.digest != expected:
        raise InvalidFile(path, f"the pages are not those the header was written for; {_REBUILD}")
    return corpus


def read_records(path: str | Path, advice: str = ADVICE) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSONL file, packed with gzip or not, with their line numbers.

    Raises:
        InvalidFile: A line is no object, or the file cannot be read.
    """
    left = MAX_UNPACKED_BYTES
    try:
        with open_unpacked(path) as file:
            for line in read_lines(file, MAX_LINE, strict=True):
                left -= line.size if isinstance(file, GzipFile) else 0
                if left < 0:
                    raise InvalidFile(path, f"more than {MAX_UNPACKED_BYTES:,} bytes after unpacking; split it")
                if not line.is_blank:
                    yield line.number, _parse_object(f"{path}:{line.number}", line, advice)
    except OSError as error:
        raise InvalidFile(path, f"cannot be read ({error.strerror or error}); check the path") from error


def _parse_object(where: str, line: Line, advice: str) -> dict[str, Any]:
    if line.data is None:
        raise InvalidFile(where, explain_long_line(MAX_LINE, advice))
    try:
        value = json.loads(line.data.strip())
    except (ValueError, RecursionError) as error:
        raise InvalidFile(where, explain_bad_json(error, advice)) from error
    return require_object(where, value, advice)


def require_object(where: str, value: Any, advice: str = ADVICE) -> dict[str, Any]:
    """Return the value if it is a JSON object; raise InvalidFile if not."""
    if not isinstance(value, dict):
        raise InvalidFile(where, explain_not_object(value, advice))
    return value
