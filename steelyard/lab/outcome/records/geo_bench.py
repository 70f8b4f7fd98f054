"""GEO-Bench rows with answers: one over the sources as they are, and one for every edit of a source.

The edited source is `choosen_doc_idx`, which need not be `sugg_idx`, the one that the benchmark proposes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from steelyard.lab.corpus.loading import _source_text as best_text
from steelyard.lab.outcome.pawc import GEO
from steelyard.lab.outcome.records.base import BASELINE, Candidate, Outcome
from steelyard.lab.outcome.records.rows import Row, distinct, name_of

NAME = "geo-bench"
MODE = GEO
KEYS = ("query", "sources", "baseline_response", "edits")
SOURCE_KEYS = ("cleaned_text",)


def read(rows: Iterable[Row]) -> tuple[list[Outcome], list[str]]:
    """Arm `baseline`, and one arm for every method; an arm's sources hold the edited text."""
    found: list[Outcome] = []
    seen: set[str] = set()
    for row in rows:
        query, sources = row.text("query"), candidates(row)
        if query in seen:
            raise row.wrong("its query stands in an earlier row; keep one row for each query")
        seen.add(query)
        edits = row.row("edits")
        arms = {method: edits.row(method) for method in edits.value}
        targets = {method: edit.index("choosen_doc_idx", len(sources)) for method, edit in arms.items()}
        edited = set(targets.values())
        proposed = row.index("sugg_idx", len(sources)) if row.value.get("sugg_idx") is not None else None
        baseline = Outcome(
            NAME,
            name_of(query),
            query,
            row.text("engine", "not named"),
            sources,
            tuple(range(len(sources))),
            answer=row.text("baseline_response"),
            target=edited.pop() if len(edited) == 1 else proposed,
            tags=row.texts("tags"),
        )
        found.append(baseline)
        for method, edit in arms.items():
            if method == BASELINE:
                raise row.wrong(f"an edit is named {BASELINE!r}, which is the name of the answer without one")
            target = targets[method]
            changed = replace(sources[target], text=edit.text("edited"))
            arm = (*sources[:target], changed, *sources[target + 1 :])
            found.append(replace(baseline, sources=arm, answer=edit.text("response"), arm=method, target=target))
    return found, []


def candidates(row: Row) -> tuple[Candidate, ...]:
    """The sources of a row, with the cleaned text where there is one; a source may be empty in the published file."""
    listed = row.rows("sources")
    urls = [source.text("url", "") for source in listed]
    keys = distinct([url or str(place) for place, url in enumerate(urls)])
    return tuple(
        Candidate(key, best_text(source.value), url=url) for key, url, source in zip(keys, urls, listed, strict=True)
    )
