"""`lab protocol controls`: what a filler costs by itself, what depends on it, and levers against their own blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steelyard.lab.edits.controls.book import TEMPLATES, list_languages
from steelyard.lab.edits.controls.matched import LEVERS
from steelyard.lab.protocol.controls import PANEL, VARIANTS, compare_controls
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.variants import DOSES
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material
from steelyard.lab.study.sources import open_capture
from steelyard.lab.study.study import CAPTURE_OPTIONS, DRAWS, Request, Result, Section, Study
from steelyard.support.formatting import MINUS

FAMILIES = ("sqrt", "raw", "quantile", "hybrid", "released")
SMALL = 0.05  # points of a component that are worth a column


def findings(result: Result) -> Findings:
    return Findings(_lines(result), [_costs(result), _components(result), _verdicts(result), *_matched(result)])


def _lines(result: Result) -> list[str]:
    """Return which control is flattest, what the score does under it, and what depends on the choice."""
    costs, controls = result["costs"], result["controls"]
    flattest = min(costs, key=lambda name: costs[name]["largest"])
    passing = [name for name, entry in controls.items() if _count(entry) == len(GATES)]
    selected = {name: entry["selected"] for name, entry in controls.items()}
    least, most = (plain(costs[name]["largest"]) for name in (flattest, PANEL[0]))
    lines = [
        f"flattest of {len(costs)} controls: {in_words(flattest)}, which moves the untouched page by at most {least} "
        f"points at any dose; {in_words(PANEL[0])} by {most}",
        f"the shipped score passes all five gates against {len(passing)} of {len(controls)} controls: "
        + (", ".join(map(in_words, passing)) or "none"),
    ]
    verdicts = controls[flattest]["shipped"]
    failed = [
        f"{gate.name}: {signed(found['statistic'])} ({format_interval(found['interval'])})"
        for gate in GATES
        if (found := verdicts[gate.name])["status"] != PASS and found["statistic"] is not None
    ]
    if failed:
        lines.append(f"against {in_words(flattest)} it does not pass {'; '.join(failed)}")
    kinds = {name: choice for name, choice in selected.items() if choice != selected[PANEL[0]]}
    lines.append(
        f"against neutral filler the paper's rule selects {selected[PANEL[0]] or 'no family'}; "
        + (
            "; ".join(f"against {in_words(n)} {c or 'no family'}" for n, c in kinds.items())
            or "and so it does throughout"
        )
    )
    spreads = {lever: max(_by_wording(result, lever)) - min(_by_wording(result, lever)) for lever in LEVERS}
    widest = max(LEVERS, key=spreads.__getitem__)
    lines.append(
        f"the {TEMPLATES} wordings of a block lie within {plain(spreads[widest])} points ({in_words(widest)} widest): "
        "they hold as many matches, and say nothing of blocks that hold others"
    )
    return lines


def _by_wording(result: Result, lever: str) -> Sequence[float]:
    points: Sequence[float] = result["matched"][lever]["against_control"]["by_wording"]
    return points


def _count(entry: Result) -> int:
    return sum(entry["shipped"][gate.name]["status"] == PASS for gate in GATES)


def _costs(result: Result) -> Titled:
    rows = []
    for name, entry in result["costs"].items():
        row: list[Any] = [in_words(name)]
        for dose in DOSES:
            found = entry["doses"][str(dose)]
            row += [found["points"], found["interval"]]
        rows.append(row)
    columns = ["control"]
    for dose in DOSES:
        columns += [f"dose {dose} +.2", "interval to.2"]
    note = f"Points of `content` over {result['sources']['all']} untouched pages; intervals resample pages."
    return make_table("What a control costs by itself", columns, rows, note)


def _components(result: Result) -> Titled:
    most = str(max(DOSES))
    tables = {name: entry["doses"][most]["components"] for name, entry in result["costs"].items()}
    shown = [n for n in next(iter(tables.values())) if any(abs(table[n]) >= SMALL for table in tables.values())]
    rows = [[in_words(component), *(tables[name][component] for name in tables)] for component in shown]
    columns = ["component", *(f"{in_words(name)} +.2" for name in tables)]
    note = f"Points of `content`; components that move by less than {SMALL:g} under every control are left out."
    return make_table(f"The same at dose {most}, by component", columns, rows, note)


def _verdicts(result: Result) -> Titled:
    rows = []
    for name, entry in result["controls"].items():
        row: list[Any] = [in_words(name)]
        for gate in GATES[:3]:  # the other two compare with no control
            found = entry["shipped"][gate.name]
            figure = "" if found["statistic"] is None else f" {found['statistic']:.2f}".replace("-", MINUS)
            row.append(found["status"] + figure)
        passing = [f for f in FAMILIES if entry["strategies"][f]["feasible"]]
        rows.append([*row, f"{_count(entry)}/5", ", ".join(passing) or "none", entry["selected"] or "none"])
    heads = [gate.name for gate in GATES[:3]]
    columns = ["control", *heads, "of five >", "pass in training", "selected"]
    note = (
        f"The shipped score on all {result['sources']['all']} pages, with intervals over pages; the families and the "
        f"released weights on the {result['sources']['train']} training pages, by the paper's rule, without intervals. "
        "Duplication and length bias use no control. `x 0.5` keeps half of the filler's own cost, `x 0` none."
    )
    return make_table("Gates and selection under each control", columns, rows, note, is_main=True)


def _matched(result: Result) -> Iterator[Titled]:
    rows = []
    for lever in LEVERS:
        found = result["matched"][lever]
        row: list[Any] = [in_words(lever)]
        for key in ("against_control", "against_filler", "over_page"):
            row += [found[key]["points"], found[key]["interval"]]
        rows.append([*row, found["control_over_page"]["points"]])
    columns = (
        "lever | − matched +.2 | interval to.2 | − filler +.2 | interval to.2 | − page +.2 | interval to.2 "
        "| matched − page +.2"
    )
    note = (
        f"Points of `content` at dose 1 over {result['sources']['all']} pages and {TEMPLATES} wordings of each block, "
        "less those of the page with the same block made inert (matched), with neutral filler, and untouched; "
        "intervals resample pages and wordings."
    )
    yield make_table("Levers against their own block without the active ingredient", columns, rows, note, is_main=True)
    rows = [[in_words(lever), *_by_wording(result, lever)] for lever in LEVERS]
    columns = " | ".join(["lever", *(f"wording {number + 1} +.2" for number in range(TEMPLATES))])
    yield make_table("The same by wording, against the matched control", columns, rows)


def _compute(request: Request) -> Result:
    captured = open_capture(request, variants=VARIANTS)
    return compare_controls(captured, draws=request.options["draws"], seed=request.seed)


def _sections(material: Material) -> Iterator[Section]:
    yield Section(lambda: ([material.corpus("en")], {}), view="English")
    if "fr" in material.languages:
        title = f"{STUDY.title}, French"
        yield Section(lambda: ([material.corpus("fr")], {"language": "fr"}), "controls-french", title, view="French")


STUDY: Study = Study(
    "controls",
    "What depends on the control",
    _compute,
    findings,
    group="protocol",
    help=f"""Compare fillers: what each costs by itself, and which verdicts depend on it; and each lever with its own
    block without its active ingredient. Languages: {", ".join(list_languages())}.""",
    options=(*CAPTURE_OPTIONS, DRAWS),
    sample=lambda result, _: (
        f"{result['sources']['all']} pages; intervals resample pages, of matched controls also wordings"
    ),
    sections=_sections,
)
