"""`outcome stats`: paired effects, and what the untouched answers show, for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.outcome.effects import AVERAGED, POOLED
from steelyard.lab.outcome.pawc import MODES
from steelyard.lab.study import outcome_observed
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.wording import between, chance, name, plain, right, signed
from steelyard.support.plots.plot import Panel, Plot, Series
from steelyard.support.table import Column, Table

_EFFECT = (
    "Share of the target with the lever less its share with as much neutral filler, averaged over orders; mean, 95% "
    "bootstrap interval over queries, exact sign test, t, Wilcoxon; Bonferroni over the levers."
)
_UNCONTROLLED = (
    "Share of the target after the edit less its share before: NOT volume-controlled, since the records hold no filler."
)
_ENGINE, _LEVER = 20, 13  # columns of a terminal


def findings(result: Mapping[str, Any]) -> Findings:
    tables: list[Titled] = []
    lines: list[str] = []
    plots: dict[str, Plot] = {}
    several = len(result["order"]) > 1
    for key in result["order"]:
        section = result["sets"][key]
        before = f"{key}: " if several else ""
        made, said = _rewritten(section["rewrites"], section["notes"]) if "rewrites" in section else _set(section)
        tables += [Titled(f"{before}{t.title}", t.table, t.note) for t in made]
        lines += [f"{before}{line}" for line in said]
        if section.get("effects") and (series := _running(section["effects"])):
            plots[f"running-{len(plots) + 1}"] = _plot(key, series)
    return Findings("outcome", result, tables, plots, lines)


def _set(section: Mapping[str, Any]) -> tuple[list[Titled], list[str]]:
    said = [
        *section["notes"],
        f"{section['answers']:,} answers to {section['queries']:,} queries, shares read as {section['mode']}; "
        f"{section['kept']:,} kept" + _excluded(section["excluded"]),
    ]
    tables = []
    if section["allocated"]:
        tables.append(Titled("Answers by mode", _modes(section["allocated"]), _MODES))
    if section["effects"]:
        note = _EFFECT if section["length"] is not None else _UNCONTROLLED
        titled = [
            Titled("Effect on the target's share", effect_table(section["effects"]), note),
            Titled("By order of the sources", _orders(section["effects"]), "Marked exploratory."),
            Titled("Which engines are pooled", _coverage(section["coverage"]), _RULE),
        ]
        tables += [t for t in titled if t.table.rows]
        said += _effect_lines(section)
    if section["canary"]:
        said.append(_canary_line(section["canary"]))
    tables += outcome_observed.tables(section["observed"])
    said += outcome_observed.lines(section["observed"])
    return tables, said


_MODES = (
    "Fallback: nothing earned, every source gets 1/n. From strict: the largest difference of a share to the strict "
    "reading of the same answer."
)
_RULE = "The rule, set before any figure: pooled if nine queries in ten have every arm in every order answered."


def _excluded(excluded: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{n:,} {why}' for why, n in sorted(excluded.items()))})" if excluded else ""


def _modes(modes: Mapping[str, Any]) -> Table:
    rows = []
    for mode in MODES:
        e, apart = modes[mode], modes[mode]["from_strict"] or {"median": None, "largest": None}
        counts = [e[count] for count in ("answers", "allocate", "fallback", "uncited", "out_of_range")]
        rows.append([mode, *counts, plain(apart["median"], 3), plain(apart["largest"], 3)])
    heads = ("answers", "allocate", "fallback", "uncited", "out of range", "from strict, median", "largest")
    return Table([Column("mode"), *(right(h) for h in heads)], rows)


def effect_table(effects: Mapping[str, Any]) -> Table:
    heads = ("n", "effect", "interval", "up", "down", "sign p", "t p", "Wilcoxon", "Bonferroni")
    rows = []
    groups = effects["groups_order"]
    listed = [(group, effects["groups"][group]) for group in groups]
    for group, levers in [*listed, (POOLED, effects[POOLED])] if len(groups) > 1 else listed:
        for lever in effects["order"]:
            rows.append([group, name(lever), *_figures(levers[lever][AVERAGED])])
    engine, lever = Column("engine", width=_ENGINE, keep="end"), Column("lever", width=_LEVER)
    return Table([engine, lever, *(right(h) for h in heads)], rows)


def _figures(e: Mapping[str, Any]) -> list[Any]:
    if not e["n"]:
        return [0, *["–"] * 8]
    return [
        e["n"], signed(e["mean"], 4), between(e["interval"], 4), e["up"], e["down"], chance(e["sign_p"]),
        chance(e["t_p"]), chance(e["wilcoxon_p"]), chance(e.get("t_p_bonferroni")),
    ]  # fmt: skip


def _orders(effects: Mapping[str, Any]) -> Table:
    rows = []
    for lever in effects["order"]:
        orders = effects[POOLED][lever]["orders"]
        rows += [[name(lever), o, *_figures(orders[o])[:3]] for o in effects["orders_order"] if o in orders]
    return Table([Column("lever"), Column("order"), right("n"), right("effect"), right("interval")], rows)


def _coverage(coverage: Mapping[str, Any]) -> Table:
    rows = [
        [group, e["queries"], e["complete"], f"{e['share']:.0%}", "yes" if e["kept"] else "no"]
        for group, e in sorted(coverage.items())
    ]
    return Table([Column("engine"), right("queries"), right("complete"), right("share"), Column("pooled")], rows)


def unpooled(coverage: Mapping[str, Any]) -> list[str]:
    """A line for every engine that the rule leaves out of the effects."""
    return [
        f"{group}: not in the effects, since {e['complete']:,} of {e['queries']:,} queries have every arm in every "
        "order answered"
        for group, e in sorted(coverage.items())
        if not e["kept"]
    ]


def _effect_lines(section: Mapping[str, Any]) -> list[str]:
    effects = section["effects"]
    lines = unpooled(section["coverage"])
    if section["length"] is None:
        lines.append("effects against the page before its edit: NOT volume-controlled")
    for lever in effects["order"]:
        e, without = effects[POOLED][lever][AVERAGED], effects[POOLED][lever]["left_out"]
        if not e["n"]:
            lines.append(f"{name(lever)}: undefined, no query has it beside its control")
            continue
        lines.append(
            f"{name(lever)}: {signed(e['mean'] * 100, 2)} percentage points"
            + (f" ({between([x * 100 for x in e['interval']], 2)})" if e["interval"] else "")
            + f", n = {e['n']:,}"
            + (f" ({without:,} queries lack one of the two arms)" if without else "")
        )
    if section["length"] and section["length"]["n"]:
        e = section["length"]
        span = between([x * 100 for x in e["interval"]], 2) if e["interval"] else "no interval"
        lines.append(f"neutral filler alone: {signed(e['mean'] * 100, 2)} percentage points ({span}), n = {e['n']:,}")
    return lines


def _canary_line(canary: Mapping[str, Any]) -> str:
    planted, free = canary["canary"], canary["baseline"]
    span = between(planted["interval"]) if planted["interval"] else "no interval"
    return (
        f"a planted instruction was followed in {planted['followed']:,} of {planted['answers']:,} answers ({span}); "
        f"its word stands in {free['followed']:,} of {free['answers']:,} answers without it"
    )


def _running(effects: Mapping[str, Any]) -> list[Series]:
    return [
        Series(name(lever), [p["n"] for p in run], [p["mean"] * 100 for p in run])
        for lever in effects["order"]
        if (run := effects[POOLED][lever]["running"])
    ]


def _plot(key: str, series: Sequence[Series]) -> Plot:
    panel = Panel("", series, x_label="queries so far", y_label="percentage points", rules=[(0.0, "no effect")])
    return Plot(
        f"Running estimate of each effect ({key})", [panel], note="Exploratory: looked at as the queries came in."
    )


def _rewritten(result: Mapping[str, Any], notes: Sequence[str]) -> tuple[list[Titled], list[str]]:
    noise = result["noise"]
    said = [
        *notes,
        f"{result['rows']:,} rewrites of {result['queries']:,} queries; NOT volume-controlled",
        f"noise floor: the two baselines differ by {signed(noise['mean'], 4)} on average "
        f"({between(noise['interval'], 4)}), sd {plain(noise['sd'], 3)}, "
        f"mean absolute {plain(noise['mean_absolute'], 3)}, n = {noise['n']:,}",
        f"{result['sound_rows']:,} rows are left without empty rewrites and shares that may stand for no citation",
    ]
    tables = []
    for title, part in (("all rows", result["methods"]), ("rows that are surely measured", result["sound"])):
        rows = []
        for method in result["order"]:
            e = part[method]
            if not e["both"]["n"]:
                continue
            rows.append(
                [
                    name(method), e["both"]["n"], signed(e["both"]["mean"], 4), between(e["both"]["interval"], 4),
                    signed(e["first"]["mean"], 4), signed(e["second"]["mean"], 4), chance(e["both"]["t_p"]),
                    chance(e["both"].get("t_p_bonferroni")), f"{e['words']:,.0f}",
                ]
            )  # fmt: skip
        heads = ("n", "both", "interval", "first", "second", "t p", "Bonferroni", "words")
        note = "Share after the rewrite less that of both baselines' mean, of the first, of the second."
        tables.append(
            Titled(
                f"Rewrites against the baselines, {title}",
                Table([Column("method"), *(right(h) for h in heads)], rows),
                note,
            )
        )
    return tables, said
