"""`lab ranking study`: baselines, models, both kinds of folds, other engines, importance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steelyard.lab.ranking.features import FIXED, POSITION
from steelyard.lab.ranking.load import find_pool
from steelyard.lab.ranking.prepare import CONTENT_ONLY
from steelyard.lab.ranking.study import ENGINE_ONLY, STRICT, run_study
from steelyard.lab.study.findings import Findings, Titled, make_bars, make_table, plain, signed, state_p
from steelyard.lab.study.material import Material, use_file
from steelyard.lab.study.sources import open_groups
from steelyard.lab.study.studies import ranking_audit
from steelyard.lab.study.studies.outcome import EMBEDDED
from steelyard.lab.study.study import DATA_OPTIONS, DRAWS, Argument, Option, Request, Result, Section, Study
from steelyard.support.formatting import format_count
from steelyard.support.plots.plot import Panel, Plot

METRICS = ("spearman", "hit@1", "mrr", "ndcg")
AGAINST = ("c_content", "q_bm25", "x_logit", "leak_position")
PAIRED = ("n", "difference", "t", "p", "wilcoxon_p")
SHOWN = 12
NAMES = {
    FIXED: "fixed score (query-blind)",
    "q_bm25": "BM25",
    "regex_blend": "regex blend, nothing fitted",
    "e_cosine": "embedding cosine",
    "x_logit": "cross-encoder or given relevance",
    POSITION: "position (LEAK)",
}
REGIMES = {ENGINE_ONLY: "the engine left out", STRICT: "the engine and its queries left out"}
PAPER_SHARED = "150 of 229"  # queries that occur under several engines, and all
WHISKERS = "Whiskers are 95% intervals."


def findings(result: Result) -> Findings:
    tables = [_show_baselines(result), _show_models(result)]
    if result["audit"]["shared_queries"]:
        tables.append(_show_folds(result))
    tables += [_show_paired(result), _show_capacity(result)]
    if result["transfer"]["without_position"]:
        tables.append(_show_transfer(result))
    ordered = sorted(result["importance"].items(), key=lambda pair: (-pair[1], pair[0]))
    shares = [[name, f"{share:.1%}"] for name, share in ordered[:SHOWN]]
    note = "Shares of gain, fit to all data."
    tables.append(make_table("What the regex-only ranker looks at", "feature | share of gain >", shares, note))
    if result["tags"]["all"]:
        tables.append(_show_tags(result))
    plots = {"signal": plot_signal(result)}
    if transfer := plot_transfer(result):
        plots["transfer"] = transfer
    return Findings(_list_lines(result), tables, plots, ranking_audit.list_lines(result["audit"])[:1])


def _show_baselines(result: Result) -> Titled:
    rows: list[list[Any]] = [["random", "–", "0.000", "–", *(result["chance"][m] for m in METRICS[1:])]]
    for name in result["baselines_order"]:
        e = result["baselines"][name]
        first = e["spearman"]
        rows.append(
            [name_signal(name), first["n"], first["mean"], first["interval"], *(e[m]["mean"] for m in METRICS[1:])]
        )
    columns = "signal | n > | Spearman +.3 | interval to.3 | hit@1 .3 | MRR .3 | nDCG .3"
    return make_table("Baselines, nothing fitted", columns, rows, "Mean over n queries, 95% bootstrap interval.")


def _show_models(result: Result) -> Titled:
    rows = []
    for name in result["models_order"]:
        e = result["models"][name]
        first, placed = e["metrics"]["spearman"], e["with_position"]
        spread = f"{plain(e['seeds'][0], 3)} ± {plain(e['seeds'][1], 3)}" if e["seeds"] else "–"
        others = (e["metrics"][m]["mean"] for m in METRICS[1:])
        with_position = placed["spearman"]["mean"] if placed else None
        rows.append([name, first["n"], first["mean"], first["interval"], spread, *others, with_position])
    columns = (
        "model | n > | Spearman +.3 | interval to.3 | shuffles > | hit@1 .3 | MRR .3 | nDCG .3 | with position +.3"
    )
    note = (
        "Spearman with its interval, hits, MRR and nDCG on the first shuffle; Spearman over shuffles, mean ± standard "
        "deviation; and on the first shuffle with position among the features, which is a leak."
    )
    return make_table("Fitted models, folds over queries", columns, rows, note)


def _show_folds(result: Result) -> Titled:
    """Return the paper's table of the leak: the probe, every fitted model, what is not fitted, engines left out."""
    known, models = result["audit"], result["models"]
    rows = ranking_audit.list_probe(known)
    rows += [[name, *(models[name]["folds"][key] for key in ranking_audit.FIGURES)] for name in result["models_order"]]
    for name in (n for n in (FIXED, "x_logit") if n in result["baselines"]):
        e = result["baselines"][name]["spearman"]
        rows.append([f"{name_signal(name)}, not fitted", e["n"], e["mean"], e["mean"], 0.0, None])
    if result["transfer"]["without_position"]:
        loose, strict = (result["transfer"]["without_position"]["means"][regime] for regime in REGIMES)
        apart = None if loose is None or strict is None else loose - strict
        name = f"LambdaMART, {result['transfer']['arm']}: mean over engines left out"
        rows.append([name, "–", loose, strict, apart, None])
    note = (
        f"{ranking_audit.NOTE.format(known['shuffles'])} Folds over records are computed only here, as what must not "
        f"be done. {known['shared_queries']:,} of {known['queries']:,} queries have several answers; in the paper, "
        f"{PAPER_SHARED}. Engines left out: other engines' answers to their queries were in training (left), or not."
    )
    return make_table("Both kinds of folds", ranking_audit.COLUMNS, rows, note)


