"""`protocol robustness`: other splits, perturbed weights, other ridge strengths and exponents."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.lab.protocol.component_values import split_train_test
from steelyard.lab.protocol.robustness import study_robustness
from steelyard.lab.study.findings import Findings, Titled, make_table, plain, signed
from steelyard.lab.study.material import use_capture
from steelyard.lab.study.sources import open_capture
from steelyard.lab.study.study import CAPTURE_OPTIONS, Request, Result, Study

SHIPPED = 0.5  # the exponent of the shipped transform
_KEYS = ("pearson", "stuffing_dose_1", "stuffing_dose_8", "worst_step", "saturation")


def findings(result: Result) -> Findings:
    tables = [
        _table("Ten other splits, each with its own nested refit", result["resplits"], "split"),
        _table("The grid of ridge strengths", result["ridges"], "ridge"),
        _table("The exponent of the transform, refitted", result["exponents"], "exponent"),
    ]
    return Findings(_lines(result), tables)


def _lines(result: Result) -> list[str]:
    perturbed, summary = result["perturbations"], result["summary"]
    splits, exponents = summary["resplits"], result["exponents"]
    ends = [exponents[0], next(r for r in exponents if r["exponent"] == SHIPPED), exponents[-1]]
    steps = ", ".join(f"{signed(r['worst_step'])} at {r['exponent']:g}" for r in ends)
    return [
        f"re-splits: held-out Pearson {_range(splits)} (mean {plain(splits['mean_pearson'], 3)}), stuffing negative on "
        f"{splits['control_holds']} of {splits['n']}, 5/5 gates on {splits['all_gates']} of {splits['n']}",
        f"{perturbed['n']} perturbations of {perturbed['shake']:.0%}: worst Pearson "
        f"{plain(perturbed['worst_pearson'], 3)}, weakest stuffing at dose 8 "
        f"{signed(perturbed['worst_stuffing_dose_8'])}, never fewer than {perturbed['fewest_gates']}/5 gates",
        f"ridge strengths: held-out Pearson {_range(summary['ridges'])}",
        f"exponents {exponents[0]['exponent']:g} to {exponents[-1]['exponent']:g}: held-out Pearson "
        f"{_range(summary['exponents'])}, stuffing at dose 8 {signed(summary['exponents']['weakest_stuffing_dose_8'])} "
        f"to {signed(summary['exponents']['strongest_stuffing_dose_8'])}, worst dose step {steps}",
    ]


def _range(summary: Result) -> str:
    return f"{plain(summary['lowest_pearson'], 3)} to {plain(summary['highest_pearson'], 3)}"


def _table(title: str, rows: Sequence[Result], key: str) -> Titled:
    columns = f"{key} > | Pearson .3 | stuffing x1 +.2 | stuffing x8 +.2 | worst step +.2 | saturation .2 | gates >"
    return make_table(title, columns, [[f"{r[key]:g}", *(r[k] for k in _KEYS), f"{r['gates']}/5"] for r in rows])


def _compute(request: Request) -> Result:
    request.parameters.update(resampling_seed=request.seed)
    return study_robustness(*split_train_test(open_capture(request)), seed=request.seed)


STUDY = Study(
    "robustness",
    "Other splits, perturbed weights, other exponents",
    _compute,
    findings,
    group="protocol",
    help="Repeat the refit on ten other splits, with perturbed weights, other ridge strengths and other exponents.",
    options=CAPTURE_OPTIONS,
    sections=use_capture,
)
