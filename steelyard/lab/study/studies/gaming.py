"""`lab gaming run`: what attacks do to the score, who sees them, and what a knowing attacker gains."""

from __future__ import annotations

import os

from steelyard.components import NAMES
from steelyard.detectors import NAMES as DETECTORS
from steelyard.lab.gaming.readings import BASELINES, PRIOR
from steelyard.lab.gaming.run import run_gaming
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, signed
from steelyard.lab.study.material import use_both
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Study
from steelyard.scoring import editions
from steelyard.support.plots.plot import Panel, Plot, Series

LEAKS_AT = 50  # added words
# What an attacker has to write to move a component, in words that stay true whatever the figures.
WRITTEN = {
    "information_density": "rarer words, a little",
    "quotable_density": "enumerations or definitions",
    "entity_density": "names",
    "semantic_coherence": "a connective before a word of the page",
    "statistic_density": "figures, some with a year",
    "citation_f1": "named sources",
}
WANTED = {"light": 0.85, "heavy": 0.95}  # AUC that the filter is held to on the families it claims to see


def findings(result: Result) -> Findings:
    tables = [
        _show_attacks(result),
        _show_gains(result),
        _show_false_positives(result),
        _show_detectors(result),
        _show_baselines(result),
    ]
    if result["adaptive"]:
        tables += [_show_adaptive(result), _show_leaks(result)]
    return Findings(_list_lines(result), tables, {"auc": _plot_detection(result), "gains": _plot_gains(result)})


_ATTACKS_NOTE = (
    "Added, control: words added by the attack, and by the neutral filler it is compared with, matched page by page. "
    "Change: mean paired change of `content`; the prior is linear. AUC against the control: of a low score, and of the "
    "filter's suspicion. Low: share under the score that 5% of clean training pages stay under. Seen: share the filter "
    "flags. `claimed`: families the filter claims to see."
)
_BASELINES_NOTE = (
    "The paper's two baselines are figures of the whole page, with nothing fitted: the share of tokens that occurred "
    "before, and of five-word sequences. The paper does not print the dose of its interleaving; at the moderate one "
    "the repetition rate separates about as well as there."
)
_ADAPTIVE_NOTE = (
    "Words added. Free: knows the score and not the filter; the filter flags this share of its pages, and leaves this "
    "much of the mean gain, flagged pages counted as 0. Knowing: takes no step that the filter sees."
)


def _list_lines(result: Result) -> list[str]:
    claimed = {a: result["attacks"][a] for a in result["order"] if result["attacks"][a]["must_be_seen"]}
    short = [a for a, e in claimed.items() if (e["layered_auc"] or 0.0) < WANTED[e["strength"]]]
    heavy = result["heavy"]
    clean = result["left_out"]["all"]
    lines = [
        f"the filter reaches its AUC on {len(claimed) - len(short)} of {len(claimed)} claimed attacks"
        + (f"; it falls short on {'; '.join(short)}" if short else ""),
        f"it flags {heavy['claimed']['rate']:.1%} of the heavy attacks of claimed families, "
        f"{heavy['all']['rate']:.1%} of all heavy attacks",
        "false positives on pages of an origin left out: "
        f"{clean['clean']['rate']:.1%} of clean pages ({clean['structured']['rate']:.1%} with their line breaks), "
        f"{clean['neutral']['rate']:.1%} of their neutral variants",
    ]
    if result["adaptive"]:
        free, left, unseen = (result["adaptive"][m] for m in ("unconstrained", "left_unflagged", "unflagged"))
        pairs = ", ".join(
            f"{b} words {signed(free[str(b)]['mean'], 1)} / {signed(left[str(b)]['over_all'], 1)} / "
            f"{signed(unseen[str(b)]['mean'], 1)}"
            for b in result["adaptive"]["budgets"]
        )
        lines.append(f"the adaptive attacker gains, before the filter / after it / knowing it: {pairs}")
    return lines


