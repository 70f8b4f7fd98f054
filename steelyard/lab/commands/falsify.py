"""`steelyard falsify`: the five gates on anybody's scorer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.lab.commands.falsify_files import export_texts, list_scorer_files, read_records
from steelyard.lab.commands.falsify_plan import FalsifyPlan, read_plan
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
from steelyard.support.artifacts import hash_file, write_text
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, refuse_repeated, remember_input
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import warn
from steelyard.terminal.process import CANNOT

if TYPE_CHECKING:
    from steelyard.lab.corpus import Corpus, CorpusPage
    from steelyard.lab.protocol.capture import CapturePlan
    from steelyard.lab.protocol.falsify import Falsified
    from steelyard.lab.scorers.base import Scorer
    from steelyard.lab.study.study import Request

HTML, JUNIT = "html", "junit"
BY_ENDING = {".html": HTML, ".xml": JUNIT, ".json": "json", ".md": "markdown"}
BASELINE = "length"  # the scorer that the HTML report compares with: the number of words


def _parse_range(value: str) -> tuple[float, float]:
    try:
        low, high = map(float, value.split(","))
    except ValueError as error:
        reason = "is not a range; give the lowest and the highest score, for example 0,1"
        raise click.BadParameter(f"{value!r} {reason}") from error
    return low, high


def _list_parts(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print what the gates, edits, controls and changes of form are called, and end."""
    if not wanted or context.resilient_parsing:
        return
    require_laboratory()
    from steelyard.lab.study.falsify_formats import list_parts

    for title, rows in list_parts():
        click.echo(f"{title}:")
        for name, meaning in rows:
            click.echo(f"  {name}: {meaning}")
    context.exit()


