"""`lab gaming run`: what attacks do to the score, who sees them, and what a knowing attacker gains."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components import NAMES
from steelyard.detectors import NAMES as DETECTORS
from steelyard.lab.gaming.readings import BASELINES, PRIOR
from steelyard.lab.gaming.run import run_gaming
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, signed
from steelyard.lab.study.material import use_both
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Study
from steelyard.scoring import editions
from steelyard.support.formatting import format_count
from steelyard.support.plots.plot import Panel, Plot, Series

LEAKS_AT = 20  # added words: the fewest, and not those at which the limit of a detector was chosen
TUNED_AT = 50  # added words; the lowest limit of hollow evidence was chosen by what it leaves here
# What an attacker has to write to move a component, in words that stay true whatever the figures.
WRITTEN = {
    "information_density": "rarer words, a little",
    "quotable_density": "enumerations or definitions",
    "entity_density": "names",
    "semantic_coherence": "a connective before a word of the page",
    "statistic_density": "figures, some with a year",
    "citation_f1": "named sources",
}
ATTACKERS = ("unconstrained", "left_unflagged", "unflagged")  # free, what the filter leaves of it, knowing
WANTED = {"light": 0.85, "heavy": 0.95}  # AUC that the filter is held to on the families it claims to see


def findings(result: Result) -> Findings:
    tables = [
        _show_attacks(result),
        _show_families(result),
        _show_gains(result),
        _show_false_positives(result),
        _show_detectors(result),
        _show_baselines(result),
    ]
    if result["adaptive"]:
        tables += [_show_adaptive(result), _show_spread(result), _show_leaks(result)]
    lines = _list_lines(result)
    climbs = _list_climbs(result["adaptive"]) if result["adaptive"] else []
    plots = {"auc": _plot_detection(result), "gains": _plot_gains(result)}
    return Findings([*lines, *climbs], tables, plots, main_lines=lines)


_ATTACKS_NOTE = (
    "Added, control: words added by the attack, and by the neutral filler it is compared with, matched page by page. "
    "Change: mean paired change of `content`; the prior is linear. AUC against the control: of a low score, and of the "
    "filter's suspicion. Low: share under the score that 5% of clean training pages stay under. Seen: share the filter "
    "flags, with its interval over pages. Claimed: whether the filter claims to see the family."
)
_BASELINES_NOTE = (
    "The paper's two baselines are figures of the whole page, with nothing fitted: the share of tokens that occurred "
    "before, and of five-word sequences. The paper does not print the dose of its interleaving; at the moderate one "
    "the repetition rate separates about as well as there."
)
_ADAPTIVE_NOTE = (
    "{} pages, intervals of 95% over resampled pages (none under 10). Free: knows the score and not the filter, which "
    "flags this share of its pages. Left: its mean gain, flagged pages counted as 0. Knowing: takes no step that the "
    f"filter flags. The limit of hollow evidence was chosen by what it leaves at {TUNED_AT} words, so that row "
    "flatters the filter."
)
_SPREAD_NOTE = "Points on one page, of the {} pages of the table above."


def _list_lines(result: Result) -> list[str]:
    claimed = {a: result["attacks"][a] for a in result["order"] if result["attacks"][a]["must_be_seen"]}
    short = [a for a, e in claimed.items() if (e["layered_auc"] or 0.0) < WANTED[e["strength"]]]
    heavy = result["heavy"]
    clean = result["left_out"]["all"]
    return [
        f"the filter reaches its AUC on {len(claimed) - len(short)} of {len(claimed)} claimed attacks"
        + (f"; it falls short on {'; '.join(short)}" if short else ""),
        f"it flags {heavy['claimed']['rate']:.1%} of {heavy['claimed']['of']:,} heavy attacks of claimed families, "
        f"{heavy['all']['rate']:.1%} of all {heavy['all']['of']:,}",
        *_list_unclaimed(result),
        "false positives on pages of an origin left out: "
        f"{clean['clean']['rate']:.1%} of {clean['clean']['of']} clean pages "
        f"({clean['structured']['rate']:.1%} with their line breaks), "
        f"{clean['neutral']['rate']:.1%} of their {clean['neutral']['of']:,} neutral variants",
    ]


def _list_unclaimed(result: Result) -> list[str]:
    """Name the heavy attacks that the filter does not claim to see, with how often it does."""
    heavy = {a: e for a in result["order"] if (e := result["attacks"][a])["strength"] == "heavy"}
    unclaimed = [f"{in_words(a)} {e['detected']:.0%}" for a, e in heavy.items() if not e["must_be_seen"]]
    number = result["pages"]["test"]
    return [f"heavy attacks it does not claim to see, flagged of {number}: {'; '.join(unclaimed)}"] if unclaimed else []


def _list_climbs(adaptive: Result) -> list[str]:
    """Describe both attackers at every budget, each as it is, with intervals over pages."""
    lines = []
    for budget in map(str, adaptive["budgets"]):
        free, left, unseen = (adaptive[mode][budget] for mode in ATTACKERS)
        tuned = "; the limit of hollow evidence was chosen at this number of words" if int(budget) == TUNED_AT else ""
        lines.append(
            f"the adaptive attacker, {budget} words, {format_count(adaptive['pages'], 'page')}: who does not know the "
            f"filter gains {_add_interval(signed(free['mean'], 1), free.get('interval'))} and is flagged on "
            f"{1 - left['share']:.0%}, which leaves {_share_left(free, left)} of the gain; who knows it gains "
            f"{_add_interval(signed(unseen['mean'], 1), unseen.get('interval'))}{tuned}"
        )
    return lines


def _share_left(free: Result, left: Result) -> str:
    """Return how much of the mean gain the filter leaves, with its interval over pages."""
    if not free["mean"]:
        return "nothing"
    low_high = left.get("kept_interval")
    return _add_interval(f"{left['over_all'] / free['mean']:.0%}", low_high and [100 * end for end in low_high], 0)


def _add_interval(figure: str, interval: Sequence[float] | None, digits: int = 1) -> str:
    return f"{figure} ({format_interval(interval, digits)})" if interval else figure


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
                e["detected_interval"], "yes" if e["must_be_seen"] else "no",
            ]
        )  # fmt: skip
    columns = (
        "attack | added .0 | control .0 | change +.1 | prior +.1 | score AUC .2 | prior AUC .2 | low > | "
        "filter AUC .3 | seen > | 95% interval to.2 | claimed"
    )
    return make_table("Attacks, on the test half", columns, rows, _ATTACKS_NOTE)


def _show_families(result: Result) -> Titled:
    """Present every family of attacks, those that the filter does not claim to see in the same table."""
    families: dict[tuple[bool, str], dict[str, list[float]]] = {}
    for attack in result["order"]:
        e = result["attacks"][attack]
        of_family = families.setdefault((not e["must_be_seen"], e["family"]), {"light": [], "heavy": []})
        of_family[e["strength"]].append(e["detected"])
    rows = [
        [in_words(family), "no" if unclaimed else "yes", *_list_family_cells(of_family)]
        for (unclaimed, family), of_family in sorted(families.items())
    ]
    number = result["pages"]["test"]
    note = (
        f"Share of pages that the filter flags, each attack made on the same {number} test pages; of several attacks "
        "the lowest and the highest share. The table of attacks has the interval over pages of each. Levers and "
        "structure are what an honest editor uses as well."
    )
    columns = "family | claimed | light attacks > | flagged > | heavy attacks > | flagged >"
    return make_table("Families of attacks, claimed and not", columns, rows, note)


def _list_family_cells(of_family: Mapping[str, Sequence[float]]) -> list[Any]:
    cells: list[Any] = []
    for strength in ("light", "heavy"):
        ends = list(dict.fromkeys(f"{end:.0%}" for end in sorted(of_family[strength])))
        cells += [len(of_family[strength]), " to ".join(dict.fromkeys((ends[0], ends[-1]))) if ends else None]
    return cells


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
    note = (
        f"Mean over the {result['pages']['test']} test pages alone, where the attacks are made; the study of the gates "
        "has the same gains over all pages."
    )
    return make_table("Gain by dose, in points over the untouched page", columns, rows, note)


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
        free, left, unseen = (result["adaptive"][mode][budget] for mode in ATTACKERS)
        rows.append(
            [
                int(budget), free["mean"], free.get("interval"), f"{1 - left['share']:.0%}", left["over_all"],
                left.get("over_all_interval"), _share_left(free, left), unseen["mean"], unseen.get("interval"),
            ]
        )  # fmt: skip
    free_columns = "free +.1 | interval to.1 | flagged > | left +.1 | interval to.1 | left, share >"
    columns = f"words > | {free_columns} | knowing +.1 | interval to.1"
    note = _ADAPTIVE_NOTE.format(result["adaptive"]["pages"])
    return make_table("The two adaptive attackers: mean gain in points", columns, rows, note, is_main=True)


def _show_spread(result: Result) -> Titled:
    rows = []
    for budget in map(str, result["adaptive"]["budgets"]):
        free, _, unseen = (result["adaptive"][mode][budget] for mode in ATTACKERS)
        rows.append([int(budget), *(e[figure] for e in (free, unseen) for figure in ("p95", "worst", "words"))])
    columns = [
        "words >",
        *(f"{who}: {head}" for who in ("free", "knowing") for head in ("p95 +.1", "most +.1", "used .0")),
    ]
    note = _SPREAD_NOTE.format(result["adaptive"]["pages"])
    return make_table("The two adaptive attackers: spread over pages", columns, rows, note)


def _show_leaks(result: Result) -> Titled:
    first = str(LEAKS_AT)
    parts = [result["adaptive"][mode][first]["components"] for mode in ATTACKERS]
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
    clean = result["left_out"]["all"]["clean"]["of"]
    return (
        f"{pages['test']} test pages under attack; {clean} clean pages set the limits, those among them{adaptive}; "
        "rates have Wilson intervals"
    )


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
