"""`steelyard falsify`: the five gates on anybody's scorer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from steelyard.cli.main import CANNOT
from steelyard.cli.options import Known
from steelyard.cli.output import emit, warn
from steelyard.cli.studies import FORMATS, capture_options, finish, how, human, loaded, markdown, pages_of, ready
from steelyard.lab.study.findings import Findings
from steelyard.support.artifacts import sha256_of
from steelyard.support.escape import visible
from steelyard.support.wording import counted


class Scale(click.ParamType[tuple[float, float]]):
    """Two numbers with a comma between them."""

    name = "range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            low, high = (float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a range; give the lowest and the highest score, for example 0,1", param, ctx)
        return low, high


@click.command("falsify")
@click.argument("scorers", nargs=-1, required=True, metavar="SCORER...")
@click.option(
    "--corpus", default="demo", show_default=True, metavar="PAGES", help="A corpus file, a folder, or a JSONL file."
)
@click.option("--range", "scale", type=Scale(), metavar="LOW,HIGH", help="The scorer's own scale. [default: 0,100]")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For one page.",
)
@click.option("--isolate", is_flag=True, help="Run module:function in a child process that may crash or hang.")
@click.option(
    "--format", "form", type=Known("format", FORMATS), default="human", show_default=True, help="How to print."
)
@click.option("--out", "folder", metavar="DIR", help="Write the artifact and the plots there. [default: print only]")
@capture_options
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
    Exit codes: 0 all five gates pass, 1 falsified or undefined, 2 could not run.
    """
    settings = how(options)
    ready(folder)
    from steelyard.lab.protocol.capture import Plan
    from steelyard.lab.protocol.falsify import falsify
    from steelyard.lab.scorers.base import Range
    from steelyard.lab.scorers.resolve import absent, resolve
    from steelyard.lab.study import falsify as report

    chosen = [
        resolve(
            spec,
            range=Range(*scale) if scale else None,
            timeout=timeout,
            isolate=isolate,
            folder=Path.cwd(),
            as_of=settings.as_of,
        )
        for spec in scorers
    ]
    pages_from = loaded(corpus, quiet=settings.quiet)
    pages = pages_of(pages_from, settings.language)
    results, missing = [], []
    for scorer in chosen:
        if len(chosen) > 1 and not settings.quiet:
            warn(f"{scorer.name} on {counted(len(pages), 'page')}")
        with scorer.open():  # a peer's environment is made, and a mistake in a module told, before the pages
            pass
        plan = Plan(settings.view, settings.arm, settings.seed)
        found = falsify(
            pages,
            scorer,
            corpus=pages_from.name,
            digest=pages_from.digest,
            plan=plan,
            jobs=settings.jobs,
            quiet=settings.quiet,
        )
        results.append(found.record())
        if (never := absent(scorer, found.crashed_throughout)) is not None:
            missing.append(never)
    for never in missing:
        warn(f"steelyard: {visible(str(never))}")
    if len(missing) == len(chosen):
        return CANNOT
    files = {os.path.basename(s): sha256_of(s) for s in scorers if s.endswith((".toml", ".json")) and os.path.isfile(s)}
    origin = {
        "inputs": {pages_from.name: pages_from.digest} | files,
        "parameters": {
            "scorers": [s.name for s in chosen], "language": settings.language, "view": settings.view,
            "arm": settings.arm, "seed": settings.seed, "as_of": str(settings.as_of), "pages": len(pages),
            "range": list(scale) if scale else None, "timeout": timeout, "isolate": isolate,
        },
    }  # fmt: skip
    return _finish(results, origin, form, folder, report)


def _finish(results: list[dict[str, Any]], origin: dict[str, Any], form: str, folder: str | None, report: Any) -> int:
    if len(results) == 1:
        findings = report.findings(results[0])
    else:
        table = report.comparison(results)
        lines = [report.verdict(r) for r in results]
        found = not all(r["survives"] for r in results)
        plots = {}
        for number, result in enumerate(results, start=1):
            for plot in report.findings(result).plots.values():
                stem = f"dose-curves-{_stem(result['scorer'])}"
                plots[f"{stem}-{number}" if stem in plots else stem] = plot
        findings = Findings("falsify", {"scorers": results}, [table], plots, lines, found)
    if folder is not None or form == "json":
        return finish(findings, origin, {"form": form, "folder": folder, "no_plots": False})
    emit(markdown(findings) if form == "markdown" else human(findings), None)
    return 1 if findings.found else 0


def _stem(name: str) -> str:
    """A scorer's name as part of a file's."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in os.path.basename(name))
    return kept.strip("-.")[:60] or "scorer"
