"""`ranking study`: baselines, models, both kinds of folds, other engines, importance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.lab.ranking.study import run_study
from steelyard.lab.study.findings import Findings, Titled, make_table
from steelyard.lab.study.formatting import plain, signed, state_p
from steelyard.lab.study.material import Material, use_file
from steelyard.lab.study.options import DATA_OPTIONS, DRAWS
from steelyard.lab.study.ranking_data import open_groups
from steelyard.lab.study.studies import audit
from steelyard.lab.study.studies.outcome import EMBEDDED
from steelyard.lab.study.studies.ranking_plots import label, make_plots
from steelyard.lab.study.study import Argument, Option, Request, Result, Section, Study

METRICS = ("spearman", "hit@1", "mrr", "ndcg")
AGAINST = ("c_content", "q_bm25", "x_logit", "leak_position")
SHOWN = 12


def findings(result: Mapping[str, Any]) -> Findings:
    tables = [_baselines(result), _models(result), _folds(result), _paired(result)]
    if result["transfer"]["without_position"]:
        tables.append(_transfer(result))
    ordered = sorted(result["importance"].items(), key=lambda pair: (-pair[1], pair[0]))
    shares = [[name, f"{share:.1%}"] for name, share in ordered[:SHOWN]]
    note = "Shares of gain, fit to all data."
    tables.append(make_table("What the regex-only ranker looks at", "feature | share of gain >", shares, note))
    if result["tags"]["all"]:
        tables.append(_tags(result))
    return Findings(_lines(result), tables, make_plots(result))


def _baselines(result: Mapping[str, Any]) -> Titled:
    rows: list[list[Any]] = [["random", "–", "0.000", "–", *(result["chance"][m] for m in METRICS[1:])]]
    for name in result["baselines_order"]:
        e = result["baselines"][name]
        first = e["spearman"]
        rows.append([label(name), first["n"], first["mean"], first["interval"], *(e[m]["mean"] for m in METRICS[1:])])
    columns = "signal | n > | Spearman +.3 | interval to.3 | hit@1 .3 | MRR .3 | nDCG .3"
    return make_table("Baselines, nothing fitted", columns, rows, "Mean over n queries, 95% bootstrap interval.")


def _models(result: Mapping[str, Any]) -> Titled:
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
        "Spearman with its interval on the first shuffle; mean and spread over shuffles; and what position would add."
    )
    return make_table("Fitted models, folds over queries", columns, rows, note)


def _folds(result: Mapping[str, Any]) -> Titled:
    rows = []
    for name in result["models_order"]:
        e = result["models"][name]
        loose, strict = e["record_folds"]["spearman"]["mean"], e["metrics"]["spearman"]["mean"]
        rows.append([name, loose, strict, None if loose is None or strict is None else loose - strict])
    columns = "model | record folds (leaky) +.3 | query folds +.3 | difference +.3"
    return make_table("Both kinds of folds", columns, rows, "Record folds only here, as what must not be done.")


def _paired(result: Mapping[str, Any]) -> Titled:
    rows = []
    for name in result["models_order"]:
        against = result["models"][name]["against"]
        for other in (o for o in AGAINST if o in against):
            rows.append([name, label(other), *(against[other][key] for key in ("n", "difference", "p", "wilcoxon_p"))])
    columns = "model | against | n > | difference +.3 | t p p | Wilcoxon p p"
    note = "Spearman, query by query; t-test and Wilcoxon, two-sided."
    return make_table("Paired with the baselines", columns, rows, note)


def _transfer(result: Mapping[str, Any]) -> Titled:
    rows: list[list[Any]] = []
    found = result["transfer"]
    kinds = [k for k in (("no", "without_position"), ("yes (LEAK)", "with_position")) if found[k[1]]]
    for engine in found["without_position"]["order"]:
        for position, key in kinds:
            e = found[key]["engines"][engine]
            if "undefined" in e:
                rows.append([engine, position, "–", "–", e["undefined"], "–", "–", "–"])
                continue
            figures = [e[r]["spearman"][key] for r in ("engine", "engine and queries") for key in ("mean", "interval")]
            rows.append([engine, position, e["groups"], e["shared_queries"], *figures])
    columns = (
        "engine left out | position | groups > | shared queries > | engine .3 | interval to.3 | engine and queries .3"
    )
    note = "Mean Spearman. Engine: other engines' answers to its queries were in training. Engine and queries: not."
    return make_table(f"One engine left out ({found['arm']})", f"{columns} | interval to.3", rows, note)


def _tags(result: Mapping[str, Any]) -> Titled:
    engines = sorted(result["tags"]["engines"])
    rows = []
    for tag, e in sorted(result["tags"]["all"].items()):
        each = [e, *(result["tags"]["engines"][engine].get(tag) for engine in engines)]
        rows.append([tag, e["n"], *(f"{plain(x['mean'])} ± {plain(x['error'])}" if x else "–" for x in each)])
    columns = ["tag", "n >", "all >", *(f"{engine} >" for engine in engines)]
    return make_table("By tag (descriptive)", columns, rows, "Mean Spearman ± standard error.")


def _lines(result: Mapping[str, Any]) -> list[str]:
    data = result["data"]
    left = "".join(f"; {n:,} left out: {why}" for why, n in sorted(data["excluded"].items()))
    lines = [
        f"{data['name']}: {data['groups']:,} groups of {data['queries']:,} queries, "
        f"{len(data['engines'])} engines{left}"
    ]
    lines += [f"{name}: undefined ({why})" for name, why in sorted(result["undefined"].items())]
    lines.append(_best(result))
    if result["gap"] and result["gap"]["share"] is not None:
        gap = result["gap"]
        covers = f"{gap['share']:.0%}" if gap["share"] > 0 else "none"
        lines.append(
            f"regex-only covers {covers} of the way from {label(gap['from'])} ({plain(gap['low'], 3)}) "
            f"to {label('x_logit')} ({plain(gap['high'], 3)})"
        )
    lines += audit.lines(result["audit"])
    return lines


def _best(result: Mapping[str, Any]) -> str:
    """Return what may be claimed: a model is better than a baseline only where the paired test says so."""
    wins = []
    for name in result["models_order"]:
        for other in ("x_logit", "q_bm25"):
            e = result["models"][name]["against"].get(other)
            if e and e["p"] is not None and e["p"] < 0.05 and e["difference"] > 0:
                wins.append(f"{name} over {label(other)} ({signed(e['difference'], 3)}, {state_p(e['p'])})")
    if not wins:
        return "no fitted model beats BM25 or the given relevance in a paired test"
    return "better in a paired test, uncorrected: " + "; ".join(wins)


def _compute(request: Request) -> Result:
    draws, shuffles = request.options["draws"], request.options["shuffles"]
    prepared = open_groups(request)
    request.parameters.update(draws=draws, shuffles=shuffles)
    seeds = range(request.seed, request.seed + shuffles)
    return run_study(prepared, draws=draws, seeds=seeds, seed=request.seed, quiet=request.quiet)


def _sections(material: Material) -> Iterator[Section]:
    options = {"embedder": material.embedder, "cross_encoder": "auto"}
    for path, name in material.record_names().items():
        yield Section(use_file(path, options), f"ranking-{name}", f"The ranker: {path.name}")
    if not material.records:
        title = "The ranker, on the embedded reference engine"
        yield Section(lambda: ([material.embedded_run], options), title=title, about=EMBEDDED)


STUDY = Study(
    "ranking",
    "Ranking for a query",
    _compute,
    findings,
    group="ranking",
    command="study",
    help="""Compare baselines and models on DATA under folds over queries: order, hits, both kinds of folds, engines.

    DATA are files of outcome records, journals of `outcome run`, or your own groups, one a line: {"query", "engine",
    "sources": [{"text", "share", "position", "relevance"}]}.
    """,
    argument=Argument("DATA", several=True),
    options=(*DATA_OPTIONS, DRAWS, Option("--shuffles", "Shuffles of the folds.", int, 5, minimum=1, maximum=20)),
    sections=_sections,
)
