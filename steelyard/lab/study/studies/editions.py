"""`lab protocol editions`: the editions of the score compared on the same pages, and the rule for the default."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from steelyard.lab.editions.attackers import ATTACKERS
from steelyard.lab.editions.readers import FAMILIES, SETS
from steelyard.lab.editions.rule import CANDIDATE, DECIDING, HOLDS, REFERENCE, describe_gates
from steelyard.lab.editions.speed import SPEEDS, divide
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import FAIL, PASS
from steelyard.lab.protocol.variants import DOSES
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table
from steelyard.lab.study.material import Material
from steelyard.lab.study.studies.editions_result import GRADED, compute
from steelyard.lab.study.studies.gaming import CLIMBED_LARGE
from steelyard.lab.study.study import SEED, Argument, Option, Result, Section, Study
from steelyard.scoring import editions
from steelyard.support.plots.plot import Panel, Plot, Series

CLIMBED = 1  # pages the adaptive attacker climbs; of a large corpus as many as in `lab gaming run`


def findings(result: Result) -> Findings:
    shown = [_show_curves, _show_attackers, _show_marks, _show_grades, _show_false_positives]
    if not _is_of_earlier_rule(result):
        shown = [_show_gates, _show_sources, *shown[:2], _show_pairs, _show_people, _show_speed, *shown[2:]]
    tables = [show(result) for show in shown]
    return Findings(
        _list_lines(result), [table for table in tables if table.table.rows], {"edition-curves": _plot(result)}
    )


def _is_of_earlier_rule(result: Result) -> bool:
    """Tell an artifact that was computed before attackers were compared page by page."""
    return "compared" not in result


def _list_lines(result: Result) -> list[str]:
    verdict = f"by the rule the default is {result['default']}"
    if _is_of_earlier_rule(result):
        return [f"{verdict}; computed under an earlier rule: this one is applied when the study is computed again"]
    lines = [f"{CANDIDATE}: {_show_verdict(c['verdict'])}: {c['text']} ({c['detail']})" for c in result["rule"]]
    if beside := describe_gates(result, REFERENCE):
        lines.insert(1, f"{REFERENCE}, for comparison: {beside}")
    return [*lines, verdict if result["default"] != REFERENCE else f"{verdict}, since not every condition holds"]


def _show_verdict(verdict: str) -> str:
    return verdict if verdict == HOLDS else verdict.upper()


def _show_gates(result: Result) -> Titled:
    rows: list[list[Any]] = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            rows.append([code, name, of_language["pages"], *_list_gate_cells(e)])
    for peer in result["peers"]:
        rows.append([GRADED, peer["scorer"], peer["pages"], *_list_gate_cells(peer)])
    columns = "pages | score | n > | passed > | fail | undecided | strongest lever +.2 | stuffing x8 +.2"
    note = (
        "Gates passed of five over all pages, where the whole 95% interval over pages keeps to the bound. Levers: mean "
        "points over the untouched page, over all pages, at the best dose."
    )
    return make_table("Five gates over all pages", columns, rows, note)


def _list_editions(of_language: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the editions of a language in their own order; an artifact sorts them by name."""
    return [(name, of_language["editions"][name]) for name in editions.NAMES if name in of_language["editions"]]


def _list_gate_cells(entry: Mapping[str, Any]) -> list[Any]:
    by_status: defaultdict[str, list[str]] = defaultdict(list)
    for gate in GATES:
        by_status[entry["gates"][gate.name]["status"]].append(gate.name)
    passed = f"{len(by_status.pop(PASS, []))}/{len(GATES)}"
    failed = ", ".join(by_status.pop(FAIL, []))
    others = ", ".join(name for names in by_status.values() for name in names)
    return [passed, failed, others, entry["strongest"], entry["stuffing"]]


def _show_sources(result: Result) -> Titled:
    rows = [
        [source["language"], source["name"], source["pages"], reason, left_out]
        for source in result["sources"]
        for reason, left_out in (source["left_out"] or {"": None}).items()
    ]
    columns = "pages | file | used > | left out: reason | left out >"
    return make_table("Pages, and what was left out", columns, rows, "Every page is cut at the same number of words.")


