"""`lab outcome levers`: what each lever does beside its own control, beside filler, and beside the untouched page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.calls import KINDS, SOFT, WRITTEN, read_calls
from steelyard.lab.outcome.matched import AGAINST, OWN_CONTROL, measure_levers
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, signed
from steelyard.lab.study.material import Material
from steelyard.lab.study.study import DRAWS, SEED, Argument, Request, Result, Section, Study
from steelyard.support.artifacts import hash_file

_AGAINST = {OWN_CONTROL: "its own control", CONTROL: "filler", BASELINE: "the untouched page"}
_NOTE = (
    "Percentage points of the target's share, over all rotations; 95% intervals over queries and templates. All "
    "levers: the interval that holds for all levers of the set together (Bonferroni). Soft: a forced citation divided "
    "by the model's probabilities. Forced and own: these probabilities alone, at citations that the server forced and "
    "at brackets that the model opened itself."
)


def _points(values: Sequence[float | None] | None) -> list[float] | None:
    return None if values is None else [100 * v for v in values if v is not None]


def _point(estimate: Result) -> float | None:
    return 100 * estimate["mean"] if "mean" in estimate else None


def findings(result: Result) -> Findings:
    """Present how answers divide what they give, then every lever beside what it is compared with."""
    sets = {name: result["sets"][name] for name in result["order"]}
    paired = {name: s for name, s in sets.items() if s["order"]}
    lines = list(_list_lines(paired)) if paired else []
    tables = [_show_outcomes(sets), _show_citations(sets)]
    tables += [_show_comparisons(name, of_set) for name, of_set in paired.items()]
    tables += [_show_places(paired), _show_controls(paired)]
    return Findings(lines, [t for t in tables if t.table.rows], main_lines=lines[:1])


def _show_outcomes(sets: Result) -> Titled:
    rows = []
    for name, s in sets.items():
        o = s["outcomes"]
        shares = [None if o[k] is None else 100 * o[k] for k in ("whole", "two", "more", "target_nothing")]
        rows.append([in_words(name), o["answers"], o["nothing"], *shares])
    shares_of = " | ".join(
        f"% {what} .1" for what in ("one source has all", "two have", "more have", "target has nothing")
    )
    columns = f"set | answers > | without a citation > | {shares_of}"
    return make_table(
        "How answers divide what they give",
        columns,
        rows,
        "Answers over the untouched page; shares of those that cite.",
    )


def _show_citations(sets: Result) -> Titled:
    rows = []
    for name, s in sets.items():
        o = s["outcomes"]
        sources = [None if o[k] is None else 100 * o[k] for k in ("forced", "willing", "ties")]
        rows.append([in_words(name), o["answers"], o["citations"], *sources])
    columns = "set | answers > | citations an answer .2 | % forced .1 | % of these willing .1 | % of these ties .1"
    note = (
        "Answers over the untouched page. Forced: the server added a citation to a sentence without one; willing: the "
        "model was about to open a bracket itself (not recorded in the older sets); ties: two sources were equally "
        "likely."
    )
    return make_table("Where the citations come from", columns, rows, note)


def _show_comparisons(name: str, of_set: Result) -> Titled:
    rows: list[list[object]] = []
    for lever in of_set["order"]:
        for kind in KINDS:
            for against in AGAINST:
                e = of_set["levers"][lever][against][kind]
                intervals = [_points(e.get(k)) for k in ("interval", "corrected")]
                templates = " ".join(signed(t, 1) for t in _points(e.get("templates")) or ())
                rows.append([in_words(lever), kind, _AGAINST[against], e["n"], _point(e), *intervals, templates])
    columns = "lever | shares | against | n > | points +.2 | interval to.2 | all levers to.2 | by template"
    title = f"Each lever beside its own control, filler and the untouched page: {in_words(name)}"
    return make_table(title, columns, rows, _NOTE)


def _show_places(sets: Result) -> Titled:
    rows = [
        [in_words(name), in_words(lever), place, e["n"], _point(e), _points(e.get("interval"))]
        for name, s in sets.items()
        for lever in s["order"]
        for place, e in enumerate(s["places"][lever], 1)
    ]
    note = "By the target's place in the prompt. Soft shares, points, lever less its own control."
    return make_table("By the target's place", "set | lever | place > | n > | points +.2 | interval to.2", rows, note)


def _show_controls(sets: Result) -> Titled:
    rows = []
    for name, s in sets.items():
        for arm, by_kind in s["controls"].items():
            row: list[object] = [in_words(name), in_words(arm), by_kind[SOFT]["n"]]
            for kind in (SOFT, WRITTEN):
                e = by_kind[kind]
                row += [_point(e), _points(e.get("interval"))]
            rows.append(row)
    columns = "set | control | n > | soft +.2 | interval to.2 | written +.2 | interval to.2"
    note = "Points, less the untouched page: what as many words do without any lever."
    return make_table("The panel of controls", columns, rows, note)


def _list_lines(sets: Result) -> Iterator[str]:
    for against in (OWN_CONTROL, BASELINE):
        told = "; ".join(f"{in_words(name)} {_tell_clear(s, against)}" for name, s in sets.items())
        yield f"over {_AGAINST[against]}, points of soft share, corrected for the levers of a set: {told}"


def _tell_clear(of_set: Result, against: str) -> str:
    """Return the levers whose corrected interval leaves out 0, as written too where these are others."""
    soft, written = (_find_clear(of_set, against, kind) for kind in (SOFT, WRITTEN))
    more = f", as written {', '.join(written.values()) or 'none'}" if soft.keys() != written.keys() else ""
    return (", ".join(soft.values()) or "none") + more


def _find_clear(of_set: Result, against: str, kind: str) -> dict[str, str]:
    clear = {}
    for lever in of_set["order"]:
        e = of_set["levers"][lever][against][kind]
        low, high = e.get("corrected", (0.0, 0.0))
        if low > 0 or high < 0:
            interval = format_interval(_points(e["corrected"]))
            clear[lever] = f"{in_words(lever)} {signed(100 * e['mean'], 2)} ({interval})"
    return clear


def _compute(request: Request) -> Result:
    draws = request.options["draws"]
    request.parameters.update(draws=draws, seed=request.seed)
    sets = {}
    for path in request.arguments:
        name = os.path.basename(path).split(".")[0].removeprefix("qwen_")
        head, calls = read_calls(path)
        request.inputs[os.path.basename(path)] = hash_file(path)
        sets[name] = {"engine": head["engine"], **measure_levers(calls, draws=draws, seed=request.seed)}
    return {"order": list(sets), "sets": sets}


def _describe_sample(result: Result, _: object) -> str:
    sets = result["sets"]
    counted = (f"{in_words(name)} {sets[name]['queries']:,}" for name in result["order"] if sets[name]["order"])
    return f"queries: {', '.join(counted)}; intervals resample queries and templates"


def _sections(material: Material) -> Iterator[Section]:
    paths = [path for path in material.calls if "scores" not in read_calls(path)[0]]
    if paths:
        yield Section(lambda: ([str(path) for path in paths], {}))


STUDY = Study(
    "levers",
    "Levers beside their own controls",
    _compute,
    findings,
    group="outcome",
    help="""Compare each lever with its own control, with filler and with the untouched page.

    CALLS are files of answers' shares without any text, which the project makes from journals of its own runs.
    """,
    argument=Argument("CALLS", several=True),
    options=(DRAWS, SEED),
    sample=_describe_sample,
    sections=_sections,
)
