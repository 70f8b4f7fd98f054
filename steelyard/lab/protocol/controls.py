"""Controls: what each costs by itself, which conclusions depend on it, and levers beside their own block made inert."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.lab.corpus import TEST, TRAIN
from steelyard.lab.edits.controls.book import TEMPLATES
from steelyard.lab.edits.controls.matched import LEVERS, MATCHED
from steelyard.lab.protocol import fit
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import ComponentValues, read_component_values, sqrt
from steelyard.lab.protocol.gates import judge, record_verdicts
from steelyard.lab.protocol.strategies import evaluate_strategy, fit_families, list_baselines, select_strategy
from steelyard.lab.protocol.variants import BASE, DOSES, FILLER, PAPER, Variant, variant_name
from steelyard.lab.stats.intervals import draw_resamples, percentile_interval, resample_means

PANEL = (FILLER, "off_topic_prose", "on_topic_prose", "own_sentences", "evidence_matched_prose")
SHARES = (0.75, 0.5, 0.25, 0.0)  # of the filler's own cost that is left; at 0 the filler is the untouched page
PANEL_VARIANTS = tuple(Variant(variant_name(name, dose), (name,), dose) for name in PANEL[1:] for dose in DOSES)
MATCHED_VARIANTS = tuple(Variant(variant_name(block.name, 1), (block.name,)) for block in MATCHED)
VARIANTS = (*PAPER, *PANEL_VARIANTS, *MATCHED_VARIANTS)

Control = Callable[[ComponentValues, int], Any]  # the values that stand for the filler at a dose


def list_controls() -> dict[str, Control]:
    """Return every control by name: the panel, and the filler with only a share of its cost."""
    controls: dict[str, Control] = {name: _use(name) for name in PANEL}
    for share in SHARES:
        controls[f"{FILLER} x {share:g}"] = _shrink(share)
    return controls


def _use(name: str) -> Control:
    return lambda values, dose: values.values[variant_name(name, dose)]


def _shrink(share: float) -> Control:
    return lambda values, dose: values.base + share * (values.values[variant_name(FILLER, dose)] - values.base)


def put_control(values: ComponentValues, control: Control) -> ComponentValues:
    """Return the paper's variants, with a control in the place of the filler."""
    changed = {variant.name: values.values[variant.name] for variant in PAPER}
    changed |= {variant_name(FILLER, dose): control(values, dose) for dose in DOSES}
    return replace(values, values=changed)


def compare_controls(capture: Capture, *, draws: int, seed: int = 0) -> dict[str, Any]:
    """Measure what each control costs, and judge the shipped score and the families of weights under each."""
    everything = read_component_values(capture)
    train, test = (read_component_values(capture, split=split) for split in (TRAIN, TEST))
    return {
        "sources": {"all": len(everything), "train": len(train), "test": len(test)},
        "costs": {name: measure_costs(everything, name, draws=draws, seed=seed) for name in PANEL},
        "controls": {
            name: _judge(control, everything, train, test, draws=draws, seed=seed)
            for name, control in list_controls().items()
        },
        "matched": measure_matched(everything, draws=draws, seed=seed),
    }


def measure_costs(values: ComponentValues, name: str, *, draws: int, seed: int) -> dict[str, Any]:
    """Return what a control costs at each dose: the points of `content` with an interval, and of each component."""
    weights = fit.load_weights("shipped")
    picked = draw_resamples(len(values), draws, random.Random(seed))
    doses: dict[str, Any] = {}
    for dose in DOSES:
        moved = (sqrt(values.values[variant_name(name, dose)]) - sqrt(values.base)) * weights
        points = moved.sum(axis=1).tolist()
        low, high = percentile_interval(resample_means([points], picked)[0])
        by_component = dict(zip(NAMES, moved.mean(axis=0).tolist(), strict=True))
        doses[str(dose)] = {"points": float(np.mean(points)), "interval": [low, high], "components": by_component}
    return {"doses": doses, "largest": max(abs(entry["points"]) for entry in doses.values())}


def _judge(
    control: Control,
    everything: ComponentValues,
    train: ComponentValues,
    test: ComponentValues,
    *,
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """Return the verdicts of the shipped score, which families pass on the training half, and which is selected."""
    shipped = put_control(everything, control).responses(sqrt, fit.load_weights("shipped"))
    training, held_out = put_control(train, control), put_control(test, control)
    results = [
        evaluate_strategy(strategy, training, held_out, draws=0, seed=seed)
        for strategy in (*fit_families(training), *list_baselines(training))
    ]
    selected = select_strategy(results)
    chosen = None if selected is None else selected.strategy.name
    return {
        "shipped": record_verdicts(judge(shipped, draws=draws, seed=seed)),
        "strategies": {
            result.strategy.name: {
                "feasible": result.is_feasible(),
                "pearson": result.train.alignment.pearson,
                "gates": {verdict.gate: verdict.statistic for verdict in result.train.verdicts},
            }
            for result in results
        },
        "selected": chosen,
    }


def measure_matched(values: ComponentValues, *, draws: int, seed: int) -> dict[str, Any]:
    """Return each lever's response against its own block made inert; intervals resample pages and wordings."""
    weights = fit.load_weights("shipped")
    points = {name: (sqrt(array) @ weights).tolist() for name, array in values.values.items()}
    rng = random.Random(seed)
    pages = draw_resamples(len(values), draws, rng)
    wordings = draw_resamples(TEMPLATES, draws, rng)
    measured = {}
    for lever in LEVERS:
        levers, inert = (
            [points[variant_name(block.name, 1)] for block in MATCHED if block.lever == lever and block.inert is kind]
            for kind in (False, True)
        )
        measured[lever] = {
            "against_control": _respond(levers, inert, pages, wordings),
            "against_filler": _respond(levers, [points[variant_name(FILLER, 1)]] * TEMPLATES, pages, wordings),
            "over_page": _respond(levers, [points[BASE.name]] * TEMPLATES, pages, wordings),
            "control_over_page": _respond(inert, [points[BASE.name]] * TEMPLATES, pages, wordings),
        }
    return measured


def _respond(
    edited: Sequence[Sequence[float]],
    reference: Sequence[Sequence[float]],
    pages: Sequence[Sequence[int]],
    wordings: Sequence[Sequence[int]],
) -> Mapping[str, Any]:
    """Return the mean difference over pages and wordings, its interval, and the mean of each wording."""
    differences = [[a - b for a, b in zip(x, y, strict=True)] for x, y in zip(edited, reference, strict=True)]
    by_wording = [float(np.mean(column)) for column in differences]
    means = resample_means(differences, pages)  # wording x draw
    drawn = [float(np.mean([means[w][at] for w in chosen])) for at, chosen in enumerate(wordings)]
    low, high = percentile_interval(drawn)
    return {"points": float(np.mean(by_wording)), "interval": [low, high], "by_wording": by_wording}
