"""`lab outcome blind`: how far one order of the same sources can get over several questions about them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.blind import CROSSED, LIMIT, NOISE, NOISE_LIMIT, REPEAT, average_rotations, measure_blind
from steelyard.lab.outcome.calls import SOFT, WRITTEN, read_calls
from steelyard.lab.study.findings import Findings, format_interval, make_table, plain
from steelyard.lab.study.material import Material
from steelyard.lab.study.study import DRAWS, SEED, Argument, Request, Result, Section, Study
from steelyard.support.artifacts import hash_file

_FIGURES = {
    CROSSED: "the sources' mean over the set's other questions",
    REPEAT: "another answer to the same question",
    NOISE: "the same question under the other prompt",
    "shipped": "the content score, shipped",
    "prior": "the content score, prior weights",
    "equal": "the content score, equal weights",
}


def findings(result: Result) -> Findings:
    """Present what a query-blind order reaches, beside the noise and the content score."""
    rows = []
    for kind in (SOFT, WRITTEN):
        of_kind = result[kind]
        for name in of_kind["order"]:
            e = of_kind["figures"][name]
            row: list[object] = [kind, _FIGURES[name], e["pairs"]["sets"]]
            for figure in ("spearman", "pairs"):
                row += [e[figure]["value"], e[figure]["interval"]]
            rows.append(row)
    columns = "shares | ordered by | sets > | Spearman +.2 | interval to.2 | pairs right .2 | interval to.2"
    note = (
        "Shares averaged over all rotations. Mean over sets of the mean over their questions; 95% intervals resample "
        "the queries that the sets come from. Another answer: of words that were drawn, beside that of the likeliest "
        "words. Chance is 0 and 0.50."
    )
    lines = list(_list_lines(result))
    return Findings(lines, [make_table("How far one order gets", columns, rows, note)], main_lines=lines[:1])


def _list_lines(result: Result) -> Iterator[str]:
    for kind in (SOFT, WRITTEN):
        of_kind = result[kind]
        knowing = f"; one that knows the question, {_limit(of_kind[NOISE_LIMIT])}" if NOISE_LIMIT in of_kind else ""
        yield (
            f"{kind} shares, {of_kind['sets']} sets, {of_kind['questions']:,} questions: no query-blind order "
            f"correlates with the shares by more than {_limit(of_kind[LIMIT])}{knowing}"
        )


def _limit(limit: Result) -> str:
    if "undefined" in limit:
        return f"undefined: {limit['undefined']}"
    return plain(limit["value"], 2) + (f" ({format_interval(limit['interval'])})" if limit["interval"] else "")


def _compute(request: Request) -> Result:
    draws = request.options["draws"]
    request.parameters.update(draws=draws, seed=request.seed)
    (head, asked), *more = map(read_calls, request.arguments)
    others = {REPEAT if other["prompt"] == head["prompt"] else NOISE: calls for other, calls in more}
    if not 0 < len(more) == len(others):
        raise SteelyardError(
            "give two or three files of calls: the answers to some questions; other answers under the same prompt; "
            "those under another prompt"
        )
    request.inputs.update({os.path.basename(path): hash_file(path) for path in request.arguments})
    measured = {
        kind: measure_blind(
            average_rotations(asked, kind),
            {other: average_rotations(calls, kind) for other, calls in others.items()},
            head["scores"],
            draws=draws,
            seed=request.seed,
        )
        for kind in (SOFT, WRITTEN)
    }
    return {"engine": head["engine"], **measured}


def _sections(material: Material) -> Iterator[Section]:
    paths = [str(path) for path in material.calls if "scores" in read_calls(path)[0]]
    if paths:
        yield Section(lambda: (paths, {}))


STUDY = Study(
    "blind",
    "The ceiling by design",
    _compute,
    findings,
    group="outcome",
    help="""Ask several questions about the same sources: how far does one order of the sources get?

    CALLS are files of answers' shares, of the same questions once more and under another prompt, which the project
    makes from journals of its own runs.
    """,
    argument=Argument("CALLS", several=True),
    options=(DRAWS, SEED),
    sample=lambda result, _: (
        f"{result[SOFT]['sets']} sets of sources, from {result[SOFT]['queries']} queries; intervals resample these"
    ),
    sections=_sections,
)