@click.command("falsify")
@click.argument("scorers", nargs=-1, metavar="[SCORER]...")
@click.option(
    "--corpus", default=None, metavar="PAGES", help="A corpus file, a folder, or a JSONL file. [default: demo]"
)
@click.option(
    "--range", "scale", type=_parse_range, metavar="LOW,HIGH", help="The scorer's own scale. [default: 0,100]"
)
@study_options([Option("--timeout", "For one page.", float, 10.0, minimum=0, metavar="SECONDS")])
@click.option("--isolate", is_flag=True, help="Run module:function in a child process that may crash or hang.")
@click.option(
    "--repeat",
    type=click.IntRange(2, 100),
    metavar="N",
    help="Score a sample of the pages N times; a scorer that differs from itself is judged with its noise.",
)
@click.option("--export", metavar="FILE", help="Write every text to be scored, as JSONL or CSV, and stop.")
@click.option(
    "--scores", multiple=True, metavar="FILE", help="Scores of exported texts (id, score), as JSONL or CSV. Repeatable."
)
@click.option("--plan", "plan_file", metavar="FILE", help="A TOML file with scorers, corpus, range, repeat and bounds.")
@click.option("--badge", metavar="FILE", help="Write an SVG: gates survived, pages, date.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_parts, help="List all parts.")
@format_option(*FORMATS, HTML, JUNIT)
@output_option
@click.option("--out", "folder", metavar="DIR", help="Write the artifact and the plots there. [default: print only]")
@study_options(PAGE_OPTIONS)
@run_options
def command(  # noqa: PLR0917 - click passes them by name
    scorers: tuple[str, ...], corpus: str | None, scale: tuple[float, float] | None, timeout: float, isolate: bool,
    repeat: int | None, export: str | None, scores: tuple[str, ...], plan_file: str | None, badge: str | None,
    form: str, output: str | None, folder: str | None, **options: Any,
) -> int:  # fmt: skip
    """Try to falsify a scorer: does it reward stuffing, punish more evidence, pay for repetition or length?

    \b
    SCORER is one of
      module:function         of the current folder or this Python; takes a text, returns a number
      'python3 score.py'      a command: text on standard input, a number on standard output
      https://host/score      an endpoint: JSON with `text` in, a number or {"score": number} out
      shipped, prior, equal   our own weightings, or FILE.toml
      length, compression, gopher-rules, textstat-flesch, geo-optimizer   peers
      datatrove, datatrove-gopher, data-juicer, …   filters that keep or drop a page
    Several of them are compared. A scorer that is closed, paid for or elsewhere: --export, then --scores.
    -o report.html writes one page with everything, -o report.xml JUnit.

    \b
    Exit codes: 0 all five gates pass, 1 falsified, undecided or undefined, 2 could not run.
    """
    require_laboratory()
    require_folder(folder)
    plan = read_plan(plan_file) if plan_file else FalsifyPlan()
    scorers, corpus, scale = scorers or plan.scorers, corpus or plan.corpus or "demo", scale or plan.scale
    repeat = repeat or plan.repeat
    form = _choose_form(form, output)
    if not (scorers or scores or export):
        raise click.UsageError("no scorer; name one, or --scores FILE, or --export FILE (steelyard falsify --help)")
    for path in (*scores, *([plan_file] if plan_file else [])):
        remember_input(path)
    inputs = [corpus, *scores, *chain.from_iterable(map(list_scorer_files, scorers))]
    refuse_repeated(filter(None, (output, export, badge)))
    for written in (output, export, badge):
        check_output(written, inputs)
    refuse_artifact(folder, "falsify", inputs)
    from steelyard.lab.protocol.capture import CapturePlan
    from steelyard.lab.protocol.falsify import list_passages
    from steelyard.lab.scorers.resolve import describe_absence
    from steelyard.lab.study.sources import open_pages

    request = make_request(PAGE_OPTIONS, options)
    chosen, recorded = _resolve_scorers(scorers, scale, timeout, isolate, request), read_records(scores, scale)
    pages, source = open_pages(request, corpus)
    captured = CapturePlan(request.options["view"], request.options["arm"], request.seed)
    if export:
        return export_texts(export, pages, captured, recorded)
    for record in recorded:
        if foreign := record.require(list_passages(pages, captured)):
            warn(f"steelyard: {make_visible(record.source)}: {format_count(foreign, 'score')} of other texts, not used")
    chosen = [*chosen, *recorded]
    limits = {"repeat": repeat or 1, "bounds": plan.bounds}
    judged = [_falsify(scorer, pages, source, captured, request, loud=len(chosen) > 1, **limits) for scorer in chosen]
    absences = [describe_absence(s, found.unanswered) for s, found in zip(chosen, judged, strict=True)]
    for absence in filter(None, absences):
        warn(f"steelyard: {make_visible(absence)}")
    if all(absences):
        return CANNOT
    results = [found.record() for found in judged]
    named = [*scorers, *scores]
    files = {os.path.basename(s): hash_file(s) for s in named if os.path.isfile(s) and not s.endswith(".py")}
    parameters = {
        "scorers": [s.name for s in chosen], **request.options, "as_of": str(request.as_of), "pages": len(pages),
        "range": list(scale) if scale else None, "timeout": timeout, "isolate": isolate, "repeat": repeat,
        "bounds": dict(plan.bounds or {}),
    }  # fmt: skip
    result = results[0] if len(results) == 1 else {"scorers": results}
    hashes = {source.name: source.digest} | files
    if badge:
        _write_badges(badge, results, str(request.as_of))
    about = (
        f"{format_count(len(pages), 'page')} of {source.name} ({captured.view}, {captured.arm}, seed {captured.seed}), "
        f"as of {request.as_of}; steelyard {__version__}"
    )
    text = _render(form, judged=judged, results=results, pages=pages, plan=captured, request=request, about=about)
    finish("falsify", result, _present(results), hashes, parameters, form=form, folder=folder, output=output, text=text)
    return int(not all(record["survives"] for record in results))


def _choose_form(form: str, output: str | None) -> str:
    """Return the form that was asked for, else that of the output's ending."""
    chosen = click.get_current_context().get_parameter_source("form")
    if output is None or chosen is not click.core.ParameterSource.DEFAULT:
        return form
    return BY_ENDING.get(os.path.splitext(output)[1].lower(), form)


def _falsify(
    scorer: Scorer,
    pages: Sequence[CorpusPage],
    source: Corpus,
    plan: CapturePlan,
    request: Request,
    *,
    loud: bool,
    **limits: Any,
) -> Falsified:
    """Judge one scorer; what cannot be used at all is reported before the pages."""
    from steelyard.lab.protocol.falsify import falsify

    if loud and not request.quiet:
        warn(f"{make_visible(scorer.name)} on {format_count(len(pages), 'page')}")
    with scorer.open():
        pass
    return falsify(
        pages,
        scorer,
        corpus=source.name,
        digest=source.digest,
        plan=plan,
        jobs=request.jobs,
        quiet=request.quiet,
        **limits,
    )


def _resolve_scorers(
    specs: Sequence[str], scale: tuple[float, float] | None, timeout: float, isolate: bool, request: Request
) -> list[Scorer]:
    from steelyard.lab.scorers.base import Range
    from steelyard.lab.scorers.resolve import resolve

    limits, language = Range(*scale) if scale else None, request.options["language"]
    return [
        resolve(
            spec, range=limits, timeout=timeout, isolate=isolate, folder=Path.cwd(), as_of=request.as_of,
            language=language,
        )
        for spec in specs
    ]  # fmt: skip


def _write_badges(path: str, results: Sequence[Mapping[str, Any]], day: str) -> None:
    from steelyard.lab.study.falsify_formats import render_badge

    if len(results) > 1:
        raise SteelyardError("--badge is for one scorer; run falsify once for each")
    write_text(path, render_badge(results[0], day))


def _render(
    form: str,
    *,
    judged: Sequence[Falsified],
    results: Sequence[Mapping[str, Any]],
    pages: Sequence[CorpusPage],
    plan: CapturePlan,
    request: Request,
    about: str,
) -> str | None:
    """Return the text of a form that only this command has; None for those of every study."""
    if form == JUNIT:
        from steelyard.lab.study.falsify_formats import render_junit

        return render_junit(results)
    if form != HTML:
        return None
    from steelyard.lab.protocol.falsify import falsify
    from steelyard.lab.protocol.worst_pages import find_worst_pages
    from steelyard.lab.study.falsify_formats import render_html

    compared = list(results)
    if BASELINE not in [result["scorer"] for result in results]:
        (words,) = _resolve_scorers([BASELINE], None, 60.0, False, request)
        compared.append(falsify(pages, words, corpus="", digest="", plan=plan, jobs=request.jobs).record())
    return render_html(results, compared, [find_worst_pages(found.capture, pages, plan) for found in judged], about)


def _present(results: list[dict[str, Any]]) -> Findings:
    """Present one scorer in full, or compare several."""
    from steelyard.lab.study.falsify_plots import plot_scorers
    from steelyard.lab.study.studies import falsify as presentation

    if len(results) == 1:
        return presentation.findings(results[0])
    plots = {}
    for number, result in enumerate(results, start=1):
        for plot in presentation.findings(result).plots.values():
            stem = f"dose-curves-{_stem(result['scorer'])}"
            plots[f"{stem}-{number}" if stem in plots else stem] = plot
    lines = [presentation.state_verdict(r) for r in results]
    return Findings(lines, [presentation.show_scorers(results)], plots | plot_scorers(results))


def _stem(name: str) -> str:
    """Return a scorer's name as part of a file's."""
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in os.path.basename(name))
    return safe.strip("-.")[:60] or "scorer"