def _name_weighting(result: Result) -> str:
    """Return the name of the edition's weights, which the prior stands next to."""
    return str(next(name for name in result["score_only"]["below"] if name != PRIOR))


def _show_attacks(result: Result) -> Titled:
    own = _name_weighting(result)
    rows = []
    for attack in result["order"]:
        e = result["attacks"][attack]
        rows.append(
            [
                in_words(attack), e["added_words"], e["control_words"], e["change"][own], e["change"][PRIOR],
                e["score_auc"][own], e["score_auc"][PRIOR],
                f"{e['score_detected'][own]:.0%}", e["layered_auc"], f"{e['detected']:.0%}",
                e["detected_interval"], "yes" if e["must_be_seen"] else "",
            ]
        )  # fmt: skip
    columns = (
        "attack | added .0 | control .0 | change +.1 | prior +.1 | score AUC .2 | prior AUC .2 | low > | "
        "filter AUC .3 | seen > | 95% interval to.2 | claimed"
    )
    return make_table("Attacks, on the test half", columns, rows, _ATTACKS_NOTE)


def _show_baselines(result: Result) -> Titled:
    own = _name_weighting(result)
    rows = []
    for attack in result["order"]:
        e = result["attacks"][attack]
        rows.append(
            [in_words(attack), e["score_auc"][own], *(e["baseline_auc"][b] for b in BASELINES), e["layered_auc"]]
        )
    heads = (f"{in_words(name)} .3" for name in BASELINES)
    columns = ["attack", "low score .3", *heads, "filter .3"]
    return make_table("The paper's baselines: AUC against the neutral control", columns, rows, _BASELINES_NOTE)


def _show_gains(result: Result) -> Titled:
    own = _name_weighting(result)
    doses = sorted({int(d) for e in result["curves"].values() for d in e[own]})
    rows = [
        [in_words(edit), weighting, *(by_weighting[weighting].get(str(d)) for d in doses)]
        for edit, by_weighting in result["curves"].items()
        for weighting in (own, PRIOR)
    ]
    columns = ["edit", "weighting", *(f"dose {d} +.1" for d in doses)]
    return make_table("Gain by dose, in points over the untouched page", columns, rows)


def _show_false_positives(result: Result) -> Titled:
    rows = []
    for origin, of_origin in (*sorted(result["left_out"]["origins"].items()), ("all", result["left_out"]["all"])):
        for kind in ("clean", "neutral", "structured"):
            e = of_origin[kind]
            rows.append([origin, kind, e["flagged"], e["of"], f"{e['rate']:.1%}", e["interval"]])
    columns = "origin | class | flagged > | of > | rate > | interval to.3"
    note = (
        "Share of clean pages flagged by limits set on the pages of the other origins, with a 95% Wilson interval. "
        "Structured: with their line breaks."
    )
    return make_table("False positives, each origin left out in turn", columns, rows, note)


def _show_detectors(result: Result) -> Titled:
    rows = [
        [in_words(attack), *(result["attacks"][attack]["detector_auc"][d] for d in DETECTORS)]
        for attack in result["order"]
    ]
    columns = ["attack", *(f"{in_words(d)} .2" for d in DETECTORS)]
    return make_table("Each detector alone: AUC against the neutral control", columns, rows)


def _show_adaptive(result: Result) -> Titled:
    rows = []
    for budget in map(str, result["adaptive"]["budgets"]):
        free, left, unseen = (result["adaptive"][m][budget] for m in ("unconstrained", "left_unflagged", "unflagged"))
        rows.append(
            [
                int(budget), free["mean"], free["p95"], free["worst"], f"{1 - left['share']:.0%}", left["over_all"],
                unseen["mean"], unseen["p95"], unseen["worst"],
            ]
        )  # fmt: skip
    free_columns = "free: mean +.1 | p95 +.1 | worst +.1 | flagged > | left +.1"
    columns = f"words > | {free_columns} | knowing: mean +.1 | p95 +.1 | worst +.1"
    return make_table("The adaptive attacker: gain in points", columns, rows, _ADAPTIVE_NOTE, is_main=True)


