"""`ranking study`: baselines, models, both kinds of folds, other engines, importance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.lab.study import ranking_audit
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.ranking_plots import label, plots
from steelyard.lab.study.wording import between, chance, plain, right, signed
from steelyard.support.table import Column, Table

METRICS = ("spearman", "hit@1", "mrr", "ndcg")
AGAINST = ("c_content", "q_bm25", "x_logit", "leak_position")
SHOWN = 12


def findings(result: Mapping[str, Any]) -> Findings:
    tables = [
        Titled("Baselines, nothing fitted", _baselines(result), "Mean over n queries, 95% bootstrap interval."),
        Titled("Fitted models, folds over queries", _models(result), _MODELS),
        Titled("Both kinds of folds", _folds(result), "Record folds only here, as what must not be done."),
        Titled(
            "Paired with the baselines", _paired(result), "Spearman, query by query; t-test and Wilcoxon, two-sided."
        ),
    ]
    if result["transfer"]["without_position"]:
        tables.append(Titled(f"One engine left out ({result['transfer']['arm']})", _transfer(result), _TRANSFER))
    tables.append(
        Titled("What the regex-only ranker looks at", _importance(result), "Shares of gain, fit to all data.")
    )
    if result["tags"]["all"]:
        tables.append(Titled("By tag (descriptive)", _tags(result), "Mean Spearman ± standard error."))
    return Findings("ranking", result, tables, plots(result), _lines(result))


_MODELS = (
    "Spearman with its interval on the first shuffle; mean and spread over shuffles; and what the position would buy."
)
_TRANSFER = (
    "Engine: the others' answers to the same queries were in training. Engine and queries: neither was. Mean Spearman."
)


def _figure(entry: Mapping[str, Any], digits: int = 3) -> list[str]:
    return [plain(entry["mean"], digits), between(entry["interval"], digits)]


def _baselines(result: Mapping[str, Any]) -> Table:
    chance = result["chance"]
    rows = [["random", "–", "0.000", "–", *(plain(chance[m], 3) for m in METRICS[1:])]]
    for name in result["baselines_order"]:
        e = result["baselines"][name]
        first = e["spearman"]
        rows.append(
            [
                label(name), first["n"], signed(first["mean"], 3), between(first["interval"], 3),
                *(plain(e[m]["mean"], 3) for m in METRICS[1:]),
            ]
        )  # fmt: skip
    heads = ("n", "Spearman", "interval", "hit@1", "MRR", "nDCG")
    return Table([Column("signal"), *(right(h) for h in heads)], rows)


def _models(result: Mapping[str, Any]) -> Table:
    rows = []
    for name in result["models_order"]:
        e = result["models"][name]
        first = e["metrics"]["spearman"]
        spread = f"{plain(e['seeds'][0], 3)} ± {plain(e['seeds'][1], 3)}" if e["seeds"] else "–"
        placed = e["with_position"]
        rows.append(
            [
                name, first["n"], signed(first["mean"], 3), between(first["interval"], 3), spread,
                *(plain(e["metrics"][m]["mean"], 3) for m in METRICS[1:]),
                signed(placed["spearman"]["mean"] if placed else None, 3),
            ]
        )  # fmt: skip
    heads = ("n", "Spearman", "interval", "shuffles", "hit@1", "MRR", "nDCG", "with position")
    return Table([Column("model"), *(right(h) for h in heads)], rows)


def _folds(result: Mapping[str, Any]) -> Table:
    rows = []
    for name in result["models_order"]:
        e = result["models"][name]
        loose, strict = e["record_folds"]["spearman"]["mean"], e["metrics"]["spearman"]["mean"]
        apart = None if loose is None or strict is None else loose - strict
        rows.append([name, signed(loose, 3), signed(strict, 3), signed(apart, 3)])
    return Table([Column("model"), right("record folds (leaky)"), right("query folds"), right("difference")], rows)


def _paired(result: Mapping[str, Any]) -> Table:
    rows = []
    for name in result["models_order"]:
        against = result["models"][name]["against"]
        for other in (o for o in AGAINST if o in against):
            e = against[other]
            rows.append(
                [name, label(other), e["n"], signed(e["difference"], 3), chance(e["p"]), chance(e["wilcoxon_p"])]
            )
    heads = ("n", "difference", "t p", "Wilcoxon p")
    return Table([Column("model"), Column("against"), *(right(h) for h in heads)], rows)


def _transfer(result: Mapping[str, Any]) -> Table:
    rows = []
    found = result["transfer"]
    kinds = [k for k in (("no", "without_position"), ("yes (LEAK)", "with_position")) if found[k[1]]]
    for engine in found["without_position"]["order"]:
        for position, key in kinds:
            e = found[key]["engines"][engine]
            if "undefined" in e:
                rows.append([engine, position, "–", "–", e["undefined"], "–", "–", "–"])
                continue
            loose, strict = (e[r]["spearman"] for r in ("engine", "engine and queries"))
            rows.append([engine, position, e["groups"], e["shared_queries"], *_figure(loose), *_figure(strict)])
    heads = ("groups", "shared queries", "engine", "interval", "engine and queries", "interval")
    return Table([Column("engine left out"), Column("position"), *(right(h) for h in heads)], rows)


def _importance(result: Mapping[str, Any]) -> Table:
    ordered = sorted(result["importance"].items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [[name, f"{share:.1%}"] for name, share in ordered[:SHOWN]]
    return Table([Column("feature"), right("share of gain")], rows)


def _tags(result: Mapping[str, Any]) -> Table:
    engines = sorted(result["tags"]["engines"])
    rows = []
    for tag, e in sorted(result["tags"]["all"].items()):
        row = [tag, e["n"], f"{plain(e['mean'])} ± {plain(e['error'])}"]
        for engine in engines:
            mine = result["tags"]["engines"][engine].get(tag)
            row.append(f"{plain(mine['mean'])} ± {plain(mine['error'])}" if mine else "–")
        rows.append(row)
    return Table([Column("tag"), right("n"), right("all"), *(right(e) for e in engines)], rows)


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
    lines += ranking_audit.lines(result["audit"])
    return lines


def _equals(p: float) -> str:
    shown = chance(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _best(result: Mapping[str, Any]) -> str:
    """What may be claimed: a model is better than a baseline only where the paired test says so."""
    wins = []
    for name in result["models_order"]:
        for other in ("x_logit", "q_bm25"):
            e = result["models"][name]["against"].get(other)
            if e and e["p"] is not None and e["p"] < 0.05 and e["difference"] > 0:
                wins.append(f"{name} over {label(other)} ({signed(e['difference'], 3)}, p {_equals(e['p'])})")
    if not wins:
        return "no fitted model beats BM25 or the given relevance in a paired test"
    return "better in a paired test, uncorrected: " + "; ".join(wins)
