"""`falsify`, `lab protocol gates` and `lab protocol peers`: five lines, one verdict, the curves and gains behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.lab.protocol.falsify import falsify
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import FAIL, UNDECIDED, UNDEFINED, Gate
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Scorer
from steelyard.lab.scorers.resolve import resolve
from steelyard.lab.study.falsify_plots import plot_curves, plot_scorers
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, plain, signed
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.study import Request, Result, Section, Study
from steelyard.support.formatting import MINUS, format_count

_FAULTS = {"not a number": "returned no number", "out of range": "left its range"}  # others are verbs already
_GATES = (
    "Figure, and its 95% bootstrap interval over sources; where the figure is the worst of several, the interval "
    "allows for that. Undecided: a part of the interval passes and a part fails."
)
HALVES = ("train", "test")  # the lines above the table are about all pages together


def findings(result: Result) -> Findings:
    """Present one scorer."""
    tables = []
    if any(result["verdicts"][half][gate.name]["status"] != UNDEFINED for half in HALVES for gate in GATES):
        tables.append(_show_gates(result))
    if result["curves"]:
        tables.append(_show_curves(result))
    if result["gains"]:
        note = f"Over {result['long_sources']} untouched pages of 300 words and more; what an attacker would see."
        rows = [
            [in_words(r["edit"]), r["dose"], r["mean"], r.get("interval"), r["p95"], r["worst"]]
            for r in result["gains"]
        ]
        columns = "edit | dose > | mean +.2 | interval to.2 | p95 +.2 | worst page +.2"
        tables.append(make_table("Gain over the untouched page, in points", columns, rows, note))
    if result.get("exploratory"):
        tables.append(_show_exploratory(result["exploratory"]))
    if any(row["pages"] for row in result.get("invariances", ())):
        noisy = result["not_deterministic"]["sources"] or (result.get("repeatability") or {}).get("differing")
        tables.append(_show_invariances(result["invariances"], noisy=bool(noisy)))
    plots = {"dose-curves": plot_curves(result)} if result["curves"] else {}
    return Findings(list_lines(result), tables, plots)


def list_lines(result: Result) -> list[str]:
    """Return one line per gate, then what went wrong, then the verdict."""
    verdicts = result["verdicts"]["all"]
    shown = [describe_gate(gate, verdicts[gate.name]) for gate in GATES]
    return [*shown, *_list_troubles(result), state_verdict(result)]


def describe_gate(gate: Gate, judged: Result) -> str:
    """Return `negative-control: pass  −2.02 points, at most 0 (margin 2.02; 95% interval −2.06 to −1.98)`."""
    head = f"{gate.name}: {judged['status']}"
    if judged["statistic"] is None:
        return f"{head}  {judged['reason']}"
    side = "at most" if gate.is_upper_bound else "at least"
    bound = plain(gate.bound, 2).rstrip("0").rstrip(".") or "0"
    figure = signed(judged["statistic"]) if gate.unit == "points" else plain(judged["statistic"])
    text = f"{head}  {figure} {gate.unit}, {side} {bound} (margin {plain(judged['margin'])}"
    if judged["interval"]:
        text += f"; 95% interval {format_interval(judged['interval'])}"
    more = [judged["reason"], judged["needed"] and f"about {judged['needed']:,} pages would decide it"]
    return text + ")" + "".join(f"  {said}" for said in more if said)


def _list_troubles(result: Result) -> list[str]:
    shown = []
    for kind, entry in result["failures"].items():
        calls = format_count(entry["calls"], "call")
        shown.append(f"the scorer {_FAULTS.get(kind, kind)} on {calls}, for example {entry['examples'][0]}")
    unstable = result["not_deterministic"]
    if repeats := result.get("repeatability"):
        shown.append(_state_repeatability(repeats))
    elif unstable["sources"]:
        shown.append(
            f"the scorer is not deterministic: {format_count(unstable['sources'], 'page')} scored otherwise the second "
            f"time, for example {unstable['examples'][0]}; --repeat N measures its noise"
        )
    if result["gave_up"]:
        shown.append(f"stopped early: {result['gave_up']}")
    high = result["scale"]["highest"]
    if high is not None and high <= 1:
        shown.append("all points are between 0 and 1: if that is the scorer's scale, give --range 0,1")
    return shown


def state_verdict(result: Result) -> str:
    """Return the verdict in one sentence."""
    who, sources = result["scorer"], result["sources"]
    if result["survives"]:
        return f"{who} survives: all five gates pass on {sources} pages. That is not proof; it has not been falsified."
    if not sources and result["failures"]:
        return f"{who} is not cleared: it scored no page under every edit, so no gate could be judged."
    verdicts = result["verdicts"]["all"]
    failed, undecided, undefined = (
        [g.name for g in GATES if verdicts[g.name]["status"] == status] for status in (FAIL, UNDECIDED, UNDEFINED)
    )
    reasons = []
    if failed:
        reasons.append(f"fails {', '.join(failed)}")
    if undecided:
        needed = [verdicts[name]["needed"] for name in undecided]
        advice = f" (about {format_count(max(needed), 'page')} would decide)" if all(needed) else ""
        reasons.append(f"leaves {', '.join(undecided)} undecided{advice}, which is not a pass")
    if undefined:
        which = "all five gates" if len(undefined) == len(GATES) else ", ".join(undefined)
        reasons.append(f"leaves {which} undefined, which is not a pass")
    if result["failures"]:
        reasons.append("did not score every page")
    if result["not_deterministic"]["sources"]:
        reasons.append("does not give the same page the same score")
    word = "is falsified" if failed else "is not cleared"
    return f"{who} {word} on {sources} pages: it {'; it '.join(reasons)}."


def _show_invariances(rows: Sequence[Result], *, noisy: bool) -> Titled:
    """Present how far a score moves when a page says the same in another form."""
    cells = [[r["form"], r["pages"], r["moved"], r["mean"], r["largest"]] for r in rows if r["pages"]]
    columns = "change of form | pages it changes > | scores that move > | mean move .2 | largest .2"
    note = "Shown beside the gates, and counted for no verdict. In points, whatever the direction."
    note += " The scorer's own noise is in them." if noisy else ""
    return make_table("The same page in another form", columns, cells, note)


def _state_repeatability(repeats: Result) -> str:
    """Return in a sentence how far a scorer differs from itself."""
    pages, times = format_count(repeats["pages"], "page"), repeats["times"]
    if repeats["noise"] is None:
        return f"repeatability: undefined, {pages} scored {times} times"
    if not repeats["differing"]:
        return f"repeatability: {pages} scored {times} times, the same score every time"
    return (
        f"repeatability: {pages} scored {times} times, {repeats['differing']} of them differently; noise "
        f"{plain(repeats['noise'])} points (standard deviation within a page), largest difference "
        f"{plain(repeats['largest'])}; the intervals over pages contain it"
    )


def _show_gates(result: Result) -> Titled:
    rows = []
    for gate in GATES:
        row: list[Any] = [gate.name, f"{'≤' if gate.is_upper_bound else '≥'} {gate.bound:g}".replace("-", MINUS)]
        for split in HALVES:
            judged = result["verdicts"][split][gate.name]
            row += [judged["status"], judged["statistic"], judged["interval"]]
        rows.append(row)
    columns = ["gate", "bound"]
    for split in HALVES:
        columns += [split, "figure .2", "interval to.2"]
    return make_table("Gates by split", columns, rows, _GATES)


def _show_curves(result: Result) -> Titled:
    doses = sorted({p["dose"] for points in result["curves"].values() for p in points})
    rows = []
    for edit in INTERVENTIONS:
        by_dose = {p["dose"]: p["response"] for p in result["curves"][edit]}
        rows.append([in_words(edit), *(by_dose.get(d) for d in doses)])
    columns = ["edit", *(f"dose {d} +.2" for d in doses)]
    note = "Against the same page with as much neutral filler."
    return make_table("Response by dose, in points", columns, rows, note)


def _show_exploratory(exploratory: Result) -> Titled:
    """Present the levers of structure and freshness, in each figure they were measured in."""
    rows = [
        [name, in_words(r["edit"]), r["response"], [r["low"], r["high"]], r["gain"]]
        for name, listed in exploratory["figures"].items()
        for r in listed
    ]
    columns = "figure | lever | against filler +.2 | interval to.2 | over the untouched page +.2"
    pages = exploratory["sources"]
    note = f"Over {pages} pages. Structure is compared with filler that is a paragraph of its own, too."
    return make_table("Levers the paper leaves open (exploratory, not counted)", columns, rows, note)


def show_scorers(results: Sequence[Result]) -> Titled:
    """Compare several scorers."""
    rows = []
    for result in results:
        cells = []
        for gate in GATES:
            status, figure = (result["verdicts"]["all"][gate.name][key] for key in ("status", "statistic"))
            cells.append(status if figure is None else f"{status} {plain(figure)}")
        best = max((r["mean"] for r in result["gains"] if r["edit"] in LEVERS), default=None)
        faults = [*result["failures"], *(["not deterministic"] if result["not_deterministic"]["sources"] else [])]
        rows.append([result["scorer"], f"{result['passed']}/5", *cells, best, ", ".join(faults) or "none"])
    columns = ["scorer", "passed >", *(g.name for g in GATES), "lever +.2", "faults"]
    note = "Passed: over the whole 95% interval. "
    note += "`lever`: the largest mean gain of one lever at any dose over untouched pages of 300 words and more."
    return make_table("Scorers compared", columns, rows, note, is_main=True)


SCORERS = ("shipped", *peers.SCORERS)
TIMEOUT = 30.0  # seconds for one page


def present_peers(result: Result) -> Findings:
    scorers = result["scorers"]
    verdicts = [state_verdict(r) for r in scorers]
    lines = [*(f"{r['scorer']}: {r['about']}" for r in scorers), *verdicts]
    return Findings(lines, [show_scorers(scorers)], plot_scorers(scorers), main_lines=verdicts)


def _compute(request: Request) -> Result:
    pages, corpus = open_pages(request, request.arguments[0], language="en")
    request.parameters.update(as_of=str(request.as_of), view="flattened", arm="repeat", seed=0)
    results = []
    for name in SCORERS:
        scorer = open_scorer(name, request)
        judged = falsify(
            pages, scorer, corpus=corpus.name, digest=corpus.digest, jobs=request.jobs, quiet=request.quiet
        )
        about = peers.PEERS[name].about if name in peers.PEERS else "Steelyard's content score, shipped weights"
        results.append({**judged.record(), "about": about})
    return {"scorers": results}


def open_scorer(name: str, request: Request) -> Scorer:
    """Return a scorer that was opened once: a peer's environment is made before its pages are scored."""
    scorer = resolve(name, folder=Path.cwd(), as_of=request.as_of, timeout=TIMEOUT)
    with scorer.open():
        pass
    return scorer


STUDY = Study(
    "peers",
    "Other scorers through the same gates",
    _compute,
    present_peers,
    group="protocol",
    help="Put the shipped score and the peers through the five gates. Makes the peers' environments on first use.",
    sample=lambda result, _: f"{max(r['sources'] for r in result['scorers'])} pages; intervals resample pages",
    sections=lambda material: [Section(lambda: ([material.corpus("en")], {}))] if material.peers else [],
)
