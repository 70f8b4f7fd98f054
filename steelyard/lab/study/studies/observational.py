"""`protocol observational`: what fitting eleven weights to a few dozen outcomes finds."""

from __future__ import annotations

from steelyard.lab.protocol import observational as study
from steelyard.lab.protocol.component_values import read_component_values
from steelyard.lab.study.findings import Findings, format_interval, make_table, plain
from steelyard.lab.study.material import use_capture
from steelyard.lab.study.sources import open_capture, require
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Study
from steelyard.support.artifacts import hash_file

_NOTE = "A dash: the component never varies on these pages."


def findings(result: Result) -> Findings:
    shuffled = result["shuffled"]
    rows = [
        ["these outcomes", result["in_sample_spearman"], result["leave_one_out_spearman"]],
        [f"shuffled outcomes, mean of {shuffled['n']}", shuffled["in_sample_mean"], shuffled["leave_one_out_mean"]],
        ["shuffled outcomes, 95th percentile", shuffled["in_sample_p95"], shuffled["leave_one_out_p95"]],
    ]
    single = sorted(result["components"].items(), key=lambda kv: (-abs(kv[1] or 0), kv[0]))
    columns = "fitted on | in sample +.2 | leave one out +.2"
    tables = [
        make_table("Spearman of the fitted weighting with the outcome", columns, rows),
        make_table("Every component alone", "component | Spearman +.2", single, _NOTE),
    ]
    kind = "counts drawn at random" if result["simulated"] else "outcomes"
    lines = [
        f"{result['weights']} weights fitted to {result['n']} {kind}: Spearman "
        f"{plain(result['in_sample_spearman'])} in sample, {plain(result['leave_one_out_spearman'])} when each page is "
        "predicted from the others",
        f"Pearson {plain(result['in_sample_pearson'])} in sample, Fisher 95% interval "
        f"{format_interval(result['fisher_interval'])}",
        f"outcomes shuffled among the pages: {plain(shuffled['in_sample_mean'])} in sample on average, "
        f"{plain(shuffled['leave_one_out_mean'])} leaving one out",
        _conclude(result),
    ]
    return Findings(lines, tables)


def _conclude(result: Result) -> str:
    """Return what follows: from how counts were drawn, or from the comparison with shuffled outcomes."""
    if result["simulated"]:
        return "the counts were drawn whatever the page says: all that the fit finds in them is overfitting"
    found, shuffled = result["leave_one_out_spearman"], result["shuffled"]["leave_one_out_p95"]
    side = "above" if found is not None and found > shuffled else "not above"
    return f"leaving one out, these outcomes are {side} the 95th percentile of shuffled ones ({plain(shuffled)})"


def _compute(request: Request) -> Result:
    size, outcomes = request.options["size"], request.options["outcomes"]
    request.parameters.update(size=size, resampling_seed=request.seed)
    if outcomes:
        request.parameters["as_of"] = str(request.as_of)
        request.inputs["outcomes"] = hash_file(outcomes)
        records = study.sample_outcomes(study.read_outcomes(outcomes, request.as_of), request.seed, size)
    else:
        pages = read_component_values(open_capture(request))
        require(len(pages), study.FEWEST, "page")
        records = study.simulate_outcomes(pages.base, request.seed, size)
    return study.study_outcomes(records, seed=request.seed)


STUDY = Study(
    "observational",
    "Why weights are not fitted to a few outcomes",
    _compute,
    findings,
    group="protocol",
    help="""Fit eleven weights to a few outcomes, in sample and leaving one out.

    Without --outcomes the outcomes are drawn at random, whatever the page says: everything found is overfitting.
    """,
    options=(
        Option("--outcomes", "JSONL with `text` and a number `outcome`. [default: simulated counts]", metavar="FILE"),
        Option("--size", "How many outcomes are used at most.", int, 39, minimum=12),
        *CAPTURE_OPTIONS,
    ),
    sections=use_capture,
)
