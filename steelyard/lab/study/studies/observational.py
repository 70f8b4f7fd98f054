"""`lab protocol observational`: why fitting eleven weights to fewer than forty outcomes fails."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import scipy  # loads scipy.optimize on first use, which takes half a second

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.errors import InvalidFile, SteelyardError, UnsupportedLanguage
from steelyard.lab.corpus import read_records
from steelyard.lab.protocol.component_values import Array, read_component_values
from steelyard.lab.protocol.fit import load_weights
from steelyard.lab.stats.correlation import pearson, spearman
from steelyard.lab.stats.intervals import fisher_interval, percentile_interval
from steelyard.lab.study.findings import Findings, format_interval, make_table, plain
from steelyard.lab.study.material import Material, use_capture
from steelyard.lab.study.sources import open_capture, require
from steelyard.lab.study.studies.recorded_outcomes import as_arrays, read_cited_sources
from steelyard.lab.study.study import CAPTURE_OPTIONS, Call, Option, Request, Result, Section, Study
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from steelyard.support.artifacts import hash_file, mark_undefined
from steelyard.support.formatting import format_count
from steelyard.support.quantile import quantile

FEW = 39  # as many pages as the prior was fitted to
MIN_SOURCES = 12  # one more than there are weights
RIDGES = {"moderate": 10.0, "aggressive": 0.0}  # pull to the prior, in units of standardised outcomes
SHUFFLES = 100
SAMPLES = 100  # draws of a few outcomes of a file of records


@dataclass(frozen=True)
class Outcomes:
    """Pages as rows of raw component values, and one number per page to predict."""

    values: Array
    outcome: tuple[float, ...]
    simulated: bool = False

    def __len__(self) -> int:
        return len(self.outcome)


def read_outcomes(path: str, as_of: date) -> Outcomes:
    """Read a JSONL file with a `text` and a number `outcome` in each line, and score the texts.

    Raises:
        InvalidFile: The file cannot be read, a line is wrong, or there are too few outcomes.
    """
    try:
        records = list(read_records(path))
    except OSError as error:
        raise InvalidFile(path, f"cannot be read ({error.strerror}); check the path") from error
    paper = editions.load(editions.PAPER)
    rows: list[list[float]] = []
    outcome: list[float] = []
    for number, record in records:
        where = f"{path}:{number}"
        text, target = _parse_record(where, record)
        try:
            page = score_text(" ".join(text.split()), as_of=as_of, title="", edition=paper, evidence=False)
        except UnsupportedLanguage as error:
            raise InvalidFile(where, f"the text is in {error.language!r}; leave such pages out") from error
        rows.append([page.readings[n].value for n in NAMES])
        outcome.append(target)
    if len(outcome) < MIN_SOURCES or len(set(outcome)) < 3:
        counted = format_count(len(outcome), "outcome")
        raise InvalidFile(path, f"{counted}; give {MIN_SOURCES} or more, of three values at least")
    return Outcomes(np.array(rows), tuple(outcome))


def _parse_record(where: str, record: Mapping[str, Any]) -> tuple[str, float]:
    """Return the text and its outcome, a finite number."""
    try:
        text, target = record["text"], float(record["outcome"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidFile(where, f"needs `text` and a number `outcome` ({error})") from error
    if not isinstance(text, str) or not math.isfinite(target):
        raise InvalidFile(where, "needs `text`, a string, and `outcome`, a finite number")
    return text, target


def simulate_outcomes(base: Array, seed: int, size: int = FEW) -> Outcomes:
    """Draw integer counts without looking at the page: whatever a fit finds in them is overfitting."""
    rng = random.Random(f"{seed}|outcomes")
    chosen = sorted(rng.sample(range(len(base)), min(size, len(base))))
    return Outcomes(base[chosen], tuple(float(rng.choice((0, 0, 0, 1, 1, 2, 3, 5))) for _ in chosen), simulated=True)


def sample_outcomes(outcomes: Outcomes, seed: int | str, size: int = FEW) -> Outcomes:
    """Draw at most `size` of the outcomes, by default as many as the prior was fitted to."""
    if len(outcomes) <= size:
        return outcomes
    chosen = sorted(random.Random(f"{seed}|sample").sample(range(len(outcomes)), size))
    return Outcomes(outcomes.values[chosen], tuple(outcomes.outcome[i] for i in chosen), outcomes.simulated)


def refit_to_outcomes(outcomes: Outcomes) -> dict[str, Array]:
    """Fit two baselines for the strategy comparison: pulled to the prior, or not at all."""
    values, outcome = outcomes.values, outcomes.outcome
    return {f"outcomes, {name}": fit_to_outcomes(values, outcome, ridge) for name, ridge in RIDGES.items()}


def fit_to_outcomes(values: Array, outcome: Sequence[float], ridge: float) -> Array:
    """Fit weights to the standardised outcome: none negative, pulled to the prior, normalised to one."""
    target = np.array(outcome) - np.mean(outcome)
    spread = target.std() or 1.0
    centred = (values - values.mean(axis=0)) / 100.0
    prior = load_weights("prior")
    rows = [centred] + ([np.sqrt(ridge) * np.eye(len(prior))] if ridge else [])
    targets = [target / spread] + ([np.sqrt(ridge) * prior] if ridge else [])
    weights, _ = scipy.optimize.nnls(np.concatenate(rows), np.concatenate(targets))
    return weights / weights.sum() if weights.sum() > 0 else prior


def study_outcomes(outcomes: Outcomes, *, seed: int = 0) -> dict[str, Any]:
    """Compare the unconstrained fit in sample with leave-one-out, its interval, and fits to shuffled outcomes."""
    values, outcome = outcomes.values, list(outcomes.outcome)
    n = len(outcome)
    in_sample = fit_and_predict(values, outcome, values)
    rng = random.Random(f"{seed}|shuffles")
    shuffled = [_fit_shuffled(values, outcome, rng) for _ in range(SHUFFLES)]
    shuffled_in_sample, shuffled_left_out = [list(column) for column in zip(*shuffled, strict=True)]
    r = pearson(in_sample, outcome)
    single = {name: spearman(values[:, i].tolist(), outcome) for i, name in enumerate(NAMES)}
    strongest = max((abs(v), k) for k, v in single.items() if v is not None)[1]
    interval = fisher_interval(r, n) if r is not None and abs(r) < 1 else None
    return {
        "n": n,
        "weights": len(NAMES),
        "simulated": outcomes.simulated,
        "in_sample_spearman": spearman(in_sample, outcome),
        "leave_one_out_spearman": spearman(predict_left_out(values, outcome), outcome),
        "in_sample_pearson": r,
        "fisher_interval": list(interval) if interval else None,
        "shuffled": {
            "n": SHUFFLES,
            "in_sample_mean": mean(shuffled_in_sample),
            "in_sample_p95": quantile(shuffled_in_sample, 0.95),
            "leave_one_out_mean": mean(shuffled_left_out),
            "leave_one_out_p95": quantile(shuffled_left_out, 0.95),
        },
        "strongest_component": {"name": strongest, "spearman": single[strongest]},
        "components": single,
    }


def predict_left_out(values: Array, outcome: Sequence[float]) -> list[float]:
    """Predict every page by the fit to the other pages."""
    predicted = []
    for i in range(len(outcome)):
        others = [j for j in range(len(outcome)) if j != i]
        predicted += fit_and_predict(values[others], [outcome[j] for j in others], values[i : i + 1])
    return predicted


def fit_and_predict(values: Array, outcome: Sequence[float], new: Array) -> list[float]:
    """Predict new pages by least squares with an intercept and eleven free weights."""
    design = np.column_stack([np.ones(len(values)), values / 100.0])
    intercept, *weights = np.linalg.lstsq(design, np.array(outcome), rcond=None)[0]
    predicted: list[float] = (intercept + new / 100.0 @ np.array(weights)).tolist()
    return predicted


def _fit_shuffled(values: Array, outcome: Sequence[float], rng: random.Random) -> tuple[float, float]:
    """Return both correlations, in sample and leaving one out, for outcomes assigned to pages at random."""
    mixed = list(outcome)
    rng.shuffle(mixed)
    in_sample, left_out = fit_and_predict(values, mixed, values), predict_left_out(values, mixed)
    return spearman(in_sample, mixed) or 0.0, spearman(left_out, mixed) or 0.0


_NOTE = "A dash: the component never varies on these pages."


def findings(result: Result) -> Findings:
    """Present the fit to the outcomes; with records, those of every file before the counts drawn at random."""
    simulated = _present(result)
    if not (records := result.get("records")):
        return simulated
    lines, tables = [], []
    for name, fitted in sorted(records.items()):
        if "undefined" in fitted:
            lines.append(f"{name}: undefined ({fitted['undefined']})")
            continue
        found = _present(fitted)
        lines += [f"{name}: {line}" for line in found.lines] + [_describe_samples(name, fitted["samples"])]
        tables += [(f"{titled.title}, {name}", titled) for titled in found.tables]
    shown = [replace(titled, title=title) for title, titled in tables]
    more = [replace(titled, title=f"{titled.title}, random counts") for titled in simulated.tables]
    return Findings([*lines, *(f"random counts: {line}" for line in simulated.lines)], [*shown, *more])


def _describe_samples(name: str, samples: Result) -> str:
    in_sample, left_out = (samples[key] for key in ("in_sample", "leave_one_out"))
    return (
        f"{name}: over {samples['n']} draws of {samples['size']} of its {samples['queries']} queries, Spearman in "
        f"sample {plain(in_sample['mean'])} ({format_interval(in_sample['interval'])}), leaving one out "
        f"{plain(left_out['mean'])} ({format_interval(left_out['interval'])}), 95% of the draws in brackets"
    )


def _present(result: Result) -> Findings:
    shuffled = result["shuffled"]
    rows = [
        ["these outcomes", result["in_sample_spearman"], result["leave_one_out_spearman"]],
        [f"shuffled outcomes, mean of {shuffled['n']}", shuffled["in_sample_mean"], shuffled["leave_one_out_mean"]],
        ["shuffled outcomes, 95th percentile", shuffled["in_sample_p95"], shuffled["leave_one_out_p95"]],
    ]
    single = sorted(result["components"].items(), key=lambda kv: (-abs(kv[1] or 0), kv[0]))
    columns = "fitted on | in sample +.2 | leave one out +.2"
    tables = [
        make_table("Spearman of the fitted weighting with the outcome", columns, rows, is_main=True),
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
    left_out, shuffled = result["leave_one_out_spearman"], result["shuffled"]["leave_one_out_p95"]
    side = "above" if left_out is not None and left_out > shuffled else "not above"
    return f"leaving one out, these outcomes are {side} the 95th percentile of shuffled ones ({plain(shuffled)})"


def _compute(request: Request) -> Result:
    size, outcomes, paths = (request.options[key] for key in ("size", "outcomes", "records"))
    request.parameters.update(size=size, resampling_seed=request.seed)
    if outcomes and paths:
        raise SteelyardError("--outcomes and --records both give outcomes; give one of them")
    if outcomes:
        request.parameters["as_of"] = str(request.as_of)
        request.inputs["outcomes"] = hash_file(outcomes)
        records = sample_outcomes(read_outcomes(outcomes, request.as_of), request.seed, size)
    else:
        pages = read_component_values(open_capture(request))
        require(len(pages), MIN_SOURCES, "page")
        records = simulate_outcomes(pages.base, request.seed, size)
    result = study_outcomes(records, seed=request.seed)
    return {**result, "records": _study_records(request, paths, size)} if paths else result


def _study_records(request: Request, paths: str | Sequence[str], size: int) -> dict[str, Any]:
    """Return for every file of records the fit to as few of its queries, or why there is none."""
    found, undefined = read_cited_sources(request, [paths] if isinstance(paths, str) else paths)
    studied: dict[str, Any] = {name: mark_undefined(reason) for name, reason in undefined.items()}
    for name, sources in found.items():
        outcomes = Outcomes(*as_arrays(sources))
        if len(outcomes) < max(MIN_SOURCES, size) or len(set(outcomes.outcome)) < 3:
            studied[name] = mark_undefined(f"{format_count(len(outcomes), 'query', 'queries')}; {size} are needed")
            continue
        fitted = study_outcomes(sample_outcomes(outcomes, request.seed, size), seed=request.seed)
        studied[name] = {**fitted, "samples": measure_samples(outcomes, request.seed, size)}
    return studied


def measure_samples(outcomes: Outcomes, seed: int, size: int = FEW) -> dict[str, Any]:
    """Return both correlations over many draws of so few outcomes: their mean, and where 95% of the draws lie."""
    in_sample, left_out = [], []
    for draw in range(SAMPLES):
        few = sample_outcomes(outcomes, f"{seed}|{draw}", size)
        in_sample.append(spearman(fit_and_predict(few.values, few.outcome, few.values), few.outcome))
        left_out.append(spearman(predict_left_out(few.values, few.outcome), few.outcome))
    figures = {"in_sample": in_sample, "leave_one_out": left_out}
    spreads = {key: [r for r in values if r is not None] for key, values in figures.items()}
    return {
        "n": SAMPLES,
        "size": min(size, len(outcomes)),
        "queries": len(outcomes),
        **{key: {"mean": mean(rs), "interval": list(percentile_interval(rs))} for key, rs in spreads.items() if rs},
    }


def _sections(material: Material) -> list[Section]:
    """Return the section of the English capture, with every file of records."""
    (section,) = use_capture(material)

    def call() -> Call:
        arguments, options = section.call()
        return arguments, {**options, "records": [str(path) for path in material.records]}

    return [Section(call)]


STUDY = Study(
    "observational",
    "Why weights are not fitted to a few outcomes",
    _compute,
    findings,
    group="protocol",
    help="""Fit eleven weights to a few outcomes, in sample and leaving one out.

    Without --outcomes they are drawn at random, whatever the page says: everything found is overfitting. With --records
    they are also the citation shares of recorded answers, of one source for each query.
    """,
    options=(
        Option("--outcomes", "JSONL with `text` and a number `outcome`. [default: simulated counts]", metavar="FILE"),
        Option("--records", "Recorded answers: also fits the shares of their sources.", metavar="FILE"),
        Option("--size", "How many outcomes are used at most.", int, 39, minimum=12),
        *CAPTURE_OPTIONS,
    ),
    sample=lambda result, _: f"{result['n']} outcomes; {result['shuffled']['n']} shuffles of them",
    sections=_sections,
)
