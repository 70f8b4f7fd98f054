"""From files to ranking data: outcome records, journals of our own runs, or a user's own groups."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.meetings import asked_as, clusters
from steelyard.lab.outcome.records import resolve
from steelyard.lab.outcome.records.base import BASELINE, GIVEN
from steelyard.lab.outcome.records.rows import RecordsInvalid, Row, distinct, name_of, read, regular
from steelyard.lab.outcome.visibility import Visible, visibility
from steelyard.lab.ranking.dataset import Candidate, Dataset, Group
from steelyard.support import journal
from steelyard.support.artifacts import sha256_of

FORM = '{"query": …, "engine": …, "sources": [{"text": …, "share": …, "position": …, "relevance": …}, …]}'
NO_ORDER = "all sources equally visible"
ONE_SOURCE = "fewer than two sources"


class NothingToRank(SteelyardError):
    def __init__(self, name: str, excluded: dict[str, int]) -> None:
        why = "; ".join(f"{n:,} left out: {reason}" for reason, n in excluded.items())
        super().__init__(f"undefined: {name}: no query has an order to be predicted ({why})")


def load(paths: Sequence[str]) -> Dataset:
    """All groups of one or more files; a query that several files hold is one query."""
    groups: list[Group] = []
    excluded: Counter[str] = Counter()
    files: list[tuple[str, str]] = []
    names = []
    for path in paths:
        name, found, left_out, digests = _own(path) if is_own(path) else _records(path)
        names.append(name)
        groups += found
        excluded.update(left_out)
        files += digests.items()
    kept = [g for g in groups if g.varied and len(g.candidates) > 1]
    excluded[ONE_SOURCE] += sum(len(g.candidates) < 2 for g in groups)
    excluded[NO_ORDER] += sum(len(g.candidates) > 1 and not g.varied for g in groups)
    name, reasons = " + ".join(dict.fromkeys(names)), {reason: n for reason, n in excluded.items() if n}
    if not kept:
        raise NothingToRank(name, reasons)
    files = list(dict.fromkeys(files))  # a file of texts may be read for several
    inputs = dict(zip(distinct(file for file, _ in files), (digest for _, digest in files), strict=True))
    return Dataset(name, tuple(_once(kept)), reasons, inputs)


def _once(groups: Sequence[Group]) -> list[Group]:
    """A query has one name, whatever each record calls it: under two, folds over queries would share it."""
    linked = clusters((f"id {g.query_id}", f"words {asked_as(g.query)}") for g in groups)
    names: dict[str, str] = {}
    for group in groups:
        cluster = linked[f"id {group.query_id}"]
        names[cluster] = min(names.get(cluster, group.query_id), group.query_id)
    return [replace(g, query_id=names[linked[f"id {g.query_id}"]]) for g in groups]


def is_own(path: str) -> bool:
    """Whether a file is in the documented form: its first record has sources with a share and no answer.

    What has no answer and fits no format of records is read as ours too, so that it is told what it lacks of that.
    """
    regular(path)  # a pipe would wait for ever
    if journal.begins(path):
        return False
    first = next(read(path))
    try:
        resolve.format_of(first)
    except RecordsInvalid:
        return not {"answer", "edits"} & first.value.keys()
    sources = first.value.get("sources")
    entry = sources[0] if isinstance(sources, list) and sources else None
    return isinstance(entry, dict) and "share" in entry and "answer" not in first.value and "llm_relevance" not in entry


def _own(path: str) -> tuple[str, list[Group], dict[str, int], dict[str, str]]:
    groups = []
    for row in read(path):
        if not isinstance(row.value.get("sources"), list):
            raise row.wrong(f"neither a known record of outcomes nor a group of your own, which is {FORM}")
        sources = row.rows("sources")
        candidates = tuple(
            Candidate(
                source.text("url", "") or str(place),
                _page(source),
                source.text("title", ""),
                source.known("position"),
                source.known("relevance"),
            )
            for place, source in enumerate(sources)
        )
        query = row.text("query")
        named = next((k for k in ("query_id", "id") if row.value.get(k) is not None), None)
        groups.append(
            Group(
                row.name(named) if named else name_of(query),
                query,
                row.text("engine", "") or "not named",
                candidates,
                tuple(source.share("share") for source in sources),
                row.texts("tags"),
            )
        )
    name = os.path.basename(path)
    return name, groups, {}, {name: sha256_of(path)}


def _page(source: Row) -> str:
    """Its text, which may be empty and must be there."""
    return source.text("text", "" if "text" in source.value else None)


def _records(path: str) -> tuple[str, list[Group], dict[str, int], dict[str, str]]:
    loaded = resolve.load(path)
    if loaded.rewrites:
        raise RecordsInvalid(path, "rewrites without the competitors' texts; there is nothing to rank")
    untouched = [o for o in loaded.outcomes if o.arm == BASELINE]
    # Of an engine's runs those whose sources were seen in the most orders: one order measures the order first.
    orders: dict[tuple[str, str], set[str]] = {}
    for o in untouched:
        orders.setdefault((o.engine, o.run), set()).add(o.order)
    most: dict[str, int] = {}
    for (engine, _), seen_in in orders.items():
        most[engine] = max(most.get(engine, 0), len(seen_in))
    untouched = [o for o in untouched if len(orders[o.engine, o.run]) == most[o.engine]]
    seen = visibility(untouched, "strict" if loaded.mode != GIVEN else GIVEN)
    return loaded.dataset, list(map(_group, seen.kept)), dict(seen.excluded), dict(loaded.inputs)


def _group(v: Visible) -> Group:
    places = list(_places(v))
    candidates = tuple(Candidate(s.key, s.text, s.title, places[i], s.relevance) for i, s in enumerate(v.sources))
    return Group(v.query_id, v.query, v.engine, candidates, v.mean, v.tags)


def _places(v: Visible) -> Iterator[float]:
    """The rank of every source where it has one, else its place in the first order in which it was shown, from 1.

    Averaged over two opposed orders all places are equal; the first order still tells the ends from the middle.
    """
    first = next(iter(v.shown.values()))
    for i, source in enumerate(v.sources):
        yield float(source.rank if source.rank is not None else first.index(i) + 1)
