"""Load a corpus, or build one from a folder, a JSONL file, GEO-Bench or the demo pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidFile, PageUnreadable, explain_os_error
from steelyard.inputs.find import RECORD_SUFFIXES, find_pages, is_corpus
from steelyard.inputs.page_ref import read_bytes
from steelyard.lab.corpus import MIN_WORDS, Corpus, CorpusCandidate, build, read, read_records, require_object
from steelyard.pipeline import read_page
from steelyard.support.artifacts import hash_file
from steelyard.support.lines import explain_bad_json
from steelyard.text.decoding import decode
from steelyard.text.source import Source

DEMO = "demo"
PACKED = ".gz"
MAX_LIST_BYTES = 200_000_000  # bytes of a JSON list, which is in memory at once; JSONL may be of any size


def demo_folder() -> Path:
    """Return the folder of the demo pages: next to the package in a checkout, inside it in an installation."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package.parent / "examples" / "site", package / "demo"):
        if folder.is_dir():
            return folder
    raise InvalidFile(DEMO, "the demo pages are not in this installation; install the package again")


def load_corpus(spec: str) -> Corpus:
    """Load what the user named: `demo`, a corpus file, a folder of pages, or a JSONL file of pages."""
    if spec == DEMO:
        return build_from_pages(str(demo_folder()), name=DEMO)
    return read(spec) if is_corpus(spec) else build_from_pages(spec)


def build_from_pages(spec: str, *, name: str | None = None, **cutting: int) -> Corpus:
    """Build a corpus from a folder of pages, or from a JSONL file with a `text` in each line.

    Args:
        spec: The folder or the file.
        name: The name of the corpus; by default that of the folder or the file.
        cutting: `min_words`, `max_words` and `seed`, as for `corpus.build`.
    """
    if not os.path.exists(spec):
        raise explain_os_error(spec, FileNotFoundError())
    if is_corpus(spec):
        raise InvalidFile(spec, "is a corpus already; use it as it is")
    is_folder = os.path.isdir(spec)
    made_from = {} if is_folder else {os.path.basename(spec): hash_file(spec)}
    is_jsonl = spec.lower().removesuffix(PACKED).endswith(RECORD_SUFFIXES)
    candidates = _candidates_from_records(spec) if is_jsonl else _candidates_from_files(spec, is_folder)
    return build(name or os.path.basename(os.path.normpath(spec)), candidates, made_from=made_from, **cutting)


def _candidates_from_files(spec: str, is_folder: bool) -> Iterator[CorpusCandidate]:
    """Read files as `score` reads them; front matter and markup do not count as words."""
    for ref in find_pages([spec]):
        label = os.path.relpath(ref.source, spec) if is_folder and ref.path else os.path.basename(ref.source)
        try:
            page = read_page(ref)
        except PageUnreadable as error:
            if str(error).startswith(f"{ref.source}:"):
                raise
            raise InvalidFile(ref.source, str(error)) from error
        source = Source(page.text)
        body = source.text[source.start :].strip("\n")
        title = page.title or source.front_matter.get("title") or source.first_heading()
        yield CorpusCandidate(label.replace(os.sep, "/"), body, source.structure.view.text, title)


def _candidates_from_records(path: str) -> Iterator[CorpusCandidate]:
    """Read the lines of a JSONL file; the text is taken as it is, which is how the paper's sources were cut."""
    for number, record in read_records(path):
        text = record.get("text")
        if not isinstance(text, str):
            raise InvalidFile(f"{path}:{number}", "the record has no `text`; give the page under that key")
        title, language = record.get("title"), record.get("lang") or record.get("language")
        yield CorpusCandidate(
            str(record.get("id") or record.get("url") or number),
            text,
            title=title if isinstance(title, str) and title.strip() else None,
            language=language.lower().replace("_", "-").split("-")[0] if isinstance(language, str) else None,
        )


def build_from_geo_bench(path: str, *, min_words: int = MIN_WORDS, **cutting: int) -> Corpus:
    """Build a corpus from GEO-Bench as published (JSONL, or the same rows as one JSON list).

    Each query contributes its first source of at least `min_words` words.
    """
    made_from = {os.path.basename(path): hash_file(path)}
    candidates = _first_sources(path, min_words)
    return build("geo-bench", candidates, made_from=made_from, min_words=min_words, **cutting)


def _first_sources(path: str, min_words: int) -> Iterator[CorpusCandidate]:
    for number, row in _read_rows(path) if path.lower().endswith(".json") else read_records(path):
        sources = row.get("sources")
        if not isinstance(sources, list):
            raise InvalidFile(f"{path}:{number}", "the row has no `sources`; is this GEO-Bench's test.jsonl?")
        text = next((t for t in map(read_source_text, sources) if len(t.split()) >= min_words), "")
        # Named by its number, which is short and safe to print, unlike the query.
        yield CorpusCandidate(f"row-{number}", text, language=None if text else "en")


def _read_rows(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        rows = json.loads(decode(read_bytes(path, MAX_LIST_BYTES, "give the rows as JSONL"), path))
    except (ValueError, RecursionError) as error:
        reason = explain_bad_json(error, "give GEO-Bench's test.jsonl, or its rows as a list")
        raise InvalidFile(path, reason) from error
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        yield number, require_object(f"{path}:{number}", row)


def read_source_text(source: Any) -> str:
    """Return the cleaned text of a GEO-Bench source, else its raw text, else an empty string.

    The paper's harness used the cleaned text.
    """
    if isinstance(source, dict):
        for key in ("cleaned_text", "raw_text"):
            if isinstance(source.get(key), str) and source[key].strip():
                return str(source[key])
    return ""
