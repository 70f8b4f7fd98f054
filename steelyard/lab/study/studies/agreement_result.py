"""What `lab agreement` computes: the sets, the scorers, and how well each of these agrees with the labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.agreement import EDITION_PAIRS, FIGURES, OWN, WORDS, name_figure
from steelyard.lab.agreement.columns import fill_columns, require_values
from steelyard.lab.agreement.labels import CRITERION, KNOWN, LabelSet, read_labels
from steelyard.lab.agreement.measures import compare
from steelyard.lab.outcome.records.rows import make_distinct
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import AnyNumber, Scorer
from steelyard.lab.scorers.resolve import resolve
from steelyard.lab.study.studies.agreement import VARIABLE
from steelyard.lab.study.studies.falsify import open_scorer
from steelyard.lab.study.study import Request, Result
from steelyard.scoring import editions
from steelyard.support.artifacts import hash_file
from steelyard.support.escape import make_visible


def compute(request: Request) -> Result:
    """Score the documents of every set with every scorer, and compare the values with the labels."""
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
    scorers = [
        resolve(
            spec, range=AnyNumber(), timeout=request.options["timeout"], folder=Path.cwd(), as_of=request.as_of,
            language=request.options["language"],
        )
        for spec in dict.fromkeys(request.arguments)
    ]  # fmt: skip
    taken = (WORDS, *OWN)  # a program may be called `words`
    names = make_distinct([*taken, *(make_visible(scorer.name) for scorer in scorers)])[len(taken) :]
    return dict(zip(names, scorers, strict=True))


def _resolve_peers(request: Request) -> tuple[dict[str, Scorer], list[dict[str, str]]]:
    """Return the peers that run here, and where they are asked for those with environments, or why not."""
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
    own = [(name_figure(e, f), f"the {f} of our edition {e}") for e in editions.NAMES for f in FIGURES]
    rest = [(name, peers.PEERS[name].about if name in peers.PEERS else "as given") for name in others]
    named = [(WORDS, "the number of words between white space"), *own, *rest]
    return [{"name": name, "about": about} for name, about in named]


def _measure_set(
    of: LabelSet, scorers: Mapping[str, Any], components: Mapping[str, Mapping[str, Any]], request: Request
) -> dict[str, Any]:
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