def _show_curves(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            for edit, points in e["curves"].items():
                by_dose = {p["dose"]: p["response"] for p in points}
                rows.append([code, name, in_words(edit), *(by_dose.get(dose) for dose in DOSES)])
    columns = ["pages", "edition", "edit", *(f"dose {dose} +.2" for dose in DOSES)]
    return make_table("Dose curves", columns, rows, "Against the same page with as much neutral filler, in points.")


def _plot(result: Result) -> Plot:
    panels = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            series = [
                Series(in_words(edit), [p["dose"] for p in points], [p["response"] for p in points])
                for edit, points in e["curves"].items()
                if points
            ]
            panels.append(Panel(f"{code}, {name}", series, x_label="dose", y_label="points over filler"))
    return Plot("Dose curves of the editions", panels)


def _show_attackers(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        of_editions = dict(_list_editions(of_language))
        for attacker in ATTACKERS:
            gains = [e["attackers"].get(attacker, {}) for e in (of_editions.get(n, _NOBODY) for n in editions.NAMES)]
            if any(gains):
                cells = [gain.get(figure) for gain in gains for figure in ("n", "mean", "interval")]
                rows.append([code, in_words(attacker), *cells])
    columns = ["pages", "attacker", *(h for n in editions.NAMES for h in (f"{n}: n .0", "gain +.2", "interval to.2"))]
    note = (
        "Mean gain of `content` over the untouched page, over n pages, with the 95% interval over resampled pages. A "
        "lever at its best dose, over all pages. Three levers: quotation, statistics and sources together. Adaptive: "
        "with so many words, not knowing the filter, and knowing it, over pages that no edition flags untouched, those "
        "of the test half first. Trigger phrase: the best of the short sentences that satisfy a pattern and say "
        "nothing. Structure and dates: the gain of the final `score`."
    )
    return make_table("What attackers gain", columns, rows, note)


_NOBODY: Mapping[str, Any] = {"attackers": {}}  # of a language that an edition does not have


def _show_pairs(result: Result) -> Titled:
    rows = [
        [code, in_words(name), row["n"], row["difference"], row["interval"], row["corrected"]]
        for code in DECIDING
        for name in ATTACKERS
        if (row := result["compared"].get(code, {}).get(name)) and row["n"]
    ]
    columns = "pages | attacker | n > | more +.2 | 95% interval to.2 | corrected to.2"
    note = (
        f"What an attacker gains more under {CANDIDATE} than under {REFERENCE}, on the same n pages. Student's "
        "intervals of the paired difference; corrected by Bonferroni for all attackers that count, in both languages "
        "together; one on too few pages does not count."
    )
    return make_table("Attackers under both editions", columns, rows, note)


def _show_people(result: Result) -> Titled:
    rows = []
    for name, of in result["agreement"].items():
        if "missing" not in of:
            more = of["difference"]
            figures = [of["candidate"]["value"], of["reference"]["value"], more["value"], more["interval"]]
            rows.append([name, "yes" if of["by_people"] else "no", of["measure"], more["n"], *figures])
    columns = f"labels | by people | measure | n > | {CANDIDATE} .3 | {REFERENCE} .3 | difference +.3 | interval to.3"
    note = "Agreement of `score` with labels of whole documents; intervals resample documents, the same for both."
    return make_table("Agreement of both editions with labels", columns, rows, note)


def _show_speed(result: Result) -> Titled:
    speed = result["speed"]
    found = {name: speed["rates"].get(name, {}) for name in SPEEDS} if speed else {}
    rows = [[name, r.get("candidate"), r.get("reference"), divide(r)] for name, r in found.items() if r]
    columns = f"what | {CANDIDATE}, pages/s .0 | {REFERENCE}, pages/s .0 | share .2"
    note = f"Read from {speed['file']}, which `./run bench` wrote: speed is not measured here." if speed else ""
    return make_table("Speed of both editions", columns, rows, note)


def _show_marks(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            for family in FAMILIES:
                cells: list[Any] = []
                for which in SETS:
                    row = e["marks"].get(which, {}).get(family)
                    cells += [
                        _format_share(row, "found", "marks", "recall"),
                        _format_share(row, "right", "spans", "precision"),
                    ]
                if any(cells):
                    rows.append([code, name, family, *cells])
    heads = [f"{which}: {figure} >" for which in SETS for figure in ("recall", "precision")]
    note = (
        "Writing: the half of the given marks that the patterns were written from. Confirming: the other half. Read: "
        "marks of our own readers on pages used to widen the patterns. Unread: on pages that were only counted. "
        "In brackets, found of marked and right of found, and the 95% interval over pages, which are resampled."
    )
    return make_table("Evidence that readers marked", ["pages", "edition", "family", *heads], rows, note)


def _format_share(row: Mapping[str, Any] | None, part: str, whole: str, interval: str) -> str:
    if not row or not row[whole]:
        return ""
    spread = f"; {format_interval(row[interval])}" if row[interval] else ""
    return f"{row[part] / row[whole]:.2f} ({row[part]}/{row[whole]}{spread})"


def _show_grades(result: Result) -> Titled:
    rows = [
        [view, name, e["pages"], e["spearman"], e["interval"]]
        for view, scorers in result["grades"].items()
        for name, e in scorers.items()
    ]
    note = "Spearman's rank correlation with readers' mean grade of substance; nothing was fitted to the grades."
    return make_table("Agreement with readers' grades", "view | score | n > | Spearman .3 | interval to.2", rows, note)


def _show_false_positives(result: Result) -> Titled:
    rows = [
        [code, name, e["false_positives"]["flagged"], e["false_positives"]["of"], e["false_positives"]["interval"]]
        for code, of_language in result["languages"].items()
        for name, e in _list_editions(of_language)
    ]
    note = (
        "Clean pages with their line breaks that the shipped limits of the edition flag; many of them set the limits."
    )
    return make_table(
        "Clean pages flagged", "pages | edition | flagged > | of > | interval to.3", rows, note, is_main=True
    )


def _describe_sample(result: Result, _: object = None) -> str:
    counted = ", ".join(f"{of_language['pages']} {code}" for code, of_language in result["languages"].items())
    return f"pages: {counted}; intervals resample pages"


def _sections(material: Material) -> list[Section]:
    def call() -> tuple[list[str], dict[str, Any]]:
        sources = [path for code in material.languages for path in material.all_corpora(code)]
        options = {
            "marks": str(material.marks) if material.marks else None,
            "labels": str(material.folder) if material.folder else None,
            "bench": str(material.bench) if material.bench else None,
            "peers": material.peers,
            "climbed": CLIMBED_LARGE if material.is_large else CLIMBED,
        }
        return sources, options

    return [Section(call)]


STUDY = Study(
    "editions",
    "The editions compared, and the rule for the default",
    compute,
    findings,
    group="protocol",
    help="""Compare the editions of the score on the pages of every SOURCE: gates, attackers, labels, marks, flags.

    A written rule picks the default of `score`: 2026 only if it keeps to the gates in every language, gives no attacker
    more than the paper edition does, agrees better with people's labels, and keeps most of its speed.
    """,
    argument=Argument("SOURCE", several=True),
    options=(
        Option("--marks", "Folder of readers' marks (en.jsonl …) and grades (grades_en.jsonl).", metavar="FOLDER"),
        Option("--labels", "Folder of measuring data, with people's labels in human/.", metavar="FOLDER"),
        Option("--bench", "What `./run bench` wrote, for the speed of both editions.", metavar="FILE"),
        Option("--climbed", "Pages of each language that the adaptive attacker climbs.", int, 40, minimum=0),
        Option("--peers", "Put other scorers through the same; makes their environments on first use.", bool, False),
        SEED,
    ),
    sample=_describe_sample,
    sections=_sections,
)