def _show_capacity(result: Result) -> Titled:
    capacity = result["capacity"]
    rows = [[t, capacity["n"], *(capacity["cells"][f"{t}x{n}"] for n in capacity["leaves"])] for t in capacity["trees"]]
    columns = ["trees", "n >", *(f"{n} leaves +.3" for n in capacity["leaves"])]
    note = (
        "Mean Spearman, folds over queries, first shuffle. A check of sensitivity: nothing was selected by it, and all "
        f"other figures are those of {capacity['fixed'].replace('x', ' trees with ')} leaves."
    )
    return make_table(f"Trees and leaves of LambdaMART, {capacity['arm']}", columns, rows, note)


def _show_paired(result: Result) -> Titled:
    rows = []
    for name in result["models_order"]:
        against = result["models"][name]["against"]
        for other in (o for o in AGAINST if o in against):
            rows.append([name, name_signal(other), *(against[other][key] for key in PAIRED)])
    columns = "model | against | n > | difference +.3 | t +.1 | t p p | Wilcoxon p p"
    note = "Spearman, query by query; t-test and Wilcoxon, two-sided."
    return make_table("Paired with the baselines", columns, rows, note)


def _show_transfer(result: Result) -> Titled:
    rows: list[list[Any]] = []
    transfer = result["transfer"]
    kinds = [k for k in (("no", "without_position"), ("yes (LEAK)", "with_position")) if transfer[k[1]]]
    for engine in transfer["without_position"]["order"]:
        for position, key in kinds:
            e = transfer[key]["engines"][engine]
            if "undefined" in e:
                rows.append([engine, position, "–", "–", e["undefined"], "–", "–", "–"])
                continue
            figures = [e[r]["spearman"][key] for r in ("engine", "engine and queries") for key in ("mean", "interval")]
            rows.append([engine, position, e["groups"], e["shared_queries"], *figures])
    columns = "engine left out | position | groups > | shared > | engine .3 | interval to.3 | both .3"
    note = (
        "Mean Spearman. Shared: queries that other engines answered. Engine: their answers to these were in training. "
        "Both: the engine and its queries were left out."
    )
    return make_table(f"One engine left out (LambdaMART, {transfer['arm']})", f"{columns} | interval to.3", rows, note)


def _show_tags(result: Result) -> Titled:
    by_engine = {"all": result["tags"]["all"], **dict(sorted(result["tags"]["engines"].items()))}
    rows = [
        [tag, engine, e["n"], f"{plain(e['mean'])} ± {plain(e['error'])}"]
        for tag in sorted(result["tags"]["all"])
        for engine, of_engine in by_engine.items()
        if (e := of_engine.get(tag))
    ]
    title = f"By tag (LambdaMART, {result['tags']['arm']}; descriptive)"
    return make_table(title, "tag | engine | n > | Spearman >", rows, "Mean Spearman ± standard error.")


def _list_lines(result: Result) -> list[str]:
    data = result["data"]
    left = "".join(f"; {n:,} left out: {why}" for why, n in sorted(data["excluded"].items()))
    lines = [
        f"{data['name']}: {data['groups']:,} groups of {data['queries']:,} queries, "
        f"{format_count(len(data['engines']), 'engine')}{left}"
    ]
    lines += [f"{name}: undefined ({why})" for name, why in sorted(result["undefined"].items())]
    lines += [_state_best(result), _state_range(result)]
    if result["gap"] and result["gap"]["share"] is not None:
        gap = result["gap"]
        covers = f"{gap['share']:.0%}" if gap["share"] > 0 else "none"
        lines.append(
            f"regex-only covers {covers} of the way from {name_signal(gap['from'])} ({plain(gap['low'], 3)}) "
            f"to {name_signal('x_logit')} ({plain(gap['high'], 3)})"
        )
    lines += ranking_audit.list_lines(result["audit"])
    return lines


def _state_best(result: Result) -> str:
    """Return what may be claimed: a model is better than a baseline only where the paired test says so."""
    wins, tests = [], 0
    for name in result["models_order"]:
        for other in (o for o in ("x_logit", "q_bm25") if o in result["baselines"]):
            e, tests = result["models"][name]["against"][other], tests + 1
            if e["p"] is not None and e["p"] < 0.05 and e["difference"] > 0:
                wins.append(f"{name} over {name_signal(other)} ({signed(e['difference'], 3)}, {state_p(e['p'])})")
    if not wins:
        relevance = " or the given relevance" if "x_logit" in result["baselines"] else ""
        return f"no fitted model beats BM25{relevance} in a paired test"
    return f"better in a paired test, uncorrected for {tests} tests: {'; '.join(wins)}"


