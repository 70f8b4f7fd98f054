"""`lab outcome ceiling`: how often any fixed order of two sources can be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.lab.outcome.ceiling import BOUND, LOWER, UPPER, measure_ceiling
from steelyard.lab.outcome.co_occurrences import ENGINES, INSTRUCTIONS, ORDERS, REPEATS
from steelyard.lab.outcome.engines.prompt import PLAIN
from steelyard.lab.outcome.records.load import is_record_file
from steelyard.lab.study.findings import Findings, Titled, format_interval, make_bars, make_table, plain
from steelyard.lab.study.material import Material
from steelyard.lab.study.sources import open_records
from steelyard.lab.study.study import SEED, Argument, Option, Request, Result, Section, Study
from steelyard.support.plots.plot import Panel, Plot, Series

Comparison = tuple[str, Result]  # with its kind

QUERIES = "queries"
_KINDS = {
    QUERIES: "another query",
    REPEATS: "the same again",
    ORDERS: "another order",
    INSTRUCTIONS: "other instructions",
    ENGINES: "another engine",
}
_FIGURES = {UPPER: "upper: plug-in", BOUND: "upper: by agreement", LOWER: "lower: other runs"}
_SHIPPED = "content score, shipped"
_COUNTS = (
    "Runs: how many order a pair, and in brackets how many pairs. Same list: queries in which all runs had the same "
    "sources; in the others the common ones are compared. Ties are left out of all figures."
)
_CEILINGS = (
    "Share of pairs ordered rightly, mean over pairs, with its 95% interval over resampled queries (where queries are "
    "the runs: groups of queries linked by their pairs). Lower: the majority of a pair's other runs, "
    "followed; under 0.50 the runs oppose each other."
)
_LIMITS = (
    "the engine ceiling binds every score that does not see the run, also one that sees the query",
    "answers in one order of the sources share what position does: part of what they agree on may be position, which "
    "content cannot see",
)
_SCORES = "On the pairs above, where the median source is long enough. Equal scores are half right; chance is 0.50."


def findings(result: Result) -> Findings:
    """Present both ceilings, one row for each comparison, and the content score on the same pairs."""
    every = [(kind, c) for kind, c in _list_compared(result) if c["met"]]
    measured = [(kind, c) for kind, c in every if "undefined" not in c["figures"]]
    scored = [(kind, c) for kind, c in measured if "undefined" not in c["figures"]["content"]]
    weightings = {name: name for name in result["weightings"]}
    tables = [
        _show_counts(every),
        _show_figures("Ceilings", measured, _FIGURES, lambda f: f, _CEILINGS),
        replace(
            _show_figures("The content score on the same pairs", scored, weightings, lambda f: f["content"], _SCORES),
            is_main=True,
        ),
        _show_records(result),
    ]
    plots = {"ceiling": _make_plot(result, measured)} if measured else {}
    lines = list(_list_lines(result))
    return Findings(lines, [t for t in tables if t.table.rows], plots, _LIMITS if measured else lines)


def _list_compared(result: Result) -> Iterator[Comparison]:
    """Yield every comparison with its kind, the query ceiling first."""
    of_queries, of_engines = result["query_ceiling"], result["engine_ceiling"]
    if "undefined" not in of_queries:
        yield from ((QUERIES, c) for c in of_queries)
    for kind in of_engines.get("order", ()):
        if "undefined" not in of_engines[kind]:
            yield from ((kind, c) for c in of_engines[kind])


def _name_pair(kind: str, comparison: Result) -> str:
    """Name what is compared, and with what."""
    engines = " / ".join(comparison["engines"])
    if kind == QUERIES:
        return engines
    if kind == ENGINES:
        return f"{comparison['collection']}: {engines}"
    run = f", {comparison['instructions']}" if kind == ORDERS and comparison["instructions"] else ""
    return (
        f"{comparison['collection']}: {engines}{run} ({' / '.join(name or PLAIN for name in comparison['compared'])})"
    )


def _show_counts(every: Sequence[Comparison]) -> Titled:
    rows = []
    for kind, c in every:
        same = f"{c['same_sources']:,} of {c['answered']:,}" if "same_sources" in c else None
        counts = f"{c['queries']:,}", same, f"{c['met']:,}", f"{c['pairs']:,}"
        rows.append([_KINDS[kind], _name_pair(kind, c), *counts, 100 * c["ties"], _count_runs(c)])
    columns = "compared with | of | queries > | same list > | pairs met > | ordered > | % ties .1 | runs (pairs)"
    return make_table("What is compared", columns, rows, _COUNTS)


def _show_records(result: Result) -> Titled:
    rows = []
    for r in result["records"]:
        left_out = ", ".join(f"{n:,} {reason}" for reason, n in sorted(r["left_out"].items()))
        rows.append([r["name"], r["mode"], f"{r['answers']:,}", left_out or "none", f"{r['edited']:,}"])
    return make_table("What was read", "file | citations | answers > | left out | edited >", rows)


def _count_runs(comparison: Result) -> str:
    pairs: Counter[int] = Counter()
    for row in comparison["tally"]:
        pairs[row["runs"]] += row["pairs"]
    return ", ".join(f"{runs} ({pairs[runs]:,})" for runs in sorted(pairs)) or "–"


def _show_figures(
    title: str, every: Sequence[Comparison], names: Mapping[str, str], select: Callable[[Any], Any], note: str
) -> Titled:
    rows = [
        [_KINDS[k], _name_pair(k, c), *(_format_figure(select(c["figures"])[name]) for name in names)] for k, c in every
    ]
    return make_table(title, ["compared with", "of", *(f"{words} >" for words in names.values())], rows, note)


def _format_figure(estimate: Result) -> str:
    """Return `0.61 (0.45 to 0.76)`, or a dash."""
    if "undefined" in estimate:
        return "–"
    return plain(estimate["value"]) + (f" ({format_interval(estimate['interval'])})" if estimate["interval"] else "")


def _list_lines(result: Result) -> Iterator[str]:
    of_queries, of_engines = result["query_ceiling"], result["engine_ceiling"]
    if "undefined" in of_queries:
        yield f"query ceiling: undefined: {of_queries['undefined']}"
    else:
        never = [_name_pair(QUERIES, c) for c in of_queries if not c["met"]]
        yield from (f"query ceiling, {_name_pair(QUERIES, c)}: {_explain(QUERIES, c)}" for c in of_queries if c["met"])
        if never:
            yield f"query ceiling: undefined: no two sources occur together twice in {', '.join(never)}"
    if "undefined" in of_engines:
        yield f"engine ceiling: undefined: {of_engines['undefined']}"
        return
    for kind in of_engines["order"]:
        comparisons = of_engines[kind]
        if "undefined" in comparisons:
            yield f"engine ceiling, {_KINDS[kind]}: undefined: {comparisons['undefined']}"
        else:
            yield from (
                f"engine ceiling, {_KINDS[kind]}, {_name_pair(kind, c)}: {_explain(kind, c)}" for c in comparisons
            )
    yield from _LIMITS


def _explain(kind: str, comparison: Result) -> str:
    """Put the figures of one comparison into words."""
    figures, runs = comparison["figures"], "queries" if kind == QUERIES else "runs"
    if "undefined" in figures:
        return f"undefined: {figures['undefined']}"
    score = "query-blind score" if kind == QUERIES else "score"
    upper, lower, agree = (plain(figures[key]["value"]) for key in (UPPER, LOWER, "agreement"))
    sentence = f"no {score} can order more than {upper} of these {comparison['pairs']:,} pairs rightly"
    if "undefined" in figures[BOUND]:
        sentence += f" in these {runs}, which oppose each other: they agree on {agree} of the pairs, coins on 0.50"
    else:
        sentence += f" (upper bound, biased up; {plain(figures[BOUND]['value'])} by how often {runs} agree)"
        sentence += f", at least {lower} is reachable by following "
        two = max(row["runs"] for row in comparison["tally"]) == 2
        sentence += "the other one of two: their agreement" if two else f"the majority of a pair's other {runs}"
    content = figures["content"]
    if "undefined" in content:
        return f"{sentence}; content score undefined: {content['undefined']}"
    return f"{sentence}; the content score orders {plain(content['shipped']['value'])} (shipped), chance 0.50"


def _make_plot(result: Result, measured: Sequence[Comparison]) -> Plot:
    """Plot a panel for each ceiling; the two are not to be compared."""
    titled = {
        "Query ceiling": [(kind, c) for kind, c in measured if kind == QUERIES],
        "Engine ceiling": [(kind, c) for kind, c in measured if kind != QUERIES],
    }
    label, chance = "share of pairs ordered rightly", [(result["chance"], "chance")]
    panels = [Panel(t, _make_series(of), x_label=label, vertical_lines=chance) for t, of in titled.items() if of]
    return Plot("How often one order of two sources can be right", panels, note=_CEILINGS)


def _make_series(every: Sequence[Comparison]) -> list[Series]:
    names = [f"{_KINDS[kind]}: {c.get('collection') or _name_pair(kind, c)}" for kind, c in every]
    runs = [f", {len(c.get('compared', ()))} runs" for _, c in every]
    engines = [f", {' / '.join(c['engines'])}" for _, c in every]
    for more in (runs, engines):  # whatever tells comparisons of one kind and collection apart
        times = Counter(names)
        names = [name + word * (times[name] > 1) for name, word in zip(names, more, strict=True)]
    columns = {words: [c["figures"][key] for _, c in every] for key, words in _FIGURES.items()}
    columns[_SHIPPED] = [c["figures"]["content"].get("shipped", {}) for _, c in every]
    return [make_bars(words, names, figures, figure="value") for words, figures in columns.items() if any(figures)]


def _compute(request: Request) -> Result:
    request.parameters.update(mode=request.options["mode"], seed=request.seed)
    return measure_ceiling(
        [file for file in open_records(request) if file.outcomes], request.options["mode"], seed=request.seed
    )


def _list_files(material: Material) -> list[str]:
    """Return the files with records; one that has none is reported by a section of its own, and stops no other."""
    return [str(p) for p in material.records if is_record_file(p)] or [material.embedded_run]


STUDY = Study(
    "ceiling",
    "The ceiling of a score that does not see the query",
    _compute,
    findings,
    group="outcome",
    help="""Show how often any fixed order of two sources can be right, where their visibility changes.

    RECORDS are one or more files of outcome records. The query ceiling is over pairs of sources that occur together in
    several queries; the engine ceiling over several answers to one query: repeats, orders, instructions, engines.
    """,
    argument=Argument("RECORDS", several=True),
    options=(
        Option(
            "--mode",
            "How citations are read; recommended: as fits each file. Shares that a file reports stay as they are.",
            ("strict", "recommended", "geo", "zero_based"),
            "strict",
        ),
        SEED,
    ),
    sample=lambda result, _: (
        f"{sum(r['answers'] for r in result['records'])} answers; intervals resample queries, {result['draws']} draws"
    ),
    sections=lambda material: [Section(lambda: (_list_files(material), {}))],
)
