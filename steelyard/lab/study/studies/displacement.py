"""`lab gaming displacement`: what a gain in points is worth in leaderboard positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from steelyard.lab.gaming.displacement import (
    ALL,
    GROUPS,
    INFLATIONS,
    measure_displacement,
    read_snapshot,
    read_synthetic,
)
from steelyard.lab.study.findings import Findings, Titled, format_percent, make_table, plain
from steelyard.lab.study.study import Argument, Request, Result, Section, Study
from steelyard.support.formatting import MINUS
from steelyard.support.plots.plot import Panel, Plot, Series

_WORDS = {"single_page": "one page inflated", "whole_domain": "every page inflated"}
_SYNTHETIC = "SYNTHETIC snapshot"


def findings(result: Result) -> Findings:
    """Present the distribution of positions gained, overall and by the size of the attacking domain."""
    label = _describe_snapshot(result)
    sizes = "Columns: pages of the attacking domain, and in brackets how many domains have that many."
    tables = [_show_overall(result, f"Positions gained, one attacker at a time ({label})")]
    for attack in INFLATIONS:
        positions = f"Positions by size, {_WORDS[attack]}: median / p95 / most ({label})"
        shares = f"Percent gaining ≥ 1 / ≥ 5, {_WORDS[attack]} ({label})"
        tables += [
            _show_by_size(result, attack, positions, _format_positions),
            _show_by_size(result, attack, shares, _format_shares, sizes),
        ]
    return Findings(_list_lines(result), tables, {"displacement": _plot(result)})


def _format_positions(shifts: Result) -> list[str]:
    return [plain(shifts["median"], 1), plain(shifts["p95"], 1), plain(shifts["most"], 0)]


def _format_shares(shifts: Result) -> list[str]:
    return [format_percent(shifts["share_1"]), format_percent(shifts["share_5"])]


def _describe_snapshot(result: Result) -> str:
    about = result["snapshot"]
    kind = _SYNTHETIC if about["synthetic"] else "snapshot"
    return f"{kind}, {about['domains']:,} domains"


def _select_group(result: Result, gain: str, attack: str, group: str = ALL) -> Result:
    group_result: Result = result["gains"][gain]["attacks"][attack]["groups"][group]
    return group_result


def _describe_gain(gain: str) -> str:
    """Return `+3`."""
    return f"{float(gain):+g}".replace("-", MINUS)


def _list_lines(result: Result) -> list[str]:
    about = result["snapshot"]
    shown = []
    if about["synthetic"]:
        shown.append(
            f"{_SYNTHETIC}: invented domains and scores; these positions follow from its assumptions and say nothing "
            "about any real leaderboard"
        )
    density = about["domains_per_point"]
    dense = "" if density is None else f"; {plain(density, 1)} domains to a point in the middle half"
    digest = f", SHA-256 {about['sha256'][:12]}…" if about["sha256"] else ""
    shown.append(
        f"{about['name'] or 'records'}: {about['domains']:,} domains, {about['pages']:,} pages of mean "
        f"{plain(about['page_mean'], 1)} and sd {plain(about['page_sd'], 1)}{digest}{dense}"
    )
    shown.append(
        f"shrunk towards the constant {result['prior']:g} with strength {result['strength']}: an attacker moves only "
        "itself, one page of n by gain / (k + n), every page by n gain / (k + n)"
    )
    largest = max(result["order"], key=float)
    return shown + [_explain(result, largest, attack) for attack in INFLATIONS]


def _explain(result: Result, gain: str, attack: str) -> str:
    """Return what a gain buys, in words."""
    shifts, domains = _select_group(result, gain, attack), result["snapshot"]["domains"]
    (median, p95, most), (gain_1, gain_5) = _format_positions(shifts), _format_shares(shifts)
    return (
        f"{_WORDS[attack]} by {_describe_gain(gain)}: median {median} positions of {domains:,} "
        f"({plain(100 * shifts['median'] / domains, 1)}%), p95 {p95}, most {most}; "
        f"{gain_1}% gain one or more, {gain_5}% five or more"
    )


def _show_overall(result: Result, title: str) -> Titled:
    keys = ("shift_median", "shift_most", "median", "p95", "most")
    rows = []
    for attack in INFLATIONS:
        for gain in result["order"]:
            shifts = _select_group(result, gain, attack)
            figures = *(shifts[key] for key in keys), *_format_shares(shifts)
            rows.append([_WORDS[attack], _describe_gain(gain), *figures])
    columns = "attack | gain | median shift +.2 | largest +.2 | median .1 | p95 .1 | most .0"
    note = "`shift`: how far the attacker's shrunk score moves, in points."
    return make_table(title, f"{columns} | % gaining ≥ 1 > | % gaining ≥ 5 >", rows, note)


def _show_by_size(
    result: Result, attack: str, title: str, figures: Callable[[Any], Sequence[str]], note: str = ""
) -> Titled:
    sizes = result["snapshot"]["sizes"]
    heads = [f"{'all' if s == ALL else f'n = {s}'} ({sizes[s]:,}) >".replace("-", "–") for s in GROUPS]
    rows = [
        [_describe_gain(g), *(" / ".join(figures(_select_group(result, g, attack, s))) for s in GROUPS)]
        for g in result["order"]
    ]
    return make_table(title, ["gain", *heads], rows, note)


def _plot(result: Result) -> Plot:
    gains = sorted(result["order"], key=float)
    x_label, y_label = "gain of a page, points", "domains gaining, %"
    panels = []
    for attack in INFLATIONS:
        series = [
            Series(words, [*map(float, gains)], [100 * _select_group(result, g, attack)[key] for g in gains])
            for words, key in (("≥ 1 position", "share_1"), ("≥ 5 positions", "share_5"))
        ]
        panels.append(Panel(_WORDS[attack], series, x_label, y_label, [(0.0, "")]))
    title = f"Gain in points and leaderboard positions ({_describe_snapshot(result)})"
    return Plot(title, panels, columns=2, note="One attacker at a time, all others unchanged.", share_y=True)


def _compute(request: Request) -> Result:
    snapshot = read_snapshot(request.arguments[0]) if request.arguments else read_synthetic()
    request.inputs[str(snapshot.name)] = str(snapshot.sha256)
    return measure_displacement(snapshot)


STUDY = Study(
    "displacement",
    "From points to positions",
    _compute,
    findings,
    group="gaming",
    help="""Show how many positions a gain of 1 to 7 points buys a domain, with one page inflated or with all.

    SNAPSHOT is a file as `steelyard leaderboard` reads it: CSV, JSON or JSONL of `domain` (or `url`) and `score`, one
    page a row. Without one a frozen synthetic leaderboard is used, and labelled as that.
    """,
    argument=Argument("SNAPSHOT", None),
    sample=lambda result, _: (
        f"{result['snapshot']['domains']} domains, {result['snapshot']['pages']} pages; nothing resampled"
    ),
    sections=lambda material: [
        Section(about="The leaderboard is synthetic: these positions follow from its assumptions.")
    ],
)
