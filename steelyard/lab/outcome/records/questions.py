"""Questions for an engine: a query, its sources, and the source that an experiment edits.

If a file names no target, the target is SHA-256 of the query, as a number, modulo the number of sources: the same in
every run, and independent of what the sources say.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard import languages
from steelyard.errors import InvalidFile
from steelyard.lab.corpus.loading import demo_folder
from steelyard.lab.outcome.arms import ARMS, LEVER_SETS, NAME, OWN
from steelyard.lab.outcome.records import geo_bench
from steelyard.lab.outcome.records.base import SourceRecord, read_source
from steelyard.lab.outcome.records.rows import Row, hash_query, make_distinct, read_rows
from steelyard.support import journal
from steelyard.text.source import Source

ENGLISH = "en"
FORMS = (
    'GEO-Bench\'s test.jsonl, {"query", "passages"}, the journal of a run, '
    'or {"query", "sources": [a text or {"text", "url", "title"}, …], "target"}'
)


@dataclass(frozen=True, slots=True)
class ExperimentQuestion:
    """A query with its sources. `target` is the place in `sources`, from 0, of the source to be edited.

    `arms` are a user's own edits of it: names with the whole edited text.
    """

    query_id: str
    query: str
    sources: tuple[SourceRecord, ...]
    target: int
    tags: tuple[str, ...] = ()
    language: str = ENGLISH
    arms: tuple[tuple[str, str], ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return the question as a journal holds it; arms only where there are some, as in earlier journals."""
        record = asdict(self)
        if not self.arms:
            del record["arms"]
        else:
            record["arms"] = dict(self.arms)
        return record


def load_questions(path: str | Path) -> tuple[ExperimentQuestion, ...]:
    """Load all questions of a file, whose form follows from its content; one set of sources for each query."""
    path = str(path)
    from_journal = journal.is_journal(path)
    by_id: dict[str, tuple[str, ExperimentQuestion]] = {}
    for row in _read_journal_rows(path) if from_journal else read_rows(path):
        question = read_journal_question(row) if from_journal else parse_question(row)
        where, before = by_id.setdefault(question.query_id, (row.where, question))
        if before != question or (where != row.where and not from_journal):  # a run repeats a question in every arm
            raise row.error(f"query {question.query_id!r} is already in {where}; keep one set of sources for it")
    if not by_id:
        raise InvalidFile(path, f"a journal without questions; give {FORMS}")
    return tuple(question for _, question in by_id.values())


def parse_question(row: Row) -> ExperimentQuestion:
    """Parse a row of one of the published forms, or of a user's own."""
    query = row.text("query")
    if "passages" in row.value:
        return _parse_passages(row, query)
    if "sources" not in row.value:
        raise row.error(f"no question (keys seen: {row.keys}); give {FORMS}")
    if "sugg_idx" not in row.value:
        return _parse_own(row, query)
    sources = geo_bench.read_sources(row)
    target = row.index("sugg_idx", len(sources))  # it counts from 0 in the benchmark's own code
    return ExperimentQuestion(hash_query(query), query, sources, target, row.texts("tags"))


def draw_target(query: str, n: int) -> int:
    """Return the place of the target among `n` sources, by the hash of the query."""
    return int.from_bytes(hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()) % n


def _parse_passages(row: Row, query: str) -> ExperimentQuestion:
    """Parse MS MARCO's form: passages without address, and the kind of the query."""
    sources = tuple(SourceRecord(str(place), text) for place, text in enumerate(row.texts("passages")))
    _require_two(row, sources)
    name = row.name("query_id") if "query_id" in row.value else hash_query(query)
    kind = row.text("query_type", "")
    return ExperimentQuestion(name, query, sources, draw_target(query, len(sources)), (kind,) if kind else ())


def _parse_own(row: Row, query: str) -> ExperimentQuestion:
    listed = [{"text": s} if isinstance(s, str) else s for s in row.entries("sources")]
    source_rows = Row(row.where, {"sources": listed}).rows("sources")
    keys = make_distinct(source.text("url", "") or str(place) for place, source in enumerate(source_rows))
    sources = tuple(
        SourceRecord(key, source.text("text"), source.text("title", ""), source.text("url", ""))
        for key, source in zip(keys, source_rows, strict=True)
    )
    _require_two(row, sources)
    name = next((row.name(key) for key in ("query_id", "id") if row.has(key)), hash_query(query))
    target = row.index("target", len(sources)) if row.has("target") else draw_target(query, len(sources))
    language = row.text("language", "").lower().replace("_", "-").split("-")[0]  # en-GB is en
    if not language:
        whole = Source("\n\n".join(s.text for s in sources))
        language = languages.detect(whole.structure.view.text, whole.word_counts)
    return ExperimentQuestion(name, query, sources, target, row.texts("tags"), language, _read_arms(row))


def _read_arms(row: Row) -> tuple[tuple[str, str], ...]:
    """Read a user's own arms: `{"arms": {"name": "the whole edited target"}}`."""
    if not row.has("arms"):
        return ()
    own = row.row("arms")
    for name in own.value:
        if not NAME.fullmatch(name) or name in ARMS or name in LEVER_SETS or name == OWN:
            raise own.error(
                f"{name[:40]!r} cannot be an arm of your own: take small letters, digits and _, and no known name"
            )
    return tuple((name, own.text(name)) for name in sorted(own.value))  # as a journal sorts them


def _require_two(row: Row, sources: tuple[SourceRecord, ...]) -> None:
    if len(sources) < 2:
        raise row.error("fewer than two sources; an engine must have a choice, or every share is 1")


def read_journal_question(row: Row) -> ExperimentQuestion:
    """Read a question as a run writes it into its journal: the dataclass as a dictionary."""
    sources = tuple(
        read_source(s, s.name("key"), relevance="relevance", rank=s.whole("rank") if s.has("rank") else None)
        for s in row.rows("sources")
    )
    target, tags, language = row.index("target", len(sources)), row.texts("tags"), row.text("language", ENGLISH)
    own = row.row("arms") if row.value.get("arms") else Row(row.where, {})
    arms = tuple((name, own.text(name)) for name in own.value)
    return ExperimentQuestion(row.name("query_id"), row.text("query"), sources, target, tags, language, arms)


def _read_journal_rows(path: str) -> Iterator[Row]:
    for number, record in enumerate(journal.read(path).records, start=2):
        if isinstance(record.get("question"), dict):
            yield Row(f"{path}:{number}, question", record["question"])


def load_demo_questions() -> tuple[ExperimentQuestion, ...]:
    """Load thirty questions about the pages of the example site."""
    site = demo_folder()
    file = next(f for f in (site.parent / "questions.toml", site / "questions.toml") if f.is_file())
    questions = []
    for entry in tomllib.loads(file.read_text("utf-8"))["question"]:
        texts = {name: Source((site / name).read_text("utf-8")).structure.view.text for name in entry["pages"]}
        sources = tuple(SourceRecord(name, text) for name, text in texts.items())
        questions.append(ExperimentQuestion(entry["id"], entry["query"], sources, entry["target"]))
    return tuple(questions)