def _state_range(result: Result) -> str:
    capacity = result["capacity"]
    low, high, fixed = (plain(x, 3) for x in (capacity["low"], capacity["high"], capacity["cells"][capacity["fixed"]]))
    settings = f"{len(capacity['cells'])} settings of trees and leaves"
    return f"over {settings} LambdaMART, {capacity['arm']} ranges from {low} to {high} ({fixed} with the fixed setting)"


def name_signal(name: str) -> str:
    return NAMES.get(name, name)


def plot_signal(result: Result) -> Plot:
    """Plot every named signal and every model by its Spearman; those that see no query are empty bars."""
    known = [n for n in result["baselines_order"] if n in NAMES]
    models = result["models"]
    blind = {name_signal(FIXED), name_signal(POSITION), *(n for n in models if models[n]["arm"] == CONTENT_ONLY)}
    bars = [(name_signal(n), result["baselines"][n]["spearman"]) for n in known]
    bars += [(n, models[n]["metrics"]["spearman"]) for n in result["models_order"]]
    names, estimates = zip(*bars, strict=True)
    filled = [name not in blind for name in names]
    series = make_bars("sees the query", names, estimates, filled=filled, open_label="sees no query")
    fair = [e["mean"] for n, e in bars if n in blind - {name_signal(POSITION)} and e["mean"] is not None]
    vertical_lines = [(max(fair), "best without the query")] if fair else [(0.0, "chance")]
    panel = Panel("", [series], x_label="Spearman within queries, unseen queries", vertical_lines=vertical_lines)
    note = f"{result['data']['queries']:,} queries. {WHISKERS} A leak is never the best."
    return Plot("Where the citation signal lives", [panel], note=note)


def plot_transfer(result: Result) -> Plot | None:
    """Plot both regimes for every engine that was left out; return None where nothing is defined."""
    transfer = result["transfer"]["without_position"]
    if not transfer:
        return None
    engines = {e: transfer["engines"][e] for e in transfer["order"] if "undefined" not in transfer["engines"][e]}
    drawn = {e: entry for e, entry in engines.items() if any(entry[r]["spearman"]["mean"] is not None for r in REGIMES)}
    if not drawn:
        return None
    series = [
        make_bars(words, [*drawn], [entry[regime]["spearman"] for entry in drawn.values()])
        for regime, words in REGIMES.items()
    ]
    missing = [e for e in transfer["order"] if e not in drawn]
    left = f" Undefined: {', '.join(missing)}." if missing else ""
    note = (
        f"Features: {result['transfer']['arm']}. Where only the engine is left out, the others' answers to the same "
        f"queries were in training; the second bar is the one to go by. {WHISKERS}{left}"
    )
    panel = Panel("", series, x_label="Spearman within queries of the engine left out")
    return Plot("One engine left out", [panel], note=note)


def _compute(request: Request) -> Result:
    draws, shuffles = request.options["draws"], request.options["shuffles"]
    prepared = open_groups(request)
    request.parameters.update(draws=draws, shuffles=shuffles)
    seeds = range(request.seed, request.seed + shuffles)
    return run_study(prepared, draws=draws, seeds=seeds, seed=request.seed, quiet=request.quiet)


def _sections(material: Material) -> Iterator[Section]:
    options: dict[str, Any] = {"embedder": material.embedder, "cross_encoder": "auto"}
    pool = tuple(find_pool([str(path) for path in material.records]))
    for path, name in material.record_names().items():
        judged = options | {"judged": pool if str(path) in pool else ()}
        yield Section(use_file(path, judged), f"ranking-{name}", f"The ranker: {path.name}", view=name)
    if pool:
        title = "The ranker: all answers to queries that recur"
        yield Section(lambda: (list(pool), options), "ranking-pooled", title, view="pooled")
    if not material.records:
        title = "The ranker, on the embedded reference engine"
        yield Section(lambda: ([material.embedded_run], options), title=title, about=EMBEDDED, view="embedded")


STUDY = Study(
    "ranking",
    "Ranking for a query",
    _compute,
    findings,
    group="ranking",
    command="study",
    help="""Compare baselines and models on DATA under folds over queries: order, hits, both kinds of folds, engines.

    DATA are files of outcome records, journals of `lab outcome run`, or your own groups, one a line:
    {"query", "engine", "sources": [{"text", "share", "position", "relevance"}]}.
    """,
    argument=Argument("DATA", several=True),
    options=(*DATA_OPTIONS, DRAWS, Option("--shuffles", "Shuffles of the folds.", int, 5, minimum=1, maximum=20)),
    sample=lambda result, _: (
        f"{result['data']['groups']} answers to {result['data']['queries']} queries; intervals resample queries"
    ),
    sections=_sections,
)