def _show_leaks(result: Result) -> Titled:
    first = str(LEAKS_AT)
    parts = [result["adaptive"][m][first]["components"] for m in ("unconstrained", "left_unflagged", "unflagged")]
    rows = [[n, *(p[n] for p in parts), WRITTEN.get(n, "")] for n in NAMES]
    columns = "component | free +.2 | left +.2 | knowing +.2 | what is written"
    return make_table(f"What leaks at {LEAKS_AT} added words, in points by component", columns, rows)


def _plot_gains(result: Result) -> Plot:
    panels = []
    for weighting in (_name_weighting(result), PRIOR):
        series = [
            Series(in_words(edit), [int(d) for d in by_weighting[weighting]], list(by_weighting[weighting].values()))
            for edit, by_weighting in result["curves"].items()
        ]
        panels.append(Panel(weighting, series, x_label="dose", y_label="points over the untouched page"))
    return Plot("What an attacker gains by dose", panels, note=f"{result['pages']['test']} test pages")


def _plot_detection(result: Result) -> Plot:
    attacks = [result["attacks"][a] for a in result["order"]]
    figures = {
        "filter": [e["layered_auc"] for e in attacks],
        "score alone": [e["score_auc"][_name_weighting(result)] for e in attacks],
    }
    names = [in_words(a) for a in result["order"]]
    series = [Series(label, values, names, style="bars") for label, values in figures.items()]
    panel = Panel("", series, x_label="AUC against as much neutral filler", vertical_lines=[(0.5, "chance")])
    return Plot("Who sees which attack", [panel], note=f"{result['pages']['test']} test pages")


CLIMBED, CLIMBED_LARGE = 6, 40  # pages the adaptive attacker climbs, and of a large corpus


def _describe_sample(result: Result, _: object = None) -> str:
    pages, climbed = result["pages"], (result["adaptive"] or {}).get("pages", 0)
    adaptive = f", {climbed} climbed by the adaptive attacker" if climbed else ""
    return f"{pages['test']} test pages, {pages['train']} set the limits{adaptive}; rates have Wilson intervals"


def _compute(request: Request) -> Result:
    options = request.options
    pages, _ = open_pages(request, request.arguments[0])
    others = None
    if options["french"]:
        others = {"french": open_pages(request, options["french"], language="fr", prefix="french: ")[0]}
    request.parameters.update(
        **{key: options[key] for key in ("language", "seed", "climbed")}, as_of=str(request.as_of)
    )
    if options["edition"] != editions.PAPER:
        request.parameters["edition"] = options["edition"]
    return run_gaming(
        pages,
        as_of=request.as_of,
        others=others,
        climbed=options["climbed"],
        edition=editions.load(options["edition"]),
        seed=request.seed,
        jobs=request.jobs or os.cpu_count() or 1,
        quiet=request.quiet,
    )


STUDY = Study(
    "gaming",
    "Attacks, detectors, the adaptive attacker",
    _compute,
    findings,
    group="gaming",
    command="run",
    help="""Run every attack on the test half of SOURCE, with limits set on its clean pages.

    SOURCE is a corpus file, a folder, a JSONL file, or the demo pages. False positives are counted on each origin (what
    stands before the colon of an id) with limits set on the others. The shipped filter keeps its own limits.
    """,
    options=(
        Option("--climbed", "Pages the adaptive attacker climbs.", int, 10, minimum=0),
        Option("--french", "French pages, which are origins of their own.", metavar="SOURCE"),
        *(option for option in CAPTURE_OPTIONS if option.key in ("edition", "language", "seed")),
    ),
    sample=_describe_sample,
    sections=lambda material: use_both(
        material, material.corpus, climbed=CLIMBED_LARGE if material.is_large else CLIMBED
    ),
)
