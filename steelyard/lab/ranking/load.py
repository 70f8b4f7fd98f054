"""Ranking data from files: outcome records, journals of our own runs, or a user's own groups."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.outcome.co_occurrences import cluster_queries, normalize_query
from steelyard.lab.outcome.query_shares import QueryShares, compute_query_shares
from steelyard.lab.outcome.records.base import BASELINE, GIVEN
from steelyard.lab.outcome.records.load import find_format, load_records
from steelyard.lab.outcome.records.rows import Row, hash_query, make_distinct, read_rows
from steelyard.lab.ranking.dataset import Candidate, Dataset, Group
from steelyard.support import journal
from steelyard.support.artifacts import hash_file
from steelyard.support.regular_file import require_regular_file

FORM = '{"query": …, "engine": …, "sources": [{"text": …, "share": …, "position": …, "relevance": …}, …]}'
NO_ORDER = "all sources equally visible"
ONE_SOURCE = "fewer than two sources"


def load(paths: Sequence[str], judged: Sequence[str] = ()) -> Dataset:
    """Read all groups of one or more files; a query that several files hold is one query.

    A source without a relevance takes that of the same text under the same query in another of the files, or in
    `judged`, from which nothing else is read.

    Raises:
        SteelyardError: A file cannot be read, or no query has sources that differ in visibility.
    """
    parts = [_read_any(path) for path in paths]
    groups = [g for part in parts for g in part.groups]
    parts += [replace(_read_any(path), excluded={}) for path in judged if path not in paths]
    groups = list(_join_relevance(groups, (g for part in parts for g in part.groups)))
    excluded: Counter[str] = Counter()
    for part in parts:
        excluded.update(part.excluded)
    excluded[ONE_SOURCE] += sum(len(g.candidates) < 2 for g in groups)
    excluded[NO_ORDER] += sum(len(g.candidates) > 1 and not g.has_order for g in groups)
    reasons = {reason: n for reason, n in excluded.items() if n}
    name = " + ".join(dict.fromkeys(part.name for part in parts[: len(paths)]))
    ordered = [g for g in groups if g.has_order]
    if not ordered:
        why = "; ".join(f"{n:,} left out: {reason}" for reason, n in reasons.items())
        raise SteelyardError(f"undefined: {name}: no query has an order to be predicted ({why})")
    # Several files may read the same file of texts.
    files = list(dict.fromkeys(file for part in parts for file in part.inputs.items()))
    inputs = dict(zip(make_distinct(file for file, _ in files), (digest for _, digest in files), strict=True))
    return Dataset(name, tuple(_unify_queries(ordered)), reasons, inputs)


def find_pool(paths: Sequence[str]) -> list[str]:
    """Return the files that have a query in common with another one; those with nothing to rank are left out."""
    queries: dict[str, set[str]] = {}
    for path in paths:
        try:
            queries[path] = {normalize_query(g.query) for g in load([path]).groups}
        except SteelyardError:
            continue
    return [p for p in queries if any(queries[p] & queries[other] for other in queries if other != p)]


def _read_any(path: str) -> Dataset:
    return _read_own_groups(path) if is_own_form(path) else _read_records(path)


def _join_relevance(groups: Iterable[Group], judged: Iterable[Group]) -> Iterable[Group]:
    known: Mapping[tuple[str, str], float] = {
        (normalize_query(g.query), " ".join(c.text.split())): c.relevance
        for g in judged
        for c in g.candidates
        if c.relevance is not None
    }

    def complete(query: str, c: Candidate) -> Candidate:
        return c if c.relevance is not None else replace(c, relevance=known.get((query, " ".join(c.text.split()))))

    for g in groups:
        query = normalize_query(g.query)
        yield replace(g, candidates=tuple(complete(query, c) for c in g.candidates))


def _unify_queries(groups: Sequence[Group]) -> list[Group]:
    """Give every query one id, whatever each record calls it: under two ids, folds over queries would share it."""
    linked = cluster_queries((f"id {g.query_id}", f"words {normalize_query(g.query)}") for g in groups)
    names: dict[str, str] = {}
    for group in groups:
        cluster = linked[f"id {group.query_id}"]
        names[cluster] = min(names.get(cluster, group.query_id), group.query_id)
    return [replace(g, query_id=names[linked[f"id {g.query_id}"]]) for g in groups]


def is_own_form(path: str) -> bool:
    """Return whether a file is in the documented form: its first record has sources with a share and no answer.

    A file without answers that fits no format of records counts too, so that the error names what is missing for it.
    """
    require_regular_file(path)  # opening a pipe would block
    if journal.is_journal(path):
        return False
    first = next(read_rows(path))
    try:
        find_format(first)
    except InvalidFile:
        return not {"answer", "edits"} & first.value.keys()
    sources = first.value.get("sources")
    entry = sources[0] if isinstance(sources, list) and sources else None
    return isinstance(entry, dict) and "share" in entry and "answer" not in first.value and "llm_relevance" not in entry


def _read_own_groups(path: str) -> Dataset:
    groups = []
    for row in read_rows(path):
        if not isinstance(row.value.get("sources"), list):
            raise row.error(f"neither a known record of outcomes nor a group of your own, which is {FORM}")
        sources = row.rows("sources")
        candidates = tuple(_read_candidate(number, source) for number, source in enumerate(sources))
        query, engine = row.text("query"), row.text("engine", "") or "not named"
        id_key = next((k for k in ("query_id", "id") if row.value.get(k) is not None), None)
        query_id = row.name(id_key) if id_key else hash_query(query)
        shares = tuple(source.share("share") for source in sources)
        groups.append(Group(query_id, query, engine, candidates, shares, row.texts("tags")))
    name = os.path.basename(path)
    return Dataset(name, tuple(groups), {}, {name: hash_file(path)})


def _read_candidate(number: int, source: Row) -> Candidate:
    text = source.text("text", "" if "text" in source.value else None)  # it may be empty, but not absent
    key = source.text("url", "") or str(number)
    return Candidate(
        key, text, source.text("title", ""), source.optional_number("position"), source.optional_number("relevance")
    )


def _read_records(path: str) -> Dataset:
    loaded = load_records(path)
    if loaded.rewrites:
        raise InvalidFile(path, "rewrites without the competitors' texts; there is nothing to rank")
    untouched = [o for o in loaded.outcomes if o.arm == BASELINE]
    # Take an engine's runs with the most orders of the sources: a single order would measure mostly the order.
    orders: dict[tuple[str, str], set[str]] = {}
    for o in untouched:
        orders.setdefault((o.engine, o.run), set()).add(o.order)
    max_orders = {engine: max(len(seen) for (e, _), seen in orders.items() if e == engine) for engine, _ in orders}
    untouched = [o for o in untouched if len(orders[o.engine, o.run]) == max_orders[o.engine]]
    shares, left_out = compute_query_shares(untouched, "strict" if loaded.mode != GIVEN else GIVEN)
    groups = tuple(_make_group(v) for v in shares)
    return Dataset(loaded.dataset, groups, left_out, dict(loaded.inputs))


def _make_group(v: QueryShares) -> Group:
    """Take a source's position from its rank, else from the first order in which it was shown, from 1.

    The mean over opposite or rotated orders would be the same for all sources.
    """
    first = next(iter(v.shown.values()))
    candidates = tuple(
        Candidate(s.key, s.text, s.title, float(first.index(i) + 1 if s.rank is None else s.rank), s.relevance)
        for i, s in enumerate(v.sources)
    )
    return Group(v.query_id, v.query, v.engine, candidates, v.mean, v.tags)
