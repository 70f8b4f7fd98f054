"""Where the pages of a corpus come from: a folder, a JSONL file, GEO-Bench, or the demo pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.errors import NoSuchFile, PageUnreadable
from steelyard.inputs.find import RECORD_SUFFIXES, find, is_corpus
from steelyard.inputs.page import read_bytes
from steelyard.lab.corpus import corpus
from steelyard.lab.corpus.corpus import LEAST_WORDS, Candidate, Corpus, CorpusInvalid
from steelyard.pipeline import read_page
from steelyard.support.artifacts import sha256_of
from steelyard.support.jsonl import not_json, not_object
from steelyard.text.decoding import decode
from steelyard.text.document import Source

DEMO = "demo"
# The demo pages stand beside the package in a checkout and inside it in an installation.
_DEMO_FOLDERS = ("../examples/site", "demo")
LARGEST_INPUT = 4_000_000_000


def demo_folder() -> Path:
    """Where the demo pages are."""
    package = Path(__file__).resolve().parent.parent
    for place in _DEMO_FOLDERS:
        folder = (package / place).resolve()
        if folder.is_dir():
            return folder
    raise CorpusInvalid(DEMO, "the demo pages are not in this installation; install the package again")


def load(spec: str) -> Corpus:
    """A corpus from what the user named: `demo`, a corpus file, a folder, a JSONL file of pages."""
    if spec == DEMO:
        return pages(str(demo_folder()), name=DEMO)
    if not os.path.exists(spec):
        raise NoSuchFile(spec)
    return corpus.read(spec) if is_corpus(spec) else pages(spec)


def pages(spec: str, *, name: str | None = None, **cutting: int) -> Corpus:
    """A folder of pages, or a JSONL file with a `text` in each line."""
    if not os.path.exists(spec):
        raise NoSuchFile(spec)
    if is_corpus(spec):
        raise CorpusInvalid(spec, "is a corpus already; use it as it is")
    is_folder = os.path.isdir(spec)
    made_from = {} if is_folder else {os.path.basename(spec): sha256_of(spec)}
    kind = _records(spec) if spec.lower().endswith(RECORD_SUFFIXES) else _files(spec, is_folder)
    return corpus.build(name or os.path.basename(os.path.normpath(spec)), kind, made_from=made_from, **cutting)


def _files(spec: str, is_folder: bool) -> Iterator[Candidate]:
    """Files, read as `score` reads them; front matter and markup do not count as words."""
    for ref in find([spec]):
        label = os.path.relpath(ref.source, spec) if is_folder and ref.path else os.path.basename(ref.source)
        try:
            page = read_page(ref)
        except PageUnreadable as error:
            if str(error).startswith(f"{ref.source}:"):
                raise
            raise CorpusInvalid(ref.source, str(error)) from error
        source = Source(page.text)
        body = source.text[source.start :].strip("\n")
        title = page.title or source.matter.get("title") or source.first_heading()
        yield Candidate(label.replace(os.sep, "/"), body, source.structure.view.text, title)


def _records(path: str) -> Iterator[Candidate]:
    """Lines of a JSONL file; the text is taken as it is, which is how the paper's sources were cut."""
    for number, record in _objects(path):
        text = record.get("text")
        if not isinstance(text, str):
            raise CorpusInvalid(f"{path}:{number}", "the record has no `text`; give the page under that key")
        title, language = record.get("title"), record.get("lang") or record.get("language")
        yield Candidate(
            str(record.get("id") or record.get("url") or number),
            text,
            None,
            title if isinstance(title, str) and title.strip() else None,
            language.lower().replace("_", "-").split("-")[0] if isinstance(language, str) else None,  # en-GB is en
        )


def from_geo_bench(path: str, *, least_words: int = LEAST_WORDS, **cutting: int) -> Corpus:
    """GEO-Bench as it is published (JSONL, or the same rows as one JSON list): per query the first long source."""
    made_from = {os.path.basename(path): sha256_of(path)}
    rows = _rows(path)
    return corpus.build(
        "geo-bench", _first_sources(path, rows, least_words), made_from=made_from, least_words=least_words, **cutting
    )


def _rows(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if not path.lower().endswith(".json"):
        yield from _objects(path)
        return
    try:
        listed = json.loads(decode(read_bytes(path, LARGEST_INPUT), path))
    except (ValueError, RecursionError) as error:
        raise CorpusInvalid(path, not_json(error, "give GEO-Bench's test.jsonl, or its rows as a list")) from error
    for number, row in enumerate(listed if isinstance(listed, list) else [listed], start=1):
        yield number, _object(path, number, row)


def _first_sources(path: str, rows: Iterator[tuple[int, dict[str, Any]]], least: int) -> Iterator[Candidate]:
    for number, row in rows:
        sources = row.get("sources")
        if not isinstance(sources, list):
            raise CorpusInvalid(f"{path}:{number}", "the row has no `sources`; is this GEO-Bench's test.jsonl?")
        text = next((t for t in map(_source_text, sources) if len(t.split()) >= least), "")
        # Queries repeat in no row of the published file; the number makes the name short and safe to print.
        yield Candidate(f"row-{number}", text, None, None, None if text else "en")


def _source_text(source: Any) -> str:
    """The cleaned text where there is one, as the paper's harness used it."""
    if isinstance(source, dict):
        for key in ("cleaned_text", "raw_text"):
            if isinstance(source.get(key), str) and source[key].strip():
                return str(source[key])
    return ""


def _objects(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    value = json.loads(line.strip())
                except (ValueError, RecursionError) as error:
                    raise CorpusInvalid(f"{path}:{number}", not_json(error)) from error
                yield number, _object(path, number, value)


def _object(path: str, number: int, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CorpusInvalid(f"{path}:{number}", not_object(value))
    return value
