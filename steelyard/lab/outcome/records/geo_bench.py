"""GEO-Bench rows with answers: one over the sources as they are, and one for every edit of a source.

The edited source is `choosen_doc_idx`, which need not be `sugg_idx`, the one that the benchmark proposes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from steelyard.lab.corpus.loading import read_source_text
from steelyard.lab.outcome.pawc import GEO
from steelyard.lab.outcome.records.base import BASELINE, Outcome, SourceRecord
from steelyard.lab.outcome.records.rows import Row, hash_query, make_distinct

NAME = "geo-bench"
MODE = GEO
KEYS = ("query", "sources", "baseline_response", "edits")
SOURCE_KEYS = ("cleaned_text",)


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """Read the arm `baseline`, and one arm for every method; an arm's sources hold the edited text."""
    outcomes: list[Outcome] = []
    queries: set[str] = set()
    for row in rows:
        query, sources = row.text("query"), read_sources(row)
        if query in queries:
            raise row.error("its query is in an earlier row; keep one row for each query")
        queries.add(query)
        edits = row.row("edits")
        if BASELINE in edits.value:
            raise row.error(f"an edit is named {BASELINE!r}, which is the name of the answer without one")
        arms = {method: edits.row(method) for method in edits.value}
        targets = {method: edit.index("choosen_doc_idx", len(sources)) for method, edit in arms.items()}
        edited = set(targets.values())
        proposed = row.index("sugg_idx", len(sources)) if row.has("sugg_idx") else None
        engine, answer = row.text("engine", "not named"), row.text("baseline_response")
        target, tags = edited.pop() if len(edited) == 1 else proposed, row.texts("tags")
        places = tuple(range(len(sources)))
        baseline = Outcome(NAME, hash_query(query), query, engine, sources, places, answer, target=target, tags=tags)
        outcomes.append(baseline)
        for method, edit in arms.items():
            place = targets[method]
            changed = (*sources[:place], replace(sources[place], text=edit.text("edited")), *sources[place + 1 :])
            outcomes.append(replace(baseline, sources=changed, answer=edit.text("response"), arm=method, target=place))
    return outcomes, []


def read_sources(row: Row) -> tuple[SourceRecord, ...]:
    """Read the sources of a row, with the cleaned text if there is one; a source may be empty in the published file."""
    listed = row.rows("sources")
    urls = [source.text("url", "") for source in listed]
    keys = make_distinct(url or str(place) for place, url in enumerate(urls))
    return tuple(
        SourceRecord(key, read_source_text(source.value), url=url)
        for key, url, source in zip(keys, urls, listed, strict=True)
    )
