"""Forms of `falsify` for others than the terminal: a page to read, JUnit for CI, a badge to show."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from importlib import resources
from itertools import chain
from typing import Any
from xml.etree import ElementTree as ET

from steelyard.check.formats.junit import clean_xml
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import PASS, UNDECIDED
from steelyard.lab.study.falsify_plots import plot_scorers
from steelyard.lab.study.findings import Titled, in_words, plain, signed
from steelyard.lab.study.studies import falsify as presentation
from steelyard.lab.study.study import Result
from steelyard.support import badge, escape
from steelyard.support.formatting import format_count
from steelyard.support.plots.plot import Plot

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def render_html(
    results: Sequence[Result], compared: Sequence[Result], worst: Sequence[Sequence[Result]], about: str
) -> str:
    """Return one page for all scorers: verdicts with intervals, dose curves, worst pages, comparison.

    Several scorers are compared before anything else; one is compared with the number of words at the end.

    Args:
        results: One for each scorer.
        compared: The same and others to compare with, such as the number of words.
        worst: For each scorer the pages that gained most.
        about: Which pages were edited, and how.
    """
    names = ", ".join(result["scorer"] for result in results)
    style = resources.files("steelyard.pages.html").joinpath("base.css").read_text("utf-8")
    style += resources.files("steelyard.lab.study").joinpath("report.css").read_text("utf-8")
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Falsify: {escape.html(names)}</title><style>{style}</style></head><body><main>",
        f'<h1>Falsify: {escape.html(names)}</h1><p class="dim">{escape.html(about)}</p>',
    ]
    sections = [
        [f"<section><h2>{escape.html(result['scorer'])}</h2>", *_show_scorer(result, pages), "</section>"]
        for result, pages in zip(results, worst, strict=True)
    ]
    if len(compared) > 1:
        plots = map(_show_plot, plot_scorers(compared).values())
        table = _show_table(presentation.show_scorers(compared), "h2")
        sections.insert(0 if len(results) > 1 else 1, ["<section>", table, *plots, "</section>"])
    return "\n".join([*parts, *chain.from_iterable(sections), "</main></body></html>\n"])


def _show_scorer(result: Result, worst: Sequence[Result]) -> list[str]:
    findings = presentation.findings(result)
    *lines, verdict = (escape.html(line) for line in findings.lines)
    parts = [f"<p><strong>{verdict}</strong></p><ul>", *(f"<li>{line}</li>" for line in lines), "</ul>"]
    parts += map(_show_plot, findings.plots.values())
    parts += map(_show_table, findings.tables)
    if worst:
        parts.append("<h3>Pages that gained most, and what was added to them</h3>")
    for page in worst:
        times = "" if page["dose"] == 1 else f", {page['dose']} times"
        head = f"{page['source']}: {signed(page['gain'])} points for {in_words(page['edit'])}{times}"
        parts += [
            f"<h4>{escape.html(head)}</h4>",
            f"<p>The page begins: “{escape.html(page['page'])}…”</p>",
            f"<p>Added: <mark>{escape.html(page['added'])}</mark></p>",
        ]
    return parts


def _show_plot(plot: Plot) -> str:
    data = base64.b64encode(plot.render()[1]).decode("ascii")
    return f'<p><img alt="{escape.html(plot.title)}" src="data:image/svg+xml;base64,{data}"></p>'


def _show_table(titled: Titled, heading: str = "h3") -> str:
    note = f'<p class="dim">{escape.html(titled.note)}</p>' if titled.note else ""
    return f'<{heading}>{escape.html(titled.title)}</{heading}><div class="wide">{titled.table.to_html()}</div>{note}'


def render_junit(results: Sequence[Result]) -> str:
    """Return JUnit XML: a suite for each scorer, a test for each gate; what did not pass is a failure with its type."""
    suites = ET.Element("testsuites", {"name": "steelyard falsify"})
    total = failed = 0
    for result in results:
        verdicts = result["verdicts"]["all"]
        suite = ET.SubElement(suites, "testsuite", {"name": clean_xml(result["scorer"]), "errors": "0", "skipped": "0"})
        failures = 0
        for gate in GATES:
            verdict = verdicts[gate.name]
            case = ET.SubElement(suite, "testcase", {"classname": clean_xml(result["scorer"]), "name": gate.name})
            line = clean_xml(presentation.describe_gate(gate, verdict))
            if verdict["status"] == PASS:
                ET.SubElement(case, "system-out").text = line
            else:
                ET.SubElement(case, "failure", {"message": line, "type": verdict["status"]})
                failures += 1
        if not result["survives"] and not failures:
            case = ET.SubElement(suite, "testcase", {"classname": clean_xml(result["scorer"]), "name": "every page"})
            message = clean_xml(presentation.state_verdict(result))
            ET.SubElement(case, "failure", {"message": message, "type": "not scored"})
            failures += 1
        number = len(suite.findall("testcase"))
        suite.set("tests", str(number))
        suite.set("failures", str(failures))
        total, failed = total + number, failed + failures
    suites.set("tests", str(total))
    suites.set("failures", str(failed))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def render_badge(result: Result, day: str) -> str:
    """Return an SVG that says how many gates a scorer survives, on how many pages and when."""
    undecided = sum(result["verdicts"]["all"][gate.name]["status"] == UNDECIDED for gate in GATES)
    doubt = f", {undecided} undecided" if undecided else ""
    pages = format_count(result["sources"], "page")
    left = f"survives {result['passed']} of {len(GATES)}{doubt}"
    right = f"{pages} · {day}"
    colour = badge.GREEN if result["survives"] else badge.RED
    return badge.render_badge([(left, colour), (right, badge.GREY)], f"{result['scorer']}: {left}, {right}")


def list_parts() -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """Return what `falsify` is made of: gates, edits, controls and changes of form, each with what it is."""
    from steelyard.lab import edits
    from steelyard.lab.edits.controls.matched import MATCHED
    from steelyard.lab.protocol.invariances import CHANGES
    from steelyard.lab.protocol.variants import STUFFING

    def describe(edit: Any) -> tuple[str, str]:
        noun = "Dose" if len(edit.doses) == 1 else "Doses"
        return edit.name, f"{_first_line(edit)} {noun} {', '.join(map(str, edit.doses))}."

    controls = [edit for edit in edits.CONTROLS if edit not in MATCHED]
    return [
        ("Gates", [(gate.name, f"{gate.question} {_bound(gate)}") for gate in GATES]),
        ("Edits", [describe(edit) for edit in edits.EDITS if edit.name != STUFFING]),
        ("Negative control", [describe(edits.BY_NAME[STUFFING])]),
        ("Other controls (`lab protocol controls`)", [describe(edit) for edit in controls]),
        ("Changes of form (shown, not counted)", [(name, _first_line(change)) for name, change in CHANGES.items()]),
    ]


def _first_line(thing: Any) -> str:
    """Return what a class or function says of itself."""
    line = ((thing.__doc__ or "").strip().splitlines() or [""])[0].removeprefix("Return ")
    return line[:1].upper() + line[1:]


def _bound(gate: Any) -> str:
    side = "At most" if gate.is_upper_bound else "At least"
    return f"{side} {plain(gate.bound, 2).rstrip('0').rstrip('.')} {gate.unit}."
