"""`lab protocol gates`: the five gates on our own score, with the ceilings that follow from its weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from steelyard.lab.protocol.falsify import judge_weighting
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import UNDEFINED
from steelyard.lab.protocol.lever_gains import LONG, PAPER_MOST, TOGETHER
from steelyard.lab.protocol.variants import DOSES, LEVERS
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, signed
from steelyard.lab.study.material import Material, use_capture
from steelyard.lab.study.sources import open_capture
from steelyard.lab.study.studies import falsify
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Section, Study
from steelyard.scoring import editions, weighting

ALL_THREE = "three levers together"
_GAINS = (
    "Points over the untouched page; in brackets the number of pages; 95% intervals over resampled pages. Most, % over "
    "6: on one page, and of the pages, at dose 1. Ceiling: w (100 − mean g) of the carriers alone. The last row is the "
    "paper's headline. The quotation block was chosen with its +6.1 in view."
)


def findings(result: Result) -> Findings:
    """Present the five gates, and what a lever can gain at most."""
    judged = falsify.findings(result)
    statuses = [result["verdicts"]["all"][gate.name]["status"] for gate in GATES]
    tables = [*judged.tables] if set(statuses) == {UNDEFINED} else [_show_all_pages(result), *judged.tables]
    if result["all_pages"]["gains"]:
        tables.append(_show_gains(result))
    if result["combined"]:
        heads = "three levers together | gain +.2 | sum of singles at dose 1 +.2 | at dose 8 +.2"
        rows = [[f"dose {r['dose']}", r["combined"], r["sum_dose_1"], r["sum_dose_8"]] for r in result["combined"]]
        note = f"Over the {result['long_sources']} pages of {LONG} words and more."
        tables.append(make_table("Combined gain next to both sums", heads, rows, note))
    gains = _state_largest_gains(result)
    lines = [*judged.lines, *_state_order(result), *gains, *_state_together(result)]
    return Findings(lines, tables, judged.plots, gains[:1])


def _show_all_pages(result: Result) -> Titled:
    """Show every gate on all pages, for one table of all views."""
    rows = []
    for gate in GATES:
        judged = result["verdicts"]["all"][gate.name]
        rows.append([gate.name, judged["status"], judged["statistic"], judged["interval"]])
    return make_table("The five gates on all pages", "gate | result | figure .2 | interval to.2", rows, is_main=True)


def _show_gains(result: Result) -> Titled:
    """Present the gains of the levers, single and together, over all pages and over the long ones.

    The ceiling is what the carriers of the levers could add.
    """
    samples = [("all", result["sources"], result["all_pages"]["gains"], result["all_pages"]["ceilings"])]
    if result["gains"]:
        samples.append((f"{LONG}+ words", result["long_sources"], result["gains"], result["ceilings"]))
    rows: list[list[Any]] = []
    for name, number, gains, ceilings in samples:
        for edit in (*LEVERS, TOGETHER):
            doses = {r["dose"]: r for r in gains if r["edit"] == edit}
            if not doses:
                continue
            first = doses[1]
            means = [doses[d]["mean"] if d in doses else None for d in DOSES]
            most, over = first["worst"], 100 * first["share_over_6"]
            ceiling = ceilings[edit] if edit in ceilings else math.fsum(ceilings.values())
            label = ALL_THREE if edit == TOGETHER else in_words(edit)
            rows.append([f"{name} ({number})", label, *means, first.get("interval"), most, over, ceiling])
    rows.append(["the paper", "any single lever", f"at most {PAPER_MOST:g}", *[""] * (len(rows[0]) - 3)])
    heads = ["pages", "lever", *(f"dose {dose} +.2" for dose in DOSES)]
    columns = [*heads, "dose 1: interval to.2", "most +.1", "% over 6 .0", "ceiling +.2"]
    return make_table("Mean gain of the levers, single and together, and their ceilings", columns, rows, _GAINS)


def _state_largest_gains(result: Result) -> list[str]:
    """Return the largest mean gain of one lever, over all pages and over the long ones."""
    samples = (
        (f"all {result['sources']} pages", "all_pages"),
        (f"the {result['long_sources']} pages of {LONG} words and more", "long_pages"),
    )
    return [
        f"largest mean gain of one lever over {label}: {in_words(row['edit'])} at dose {row['dose']}, "
        f"{signed(row['mean'])}{_state_interval(row)}; {row['share_over_6']:.0%} of the pages gain more than "
        f"{PAPER_MOST:g} points, one page {signed(row['worst'], 1)}"
        for label, key in samples
        if (row := result["largest_gain"][key])
    ]


def _state_interval(row: Result) -> str:
    """Return the interval of the largest mean in brackets, if there is one."""
    interval = row.get("interval_of_largest")
    return f" ({format_interval(interval)})" if interval else ""


def _state_together(result: Result) -> list[str]:
    """Return what all levers together gain at dose 1 over all pages, beside the paper's headline of a single one."""
    rows = [r for r in result["all_pages"]["gains"] if (r["edit"], r["dose"]) == (TOGETHER, 1)]
    return [
        f"{ALL_THREE} at dose 1, over all {result['sources']} pages: {signed(row['mean'])}"
        + (f" ({format_interval(row['interval'])})" if row.get("interval") else "")
        + f"; {row['share_over_6']:.0%} of the pages gain more than {PAPER_MOST:g} points, the most that an attacker "
        "gains according to the paper's abstract, which counts single levers"
        for row in rows
    ]


def _state_order(result: Result) -> list[str]:
    """Return the order of the edits at dose 1 on the test half."""
    order = result["order"]
    if not order or result["verdicts"]["test"]["negative-control"]["status"] == UNDEFINED:
        return []  # too few pages for a verdict are too few for an order
    listed = [f"{in_words(o['edit'])} {signed(o['response'])}" for o in order]
    return [f"order at dose 1 on the test half, against filler: {' > '.join(listed)}"]


def _compute(request: Request) -> Result:
    captured = open_capture(request)
    edition = editions.load(captured.header.parameters.get("edition", editions.PAPER))
    weights = weighting.load(request.options["weights"] or edition.weights)
    request.parameters.update(weights=weights.name, resampling_seed=request.seed)
    return judge_weighting(captured, weights, seed=request.seed)


def _sections(material: Material) -> Iterator[Section]:
    yield from use_capture(material, "flattened")
    if "fr" in material.languages:
        yield Section(lambda: ([material.capture("fr")], {}), "gates-french", f"{STUDY.title}, French", view="French")
    title = f"{STUDY.title}, pages with their line breaks and titles"
    yield Section(
        lambda: ([material.capture("en", view="structured")], {}), "gates-structured", title, view="structured"
    )
    title = f"{STUDY.title}, a new block for each dose"
    yield Section(lambda: ([material.capture("en", arm="fresh")], {}), "gates-fresh", title, view="fresh")


STUDY: Study = Study(
    "gates",
    "The shipped score through the gates",
    _compute,
    findings,
    group="protocol",
    help="""Put the content score through the five gates, with dose curves, gains and their ceilings.

    \b
    Exit codes: 0 all five pass, 1 one does not, 2 could not run.
    """,
    options=(
        Option("--weights", "The weighting to test. [default: the edition's own]", metavar="NAME|FILE"),
        *CAPTURE_OPTIONS,
    ),
    sample=lambda result, _: f"{result['sources']} pages; intervals resample pages",
    sections=_sections,
    exit_code=lambda result, _: int(not result["survives"]),
)
