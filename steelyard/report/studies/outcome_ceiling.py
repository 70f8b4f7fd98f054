"""`outcome ceiling`: how often any fixed order of two sources can be right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard.outcome.ceiling import ENGINES, INSTRUCTIONS, ORDERS, REPEATS
from steelyard.render.findings import Findings, Titled
from steelyard.render.plot import Panel, Plot, Series
from steelyard.render.table import Column, Table
from steelyard.report.studies.words import between, plain, right

QUERIES = "queries"
_WORDS = {
    QUERIES: "another query",
    REPEATS: "the same again",
    ORDERS: "another order",
    INSTRUCTIONS: "other instructions",
    ENGINES: "another engine",
}
_UPPER, _BOUND, _LOWER = "at most, in these runs", "at most, in further runs", "at least"
_SHIPPED = "content, shipped"
_NOTE = (
    "Share of pairs ordered rightly, mean over pairs, with its 95% interval over resampled queries (of another query: "
    "over groups of queries linked by pairs that meet in both). Ties, runs in which both sources are equally visible, "
    "are left out."
)


def findings(result: Mapping[str, Any]) -> Findings:
    """Both ceilings, one row for each comparison, and the content score on the same pairs."""
    every = [(kind, c) for kind, c in _every(result) if c["met"]]
    with_figures = [(kind, c) for kind, c in every if "undefined" not in c["figures"]]
    tables = [Titled("What is compared", _counts(every), _COUNTS)] if every else []
    if with_figures:
        tables += [Titled("Ceilings", _ceilings(with_figures), _NOTE)]
    scored = [(kind, c) for kind, c in with_figures if "undefined" not in c["figures"]["content"]]
    if scored:
        tables.append(Titled("The content score on the same pairs", _scores(result, scored), _SCORES))
    plots = {"ceiling": _plot(result, with_figures)} if with_figures else {}
    return Findings("ceiling", result, tables, plots, _lines(result))


_COUNTS = (
    "Runs: how many order a pair, and in brackets how many pairs. Same list: queries in which every run had the same "
    "sources; in the others the common ones are compared."
)
_SCORES = "Equal scores are half right. Chance is 0.50."


def _every(result: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every comparison with its kind, the query ceiling first."""
    of_queries, of_engines = result["query_ceiling"], result["engine_ceiling"]
    if "undefined" not in of_queries:
        yield from ((QUERIES, c) for c in of_queries)
    for kind in of_engines.get("order", ()):
        if "undefined" not in of_engines[kind]:
            yield from ((kind, c) for c in of_engines[kind])


def _label(kind: str, comparison: Mapping[str, Any]) -> str:
    """What is compared with what."""
    engines = " / ".join(comparison["engines"])
    if kind == QUERIES:
        return engines
    names = " / ".join(comparison["compared"])
    if kind == ENGINES:
        return f"{comparison['collection']}: {engines}"
    of_run = f", {comparison['instructions']}" if kind == ORDERS and comparison["instructions"] else ""
    return f"{comparison['collection']}: {engines}{of_run} ({names})"


