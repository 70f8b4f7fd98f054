"""`lab agreement`: how well scorers agree with people's labels.

The command is listed where the laboratory is not installed, so what computes is imported when it is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table, plain, signed
from steelyard.lab.study.study import DRAWS, Argument, Option, Request, Result, Section, Study
from steelyard.scoring import editions
from steelyard.support.artifacts import hash_file
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count

if TYPE_CHECKING:
    from steelyard.lab.agreement.labels import LabelSet
    from steelyard.lab.scorers.base import Scorer
    from steelyard.lab.study.material import Material

VARIABLE = "STEELYARD_DATA"
WORDS, FIGURES = "words", ("score", "content")
OWN = tuple(f"{edition} {figure}" for edition in editions.NAMES for figure in FIGURES)
NEWER = "2026"
EDITION_PAIRS = {figure: (f"{NEWER} {figure}", f"{editions.PAPER} {figure}") for figure in FIGURES}
DECIMALS = 3
_CHANCE = {"AUC": 0.5, "Spearman": 0.0}
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
        for edition, wrong in _find_wrong(of).items():
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
    value = plain(estimate["value"], 3) if measure == "AUC" else signed(estimate["value"], 3)
    return f"{value} ({format_interval(estimate['interval'], 3) if estimate['interval'] else estimate['reason']})"


def _find_wrong(of: Result) -> dict[str, list[str]]:
    """Return the components that are below chance with their whole interval, by edition."""
    chance, found = _CHANCE[of["targets"][0]["measure"]], {}
    for edition in editions.NAMES:
        wrong = [
            f"{in_words(name)} {_describe(estimate, of['targets'][0]['measure'])}"
            for name in NAMES
            if (estimate := of["components"][edition][name])["interval"]
            and round(estimate["interval"][1], DECIMALS) < chance  # as it is printed
        ]
        if wrong:
            found[edition] = wrong
    return found


def _show_own(result: Result) -> Titled:
    """Show the word count and our editions on the sets that people labelled, in a table that is short enough."""
    sets = [of for of in result["sets"] if of["by_people"]][:3]
    columns = ["scorer"]
    for of in sets:
        measure = of["targets"][0]["measure"]
        columns += [f"{of['name']}, {measure} {'' if measure == 'AUC' else '+'}.3", "interval to.3"]
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
    target, wrong = of["targets"][0], _find_wrong(of)
    rows = []
    for name in NAMES:
        row: list[Any] = [in_words(name)]
        for edition in editions.NAMES:
            estimate = of["components"][edition][name]
            is_wrong = any(each.startswith(f"{in_words(name)} ") for each in wrong.get(edition, ()))
            row += [estimate["value"], estimate["interval"], "wrong way" if is_wrong else ""]
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
    from steelyard.lab.agreement.columns import fill_columns, require_values

    sets, absent = _open_sets(request)
    asked = _resolve_scorers(request)
    more, left_out = _resolve_peers(request)
    others = {**more, **asked}
    request.parameters.update(
        as_of=str(request.as_of), seed=request.seed, draws=request.options["draws"], scorers=list(others)
    )
    columns = fill_columns(sets, others, request.as_of, quiet=request.quiet)
    for name in asked:
        require_values(columns, name)
    return {
        "scorers": _list_scorers(others),
        "sets": [_measure_set(of, columns.scorers[of.name], columns.components[of.name], request) for of in sets],
        "absent": absent,
        "left_out": left_out,
        "not_scored": [
            {"scorer": name, "set": of, "documents": failure.documents, "example": failure.example}
            for name, failures in columns.failed.items()
            for of, failure in failures.items()
        ],
    }


def _open_sets(request: Request) -> tuple[list[LabelSet], list[dict[str, str]]]:
    """Return the sets of the data folder and the user's own, and which of the folder's are missing."""
    from steelyard.lab.agreement.labels import KNOWN, read_labels

    labels, data = request.options["labels"], request.options["data"] or os.environ.get(VARIABLE)
    sets: list[LabelSet] = []
    absent = []
    if data and not Path(data).is_dir():
        raise SteelyardError(f"{data}: no such folder; --data (or {VARIABLE}) names one with human/ and marks/")
    for known in KNOWN if data else ():
        files = [Path(data or "") / name for name in known.files]
        if missing := [name for name, path in zip(known.files, files, strict=True) if not path.is_file()]:
            absent.append({"set": known.name, "file": missing[0]})
            continue
        sets.append(known.read(files))
        request.inputs.update({name: hash_file(path) for name, path in zip(known.files, files, strict=True)})
    if labels:
        own = read_labels(labels, request.options["language"])
        sets.append(own)
        request.inputs[own.name] = hash_file(Path(labels))
    if absent and not sets:
        raise SteelyardError(f"undefined: {data} has none of {', '.join(a['file'] for a in absent)}")
    if not sets:
        raise SteelyardError(f"no labels; name a file with --labels, or a folder with --data (or {VARIABLE})")
    return sets, absent


def _resolve_scorers(request: Request) -> dict[str, Scorer]:
    """Return the scorers that the user named; their scale does not matter, since only the order counts."""
    from steelyard.lab.outcome.records.rows import make_distinct
    from steelyard.lab.scorers.base import AnyNumber
    from steelyard.lab.scorers.resolve import resolve

    scorers = [
        resolve(
            spec, range=AnyNumber(), timeout=request.options["timeout"], folder=Path.cwd(), as_of=request.as_of,
            language=request.options["language"],
        )
        for spec in dict.fromkeys(request.arguments)
    ]  # fmt: skip
    return dict(zip(make_distinct(make_visible(scorer.name) for scorer in scorers), scorers, strict=True))


def _resolve_peers(request: Request) -> tuple[dict[str, Scorer], list[dict[str, str]]]:
    """Return the peers that run here, and where they are asked for those with environments, or why not."""
    from steelyard.lab.scorers import peers
    from steelyard.lab.study.studies.falsify import open_scorer

    found: dict[str, Scorer] = {}
    left_out = []
    for name, peer in peers.PEERS.items():
        if name == "length" or name in request.arguments or not (peer.measure or request.options["peers"]):
            continue  # the word count is there without a limit
        try:
            found[name] = open_scorer(name, request)
        except SteelyardError as error:
            left_out.append({"scorer": name, "reason": str(error)})
    return found, left_out


def _list_scorers(others: Mapping[str, Scorer]) -> list[dict[str, str]]:
    from steelyard.lab.scorers import peers

    own = [(f"{e} {f}", f"the {f} of our edition {e}") for e in editions.NAMES for f in FIGURES]
    rest = [(name, peers.PEERS[name].about if name in peers.PEERS else "as given") for name in others]
    named = [(WORDS, "the number of words between white space"), *own, *rest]
    return [{"name": name, "about": about} for name, about in named]


def _measure_set(
    of: LabelSet, scorers: Mapping[str, Any], components: Mapping[str, Mapping[str, Any]], request: Request
) -> dict[str, Any]:
    from steelyard.lab.agreement.labels import CRITERION
    from steelyard.lab.agreement.measures import compare

    pairs = [*EDITION_PAIRS.values(), *((name, WORDS) for name in scorers if name != WORDS)]
    draws = request.options["draws"]
    targets = []
    for target in of.targets:
        seed = f"{request.seed}|{of.name}|{target.name}"
        compared = compare(target.labels, scorers, target.measure, pairs=pairs, draws=draws, seed=seed)
        number = sum(label is not None for label in target.labels)
        named = {"name": target.name, "measure": target.measure, "is_detail": target.name.startswith(CRITERION)}
        targets.append({**named, "documents": number, **compared})
    first, seed = of.targets[0], f"{request.seed}|{of.name}|components"
    return {
        "name": of.name,
        "about": of.about,
        "by_people": of.by_people,
        "documents": len(of.passages),
        "targets": targets,
        "components": {
            edition: compare(first.labels, values, first.measure, pairs=(), draws=draws, seed=seed)["scorers"]
            for edition, values in components.items()
        },
    }


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
