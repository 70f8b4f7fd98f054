"""`lab outcome stats`: paired effects, and what the untouched answers show, for each data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.lab.outcome.effects import AVERAGED, POOLED
from steelyard.lab.outcome.pawc import MODES
from steelyard.lab.outcome.soft_shares import read_probabilities
from steelyard.lab.outcome.study import analyse_records
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material, use_file
from steelyard.lab.study.sources import open_records
from steelyard.lab.study.studies import outcome_observations
from steelyard.lab.study.study import DRAWS, SEED, Argument, Option, Request, Result, Section, Study
from steelyard.support.artifacts import hash_file
from steelyard.support.journal import is_journal
from steelyard.support.plots.plot import Panel, Plot, Series

_EFFECT = (
    "Share of the target with the lever less its share with as much neutral filler, averaged over orders; mean, 95% "
    "bootstrap interval over queries, exact sign test, t, Wilcoxon; Bonferroni over the levers."
)
_UNCONTROLLED = (
    "Share of the target after the edit less its share before: NOT volume-controlled, since the records hold no filler."
)


def findings(result: Result) -> Findings:
    tables: list[Titled] = []
    lines: list[str] = []
    main: list[str] = []
    plots: dict[str, Plot] = {}
    several = len(result["order"]) > 1
    for key in result["order"]:
        section = result["sets"][key]
        prefix = f"{key}: " if several else ""
        present = _present_rewrites if "rewrites" in section else _present_set
        presented, verdict = present(section)
        tables += [replace(t, title=f"{prefix}{t.title}") for t in presented]
        lines += [f"{prefix}{line}" for line in verdict]
        main += [f"{prefix}{line}" for line in verdict if _COUNTED.search(line)][:1]
        if section.get("effects") and (series := _make_running_series(section["effects"])):
            plots[f"running-{len(plots) + 1}"] = _plot(key, series)
    return Findings(lines, tables, plots, main)


# The sentence that counts what was read: the figures themselves stand in the tables and beside the paper's.
_COUNTED = re.compile(r" (?:answers to|rewrites of) [0-9,]+ quer")


def _present_set(section: Result) -> tuple[list[Titled], list[str]]:
    lines = [
        *section["notes"],
        f"{section['answers']:,} answers to {section['queries']:,} queries, shares read as {section['mode']}; "
        f"{section['kept']:,} kept" + _format_excluded(section["excluded"]),
    ]
    tables = []
    if section["allocated"]:
        tables.append(_show_modes(section["allocated"]))
    if section["effects"]:
        note = _EFFECT if section["length"] is not None else _UNCONTROLLED
        presented = [
            _show_effects(section["effects"], note),
            _show_orders(section["effects"]),
            _show_coverage(section["coverage"]),
        ]
        if section["length"] is not None:
            presented.insert(1, _show_readings(section))
        tables += [t for t in presented if t.table.rows]
        lines += _list_effects(section)
    if section["canary"]:
        lines.append(_state_canary(section["canary"]))
    if section["soft"]:
        lines += _list_soft_shares(section["soft"])
    tables += outcome_observations.list_tables(section["observed"])
    return tables, [*lines, *outcome_observations.list_lines(section["observed"])]


_READINGS = (
    "Against filler: what the edit's content does. Over the untouched page: what an owner who makes the edit would "
    "see, length included. Averaged over orders, 95% bootstrap interval over queries."
)
_SOFT = "Soft shares: forced citations divided by the model's probabilities; filler alone: over the untouched page."
_MODES = (
    "Fallback: nothing earned, every source gets 1/n. From strict: the largest difference of a share to the strict "
    "reading of the same answer."
)
_RULE = "The rule, set before any figure: pooled if nine queries in ten have every arm in every order answered."


def _format_excluded(excluded: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{n:,} {why}' for why, n in sorted(excluded.items()))})" if excluded else ""


def _show_modes(modes: Result) -> Titled:
    rows = []
    for mode in MODES:
        e, distance = modes[mode], modes[mode]["from_strict"] or {"median": None, "largest": None}
        counts = [e[count] for count in ("answers", "allocate", "fallback", "uncited", "out_of_range")]
        rows.append([mode, *counts, distance["median"], distance["largest"]])
    columns = (
        "mode | answers > | allocate > | fallback > | uncited > | out of range > | from strict, median .3 | largest .3"
    )
    return make_table("Answers by mode", columns, rows, _MODES)


def _show_effects(effects: Result, note: str) -> Titled:
    groups = effects["groups_order"]
    listed = [(group, effects["groups"][group]) for group in groups]
    rows = [
        [group, in_words(lever), *_list_figures(levers[lever][AVERAGED])]
        for group, levers in ([*listed, (POOLED, effects[POOLED])] if len(groups) > 1 else listed)
        for lever in effects["order"]
    ]
    tests = "sign p p | t p p | Wilcoxon p | Bonferroni p"
    columns = f"engine <20 | lever | n > | effect +.4 | interval to.4 | up > | down > | {tests}"
    return make_table("Effect on the target's share", columns, rows, note)


def _show_readings(section: Result) -> Titled:
    """Put the controlled effect beside the one over the untouched page, and beside that of soft shares."""
    soft, rows = section["soft"], []
    for lever in section["effects"]["order"]:
        effects = [section["effects"][POOLED][lever][AVERAGED], section["over_untouched"][lever]]
        effects += [soft["effects"][lever][AVERAGED]] if soft else []
        rows.append([in_words(lever), effects[0]["n"], *(x for e in effects for x in _list_points(e))])
    effects = [section["length"]] + ([soft["length"]] if soft else [])
    if rows:
        rows.append(["filler alone", effects[0]["n"], "–", "–", *(x for e in effects for x in _list_points(e))])
    columns = "lever | n > | against filler +.2 | interval to.2 | over the untouched page +.2 | interval to.2"
    columns += " | against filler, soft shares +.2 | interval to.2" if soft else ""
    note = f"{_READINGS} {_SOFT}" if soft else _READINGS
    return make_table("Effects in percentage points", columns, rows, note, is_main=True)


def _list_points(e: Result) -> list[Any]:
    if not e["n"]:
        return ["–", "–"]
    return [e["mean"] * 100, e["interval"] and [end * 100 for end in e["interval"]]]


def _list_figures(e: Result) -> list[Any]:
    if not e["n"]:
        return [0, *["–"] * 8]
    keys = ("n", "mean", "interval", "up", "down", "sign_p", "t_p", "wilcoxon_p", "t_p_bonferroni")
    return [e.get(key) for key in keys]


def _show_orders(effects: Result) -> Titled:
    rows = []
    for lever in effects["order"]:
        orders = effects[POOLED][lever]["orders"]
        rows += [[in_words(lever), o, *_list_figures(orders[o])[:3]] for o in effects["orders_order"] if o in orders]
    columns = "lever | order | n > | effect +.4 | interval to.4"
    return make_table("By order of the sources", columns, rows, "Marked exploratory.")


def _show_coverage(coverage: Result) -> Titled:
    rows = [
        [group, e["queries"], e["complete"], f"{e['share']:.0%}", "yes" if e["kept"] else "no"]
        for group, e in sorted(coverage.items())
    ]
    return make_table("Which engines are pooled", "engine | queries > | complete > | share > | pooled", rows, _RULE)


def list_unpooled(coverage: Result) -> list[str]:
    """Return a line for every engine that the rule leaves out of the effects."""
    return [
        f"{group}: not in the effects, since {e['complete']:,} of {e['queries']:,} queries have every arm in every "
        "order answered"
        for group, e in sorted(coverage.items())
        if not e["kept"]
    ]


def _list_effects(section: Result) -> list[str]:
    effects = section["effects"]
    lines = list_unpooled(section["coverage"])
    if section["length"] is None:
        lines.append("effects against the page before its edit: NOT volume-controlled")
    for lever in effects["order"]:
        e, without = effects[POOLED][lever][AVERAGED], effects[POOLED][lever]["left_out"]
        if not e["n"]:
            lines.append(f"{in_words(lever)}: undefined, no query has both it and its control")
            continue
        lines.append(
            f"{in_words(lever)}: {signed(e['mean'] * 100, 2)} percentage points"
            + (f" ({format_interval(e['interval'], scale=100)})" if e["interval"] else "")
            + f", n = {e['n']:,}"
            + (f" ({without:,} queries lack one of the two arms)" if without else "")
        )
    if section["length"] and section["length"]["n"]:
        e = section["length"]
        span = format_interval(e["interval"], scale=100) if e["interval"] else "no interval"
        lines.append(f"neutral filler alone: {signed(e['mean'] * 100, 2)} percentage points ({span}), n = {e['n']:,}")
    return lines


def _state_canary(canary: Result) -> str:
    planted, free = canary["canary"], canary["baseline"]
    span = format_interval(planted["interval"]) if planted["interval"] else "no interval"
    return (
        f"a planted instruction was followed in {planted['followed']:,} of {planted['answers']:,} answers ({span}); "
        f"its word occurs in {free['followed']:,} of {free['answers']:,} answers without it"
    )


def _list_soft_shares(soft: Result) -> list[str]:
    sentences = soft["forced"] + soft["own"]
    share = f"{soft['forced'] / sentences:.0%}" if sentences else "none"
    lines = [
        f"{share} of {sentences:,} cited sentences were given their citation by the server; soft shares divide those "
        f"by the model's probabilities ({soft['unmatched']:,} answers cannot be matched to theirs)"
    ]
    position = soft["position"]
    if "undefined" not in position:
        places = ", ".join(plain(p["mean"], 3) for p in position["at_place"])
        lines.append(f"mean soft share by place in the prompt: {places}")
    return lines


def _make_running_series(effects: Result) -> list[Series]:
    return [
        Series(in_words(lever), [p["n"] for p in run], [p["mean"] * 100 for p in run])
        for lever in effects["order"]
        if (run := effects[POOLED][lever]["running"])
    ]


def _plot(key: str, series: Sequence[Series]) -> Plot:
    panel = Panel(
        "", series, x_label="queries so far", y_label="percentage points", horizontal_lines=[(0.0, "no effect")]
    )
    return Plot(
        f"Running estimate of each effect ({key})", [panel], note="Exploratory: looked at as the queries came in."
    )


def _present_rewrites(section: Result) -> tuple[list[Titled], list[str]]:
    result = section["rewrites"]
    noise = result["noise"]
    lines = [
        *section["notes"],
        f"{result['rows']:,} rewrites of {result['queries']:,} queries; NOT volume-controlled",
        f"noise floor: the two baselines differ by {signed(noise['mean'], 4)} on average "
        f"({format_interval(noise['interval'], 4)}), sd {plain(noise['sd'], 3)}, "
        f"mean absolute {plain(noise['mean_absolute'], 3)}, n = {noise['n']:,}",
        f"{result['sound_rows']:,} rows are left without empty rewrites and shares that may mean no citation",
    ]
    columns = "method | n > | both +.4 | interval to.4 | first +.4 | second +.4 | t p p | Bonferroni p | words >"
    note = "Share after the rewrite less that of both baselines' mean, of the first, of the second."
    tables = []
    for title, part in (("all rows", result["methods"]), ("rows that are surely measured", result["sound"])):
        rows = [
            [
                in_words(method), e["both"]["n"], e["both"]["mean"], e["both"]["interval"], e["first"]["mean"],
                e["second"]["mean"], e["both"]["t_p"], e["both"].get("t_p_bonferroni"), f"{e['words']:,.0f}",
            ]
            for method in result["order"]
            if (e := part[method])["both"]["n"]
        ]  # fmt: skip
        tables.append(make_table(f"Rewrites against the baselines, {title}", columns, rows, note))
    return tables, lines


EMBEDDED = (
    "The engine is an embedded reference that matches words, asked the demo's questions over the demo's pages whatever "
    "the corpus. These figures show that the machinery works and say nothing about answer engines."
)


def _describe_sample(result: Result, _: object = None) -> str:
    counted = [
        f"{s['answers']} answers to {s['queries']} queries"
        if "answers" in s
        else f"{s['rewrites']['rows']} rewrites of {s['rewrites']['queries']} queries"
        for s in result["sets"].values()
    ]
    return f"{', '.join(counted)}; intervals resample queries"


def _compute(request: Request) -> Result:
    options = dict(request.options)
    probabilities = options.pop("probabilities")
    request.parameters.update(**options, as_of=request.as_of.isoformat())
    files = open_records(request)
    forced = None
    if probabilities:
        forced = read_probabilities(probabilities)
        request.inputs["probabilities"] = hash_file(probabilities)
    return analyse_records(files, forced=forced, as_of=request.as_of, **options)


def _sections(material: Material) -> Iterator[Section]:
    title = "An experiment with the embedded reference engine"
    yield Section(lambda: ([material.embedded_run], {}), "embedded", title, EMBEDDED, "embedded")
    for path, stem in material.record_names().items():
        known = material.probabilities if is_journal(path) else None
        options = {"probabilities": str(known)} if known else {}
        yield Section(use_file(path, options), f"records-{stem}", f"Recorded answers: {path.name}", view=stem)


STUDY = Study(
    "outcome",
    "Engine experiments",
    _compute,
    findings,
    group="outcome",
    command="stats",
    help="""Show the paired effects of the levers, the effect of position, and how the score relates to visibility.

    RECORDS are journals of `lab outcome run`, or other people's records: GEO-Bench rows with answers, and the formats
    of the measuring data.
    """,
    argument=Argument("RECORDS", several=True),
    options=(
        Option(
            "--mode",
            "How citations are read; recommended: as fits the file.",
            ("recommended", "strict", "geo", "zero_based"),
            "recommended",
        ),
        Option(
            "--probabilities",
            "JSONL of `call` and `cite_probs`: the model's probabilities of forced citations, for soft shares.",
            metavar="FILE",
        ),
        Option("--tag", "Queries with this tag only.", metavar="TAG"),
        DRAWS,
        SEED,
    ),
    sample=_describe_sample,
    sections=_sections,
)