def _counts(every: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    columns = [Column("compared with"), Column("of"), right("queries"), right("same list"), right("pairs met"),
               right("ordered"), right("% ties"), Column("runs (pairs)")]  # fmt: skip
    rows = []
    for kind, c in every:
        same = f"{c['same_sources']:,} of {c['asked']:,}" if "same_sources" in c else None
        ties = plain(100 * c["ties"], 1)
        rows.append(
            [
                _WORDS[kind],
                _label(kind, c),
                f"{c['queries']:,}",
                same,
                f"{c['met']:,}",
                f"{c['pairs']:,}",
                ties,
                _runs(c),
            ]
        )
    return Table(columns, rows)


def _runs(comparison: Mapping[str, Any]) -> str:
    by_runs: dict[int, int] = {}
    for row in comparison["tally"]:
        by_runs[row["runs"]] = by_runs.get(row["runs"], 0) + row["pairs"]
    return ", ".join(f"{runs} ({pairs:,})" for runs, pairs in sorted(by_runs.items())) or "–"


def _figure(found: Mapping[str, Any]) -> str:
    """`0.61 (0.45 to 0.76)`, or a dash."""
    if "undefined" in found:
        return "–"
    ends = f" ({between(found['interval'])})" if found["interval"] else ""
    return plain(found["value"]) + ends


def _ceilings(every: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    columns = [Column("compared with"), Column("of"), right(_LOWER), right(_BOUND), right(_UPPER)]
    rows = [
        [_WORDS[kind], _label(kind, c), *(_figure(c["figures"][key]) for key in ("lower", "bound", "upper"))]
        for kind, c in every
    ]
    return Table(columns, rows)


def _scores(result: Mapping[str, Any], every: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    names = result["weightings"]
    columns = [Column("compared with"), Column("of"), *(right(name) for name in names)]
    rows = [
        [_WORDS[kind], _label(kind, c), *(_figure(c["figures"]["content"][name]) for name in names)]
        for kind, c in every
    ]
    return Table(columns, rows)


def _lines(result: Mapping[str, Any]) -> list[str]:
    lines = list(_of_queries(result))
    of_engines = result["engine_ceiling"]
    if "undefined" in of_engines:
        return [*lines, f"engine ceiling: undefined: {of_engines['undefined']}"]
    for kind in of_engines["order"]:
        found = of_engines[kind]
        if "undefined" in found:
            lines.append(f"engine ceiling, {_WORDS[kind]}: undefined: {found['undefined']}")
        else:
            lines += [f"engine ceiling, {_WORDS[kind]}, {_label(kind, c)}: {_verdict(kind, c)}" for c in found]
    if any(_most(c) == 2 for _, c in _every(result) if "undefined" not in c["figures"]):
        lines.append(
            "two runs are one measurement: if they agree on a share A of the pairs, the lower figure is A and the upper "
            "one (1 + A)/2"
        )
    return [
        *lines,
        "answers to one query in one order of the sources share what position does, and a ceiling that they reach "
        "together is not one that content alone could reach",
    ]


def _of_queries(result: Mapping[str, Any]) -> Iterator[str]:
    found = result["query_ceiling"]
    if "undefined" in found:
        yield f"query ceiling: undefined: {found['undefined']}"
        return
    for c in found:
        if c["met"]:
            yield f"query ceiling, {_label(QUERIES, c)}: {_verdict(QUERIES, c)}"
    if never := [_label(QUERIES, c) for c in found if not c["met"]]:
        yield f"query ceiling: no two sources meet in two queries of {', '.join(never)}"


def _most(comparison: Mapping[str, Any]) -> int:
    return max((int(row["runs"]) for row in comparison["tally"]), default=0)


def _verdict(kind: str, comparison: Mapping[str, Any]) -> str:
    """What the figures of one comparison mean."""
    figures = comparison["figures"]
    if "undefined" in figures:
        return f"undefined: {figures['undefined']}"
    who = "query-blind score" if kind == QUERIES else "score that does not see the run, query-blind or not,"
    runs = "queries" if kind == QUERIES else "runs"
    said = (
        f"no {who} can order more than {plain(figures['upper']['value'])} of these {comparison['pairs']:,} pairs rightly "
        f"(upper bound, biased up for further {runs})"
    )
    if "undefined" in figures["bound"]:
        said += (
            f"; the {runs} oppose each other: they agree on {plain(figures['agreement']['value'])}, and coins on 0.50"
        )
    else:
        said += (
            f", nor more than {plain(figures['bound']['value'])} in further {runs}; at least "
            f"{plain(figures['lower']['value'])} is reachable by following the majority of a pair's other {runs}"
        )
    return f"{said}; {_content(figures['content'])}"


def _content(content: Mapping[str, Any]) -> str:
    if "undefined" in content:
        return f"content score: undefined: {content['undefined']}"
    return f"the content score orders {plain(content['shipped']['value'])} (shipped), chance 0.50"


def _plot(result: Mapping[str, Any], every: Sequence[tuple[str, Mapping[str, Any]]]) -> Plot:
    names = [f"{_WORDS[kind]}: {_short(kind, c)}" for kind, c in every]

    def series(name: str, found: Sequence[Mapping[str, Any]]) -> Series:
        ends = [f.get("interval") or (None, None) for f in found]
        return Series(name, [f.get("value") for f in found], names, [e[0] for e in ends], [e[1] for e in ends],
                      style="bars")  # fmt: skip

    figures = [c["figures"] for _, c in every]
    shown = [series(words, [f[key] for f in figures])
             for words, key in ((_UPPER, "upper"), (_BOUND, "bound"), (_LOWER, "lower"))]  # fmt: skip
    scores = [f["content"].get("shipped", {}) for f in figures]
    if any(scores):
        shown.append(series(_SHIPPED, scores))
    panel = Panel("", shown, x_label="share of pairs ordered rightly", uprights=[(result["chance"], "chance")])
    return Plot("How often one order of two sources can be right", [panel], note=_NOTE)


def _short(kind: str, comparison: Mapping[str, Any]) -> str:
    """Where it is from, and the engine only where that is what is compared."""
    return _label(kind, comparison) if kind in (QUERIES, ENGINES) else str(comparison["collection"])
