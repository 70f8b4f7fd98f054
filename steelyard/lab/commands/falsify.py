"""`steelyard falsify`: the five gates on anybody's scorer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from steelyard.lab.commands.studies import (
    FORMATS,
    finish,
    make_request,
    refuse_artifact,
    require_folder,
    require_laboratory,
    run_options,
    study_options,
)
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.study import PAGE_OPTIONS, Option
from steelyard.support.artifacts import hash_file
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.options import format_option
from steelyard.terminal.output import warn
from steelyard.terminal.process import CANNOT


def _parse_range(value: str) -> tuple[float, float]:
    try:
        low, high = map(float, value.split(","))
    except ValueError as error:
        reason = "is not a range; give the lowest and the highest score, for example 0,1"
        raise click.BadParameter(f"{value!r} {reason}") from error
    return low, high


@click.command("falsify")
@click.argument("scorers", nargs=-1, required=True, metavar="SCORER...")
@click.option(
    "--corpus", default="demo", show_default=True, metavar="PAGES", help="A corpus file, a folder, or a JSONL file."
)
@click.option(
    "--range", "scale", type=_parse_range, metavar="LOW,HIGH", help="The scorer's own scale. [default: 0,100]"
)
@study_options([Option("--timeout", "For one page.", float, 10.0, minimum=0, metavar="SECONDS")])
@click.option("--isolate", is_flag=True, help="Run module:function in a child process that may crash or hang.")
@format_option(*FORMATS)
@click.option("--out", "folder", metavar="DIR", help="Write the artifact and the plots there. [default: print only]")
@study_options(PAGE_OPTIONS)
@run_options
def command(  # noqa: PLR0917 - click passes them by name
    scorers: tuple[str, ...], corpus: str, scale: tuple[float, float] | None, timeout: float, isolate: bool, form: str,
    folder: str | None, **options: Any,
) -> int:  # fmt: skip
    """Try to falsify a scorer: does it reward stuffing, punish more evidence, pay for repetition or length?

    \b
    SCORER is one of
      module:function         of the current folder or this Python; takes a text, returns a number
      'python3 score.py'      a command: text on standard input, a number on standard output
      https://host/score      an endpoint: JSON with `text` in, a number or {"score": number} out
      shipped, prior, equal   our own weightings, or FILE.toml
      length, compression, gopher-rules, textstat-flesch, geo-optimizer   peers
    Several of them are compared.

    \b
    Exit codes: 0 all five gates pass, 1 falsified, undecided or undefined, 2 could not run.
    """
    require_laboratory()
    require_folder(folder)
    refuse_artifact(folder, "falsify", [corpus, *scorers])
    from steelyard.lab.protocol.capture import CapturePlan
    from steelyard.lab.protocol.falsify import falsify
    from steelyard.lab.scorers.base import Range
    from steelyard.lab.scorers.resolve import describe_absence, resolve
    from steelyard.lab.study.sources import open_pages

    request = make_request(PAGE_OPTIONS, options)
    limits = Range(*scale) if scale else None
    chosen = [
        resolve(
            spec,
            range=limits,
            timeout=timeout,
            isolate=isolate,
            folder=Path.cwd(),
            as_of=request.as_of,
            language=request.options["language"],
        )
        for spec in scorers
    ]
    pages, source = open_pages(request, corpus)
    plan = CapturePlan(request.options["view"], request.options["arm"], request.seed)
    results, missing = [], []
    for scorer in chosen:
        if len(chosen) > 1 and not request.quiet:
            warn(f"{make_visible(scorer.name)} on {format_count(len(pages), 'page')}")
        with scorer.open():  # a peer's environment is made, and a mistake in a module reported, before the pages
            pass
        judged = falsify(
            pages, scorer, corpus=source.name, digest=source.digest, plan=plan, jobs=request.jobs, quiet=request.quiet
        )
        results.append(judged.record())
        if (absence := describe_absence(scorer, judged.crashed_throughout)) is not None:
            missing.append(absence)
    for absence in missing:
        warn(f"steelyard: {make_visible(str(absence))}")
    if len(missing) == len(chosen):
        return CANNOT
    files = {os.path.basename(s): hash_file(s) for s in scorers if s.endswith((".toml", ".json")) and os.path.isfile(s)}
    parameters = {
        "scorers": [s.name for s in chosen], **request.options, "as_of": str(request.as_of), "pages": len(pages),
        "range": list(scale) if scale else None, "timeout": timeout, "isolate": isolate,
    }  # fmt: skip
    result = results[0] if len(results) == 1 else {"scorers": results}
    inputs = {source.name: source.digest} | files
    finish("falsify", result, _present(results), inputs, parameters, form=form, folder=folder)
    return int(not all(record["survives"] for record in results))


def _present(results: list[dict[str, Any]]) -> Findings:
    """Present one scorer in full, or compare several."""
    from steelyard.lab.study.studies import falsify as presentation

    if len(results) == 1:
        return presentation.findings(results[0])
    plots = {}
    for number, result in enumerate(results, start=1):
        for plot in presentation.findings(result).plots.values():
            stem = f"dose-curves-{_stem(result['scorer'])}"
            plots[f"{stem}-{number}" if stem in plots else stem] = plot
    lines = [presentation.state_verdict(r) for r in results]
    return Findings(lines, [presentation.show_scorers(results)], plots)


def _stem(name: str) -> str:
    """Return a scorer's name as part of a file's."""
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in os.path.basename(name))
    return safe.strip("-.")[:60] or "scorer"
