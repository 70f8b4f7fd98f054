"""`lab protocol robustness`: other splits, perturbed weights, other ridge strengths and exponents."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform, power, split_train_test, sqrt
from steelyard.lab.protocol.gates import GATES, count_by_estimate, judge
from steelyard.lab.protocol.variants import MAX_DOSE, STUFFING
from steelyard.lab.study.findings import HELD_OUT, Findings, Titled, make_table, plain, signed
from steelyard.lab.study.material import use_capture
from steelyard.lab.study.sources import open_capture
from steelyard.lab.study.studies.compare_strategies import describe_fitted_pages
from steelyard.lab.study.study import CAPTURE_OPTIONS, Request, Result, Study

RESPLITS = 10
PERTURBATIONS = 200
MAX_CHANGE = 0.10  # of a weight, as a share of it
EXPONENTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def study_robustness(train: ComponentValues, test: ComponentValues, *, seed: int = 0) -> dict[str, Any]:
    """Evaluate other splits, perturbed weights, every ridge strength and every exponent."""
    reference = fit.fit_nested(train, sqrt)
    rows = {
        "resplits": _resplit(train.join(test), len(train), seed),
        "ridges": [_evaluate_fit(fit.fit_weights(train.matrix(sqrt), ridge), sqrt, test) for ridge in fit.LAMBDAS],
        "exponents": [
            {"exponent": q, **_evaluate_fit(fit.fit_nested(train, power(q)), power(q), test)} for q in EXPONENTS
        ],
    }
    return {
        "reference": _evaluate_fit(reference, sqrt, test),
        "perturbations": _perturb(reference.weights, test, seed),
        **rows,
        "summary": {name: summarize(of) for name, of in rows.items()},
    }


def summarize(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return range and mean of the alignment, range of the control at dose 8, and how many rows pass what."""
    aligned, stuffed = [r["pearson"] for r in rows], [r["stuffing_dose_8"] for r in rows]
    return {
        "n": len(rows),
        "lowest_pearson": min(aligned),
        "highest_pearson": max(aligned),
        "mean_pearson": mean(aligned),
        "weakest_stuffing_dose_8": max(stuffed),
        "strongest_stuffing_dose_8": min(stuffed),
        "control_holds": sum(r["stuffing_dose_1"] <= 0 and r["stuffing_dose_8"] <= 0 for r in rows),
        "all_gates": sum(r["gates"] == len(GATES) for r in rows),
    }


def _evaluate_fit(fitted: fit.Fit, transform: Transform, test: ComponentValues) -> dict[str, Any]:
    return {"ridge": fitted.ridge, **_evaluate(fitted.weights, transform, test)}


def _evaluate(weights: Array, transform: Transform, test: ComponentValues) -> dict[str, Any]:
    responses = test.responses(transform, weights)
    verdicts = {v.gate: v for v in judge(responses, draws=0)}
    return {
        "pearson": align(responses, draws=0).pearson,
        "stuffing_dose_1": responses.delta(STUFFING, 1),
        "stuffing_dose_8": responses.delta(STUFFING, MAX_DOSE),
        "worst_step": verdicts["dose-response"].statistic,
        "saturation": verdicts["saturation"].statistic,
        "gates": count_by_estimate([*verdicts.values()]),
    }


def _resplit(everything: ComponentValues, size: int, seed: int) -> list[dict[str, Any]]:
    """Refit on ten other training halves and evaluate on the rest."""
    rows = []
    for number in range(RESPLITS):
        order = list(range(len(everything)))
        random.Random(f"{seed}|resplit|{number}").shuffle(order)
        train, test = everything.select(sorted(order[:size])), everything.select(sorted(order[size:]))
        rows.append({"split": number, **_evaluate_fit(fit.fit_nested(train, sqrt), sqrt, test)})
    return rows


def _perturb(weights: Array, test: ComponentValues, seed: int) -> dict[str, Any]:
    """Change every weight by up to a tenth of itself, two hundred times."""
    rng = random.Random(f"{seed}|perturbations")
    rows = []
    for _ in range(PERTURBATIONS):
        changed = weights * np.array([1 + rng.uniform(-MAX_CHANGE, MAX_CHANGE) for _ in weights])
        rows.append(_evaluate(changed / changed.sum(), sqrt, test))
    return {
        "n": PERTURBATIONS,
        "shake": MAX_CHANGE,
        "worst_pearson": min(r["pearson"] for r in rows),
        "best_pearson": max(r["pearson"] for r in rows),
        "worst_stuffing_dose_8": max(r["stuffing_dose_8"] for r in rows),
        "fewest_gates": min(r["gates"] for r in rows),
    }


SHIPPED = 0.5  # the exponent of the shipped transform
_KEYS = ("pearson", "stuffing_dose_1", "stuffing_dose_8", "worst_step", "saturation")


def findings(result: Result) -> Findings:
    tables = [
        _show_rows("Ten other splits, each with its own nested refit", result["resplits"], "split", HELD_OUT),
        _show_rows("The grid of ridge strengths", result["ridges"], "ridge"),
        _show_rows("The exponent of the transform, refitted", result["exponents"], "exponent"),
    ]
    return Findings(_list_lines(result), tables)


def _list_lines(result: Result) -> list[str]:
    perturbed, summary = result["perturbations"], result["summary"]
    splits, exponents = summary["resplits"], result["exponents"]
    weakest, strongest = (summary["exponents"][f"{end}_stuffing_dose_8"] for end in ("weakest", "strongest"))
    ends = [exponents[0], next(r for r in exponents if r["exponent"] == SHIPPED), exponents[-1]]
    steps = ", ".join(f"{signed(r['worst_step'])} at {r['exponent']:g}" for r in ends)
    return [
        f"re-splits: Pearson on the half without the fit {_format_range(splits)} (mean "
        f"{plain(splits['mean_pearson'], 3)}), stuffing negative on {splits['control_holds']} of {splits['n']}, 5/5 "
        f"gates on {splits['all_gates']} of {splits['n']}",
        f"{perturbed['n']} perturbations of {perturbed['shake']:.0%}: worst Pearson "
        f"{plain(perturbed['worst_pearson'], 3)}, weakest stuffing at dose 8 "
        f"{signed(perturbed['worst_stuffing_dose_8'])}, never fewer than {perturbed['fewest_gates']}/5 gates",
        f"ridge strengths: Pearson on the test half {_format_range(summary['ridges'])}",
        f"exponents {exponents[0]['exponent']:g} to {exponents[-1]['exponent']:g}: Pearson on the test half "
        f"{_format_range(summary['exponents'])}, stuffing at dose 8 {signed(weakest)} to {signed(strongest)}, worst "
        f"dose step {steps}",
    ]


def _format_range(summary: Result) -> str:
    return f"{plain(summary['lowest_pearson'], 3)} to {plain(summary['highest_pearson'], 3)}"


def _show_rows(title: str, rows: Sequence[Result], key: str, note: str = "") -> Titled:
    columns = f"{key} > | Pearson .3 | stuffing x1 +.2 | stuffing x8 +.2 | worst step +.2 | saturation .2 | gates >"
    return make_table(title, columns, [[f"{r[key]:g}", *(r[k] for k in _KEYS), f"{r['gates']}/5"] for r in rows], note)


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
    sample=describe_fitted_pages,
    sections=use_capture,
)
