"""Candidate sets to ask an engine about: a query, its sources, and the one that an experiment edits.

Where a file names no target it is SHA-256 of the query, as a number, modulo the number of sources: the same in every
run, and blind to what the sources say.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard import languages
from steelyard.lab.corpus import loading as candidates
from steelyard.lab.outcome.records import geo_bench
from steelyard.lab.outcome.records.base import Candidate
from steelyard.lab.outcome.records.rows import RecordsInvalid, Row, distinct, name_of, read, regular
from steelyard.support import journal
from steelyard.text.document import Source

ENGLISH = "en"
FORMS = (
    'GEO-Bench\'s test.jsonl, {"query", "passages"}, the journal of a run, '
    'or {"query", "sources": [a text or {"text", "url", "title"}, …], "target"}'
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question for an engine. `target` is the place in `sources`, from 0, of the one to be edited."""

    query_id: str
    query: str
    sources: tuple[Candidate, ...]
    target: int
    tags: tuple[str, ...] = ()
    language: str = ENGLISH

    def to_record(self) -> dict[str, Any]:
        """As JSON, which `from_record` reads back."""
        return asdict(self)


def load(path: str | Path) -> tuple[Asked, ...]:
    """All questions of a file, whose form is told by its content; one set of sources for each query."""
    path = str(path)
    regular(path)
    own = journal.begins(path)
    found: dict[str, tuple[str, Asked]] = {}
    for row in _asked_before(path) if own else read(path):
        asked = from_record(row) if own else question(row)
        where, before = found.setdefault(asked.query_id, (row.where, asked))
        if before != asked or (where != row.where and not own):  # a run asks the same again in every arm
            raise row.wrong(f"query {asked.query_id!r} is asked already in {where}; keep one set of sources for it")
    if not found:
        raise RecordsInvalid(path, f"a journal without questions; give {FORMS}")
    return tuple(asked for _, asked in found.values())


def question(row: Row) -> Asked:
    """A row of one of the published forms, or of a user's own."""
    query = row.text("query")
    if "passages" in row.value:
        return _passages(row, query)
    if "sources" not in row.value:
        raise row.wrong(f"no question (keys seen: {row.keys}); give {FORMS}")
    return _geo_bench(row, query) if "sugg_idx" in row.value else _own(row, query)


def drawn(query: str, n: int) -> int:
    """The target among `n` sources, by the hash of the query."""
    return int.from_bytes(hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()) % n


def _geo_bench(row: Row, query: str) -> Asked:
    """`sugg_idx` counts from 0, as the benchmark's own code uses it."""
    sources = geo_bench.candidates(row)
    return Asked(name_of(query), query, sources, row.index("sugg_idx", len(sources)), row.texts("tags"))


def _passages(row: Row, query: str) -> Asked:
    """MS MARCO: passages without address, and the kind of the query."""
    sources = tuple(Candidate(str(place), text) for place, text in enumerate(row.texts("passages")))
    name = row.name("query_id") if "query_id" in row.value else name_of(query)
    kind = row.text("query_type", "")
    return Asked(name, query, _several(row, sources), drawn(query, len(sources)), (kind,) if kind else ())


def _own(row: Row, query: str) -> Asked:
    listed = [{"text": s} if isinstance(s, str) else s for s in row.entries("sources")]
    given = Row(row.where, {"sources": listed}).rows("sources")
    keys = distinct([source.text("url", "") or str(place) for place, source in enumerate(given)])
    sources = _several(
        row,
        tuple(
            Candidate(key, source.text("text"), source.text("title", ""), source.text("url", ""))
            for key, source in zip(keys, given, strict=True)
        ),
    )
    named = next((key for key in ("query_id", "id") if row.value.get(key) is not None), None)
    return Asked(
        row.name(named) if named else name_of(query),
        query,
        sources,
        drawn(query, len(sources)) if row.value.get("target") is None else row.index("target", len(sources)),
        row.texts("tags"),
        row.text("language", "").lower().replace("_", "-").split("-")[0] or _language(sources),  # en-GB is en
    )


def _several(row: Row, sources: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    if len(sources) < 2:
        raise row.wrong("fewer than two sources; an engine must have a choice, or every share is 1")
    return sources


def _language(sources: Iterable[Candidate]) -> str:
    source = Source("\n\n".join(s.text for s in sources))
    return languages.detect(source.structure.view.text, source.word_counts)


# The questions of a run of our own, which it keeps under `question` in the records of its journal.


def from_record(row: Row) -> Asked:
    """What `Asked.to_record` wrote."""
    sources = tuple(
        Candidate(
            source.name("key"),
            source.text("text", ""),
            source.text("title", ""),
            source.text("url", ""),
            source.known("relevance"),
            source.whole("rank") if source.value.get("rank") is not None else None,
        )
        for source in row.rows("sources")
    )
    target, tags = row.index("target", len(sources)), row.texts("tags")
    return Asked(row.name("query_id"), row.text("query"), sources, target, tags, row.text("language", ENGLISH))


def _asked_before(path: str) -> Iterator[Row]:
    for number, record in enumerate(journal.read(path).records, start=2):
        if isinstance(record.get("question"), dict):
            yield Row(f"{path}:{number}, question", record["question"])


# The demo's questions, over its own pages.


def demo() -> tuple[Asked, ...]:
    """Thirty questions about the pages of the example site."""
    site = candidates.demo_folder()
    file = next(f for f in (site.parent / "questions.toml", site / "questions.toml") if f.is_file())
    listed = tomllib.loads(file.read_text("utf-8"))["question"]
    found = []
    for entry in listed:
        sources = tuple(Candidate(name, _page(site / name), url="") for name in entry["pages"])
        found.append(Asked(entry["id"], entry["query"], sources, entry["target"]))
    return tuple(found)


def _page(path: Path) -> str:
    """What a reader sees of a page."""
    return Source(path.read_text("utf-8")).structure.view.text
