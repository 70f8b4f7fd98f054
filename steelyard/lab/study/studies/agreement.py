"""`lab agreement`: how well scorers agree with people's labels.

The command is listed where the laboratory is not installed, so what computes is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.components import NAMES
from steelyard.lab.agreement import AUC, CHANCE, EDITION_PAIRS, FIGURES, NEWER, OWN, WORDS
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, plain, signed
from steelyard.lab.study.study import DRAWS, Argument, Option, Request, Result, Section, Study
from steelyard.scoring import editions
from steelyard.support.formatting import format_count

if TYPE_CHECKING:
    from steelyard.lab.study.material import Material

VARIABLE = "STEELYARD_DATA"
DECIMALS = 3
_MEASURES = (
    "AUC: the chance that a document of the higher label has the higher value, ties half; 0.5 is chance. Spearman: "
    "rank correlation with the label; 0 is chance. 95% intervals resample documents, of differences the same ones."
)


def findings(result: Result) -> Findings:
    tables = [
        _show_own(result),
        _show_scorers("All scorers beside the word count", result, parts=False),
        _show_editions(result),
        *(_show_components(of) for of in result["sets"]),
        _show_scorers("Parts of the sets", result, parts=True),
        make_table("What the scorers are", "scorer | what it is", [[s["name"], s["about"]] for s in result["scorers"]]),
    ]
    return Findings(_list_lines(result), [table for table in tables if table.table.rows], main_lines=[])


def _list_lines(result: Result) -> list[str]:
    lines = []
    for of in result["sets"]:
        target = of["targets"][0]
        shown = [f"{name} {_describe(target['scorers'][name], target['measure'])}" for name in (WORDS, *OWN)]
        newer = target["differences"][_name_pair(*EDITION_PAIRS["score"])]
        named = f"{of['name']} ({format_count(of['documents'], 'document')}, {target['measure']})"
        lines.append(f"{named}: {', '.join(shown)}; {NEWER} less paper score {_describe(newer, '')}")
        for edition in editions.NAMES:
            estimates = {name: of["components"][edition][name] for name in _find_wrong(of, edition)}
            if wrong := [f"{in_words(name)} {_describe(e, target['measure'])}" for name, e in estimates.items()]:
                lines.append(f"{of['name']}: components of {edition} that point the wrong way: {', '.join(wrong)}")
    lines += [f"not measured: {a['set']}, because {a['file']} is missing" for a in result["absent"]]
    lines += [f"left out: {entry['scorer']}: {entry['reason']}" for entry in result["left_out"]]
    for entry in result["not_scored"]:
        number = format_count(entry["documents"], "document")
        lines.append(f"{entry['scorer']} gave no value to {number} of {entry['set']}, for example {entry['example']}")
    return lines


def _describe(estimate: Result, measure: str) -> str:
    """Return `0.782 (0.725 to 0.842)`; an AUC has no sign."""
    if estimate["value"] is None:
        return f"undefined ({estimate['reason']})"
    value = (plain if measure == AUC else signed)(estimate["value"], DECIMALS)
    interval = estimate["interval"]
    return f"{value} ({format_interval(interval, DECIMALS) if interval else estimate['reason']})"


def _find_wrong(of: Result, edition: str) -> list[str]:
    """Return the components of an edition that are below chance with their whole interval, as it is printed."""
    chance, estimates = CHANCE[of["targets"][0]["measure"]], of["components"][edition]
    intervals = {name: estimates[name]["interval"] for name in NAMES}
    return [name for name, interval in intervals.items() if interval and round(interval[1], DECIMALS) < chance]


def _show_own(result: Result) -> Titled:
    """Show the word count and our editions on the sets that people labelled, in a table that is short enough."""
    sets = [of for of in result["sets"] if of["by_people"]][:3]
    columns = ["scorer"]
    for of in sets:
        measure = of["targets"][0]["measure"]
        columns += [f"{of['name']}, {measure} {'' if measure == AUC else '+'}.3", "interval to.3"]
    estimates = [[of["targets"][0]["scorers"][name] for of in sets] for name in (WORDS, *OWN)]
    rows = [
        [name, *(cell for estimate in each for cell in (estimate["value"], estimate["interval"]))]
        for name, each in zip((WORDS, *OWN), estimates, strict=True)
    ]
    titled = make_table("Agreement with people", columns, rows if sets else [], is_main=True)
    return replace(titled, sample=_describe_sample({"sets": sets}))


def _show_scorers(title: str, result: Result, *, parts: bool) -> Titled:
    """Show every scorer, on all documents of each set or on its parts."""
    rows, undefined = [], []
    for of, target in _list_targets(result, parts=parts):
        name = f"{of['name']}, {target['name'] if parts else target['measure']}"
        for scorer in result["scorers"]:
            estimate = target["scorers"][scorer["name"]]
            difference = target["differences"].get(_name_pair(scorer["name"], WORDS), {})
            rows.append(
                [name, scorer["name"], estimate["n"]]
                + [cell for each in (estimate, difference) for cell in (each.get("value"), each.get("interval"))]
            )
        undefined += [f"{name}, {who}: {reason}" for who, reason in _find_undefined(target)]
    columns = "labels | scorer | n > | figure .3 | interval to.3 | less words +.3 | interval to.3"
    note = _MEASURES + (f" Undefined: {'; '.join(undefined)}." if undefined else "")
    return make_table(title, columns, rows, note)


def _find_undefined(target: Result) -> Iterator[tuple[str, str]]:
    """Yield what has no figure or no interval and why; a reason that all scorers share is that of all."""
    reasons = {name: estimate["reason"] for name, estimate in target["scorers"].items()}
    if len(set(reasons.values())) == 1 and (shared := reasons[WORDS]):
        yield "all scorers", shared
    else:
        yield from ((name, reason) for name, reason in sorted(reasons.items()) if reason)


def _list_targets(result: Result, *, parts: bool) -> Iterator[tuple[Result, Result]]:
    """Yield each set with its first target, or with those of its parts; single criteria are in the artifact alone."""
    for of in result["sets"]:
        for target in of["targets"][1:] if parts else of["targets"][:1]:
            if not target["is_detail"]:
                yield of, target


def _show_editions(result: Result) -> Titled:
    rows = []
    for of in result["sets"]:
        for target in (t for t in of["targets"] if not t["is_detail"]):
            row = [of["name"], target["name"], target["measure"]]
            for number, pair in enumerate(EDITION_PAIRS.values()):
                difference = target["differences"][_name_pair(*pair)]
                row += [*([] if number else [difference["n"]]), difference["value"], difference["interval"]]
            rows.append(row)
    columns = ["labels", "part", "measure", "n >", *(h for f in FIGURES for h in (f"{f} +.3", "interval to.3"))]
    title = f"Edition {NEWER} less {editions.PAPER}"
    return make_table(title, columns, rows, f"Above 0: {NEWER} agrees better.")


def _show_components(of: Result) -> Titled:
    target, wrong = of["targets"][0], {edition: _find_wrong(of, edition) for edition in editions.NAMES}
    rows = []
    for name in NAMES:
        row: list[Any] = [in_words(name)]
        for edition in editions.NAMES:
            estimate = of["components"][edition][name]
            row += [estimate["value"], estimate["interval"], "wrong way" if name in wrong[edition] else ""]
        rows.append(row)
    columns = [
        "component",
        *(head for edition in editions.NAMES for head in (f"{edition} .3", "interval to.3", "sign")),
    ]
    note = f"{target['measure']} over {of['documents']} documents. Wrong way: the whole interval is below chance."
    return make_table(f"Components and {of['name']}", columns, rows, note)


def _name_pair(first: str, second: str) -> str:
    return f"{first} - {second}"


def _compute(request: Request) -> Result:
    from steelyard.lab.study.studies.agreement_result import compute

    return compute(request)


def _describe_sample(result: Result, _: object = None) -> str:
    counted = ", ".join(f"{of['documents']} {of['name']}" for of in result["sets"])
    return f"{counted}; intervals resample documents"


def _sections(material: Material) -> Sequence[Section]:
    """Return the section of a corpus folder, which may have labels; demo pages and a file of pages have none."""
    if material.folder is None:
        return []
    options = {"data": str(material.folder), "peers": material.peers}
    return [Section(lambda: ((), options))]


STUDY = Study(
    "agreement",
    "Agreement with people's labels",
    _compute,
    findings,
    group="lab",
    help=f"""Measure how well scorers agree with people's labels: AUC or Spearman, with intervals over documents.

    SCORER is one of those that `falsify` takes: module:function, a command, an address, a weighting, a peer. The word
    count, both editions and the simplest filters are always in the table.

    The labels are a file of your own (--labels), those of a folder of measuring data (--data, or {VARIABLE}), or both.
    """,
    argument=Argument("SCORER", several=True, required=False),
    options=(
        Option(
            "--labels",
            "JSONL with text and label: numbers, or true and false; id and group if you like.",
            metavar="FILE",
        ),
        Option("--data", f"Folder with human/ and marks/. [default: {VARIABLE}]", metavar="DIR"),
        Option("--peers", "With the peers that need environments, which are made on first use.", bool, default=False),
        Option("--language", "Language of the documents in --labels.", editions.load(NEWER).languages, "en"),
        Option("--timeout", "For one document.", float, 10.0, minimum=0, metavar="SECONDS"),
        Option("--seed", "Seed of the resampling.", int, 0),
        DRAWS,
    ),
    sample=_describe_sample,
    sections=_sections,
)
